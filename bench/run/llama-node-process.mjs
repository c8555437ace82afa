// One measurement of @fugood/llama.node: llama-node-process.mjs FOLDER JOB, where FOLDER is its installation.
// Must not: measure twice, or use more of it than its own documentation does.
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { measurementOf } from "../../dist/bench/measure/timing.js";

const [folder, json] = process.argv.slice(2);
const { model, threads, contextSize, tokens, prompt, gpu } = JSON.parse(json);

const entry = createRequire(path.join(folder, "package.json")).resolve("@fugood/llama.node");
const { getBackendDevicesInfo, loadModel } = await import(pathToFileURL(entry).href);
const variant = gpu === false ? "default" : gpu;
// It would silently fall back to the CPU.
const devices = gpu === false ? [] : await getBackendDevicesInfo(variant);
if (gpu !== false && !devices.some(({ type }) => type === "gpu"))
  throw new Error(`its ${gpu} build cannot be loaded here, or finds no device`);

const start = performance.now();
const context = await loadModel({
  model,
  lib_variant: variant,
  n_ctx: contextSize,
  n_threads: threads,
  n_gpu_layers: gpu === false ? 0 : 999,
  use_mmap: true,
});
const loadMs = performance.now() - start;

let firstAt;
let seen = 0;
const begin = performance.now();
const { timings } = await context.completion(
  { prompt, n_predict: tokens + 1, temperature: 0, ignore_eos: true },
  () => {
    seen++;
    firstAt ??= performance.now();
  },
);
const end = performance.now();
if (firstAt === undefined) throw new Error("the completion called back for no token");
const timing = {
  loadMs,
  promptTokens: timings.prompt_n,
  promptMs: firstAt - begin,
  completionTokens: Math.max(seen, timings.predicted_n) - 1,
  decodeMs: end - firstAt,
};
console.log(JSON.stringify(measurementOf(timing)));
// Its threads would keep the process alive.
process.exit(0);
