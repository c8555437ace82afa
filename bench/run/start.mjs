// The time to import the package, in fresh processes. Without a model; loading is measured with the contenders.
import { runForJson } from "../../dist/bench/measure/child.js";

const entry = new URL("../../dist/bundle/index.js", import.meta.url).href;
const code = `
const start = performance.now();
await import(${JSON.stringify(entry)});
console.log(JSON.stringify({ ms: performance.now() - start }));`;

/** Milliseconds of each of `runs` imports. */
export async function measureImports(runs, signal) {
  const times = [];
  for (let run = 0; run < runs; run++) {
    const { ms } = await runForJson(process.execPath, ["--input-type=module", "--eval", code], signal);
    times.push(ms);
  }
  return times;
}
