// The plain llama.cpp loop as a contender. Must not: give it another amount of work than the engine gets.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runForJson } from "../../dist/bench/child.js";
import { findAddon } from "../../dist/native/find-addon.js";

const program = fileURLToPath(new URL("../../build/Release/plain-loop", import.meta.url));

/** One measurement of a Job (src/bench/job.ts), whose prompt has `promptTokens` tokens. */
export async function measurePlainLoop(job, promptTokens, { module }, signal) {
  if (!existsSync(program)) throw new Error("plain-loop is not built: node scripts/build.mjs --bench");
  // Prompts of several are told apart by their number.
  const prompt = job.sequences === 1 ? promptTokens : promptTokens + 2;
  const flags = {
    model: path.resolve(job.model),
    libraries: findAddon().libraries,
    "prompt-tokens": prompt,
    tokens: job.tokens,
    threads: job.threads,
    sequences: job.sequences,
    context: job.contextSize * job.sequences,
    ...(job.gpu !== false && { "gpu-layers": -1 }),
    ...(module !== undefined && { module: path.resolve(module) }),
  };
  const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const {
    loadMs,
    promptTokens: evaluated,
    promptMs,
    completionTokens,
    decodeMs,
    decodeTps,
    peakRssKib,
  } = await runForJson(program, args, signal);
  return { loadMs, promptTokens: evaluated, promptMs, completionTokens, decodeMs, decodeTps, peakRssKib };
}
