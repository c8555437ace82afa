// The thread of workers.mjs.
import { parentPort, workerData } from "node:worker_threads";
import { createEngine } from "llama-hooks";
import { untilTokens } from "./until-tokens.mjs";

if (workerData === "speak") {
  const engine = await createEngine({ gpu: false, threads: 1 });
  engine.hooks.on("streamToken", async ({ text }) => ({ text: text.toUpperCase() }));
  parentPort.postMessage((await engine.generate("Hello!", { temperature: 0 })).text);
  await engine.close();
} else {
  await untilTokens(() => parentPort.postMessage("tokens"));
}
