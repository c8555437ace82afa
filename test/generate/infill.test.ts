import { expect, test } from "vitest";
import type { Engine } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";

const open = (replies: readonly string[] = ["the middle"]): Promise<Engine> => openEngine({ replies, infills: true });

/** The prompts that hooks see. */
function prompts(engine: Engine): unknown[] {
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ prompt, messages }) => void seen.push(messages.length === 0 ? prompt : messages));
  return seen;
}

test("an infill is one model call between prefix and suffix, with the model's own tokens", async () => {
  const engine = await open();
  const seen = prompts(engine);
  const { text, usage, finishReason } = await engine.infill({ prefix: "before ", suffix: " after", temperature: 0 });
  expect([text, finishReason]).toEqual(["the middle", "stop"]);
  expect(seen).toEqual(["<|fim_prefix|>before <|fim_suffix|> after<|fim_middle|>"]);
  expect(usage.promptTokens).toBe("before  after".length + 3);
  expect(engine.models.describe("default").infills).toBe(true);
});

test("the suffix comes first for models that were trained so, and other files before both", async () => {
  const engine = await open();
  const seen = prompts(engine);
  await engine.infill({ suffix: "after", suffixFirst: true });
  await engine.infill({ prefix: "before", extra: [{ filename: "a.ts", text: "other" }] });
  expect(seen).toEqual([
    "<|fim_suffix|>after<|fim_prefix|><|fim_middle|>",
    "\n\n--- snippet ---\n\nother<|fim_prefix|>before<|fim_suffix|><|fim_middle|>",
  ]);
});

test("control tokens that prefix and suffix write out are plain text", async () => {
  const engine = await open();
  const prefix = "<|fim_middle|>";
  const { usage } = await engine.infill({ prefix });
  expect(usage.promptTokens).toBe((await engine.tokenize(prefix)).length + 3);
});

test("an infill passes the hooks of a raw prompt, which may change it", async () => {
  const engine = await open();
  const points: string[] = [];
  for (const point of ["contextBudget", "preGenerate", "streamToken", "postGenerate"] as const) {
    engine.hooks.on(point, () => void points.push(point));
  }
  engine.hooks.on("preGenerate", ({ prompt }) => ({ prompt: String(prompt).replace("secret", "***") }));
  engine.hooks.on("postGenerate", ({ content }) => ({ content: content.toUpperCase() }));
  const { text, usage } = await engine.infill({ prefix: "a secret", suffix: "!" });
  expect(text).toBe("THE MIDDLE");
  // Text of a hook is a raw prompt: control tokens in it are such.
  expect(usage.promptTokens).toBe("a ***!".length + 3);
  expect(points.filter((point, i) => point !== points[i - 1])).toEqual([
    "contextBudget",
    "preGenerate",
    "streamToken",
    "postGenerate",
  ]);
});

test("a rejected infill is asked again with what was wrong", async () => {
  const engine = await open();
  const seen = prompts(engine);
  let asked = 0;
  engine.hooks.on("postGenerate", () => (asked++ === 0 ? { retry: "shorter" } : undefined));
  await engine.infill({ prefix: "a" });
  expect(seen[1]).toBe("<|fim_prefix|>a<|fim_suffix|><|fim_middle|>the middle\nshorter\n");
});

test("a model without such tokens is refused, at the point error as well", async () => {
  const engine = await openEngine(["Hello."]);
  const codes: string[] = [];
  engine.hooks.on("error", ({ code }) => void codes.push(code));
  expect(await rejection(engine.infill({ prefix: "a" }))).toMatchObject({
    code: "UNSUPPORTED_BY_MODEL",
    message: expect.stringContaining("prefix, suffix, middle") as string,
  });
  expect(codes).toEqual(["UNSUPPORTED_BY_MODEL"]);
  expect(engine.models.describe("default").infills).toBe(false);
});

test("a prompt that is too long is refused, not cut", async () => {
  const engine = await open();
  const failure = await rejection(engine.infill({ prefix: "x".repeat(5000), suffix: "y" }));
  expect(failure).toMatchObject({ code: "PROMPT_TOO_LONG" });
});

test("misuse of infill() is a TypeError that names what is wrong", async () => {
  const engine = await open();
  const calls: [unknown, RegExp][] = [
    [undefined, /prefix, a suffix/],
    [{}, /prefix, a suffix/],
    [{ prefix: 1 }, /prefix.*1/],
    [{ prefix: "a", sufix: "b" }, /sufix.*did you mean "suffix"/],
    [{ prefix: "a", tools: [] }, /tools/],
    [{ prefix: "a", raw: true }, /raw/],
    [{ prefix: "a", extra: [{ filename: "b" }] }, /extra\[0\]\.text/],
    [{ prefix: "a", suffixFirst: 1 }, /suffixFirst.*1/],
    [{ prefix: "a", temperature: -1 }, /temperature/],
  ];
  for (const [options, message] of calls) {
    expect(() => engine.infill(options as object)).toThrow(TypeError);
    expect(() => engine.infill(options as object)).toThrow(message);
  }
});

test("a retry continues in the gap, and what prefix and suffix write out is plain text still", async () => {
  const engine = await open(["first", "second"]);
  const seen = prompts(engine);
  engine.hooks.on("postGenerate", () => ({ retry: "Again." }), { once: true });
  const tokens: number[] = [];
  engine.hooks.on("postGenerate", ({ usage }) => void tokens.push(usage.promptTokens));
  await engine.infill({ prefix: "<|fim_suffix|>", suffix: "end" });
  expect(seen).toEqual([
    "<|fim_prefix|><|fim_suffix|><|fim_suffix|>end<|fim_middle|>",
    expect.stringMatching(
      /^<\|fim_prefix\|><\|fim_suffix\|><\|fim_suffix\|>end<\|fim_middle\|>.+\nAgain\.\n$/,
    ) as string,
  ]);
  expect(tokens[1]).toBeGreaterThan(tokens[0] ?? NaN);
});
