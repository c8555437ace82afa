// Workers that end in the middle of their work: `node teardowns-work.mjs TIMES`. Each has an engine with hooks and is
// terminated at another moment: while it loads, generates, waits in a hook, or closes. Prints what grew, as JSON.
import { readdirSync, readFileSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { fileURLToPath } from "node:url";

const stages = ["begun", "loaded", "generating", "in a hook", "closing", "over"];

async function inWorker() {
  const { bundledModel, createEngine } = await import("../../dist/index.js");
  const say = (stage) => parentPort.postMessage(stage);
  say("begun");
  const engine = await createEngine({ model: bundledModel, threads: 1, contextSize: 256, parallel: 1, gpu: false });
  say("loaded");
  let tokens = 0;
  engine.hooks.on("streamToken", async () => {
    if (tokens++ !== 2) return;
    say("in a hook");
    if (workerData === "in a hook") await new Promise(() => {}); // until the end
  });
  const generation = engine.generate("Count to ten.", { maxTokens: 16 });
  say("generating");
  await generation;
  const closed = engine.close();
  say("closing");
  await closed;
  say("over");
}

function one(stage) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: stage });
    worker.on("message", (said) => {
      if (said === stage) void worker.terminate();
    });
    worker.on("error", reject);
    worker.on("exit", () => resolve());
  });
}

async function held() {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 10)).then(gc);
  const threads = Number(/^Threads:\s+(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  return { threads, handles: readdirSync("/proc/self/fd").length, rssMb: process.memoryUsage().rss / 1e6 };
}

async function inMain() {
  const times = Number(process.argv[2]);
  for (let i = 0; i < Math.min(150, times); i++) await one(stages[i % stages.length]);
  const warm = await held();
  for (let i = 0; i < times; i++) await one(stages[i % stages.length]);
  const end = await held();
  console.log(JSON.stringify({ times, warm, end }));
}

await (isMainThread ? inMain() : inWorker());
