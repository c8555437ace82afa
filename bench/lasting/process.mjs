// Runs one measurement of P14 to P31 in a separate process: node bench/lasting/process.mjs NAME JSON, where NAME is a
// file here and JSON the argument of its measure(). The last line of stdout is one JSON object: the result, or
// {"error": {"code", "message"}} with exit code 1. Must not: measure twice.
const [name, json] = process.argv.slice(2);
try {
  if (!/^[a-z-]+$/.test(name)) throw new TypeError(`no measurement ${JSON.stringify(name)}`);
  const { measure } = await import(`./${name}.mjs`);
  console.log(JSON.stringify(await measure(JSON.parse(json))));
} catch ({ code = null, message }) {
  console.log(JSON.stringify({ error: { code, message } }));
  process.exitCode = 1;
}
