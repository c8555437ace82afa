// The plain llama.cpp loop as a contender, with the same work as the engine.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runForJson } from "../../dist/bench/measure/child.js";
import { findAddon } from "../../dist/native/find-addon.js";

const program = fileURLToPath(new URL("../../build/Release/plain-loop", import.meta.url));

/**
 * One measurement of a Job (src/bench/measure/job.ts), with the description of its prompt. The loop reads the same
 * tokens as the engine: ggml's attention takes some 5 % longer for a text of few words than for random tokens.
 */
export async function measurePlainLoop(job, { promptTokens, promptIds }, { module }, signal) {
  if (!existsSync(program)) throw new Error("plain-loop is not built: node scripts/build/addon.mjs --bench");
  // A number distinguishes several prompts.
  const prompt = job.sequences === 1 ? promptTokens : promptTokens + 2;
  const flags = {
    model: path.resolve(job.model),
    libraries: findAddon().libraries,
    "prompt-tokens": prompt,
    "prompt-ids": promptIds.join(","),
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
