// The rows P14 to P31: speed after the first minute, and under realistic use. Defines models, amounts and repetitions;
// bench/lasting measures, in fresh processes.
import { fileURLToPath } from "node:url";
import { runForJson } from "../../dist/bench/measure/child.js";
import { median } from "../../dist/bench/results/statistics.js";
import { contextFor } from "../../dist/bench/measure/job.js";
import { hasLoadOption } from "../lasting/engine.mjs";
import { call, callingTemplate } from "./calling-model.mjs";
import { callingModelOf, chatTemplate, describePrompt, prepareModel, specialModel, templateModel } from "./models.mjs";
import { choose, many, promptTokens, vocabularyOf } from "./plan.mjs";

const script = fileURLToPath(new URL("../lasting/process.mjs", import.meta.url));
const qwen = "qwen2";

function run(name, job, { gpu, threads, signal }) {
  return runForJson(process.execPath, [script, name, JSON.stringify({ gpu, threads, ...job })], signal);
}

function prepare(name, options) {
  return prepareModel({ name, vocabulary: vocabularyOf(name) }, options);
}

/** Repeats a measurement in fresh processes. */
async function repeated(times, measure) {
  const found = [];
  for (let round = 0; round < times; round++) found.push(await measure(round));
  return found;
}

/** P14. */
export async function flat(options) {
  const { file, description } = await prepare("tiny", options);
  const job = { model: file, prompt: description.prompt, tokens: 400, contextSize: 1024, generations: 10 };
  return repeated(options.quick ? 1 : 5, () => run("flat", job, options));
}

/** P16, on the model of the target; on a GPU on the smallest of the chosen models. */
export async function fair(options) {
  const [name] = choose(["0.5b"], ["1.1b", "8b"], options);
  const { file, description } = await prepare(name, options);
  const { prompt: long, promptTokens: length } = await describePrompt(file, options.quick ? 800 : 4000, options);
  const contextSize = contextFor(length, promptTokens);
  const job = { model: file, long, short: description.prompt, contextSize, undisturbed: 48 };
  return { name, ...(await run("fair", job, options)) };
}

/** P17, with a template and a vocabulary of models that call tools. */
export async function firstBatch(options) {
  const model = await specialModel("tiny", { vocabulary: qwen });
  const template = chatTemplate("Qwen-Qwen2.5-7B-Instruct");
  const cases = { "3 tools": { tools: 3, messages: 4 }, "20 tools, 60 messages": { tools: 20, messages: 60 } };
  return run("first-batch", { model, template, contextSize: 8192, calls: options.quick ? 5 : 60, cases }, options);
}

/** P31, with a template of each family that llama.cpp reads in another way, and its vocabulary if llama.cpp has it. */
export async function longTurns(options) {
  const vocabularies = {
    "Qwen-Qwen2.5-7B-Instruct": qwen,
    "google-gemma-4-31B-it": options.quick ? qwen : "gemma-4",
    ...(options.quick !== true && {
      "meta-llama-Llama-3.1-8B-Instruct": "llama-bpe",
      "GLM-4.7-Flash": qwen,
      "Qwen3.5-4B": "qwen35",
      "openai-gpt-oss-120b": qwen,
      "deepseek-ai-DeepSeek-V3.2": qwen,
      "Mistral-Small-3.2-24B-Instruct-2506": qwen,
    }),
  };
  const cases = {};
  for (const [name, vocabulary] of Object.entries(vocabularies)) {
    cases[name] = await templateModel("narrow", { vocabulary, name });
  }
  const [sizes, turns] = options.quick ? [[10, 40], 2] : [[10, 400, 800], 20];
  const job = { cases, sizes, compared: [sizes[1]], turns, contextSize: options.quick ? 8192 : 131_072 };
  return run("long-turns", job, options);
}

/** P18. With and without speculation take turns. */
export async function speculation(options) {
  const [name] = choose(["0.5b"], ["1.1b", "8b"], options);
  if (!hasLoadOption("speculation")) return { notBuilt: "not built: models have no load option `speculation`" };
  const [walk, tokens] = [94, options.quick ? 48 : 192];
  const model = await specialModel(name, { vocabulary: qwen, walk });
  const job = { model, walk, tokens, contextSize: 512 };
  const pairs = await repeated(options.quick ? 1 : 3, async () => ({
    without: await run("speculation", job, options),
    with: await run("speculation", { ...job, speculation: "ngram" }, options),
  }));
  return { name, pairs };
}

/**
 * P19. A CPU reads some hundred prompt tokens per second at 0.5B: there only the small model gets all conversations,
 * and the larger one some of them with fewer sequences.
 */
export async function swaps(options) {
  const all = { conversations: 32, sequences: 4 };
  const some = { conversations: 6, sequences: 2 };
  const found = [];
  for (const name of choose(["tiny", "0.5b"], ["1.1b"], options)) {
    const { file } = await prepare(name, options);
    const length = options.quick ? 300 : 2000;
    const { prompt, promptTokens } = await describePrompt(file, length, options);
    const size = name === "tiny" || options.gpu !== false ? all : some;
    // Room for all of them: 32 of 2,000 tokens are 750 MiB at 0.5B, and 1,400 at 1.1B.
    const job = { model: file, prompt, contextSize: contextFor(promptTokens, 16), ...size, cacheMemory: 2048 };
    found.push({ name, ...size, ...(await run("swaps", job, options)) });
  }
  return found;
}

/** P20. */
export async function kinds(options) {
  const found = [];
  for (const name of ["hybrid", "windowed"]) {
    const model = await specialModel(name, { vocabulary: qwen });
    found.push({ name, ...(await run("kinds", { model }, options)) });
  }
  return found;
}

/** P21. */
export async function burst(options) {
  const { file, description } = await prepare("tiny", options);
  const requests = options.quick ? 100 : 1000;
  const size = { tokens: 32, contextSize: 256, sequences: many, requests };
  return {
    requests,
    sequences: many,
    ...(await run("burst", { model: file, prompt: description.prompt, ...size }, options)),
  };
}

/** P22. Each side reads and writes some hundred tokens in ten calls: a few seconds at 0.5B on a CPU. */
export async function agentLoop(options) {
  const { quick, progress } = options;
  const found = [];
  for (const name of choose(["tiny", "0.5b"], ["8b"], options)) {
    progress.say("agent loop", name);
    const model = await callingModelOf(name);
    const pairs = quick ? 2 : name === "tiny" ? 30 : 12;
    const job = { model, template: callingTemplate, call, contextSize: 2048, iterations: 10, pairs };
    found.push({ name, ...(await run("agent-loop", job, options)) });
  }
  return found;
}

/** P23. The sides take turns, each in a fresh process; each is first as often as the other. */
export async function isolation(options) {
  const { quick, progress } = options;
  const found = [];
  for (const name of choose(["tiny", "0.5b"], [], options)) {
    progress.say("isolation", name);
    const { file, description } = await prepare(name, options);
    const job = { model: file, prompt: description.prompt, tokens: name === "tiny" ? 800 : 128, contextSize: 1024 };
    const side = (where) => run("isolation", { ...job, generations: quick ? 1 : 3, isolation: where }, options);
    const pairs = { none: [], process: [] };
    for (let round = 0; round < (quick ? 2 : 14); round++) {
      for (const where of round % 2 === 0 ? ["none", "process"] : ["process", "none"]) {
        pairs[where].push(median((await side(where)).speeds));
      }
    }
    found.push({ name, ...pairs });
  }
  return found;
}

/** P24. */
export async function remote(options) {
  const { quick } = options;
  return run("remote", { pieces: 2000, pairs: quick ? 3 : 25, streams: quick ? 50 : 500 }, options);
}

/** P25. */
export async function serving(options) {
  const { quick } = options;
  const { file } = await prepare("tiny", options);
  const streams = 32;
  const job = { model: file, streams, tokens: quick ? 32 : 256, contextSize: streams * 512 };
  const amounts = { rounds: quick ? 1 : 7, calls: quick ? 3 : 40 };
  return run("serving", { ...job, ...amounts }, options);
}

/** P26. */
export async function idleConnections(options) {
  const { file } = await prepare("tiny", options);
  const connections = options.quick ? 200 : 10_000;
  return run("idle-connections", { model: file, contextSize: 512, connections }, options);
}
