import { expect, test } from "vitest";
import { openEngine, rejection } from "../support/engine.js";

test("a text survives being cut into tokens and joined again", async () => {
  const { models } = await openEngine(["Hello."]);
  for (const text of ["", "plain", "two  spaces\n\tand tabs", "naïve 日本 👋🏽", "<|im_end|>", "zero\u0000byte"]) {
    expect(await models.detokenize(undefined, await models.tokenize(undefined, text))).toBe(text);
  }
});

test("control tokens are plain text unless they are asked for", async () => {
  const { models } = await openEngine(["Hello."]);
  const plain = await models.tokenize("default", "<|im_end|>");
  const special = await models.tokenize("default", "<|im_end|>", { parseSpecial: true });
  expect(plain.length).toBeGreaterThan(1);
  expect(special).toHaveLength(1);
  expect(await models.detokenize("default", special)).toBe("");
  expect(await models.detokenize("default", special, { special: true })).toBe("<|im_end|>");
});

test("bytes that are no characters are written as replacement characters", async () => {
  const { models } = await openEngine(["Hello."]);
  const tokens = await models.tokenize(undefined, "é");
  expect(tokens).toHaveLength(2);
  expect(await models.detokenize(undefined, tokens.slice(0, 1))).toBe("\ufffd");
});

test("a token that the vocabulary does not have is named in the error", async () => {
  const { models } = await openEngine(["Hello."]);
  expect(await rejection(models.detokenize(undefined, [123456789]))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("123456789") as string,
  });
});

test("renderPrompt shows the conversation as the model's template writes it", async () => {
  const { models } = await openEngine(["First.", "Second."]);
  const messages = [
    { role: "system" as const, content: "Be short." },
    { role: "user" as const, content: "One?" },
    { role: "assistant" as const, content: "First." },
    { role: "user" as const, content: "Two?" },
  ];
  const prompt = await models.renderPrompt(undefined, { messages });
  const parts = ["system\nBe short.", "user\nOne?", "First.", "user\nTwo?", "assistant\n"];
  const places = parts.map((part) => prompt.lastIndexOf(part));
  expect(places).toEqual([...places].sort((left, right) => left - right));
  expect(places).not.toContain(-1);
  const bare = await models.renderPrompt(undefined, { messages, addGenerationPrompt: false });
  expect(prompt.startsWith(bare)).toBe(true);
  expect(bare.length).toBeLessThan(prompt.length);
});

test("renderPrompt names the message that is wrong", async () => {
  const { models } = await openEngine(["Hello."]);
  const messages = [
    { role: "user", content: "Hi" },
    { role: "robot", content: "Beep" },
  ] as never;
  expect(await rejection(models.renderPrompt(undefined, { messages }))).toMatchObject({
    code: "INVALID_MESSAGES",
    message: expect.stringMatching(/messages\[1\].*robot/) as string,
  });
});

test("what a template throws is the error", async () => {
  const chatTemplate = "{{ raise_exception('no such conversation') }}";
  const engine = await openEngine(["Hello."], { chatTemplate }).catch((error: unknown) => error);
  if (engine instanceof Error) {
    expect(engine).toMatchObject({ code: "TEMPLATE_FAILED" });
    return;
  }
  expect(await rejection((engine as Awaited<ReturnType<typeof openEngine>>).generate("Hi"))).toMatchObject({
    code: "TEMPLATE_FAILED",
    message: expect.stringContaining("no such conversation") as string,
  });
});
