import { expect, test } from "vitest";
import type { GenerateOptions } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { openRandomEngine } from "../support/models/random-model.js";

const clock = { name: "clock" };

test.each<[string, GenerateOptions, string, RegExp]>([
  ["a grammar that does not parse", { grammar: 'root ::= "yes' }, "INVALID_GRAMMAR", /grammar/],
  ["a grammar without a root", { grammar: 'answer ::= "yes"' }, "INVALID_GRAMMAR", /\broot\b/],
  ["a grammar with an unknown rule", { grammar: "root ::= other" }, "INVALID_GRAMMAR", /GBNF/],
  ["a grammar that calls itself first", { grammar: 'root ::= root "x" | "y"' }, "INVALID_GRAMMAR", /GBNF/],
  ["a grammar for another library", { grammar: '%llguidance {}\nstart: "x"' }, "INVALID_GRAMMAR", /llguidance/],
  ["a schema of an unknown type", { jsonSchema: { type: "spaceship" } }, "INVALID_SCHEMA", /spaceship/],
  ["a schema with a dangling $ref", { jsonSchema: { $ref: "#/$defs/none" } }, "INVALID_SCHEMA", /none/],
  ["a schema with a bad pattern", { jsonSchema: { type: "string", pattern: "^(a$" } }, "INVALID_SCHEMA", /./],
  [
    "a schema with too large a bound",
    { jsonSchema: { type: "array", items: {}, minItems: 1e9 } },
    "INVALID_SCHEMA",
    /./,
  ],
  ["tools with a grammar", { tools: [clock], grammar: 'root ::= "x"' }, "INVALID_ARGUMENT", /grammar/],
  ["a tool that is not there", { tools: [clock], toolChoice: { tool: "map" } }, "INVALID_ARGUMENT", /"map".*clock/],
  ["a biased token that does not exist", { logitBias: [{ token: 99999, bias: 1 }] }, "INVALID_ARGUMENT", /99999/],
])("%s is refused, and the next call works", async (_, options, code, what) => {
  const engine = await openEngine(["Hello."]);
  const error = await rejection(engine.generate("Hi", options));
  expect(error).toMatchObject({ name: "LlamaHooksError", code });
  expect((error as Error).message).toMatch(what);
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("a prompt that is longer than the context is refused with both sizes", async () => {
  const engine = await openEngine(["Hello."], { contextSize: 128 });
  const error = await rejection(engine.generate("x".repeat(500), { raw: true }));
  expect(error).toMatchObject({ code: "PROMPT_TOO_LONG" });
  expect((error as Error).message).toMatch(/500.*128/);
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("a prompt that just fits is answered with what is left", async () => {
  const engine = await openRandomEngine({ contextSize: 128 });
  const ask = (length: number) => engine.generate("x".repeat(length), { raw: true, ignoreEos: true });
  const full = await ask(127);
  expect(full.finishReason).toBe("length");
  expect(full.usage.completionTokens).toBeGreaterThanOrEqual(1);
  expect(full.usage.completionTokens).toBeLessThanOrEqual(2);
  expect(await rejection(ask(128))).toMatchObject({ code: "PROMPT_TOO_LONG" });
});

test("an empty raw prompt is refused", async () => {
  const engine = await openEngine(["Hello."]);
  const error = await rejection(engine.generate("", { raw: true }));
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("empty") as string });
  expect((await engine.generate("", {})).text).toBe("Hello.");
});

test.each<[string, GenerateOptions]>([
  ["the highest temperature there is", { temperature: Number.MAX_VALUE }],
  ["the lowest temperature there is", { temperature: Number.MIN_VALUE }],
  ["the highest topNSigma there is", { topNSigma: Number.MAX_VALUE }],
  ["a bias beyond all bounds", { logitBias: [{ token: 65, bias: Number.MAX_VALUE }] }],
  ["a bias below all bounds", { logitBias: [{ token: 65, bias: -Number.MAX_VALUE }] }],
  ["every token banned", { logitBias: Array.from({ length: 320 }, (_, token) => ({ token, bias: null })) }],
  ["all of the grammar banned", { grammar: 'root ::= "x"', logitBias: [{ token: 120, bias: null }] }],
  ["mirostat without a target", { mirostat: 2, mirostatTau: 0, mirostatEta: 0 }],
  ["mirostat 1 without a target", { mirostat: 1, mirostatTau: 0, mirostatEta: 0 }],
  ["a grammar of nothing", { grammar: 'root ::= ""' }],
  ["a grammar of endlessly nothing", { grammar: 'root ::= ("a"*)*' }],
  ["a schema that allows anything", { jsonSchema: {} }],
  ["a schema with huge bounds", { jsonSchema: { type: "string", minLength: 1, maxLength: 1e9 } }],
])("%s gives a result or an error, and harms no other call", async (_, options) => {
  const engine = await openRandomEngine();
  const outcome = await engine.generate("Hi", { maxTokens: 4, seed: 1, ...options }).then(
    ({ finishReason }) => finishReason as string,
    (error: { code: string }) => error.code,
  );
  expect(["stop", "length", "DECODE_FAILED", "INVALID_ARGUMENT", "INVALID_GRAMMAR", "INVALID_SCHEMA"]).toContain(
    outcome,
  );
  expect((await engine.generate("Hi", { maxTokens: 2, ignoreEos: true })).finishReason).toBe("length");
});
