// The process of one engine with isolation dies TIMES times: `node deaths-work.mjs TIMES`, each time at another moment
// of a generation, or while nothing is computed. The next generation must succeed. Prints what grew, as JSON.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledModel, createEngine } from "../../dist/index.js";

const times = Number(process.argv[2]);
const signals = ["SIGKILL", "SIGSEGV", "SIGABRT"];
/**
 * Number of model files. The engine refuses a model with which the process dies three times within a minute. A death
 * takes some 40 ms, so the deaths at work, one in `every`, are spread over enough files that none is refused. No model
 * is blamed for the other deaths.
 */
const files = 64;
const every = 20;
const wrong = [];
let inWork = 0;

const folder = await mkdtemp(join(tmpdir(), "llama-hooks-deaths-"));
const engine = await createEngine({ models: {}, isolation: "process", gpu: false });
for (let number = 0; number < files; number++) {
  const path = join(folder, `${number}.gguf`);
  await copyFile(bundledModel, path);
  await engine.models.load(String(number), { path, threads: 1, contextSize: 256, parallel: 1, lazy: true });
}

async function deathAtWork(index, model) {
  let left = 1 + (index % 12);
  const before = engine.systemInfo().process;
  const hook = engine.hooks.on("streamToken", () => {
    if (--left === 0) process.kill(before, signals[index % signals.length]);
  });
  const error = await engine.generate("Count to a hundred.", { model, maxTokens: 120, ignoreEos: true }).then(
    () => ({ code: "none" }),
    (failure) => failure,
  );
  hook.dispose();
  if (error.code !== "ENGINE_CRASHED") wrong.push(`death ${index} ended a generation with ${error.code}`);
  inWork++;
}

async function idleDeath() {
  const { process: before } = engine.systemInfo();
  process.kill(before, "SIGKILL");
  while (engine.systemInfo().process === before) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function death(index) {
  const model = String(Math.floor(index / every) % files);
  await engine.generate("Hi", { model, maxTokens: 1 });
  await (index % every === 0 ? deathAtWork(index / every, model) : idleDeath());
  const { usage } = await engine.generate("Hi", { model, maxTokens: 2, ignoreEos: true });
  if (usage.completionTokens !== 2) wrong.push(`the generation after death ${index} wrote ${usage.completionTokens}`);
}

/** Zombies: children of this process that have ended and were not waited for. */
function zombies() {
  const listed = execFileSync("ps", ["-o", "stat=", "--ppid", String(process.pid)], { encoding: "utf8" });
  return listed.split("\n").filter((state) => state.startsWith("Z")).length;
}

async function held() {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 10)).then(gc);
  const threads = Number(/^Threads:\s+(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  return { threads, handles: readdirSync("/proc/self/fd").length, rssMb: process.memoryUsage().rss / 1e6 };
}

for (let i = 1; i <= Math.min(every - 1, times); i++) await death(i);
const warm = await held();
for (let i = 1; i <= times; i++) await death(i);
const end = await held();
if (zombies() > 0) wrong.push(`${zombies()} processes were not waited for`);
await engine.close();
await rm(folder, { recursive: true });
console.log(JSON.stringify({ times, inWork, wrong, warm, end }));
