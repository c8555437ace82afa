// P23: does a model write as fast in a process of the engine's own? Decodes with an awaited hook on each token. One
// process measures one side: threads of the other would still spin for a moment.
import { plainly, withEngine } from "./engine.mjs";

/** Tokens per second of each generation, after one that warms up. */
export function measure({ model, gpu, threads, prompt, tokens, contextSize, generations, isolation }) {
  return withEngine({ model, gpu, threads, contextSize, isolation }, async (engine) => {
    engine.hooks.on("streamToken", async () => undefined);
    const speeds = [];
    for (let number = 0; number <= generations; number++) {
      const begin = performance.now();
      const { usage } = await engine.generate(prompt, { ...plainly, maxTokens: tokens });
      if (usage.completionTokens !== tokens) throw new Error(`it ended after ${usage.completionTokens} tokens`);
      if (number > 0) speeds.push((tokens * 1000) / (performance.now() - begin));
    }
    return { speeds };
  });
}
