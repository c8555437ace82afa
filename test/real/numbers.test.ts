// Log probabilities and perplexity of real models are those of llama.cpp's programs; a long context and a KV cache of another
// type write what llama-server writes.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { isLong } from "../support/amount.js";
import { openEngine, tempDir } from "../support/engine.js";
import { perplexityProgram, startLlamaServer } from "../support/remote/llama-server.js";
import { decoders } from "../support/real/models.js";
import { preamble, prompts } from "../support/real/prompts.js";

interface Completion {
  tokens: number[];
  stop_type: string;
  completion_probabilities: { id: number; top_logprobs: { id: number; logprob: number }[] }[];
}

// Gemma's weights are repacked and round by how many tokens are read at once. So both programs have one sequence, cut a
// prompt where the one before it in the KV cache differs, and keep no other.
const alike = ["--swa-full", "--ctx-checkpoints", "0", "--cache-ram", "0"];
const alone = { parallel: 1, cacheMemory: 0 };

/** llama-server with more options; what it writes behind a prompt. */
async function theirs(
  model: string,
  ...options: string[]
): Promise<(prompt: string, more?: object) => Promise<Completion>> {
  const server = await startLlamaServer(model, "--threads", "1", "--parallel", "1", ...alike, ...options);
  onTestFinished(() => server.stop());
  return async (prompt, more = {}) => {
    const asked = { prompt, temperature: 0, return_tokens: true, cache_prompt: true, ...more };
    return server.ask("/completion", asked) as Promise<Completion>;
  };
}

describe.each(decoders)("%s", (_, model) => {
  test("the perplexity of a text differs by less than 0.1 %", async () => {
    // Each beginning has the tokens that it has in the whole: no line breaks in a row.
    const plain = prompts(100).filter((prompt) => !prompt.includes("\n"));
    const text = [preamble, ...plain, preamble, preamble].join(" ");
    const file = path.join(await tempDir(), "text.txt");
    await writeFile(file, text);
    const contextSize = 512;
    const options = [
      "--model",
      model,
      "--file",
      file,
      "--ctx-size",
      `${contextSize}`,
      "--chunks",
      "1",
      "--threads",
      "1",
    ];
    // Token by token, as the engine reads the text below: the numbers are rounded alike.
    const { stdout, stderr } = await promisify(execFile)(perplexityProgram, [...options, "-b", "1", "-ub", "1"]);
    const expected = Number(/PPL = ([\d.]+)/.exec(stdout + stderr)?.[1]);
    const engine = await openEngine([], { model, contextSize });
    const { models } = engine;
    const tokens = await models.tokenize(undefined, text);
    // It puts the first token of a text before it where the model has one, and rates the second half of the context.
    const shift = (await engine.generate("a", { raw: true, maxTokens: 1 })).usage.promptTokens - 1;
    let sum = 0;
    let count = 0;
    for (let at = contextSize / 2 + 1 - shift; at < contextSize - shift; at += 1) {
      const token = tokens[at] ?? -1;
      const before = await models.detokenize(undefined, tokens.slice(0, at));
      expect(await models.tokenize(undefined, before)).toEqual(tokens.slice(0, at));
      const forced = { raw: true, maxTokens: 1, temperature: 0, logitBias: [{ token, bias: 1000 }], logprobs: true };
      const { logprobs: [written] = [] } = await engine.generate(before, forced);
      expect(written?.token).toBe(token);
      sum += written?.logprob ?? Number.NaN;
      count += 1;
    }
    expect(count).toBe(contextSize / 2 - 1);
    expect(Math.abs(Math.exp(-sum / count) / expected - 1)).toBeLessThan(0.001);
  });
});

describe.each(decoders)("%s", (_, model) => {
  test("log probabilities differ by less than 0.001", async () => {
    const engine = await openEngine([], { model, contextSize: 2048, ...alone });
    const ask = await theirs(model, "--ctx-size", "2048");
    let compared = 0;
    for (const prompt of prompts(100).slice(0, 20)) {
      const { completion_probabilities: theirsOf } = await ask(prompt, { n_predict: 8, n_probs: 5 });
      const options = { raw: true, temperature: 0, maxTokens: 8, topLogprobs: 10 };
      const { logprobs = [] } = await engine.generate(prompt, options);
      for (const [at, { topLogprobs = [] }] of logprobs.entries()) {
        for (const { id, logprob } of theirsOf[at]?.top_logprobs ?? []) {
          const ours = topLogprobs.find(({ token }) => token === id)?.logprob;
          expect(Math.abs((ours ?? Number.NaN) - logprob)).toBeLessThan(0.001);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(200);
  });

  test("a KV cache of q8_0", async () => {
    const engine = await openEngine([], { model, contextSize: 2048, kvType: "q8_0", ...alone });
    const ask = await theirs(model, "--ctx-size", "2048", "--cache-type-k", "q8_0", "--cache-type-v", "q8_0");
    for (const prompt of prompts(100).slice(0, 20)) {
      const { tokens, stop_type: why } = await ask(prompt, { n_predict: 16 });
      const { logprobs = [] } = await engine.generate(prompt, {
        raw: true,
        temperature: 0,
        maxTokens: 16,
        logprobs: true,
      });
      expect(logprobs.map(({ token }) => token)).toEqual(why === "eos" ? tokens.slice(0, -1) : tokens);
    }
  });

  // It takes minutes: only with LONG_TESTS=yes.
  test.runIf(isLong)("a prompt and an answer of 8,192 tokens", { timeout: 3_600_000 }, async () => {
    const engine = await openEngine([], { model, contextSize: 8192, ...alone });
    const ask = await theirs(model, "--ctx-size", "8192");
    let text = "";
    for (let at = 0; (await engine.models.tokenize(undefined, text)).length < 8175; at += 1) {
      text += `Page ${at}. ${preamble}\n`;
    }
    const tokens = await engine.models.tokenize(undefined, text);
    const prompt = await engine.models.detokenize(undefined, tokens.slice(0, 8175));
    const expected = await ask(prompt, { n_predict: 16 });
    const { logprobs = [], usage } = await engine.generate(prompt, {
      raw: true,
      temperature: 0,
      maxTokens: 16,
      logprobs: true,
    });
    expect(usage.promptTokens).toBeGreaterThanOrEqual(8170);
    expect(logprobs.map(({ token }) => token)).toEqual(expected.tokens);
  });
});
