// P15: the speed of reading prompts, compared with the plain loop and other programs in the same rounds. Each reading
// is a separate process, so that nothing comes from a cache.
import { measureLlamaServer } from "../llama-server.mjs";
import { runContender } from "../../dist/bench/measure/child.js";
import { contextFor } from "../../dist/bench/measure/job.js";
import { measureInRounds } from "../../dist/bench/measure/rounds.js";
import { describePrompt, prepareModel } from "./models.mjs";
import { choose, realModels, vocabularyOf } from "./plan.mjs";
import { measurePlainLoop } from "./plain-loop.mjs";

/** Tokens after the prompt, which do not count. */
const tokens = 4;

/** The target compares these; the other programs take part in few rounds, and may be missing. */
const compared = ["plain", "engine"];
const fewRounds = 3;

/** Rounds by model and length. Long prompts take a larger model half a minute each. */
const rounds = {
  tiny: { 1000: 61, 4000: 31 },
  "0.5b": { 1000: 5, 4000: 3 },
  "8b": { 1000: 5, 4000: 5 },
  ...Object.fromEntries(Object.keys(realModels).map((name) => [name, { 1000: 5, 4000: 3 }])),
};
const quickLength = 400;

/** A list of { name, promptTokens, measured }, where `measured` is the result of measureInRounds(). */
export async function measurePrompts(options) {
  const found = [];
  for (const name of choose(["tiny", "0.5b"], ["8b"], options, Object.keys(realModels))) {
    const { file } = await prepareModel({ name, vocabulary: vocabularyOf(name) }, options);
    const wanted = options.quick ? { [quickLength]: 1 } : rounds[name];
    for (const [length, times] of Object.entries(wanted)) {
      found.push({ name, ...(await measureLength(file, Number(length), times, options)) });
    }
  }
  return found;
}

async function measureLength(model, length, times, options) {
  const { gpu, threads, signal } = options;
  const description = await describePrompt(model, length, options);
  const { prompt, promptTokens } = description;
  const job = { model, gpu, threads, prompt, tokens, sequences: 1, contextSize: contextFor(promptTokens, tokens) };
  const measures = {
    plain: (stop) => measurePlainLoop(job, description, options, stop),
    engine: (stop) => runContender("engine", job, stop),
    "node-llama-cpp": (stop) => runContender("node-llama-cpp", job, stop),
    "llama-server": (stop) => measureLlamaServer(job, stop),
  };
  const contenders = Object.entries(measures).map(([name, measure]) => {
    const rounds = compared.includes(name) ? times : Math.min(times, fewRounds);
    return { name, label: name, sequences: 1, rounds, measure };
  });
  const { measured, skipped } = await measureInRounds(contenders, { rounds: times, signal });
  const missing = skipped.find(({ contender }) => compared.includes(contender.name));
  if (missing !== undefined) throw new Error(`${missing.contender.name}: ${missing.reason}`);
  return { promptTokens, measured };
}
