import path from "node:path";
import { expect, test } from "vitest";
import { type ModelShape, type SyntheticModelOptions, writeSyntheticModel } from "../../src/testing/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";

const kinds = ["llama", "lfm2", "gemma3"] as const;
const small: ModelShape = {
  layers: 4,
  embedding: 64,
  heads: 2,
  kvHeads: 2,
  feedForward: 96,
  vocabulary: 320,
  fullEvery: 2,
  window: 32,
};
const ask = { maxTokens: 24, temperature: 0, ignoreEos: true, raw: true };
const prompt = "A prompt that is longer than the window of those of its layers that have one.";

async function model(shape: Partial<ModelShape>, options?: SyntheticModelOptions): Promise<string> {
  const file = path.join(await tempDir(), "model.gguf");
  await writeSyntheticModel(file, { ...small, ...shape }, options);
  return file;
}

test.each(kinds)("a synthetic model of the %s architecture loads and says the same twice", async (architecture) => {
  // Random weights are often undecided between two tokens: in this format batches of all sizes compute nearly alike.
  const file = await model({ architecture }, { quantization: "F16" });
  const engine = await openEngine([], { model: file });
  const [info] = engine.models.list();
  expect(info).toMatchObject({ layers: 4 });
  expect(info?.description).toMatch(new RegExp(`^${architecture}`));
  const first = await engine.generate(prompt, ask);
  expect(first.usage.promptTokens).toBeGreaterThan(64);
  expect(first.usage.completionTokens).toBe(24);
  expect(first.text).not.toBe("");
  expect((await engine.generate(prompt, ask)).text).toBe(first.text);
  // An engine that was never asked anything else says it, too.
  const other = await openEngine([], { model: file });
  expect((await other.generate(prompt, ask)).text).toBe(first.text);
});

test.each(["hybrid", "windowed"] as const)("the %s shape is there by name", async (name) => {
  const file = path.join(await tempDir(), "model.gguf");
  await writeSyntheticModel(file, name, { quantization: "Q8_0" });
  const engine = await openEngine([], { model: file });
  expect((await engine.generate("A prompt.", { ...ask, maxTokens: 4 })).usage.completionTokens).toBe(4);
});

test("a copied vocabulary gets the special tokens of the chat template that it lacks", async () => {
  const vocabularyFrom = await model({});
  const chatTemplate = "{% for m in messages %}<|im_start|><|new|>{{ m.content }}<answer>{% endfor %}";
  const file = await model({}, { vocabularyFrom, chatTemplate });
  const engine = await openEngine([], { model: file });
  const lengthOf = async (text: string): Promise<number> =>
    (await engine.generate(text, { ...ask, maxTokens: 1 })).usage.promptTokens;
  const special = ["<|im_start|>", "<|new|>", "<answer>"];
  for (const token of special) expect(await lengthOf(token)).toBe(1);
  expect(await lengthOf("<other>")).toBe(7);
  const { usage } = await engine.generate([{ role: "user", content: "abc" }], { maxTokens: 1 });
  expect(usage.promptTokens).toBe(special.length + 3);
});

test("layers that remember less are said to be some of all", async () => {
  for (const shape of [{ fullEvery: 1 }, { fullEvery: 5 }, { window: 0 }]) {
    expect(await rejection(model({ architecture: "gemma3", ...shape }))).toBeInstanceOf(TypeError);
  }
});

test.each(kinds)("a model of the %s architecture that walks says one token after the other", async (architecture) => {
  const engine = await openEngine([], { model: await model({ architecture }, { walk: 128 }) });
  // The first tokens of its vocabulary are the bytes: x, y, z, {, |, }, ~, DEL, then from NUL on.
  expect((await engine.generate("w", { ...ask, maxTokens: 7 })).text).toBe("xyz{|}~");
  expect((await engine.generate("w", { ...ask, maxTokens: 136 })).text).toMatch(/^x.*~\u007f\0.*ABC.*xyz{|}~\u007f$/s);
  expect(await rejection(model({}, { walk: 1 }))).toBeInstanceOf(TypeError);
});
