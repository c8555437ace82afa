// The greedy answers of Gemma 3 270M are those of llama-server, token for token. Its weights are repacked, and then round by
// how many tokens are read at once: so both programs have one sequence and get the same prompts in the same order, each of
// which begins with what the one before has left in the KV cache.
import { beforeAll, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.js";
import { amount } from "../support/amount.js";
import { openEngine } from "../support/engine.js";
import { startLlamaServer } from "../support/remote/llama-server.js";
import { gemma as model } from "../support/real/models.js";
import { preamble, prompts } from "../support/real/prompts.js";

const maxTokens = 16;
const all = prompts(100);
/** Some with a long beginning in common. */
const asked = [...all, preamble, ...all.slice(0, 20).map((prompt) => `${preamble}\n\n${prompt}`)];

describe("Gemma 3 270M", () => {
  const expected: number[][] = [];
  beforeAll(async () => {
    // No prompt is read in another way for the sake of later ones, and none is kept but the last.
    const alike = ["--swa-full", "--ctx-checkpoints", "0", "--cache-ram", "0"];
    const server = await startLlamaServer(model, "--ctx-size", "2048", "--threads", "1", "--parallel", "1", ...alike);
    const options = { n_predict: maxTokens, temperature: 0, return_tokens: true, cache_prompt: true };
    for (const prompt of asked) {
      const { tokens, stop_type: why } = (await server.ask("/completion", { ...options, prompt })) as {
        tokens: number[];
        stop_type: string;
      };
      expected.push(why === "eos" ? tokens.slice(0, -1) : tokens);
    }
    server.stop();
  }, 600_000);

  const ways: [string, EngineOptions, number][] = [
    ["alone, and with a prefix in the cache", {}, asked.length],
    ["in a separate process", { isolation: "process" }, amount(20, asked.length)],
  ];
  test.each(ways)("%s", async (_, options, count) => {
    const engine = await openEngine([], { model, contextSize: 2048, parallel: 1, cacheMemory: 0, ...options });
    const wrong = [];
    for (const [at, prompt] of asked.slice(0, count).entries()) {
      const how = { temperature: 0, maxTokens, logprobs: true, raw: true } as const;
      const { logprobs = [], usage } = await engine.generate(prompt, how);
      const tokens = logprobs.map(({ token }) => token);
      if (tokens.join() !== expected[at]?.join()) wrong.push({ prompt, tokens, expected: expected[at], usage });
    }
    expect(wrong).toEqual([]);
  });
});
