// One measurement of the rows P14 to P22, in a process of its own: node bench/lasting/process.mjs NAME JSON, where NAME is a
// file here and JSON what its measure() takes. The last line of stdout is one JSON object: what it found, or
// {"error": {"code", "message"}} and exit code 1. Must not: measure twice.
const [name, json] = process.argv.slice(2);
try {
  if (!/^[a-z-]+$/.test(name)) throw new TypeError(`no measurement ${JSON.stringify(name)}`);
  const { measure } = await import(`./${name}.mjs`);
  console.log(JSON.stringify(await measure(JSON.parse(json))));
} catch ({ code = null, message }) {
  console.log(JSON.stringify({ error: { code, message } }));
  process.exitCode = 1;
}
