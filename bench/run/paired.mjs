// P1 to P3 in pairs: the cost of hooks within one process (src/bench/measure/paired.ts). Must not: compare with the
// plain loop.
import { runContender } from "../../dist/bench/measure/child.js";
import { labelOf } from "../../dist/bench/measure/contenders.js";
import { contextFor } from "../../dist/bench/measure/job.js";
import { spread, withinRounds } from "../../dist/bench/results/statistics.js";
import { prepareModel } from "./models.mjs";
import { choose, realModels, vocabularyOf } from "./plan.mjs";

/** Long enough that the start of a generation does not matter, short enough for many pairs. */
const sizes = {
  tiny: { tokens: 256, pairs: 60, with: ["engine-observed", "engine-awaited"] },
  "0.5b": { tokens: 32, pairs: 36, with: ["engine-observed", "engine-awaited"] },
  "1.1b": { tokens: 32, pairs: 18, with: ["engine-awaited"] },
  ...Object.fromEntries(
    Object.keys(realModels).map((name) => [
      name,
      { tokens: 32, pairs: 36, with: ["engine-observed", "engine-awaited"] },
    ]),
  ),
  "8b": { tokens: 64, pairs: 30, with: ["engine-awaited"] },
};

/** A list of PairedResult. */
export async function measurePairs(options) {
  const { gpu, threads, quick, signal, progress } = options;
  const found = [];
  for (const name of choose(["tiny", "0.5b", "1.1b"], ["8b"], options, Object.keys(realModels))) {
    progress.say("pairs", name);
    const { file, description } = await prepareModel({ name, vocabulary: vocabularyOf(name) }, options);
    const size = quick ? { ...sizes[name], pairs: 3 } : sizes[name];
    const contextSize = contextFor(description.promptTokens, size.tokens);
    const job = { model: file, gpu, threads, prompt: description.prompt, contextSize, ...size };
    const speeds = await runContender("paired", job, signal);
    for (const [contender, runs] of Object.entries(speeds.with)) {
      const ratio = withinRounds(runs, speeds.without);
      found.push({ model: name, contender, label: labelOf(contender), without: spread(speeds.without), ratio });
    }
  }
  return found;
}
