// Decoding: every contender on every model, in rounds. Must not: print.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runContender } from "../../dist/bench/child.js";
import { labelOf } from "../../dist/bench/contenders.js";
import { contextFor } from "../../dist/bench/job.js";
import { machine } from "../../dist/bench/machine.js";
import { syntheticModel } from "../../dist/bench/models.js";
import { measureInRounds, turnLabel } from "../../dist/bench/rounds.js";
import { measureLlamaNode } from "./llama-node.mjs";
import { measurePlainLoop } from "./plain-loop.mjs";
import { promptTokens as wanted } from "./plan.mjs";

const build = fileURLToPath(new URL("../../build/", import.meta.url));
export const hookLibrary = path.join(
  build,
  "Release",
  `libbench-hook.${process.platform === "darwin" ? "dylib" : "so"}`,
);

/** A model of the plan with a real vocabulary, made once: { name, file, description }. */
export async function prepareModel({ name, vocabulary }, { gpu, threads, signal }) {
  const vocabularyFile = path.join(build, "llama.cpp", "models", `ggml-vocab-${vocabulary}.gguf`);
  const file = await syntheticModel(path.join(build, "bench-models"), name, vocabularyFile);
  const request = { model: file, gpu, threads, promptTokens: wanted };
  const description = await runContender("describe", request, signal);
  // A backend that finds no device would leave everything to the CPU, and nobody would see it in the figures.
  if (gpu !== false && machine(description.system.devices, true).gpu === null)
    throw new Error(`the ${gpu} backend finds no device here`);
  return { name, file, description };
}

/** Measures the contenders of a plan on its model. Gives what measureInRounds() gives. */
export function measureModel(plan, model, options) {
  const { signal, progress } = options;
  const contenders = plan.contenders.map((entry) => contenderOf(entry, plan, model, options));
  return measureInRounds(contenders, {
    rounds: plan.rounds,
    signal,
    onTurn: (contender, round) => progress.say(`${plan.name} ${round + 1}/${plan.rounds}`, turnLabel(contender)),
    onDone: (count) => progress.advance(count),
  });
}

function contenderOf({ name, sequences = 1, rounds, tokens }, plan, { file, description }, options) {
  const { promptTokens, prompt } = description;
  const written = tokens ?? plan.tokens;
  const job = {
    model: file,
    gpu: options.gpu,
    threads: options.threads,
    prompt,
    tokens: written,
    sequences,
    contextSize: contextFor(promptTokens, written),
    ...(existsSync(hookLibrary) && { library: hookLibrary }),
  };
  const measure = {
    plain: (signal) => measurePlainLoop(job, promptTokens, options, signal),
    "llama.node": (signal) => measureLlamaNode(job, signal),
  }[name];
  return {
    name,
    label: name === "plain" ? "plain llama.cpp loop" : labelOf(name),
    sequences,
    ...(rounds !== undefined && { rounds }),
    measure: measure ?? ((signal) => runContender(name, job, signal)),
  };
}
