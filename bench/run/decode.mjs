// Decoding: every contender on every model, in rounds.
import { existsSync } from "node:fs";
import { runContender } from "../../dist/bench/measure/child.js";
import { labelOf } from "../../dist/bench/measure/contenders.js";
import { contextFor } from "../../dist/bench/measure/job.js";
import { measureInRounds, turnLabel } from "../../dist/bench/measure/rounds.js";
import { measureLlamaServer } from "../llama-server.mjs";
import { measureLlamaNode } from "./llama-node.mjs";
import { hookLibrary } from "./models.mjs";
import { measurePlainLoop } from "./plain-loop.mjs";

/** Measures the contenders of a plan on its model. Returns the result of measureInRounds(). */
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
    plain: (signal) => measurePlainLoop(job, description, options, signal),
    "llama.node": (signal) => measureLlamaNode(job, signal),
    "llama-server": (signal) => measureLlamaServer(job, signal),
  }[name];
  return {
    name,
    label: name === "plain" ? "plain llama.cpp loop" : labelOf(name),
    sequences,
    ...(rounds !== undefined && { rounds }),
    measure: measure ?? ((signal) => runContender(name, job, signal)),
  };
}
