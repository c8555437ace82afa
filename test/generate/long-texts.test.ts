// Long texts: JavaScript continues while they are tokenized, a cancel ends the work, and what cannot fit is refused before.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { LlamaHooksError } from "../../src/index.js";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { amount } from "../support/amount.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";

const tiny = fileURLToPath(new URL("../../models/tiny-agent.gguf", import.meta.url));
const vocabulary = (name: string): string =>
  fileURLToPath(new URL(`../../build/llama.cpp/models/ggml-vocab-${name}.gguf`, import.meta.url));
const prose = "the quick brown fox jumps over the lazy dog\n";

/** The longest time for which the event loop stood still while `work` went on, as a share of the work's time. */
async function blocked(work: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  let longest = 0;
  let last = begun;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await work;
  clearInterval(timer);
  longest = Math.max(longest, performance.now() - last);
  return longest / (performance.now() - begun);
}

test("tokenize() of a long text leaves JavaScript free, and gives the tokens of the text", async () => {
  const engine = await openEngine([], { model: tiny });
  const text = prose.repeat(20_000);
  let tokens: number[] = [];
  const share = await blocked(engine.tokenize(text).then((made) => void (tokens = made)));
  expect(share).toBeLessThan(0.5); // it was the whole time
  expect(await engine.detokenize(tokens)).toBe(text);
  expect(tokens.slice(0, 8)).toEqual((await engine.tokenize(prose)).slice(0, 8));
});

test("an aborted tokenize() is CANCELLED, and the engine continues", async () => {
  const engine = await openEngine([], { model: tiny });
  const controller = new AbortController();
  const work = engine.tokenize(prose.repeat(250_000), { signal: controller.signal });
  controller.abort("enough");
  expect(await rejection(work)).toMatchObject({ code: "CANCELLED" });
  expect(await engine.tokenize("Hi")).not.toEqual([]);
});

test("a signal that has aborted lets no call through, however short the call is", async () => {
  const engine = await openEngine([], { model: tiny });
  const signal = AbortSignal.abort("never");
  const codes = await Promise.all(
    Array.from({ length: 500 }, () => engine.tokenize("Hi", { signal }).catch((error: LlamaHooksError) => error.code)),
  );
  expect(new Set(codes)).toEqual(new Set(["CANCELLED"]));
});

test("a prompt that cannot fit is refused without being tokenized, whatever its kind", async () => {
  const engine = await openEngine([], { model: tiny });
  const text = prose.repeat(100_000);
  const refused = async (work: PromiseLike<unknown>) => {
    const error = await rejection(work);
    expect(error).toBeInstanceOf(LlamaHooksError);
    expect(error).toMatchObject({ code: "PROMPT_TOO_LONG" });
    expect(String(error)).toMatch(/has at least \d+ tokens and the context holds \d+/);
  };
  await refused(engine.generate(text));
  await refused(engine.generate(text, { raw: true }));
  await refused(engine.generate("<|endoftext|>".repeat(400_000), { raw: true }));
  expect((await engine.generate("Hi.", { maxTokens: 1 })).finishReason).toBe("length");
});

test("an abort while a message of 10 MB is made into a prompt ends the generation as cancelled", async () => {
  const path = join(await tempDir(), "model.gguf");
  const shape = { layers: 1, embedding: 64, heads: 2, kvHeads: 2, feedForward: 96, vocabulary: 320 };
  await writeSyntheticModel(path, shape, { vocabularyFrom: vocabulary("qwen2") });
  // In this vocabulary's longest tokens, the text would need no more than the context holds.
  const engine = await openEngine([], { models: { large: { path, contextSize: 100_000, parallel: 1 } } });
  const controller = new AbortController();
  engine.hooks.on("preGenerate", () => void setImmediate(() => controller.abort("enough")));
  const generation = engine.generate(prose.repeat(230_000), { signal: controller.signal });
  expect((await generation).finishReason).toBe("cancelled"); // it was PROMPT_TOO_LONG, after tokenizing all of it
});

// A vocabulary whose words llama.cpp finds by std::regex, which recurses for each character.
test("a run of one letter does not exhaust the stack", () => {
  const letters = ["a", " ", "=", "1"].slice(0, amount(2, 4));
  const code = `
    import { createEngine } from "llama-hooks";
    import { writeSyntheticModel } from "llama-hooks/testing";
    import { mkdtempSync, rmSync } from "node:fs";
    const folder = mkdtempSync("${process.env["TMPDIR"] ?? "/tmp"}/llama-hooks-test-");
    const shape = { layers: 1, embedding: 64, heads: 2, kvHeads: 2, feedForward: 96, vocabulary: 320 };
    await writeSyntheticModel(folder + "/m.gguf", shape, { vocabularyFrom: process.argv[1] });
    const engine = await createEngine({ gpu: false, threads: 1, model: folder + "/m.gguf" });
    for (const run of ${JSON.stringify(letters)}) {
      const text = run.repeat(200_000);
      const tokens = await engine.tokenize(text);
      if ((await engine.detokenize(tokens)) !== text) throw new Error("other text for " + run);
      const error = await engine.generate(text).catch((thrown) => thrown);
      console.log(run, error.code);
    }
    await engine.close();
    rmSync(folder, { recursive: true });
  `;
  const args = ["--input-type=module", "-e", code, vocabulary("deepseek-llm")];
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const child = spawnSync(process.execPath, args, { cwd, encoding: "utf8", timeout: 200_000 });
  expect([child.signal, child.status, child.stderr]).toEqual([null, 0, ""]);
  expect(child.stdout.trim().split("\n")).toHaveLength(letters.length);
}, 240_000);
