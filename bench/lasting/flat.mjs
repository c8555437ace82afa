// P14: does a process that has generated before decode as fast as a fresh one? Must not: let prompts share a beginning,
// so that each leaves its own conversation behind.
import { plainly, withEngine } from "./engine.mjs";

/** Tokens per second of each of `generations`, one after the other. */
export function measure({ model, gpu, threads, prompt, tokens, contextSize, generations }) {
  return withEngine({ model, gpu, threads, contextSize }, async (engine) => {
    const speeds = [];
    for (let number = 1; number <= generations; number++) {
      const { usage } = await engine.generate(`${number} ${prompt}`, { ...plainly, maxTokens: tokens + 1 });
      if (usage.completionTokens !== tokens + 1) throw new Error(`it ended after ${usage.completionTokens} tokens`);
      // From the first token to the last, by the decode thread's clock.
      speeds.push((tokens * 1000) / usage.decodeMs);
    }
    return { speeds };
  });
}
