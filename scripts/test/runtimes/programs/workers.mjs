// Starts workers: two generate while the main thread does, two are terminated while tokens arrive, and the main thread
// still works.
import { Worker } from "node:worker_threads";
import { createEngine } from "llama-hooks";

const start = (what) => {
  const worker = new Worker(new URL("in-worker.mjs", import.meta.url), { workerData: what });
  const said = new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  return { worker, said, ended };
};

const engine = await createEngine({ gpu: false, threads: 1 });
const hello = async () => (await engine.generate("Hello!", { temperature: 0 })).text;
const speaking = [start("speak"), start("speak")];
console.log(await hello(), ...(await Promise.all(speaking.map(({ said }) => said))));
console.log(...(await Promise.all(speaking.map(({ ended }) => ended))));
for (const { worker, said } of [start("go on"), start("go on")]) {
  console.log(await said);
  await worker.terminate();
}
console.log(await hello());
await engine.close();
