// The models of a run: synthetic ones, written once, and those with real weights.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runContender } from "../../dist/bench/measure/child.js";
import { machine } from "../../dist/bench/measure/machine.js";
import { syntheticModel } from "../../dist/bench/measure/models.js";
import { realModelsFolder } from "../../scripts/test/real/folder.mjs";
import { callingModel } from "./calling-model.mjs";
import { promptTokens as wanted, realModels } from "./plan.mjs";

const build = fileURLToPath(new URL("../../build/", import.meta.url));
const bundle = path.join(build, "llama.cpp", "models");
const folder = path.join(build, "bench-models");

export const hookLibrary = path.join(
  build,
  "Release",
  `libbench-hook.${process.platform === "darwin" ? "dylib" : "so"}`,
);

/** The file of a chat template that comes with llama.cpp. */
export function chatTemplate(name) {
  const file = path.join(bundle, "templates", `${name}.jinja`);
  if (!existsSync(file)) throw new Error(`the bundle of llama.cpp has no template ${name}`);
  return file;
}

/** The file of a model with real weights. */
function realModel(name) {
  const file = path.join(realModelsFolder, realModels[name]);
  if (!existsSync(file)) throw new Error(`${file} is missing: npm run real-models`);
  return file;
}

/** A model of the plan with a real vocabulary: { name, file, description }. */
export async function prepareModel({ name, vocabulary }, options) {
  const file =
    name in realModels
      ? realModel(name)
      : await syntheticModel(folder, name, { vocabularyFrom: vocabularyFile(vocabulary) });
  const description = await describePrompt(file, wanted, options);
  // A backend without a device would leave everything to the CPU unnoticed.
  if (options.gpu !== false && machine(description.system.devices, true).gpu === null)
    throw new Error(`the ${options.gpu} backend finds no device here`);
  return { name, file, description };
}

/** Path of a model in that shape with a chat template of llama.cpp and its special tokens: { model, template }. */
export async function templateModel(shape, { vocabulary, name }) {
  const template = chatTemplate(name);
  const made = { vocabularyFrom: vocabularyFile(vocabulary), chatTemplate: readFileSync(template, "utf8") };
  return { model: await syntheticModel(path.join(folder, vocabulary, name), shape, made), template };
}

/** Path of a model in that shape, with another vocabulary than the plan's, or one that walks. */
export function specialModel(shape, { vocabulary, walk }) {
  const made = { vocabularyFrom: vocabularyFile(vocabulary), ...(walk !== undefined && { walk }) };
  return syntheticModel(path.join(folder, vocabulary), shape, made);
}

/** Path of a model in that shape that calls a tool at every request (calling-model.mjs). */
export function callingModelOf(shape) {
  return callingModel(path.join(folder, "calling"), shape, vocabularyFile("qwen2"));
}

/** A prompt of about this many tokens of the model: { prompt, promptTokens, info, system }. */
export function describePrompt(model, promptTokens, { gpu, threads, signal }) {
  return runContender("describe", { model, gpu, threads, promptTokens }, signal);
}

function vocabularyFile(name) {
  return path.join(bundle, `ggml-vocab-${name}.gguf`);
}
