// A typed answer of one model call.
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { openEngine, rejection } from "../support/engine.js";

const weather = z.object({ city: z.string(), degrees: z.number() });
const oslo = { city: "Oslo", degrees: 4 };
const text = JSON.stringify(oslo);

test("the text follows the schema, and the result has the value", async () => {
  const engine = await openEngine([text]);
  const result = await engine.generate("How warm?", { answer: weather });
  expectTypeOf(result.answer).toEqualTypeOf<{ city: string; degrees: number } | undefined>();
  expect([result.answer, result.text, result.finishReason]).toEqual([oslo, text, "stop"]);
  expect(result).not.toHaveProperty("answerFault");
});

test("a JSON Schema does as well, and the end event has the answer, too", async () => {
  const engine = await openEngine([text]);
  const schema = {
    type: "object",
    properties: { city: { enum: ["Oslo", "Rome"] }, degrees: {} },
    required: ["city"],
  } as const;
  const generation = engine.generate([{ role: "user", content: "How warm?" }], { answer: schema });
  const events: unknown[] = [];
  for await (const event of generation) events.push(event);
  const result = await generation;
  expectTypeOf(result.answer?.city).toEqualTypeOf<"Oslo" | "Rome" | undefined>();
  expect(result.answer?.city).toBe("Oslo");
  expect(events.at(-1)).toEqual({ type: "end", result });
});

test("a call without the option has no answer", async () => {
  const engine = await openEngine([text]);
  expect(await engine.generate("How warm?")).not.toHaveProperty("answer");
});

test("conversions and asynchronous rules of the schema object count", async () => {
  const engine = await openEngine([text]);
  const answer = weather
    .refine(async ({ city }) => (await Promise.resolve(city)) !== "Rome")
    .transform(({ city }) => city.toUpperCase());
  expect((await engine.generate("How warm?", { answer })).answer).toBe("OSLO");
});

test("a text that breaks a rule of the schema object is kept, and the result says why it is not an answer", async () => {
  const engine = await openEngine([text]);
  const answer = z.object({ city: z.string(), degrees: z.number().refine((given) => given > 10, "too cold") });
  const result = await engine.generate("How warm?", { answer });
  expect(result).toMatchObject({ text, answerFault: "the answer is wrong: /degrees too cold" });
  expect(result.answer).toBeUndefined();
});

test("a rule that throws is said, too", async () => {
  const engine = await openEngine([text]);
  const answer = weather.refine(() => {
    throw new Error("typo");
  });
  const result = await engine.generate("How warm?", { answer });
  expect([result.text, result.answerFault]).toEqual([text, "the answer cannot be checked: typo"]);
});

test("a text that is cut off, cancelled or a tool call is not an answer, and no fault either", async () => {
  const engine = await openEngine([text]);
  const cut = await engine.generate("How warm?", { answer: weather, maxTokens: 3 });
  expect([cut.answer, cut.finishReason, cut.limit, cut.answerFault]).toEqual([
    undefined,
    "length",
    "maxTokens",
    undefined,
  ]);
  const cancelled = await engine.generate("How warm?", { answer: weather, signal: AbortSignal.abort() });
  expect([cancelled.answer, cancelled.finishReason]).toEqual([undefined, "cancelled"]);
  const calls = await openEngine([{ toolCalls: [{ name: "clock", args: {} }] }]);
  const called = await calls.generate("How warm?", { answer: weather, tools: [{ name: "clock" }] });
  expect([called.answer, called.toolCalls.length, called.answerFault]).toEqual([undefined, 1, undefined]);
});

test("the text that a hook leaves is the answer", async () => {
  const engine = await openEngine([text]);
  engine.hooks.on("postGenerate", () => ({ content: '{"city":"Rome","degrees":30}' }));
  expect((await engine.generate("How warm?", { answer: weather })).answer?.city).toBe("Rome");
});

test("answer goes with neither a grammar nor another schema, and must be a schema", async () => {
  const engine = await openEngine([text]);
  const ask = (more: object) => () => engine.generate("How warm?", { answer: weather, ...more });
  expect(ask({ grammar: 'root ::= "a"' })).toThrow("generate() options take answer or grammar, not both");
  expect(ask({ jsonSchema: {} })).toThrow("generate() options take answer or jsonSchema, not both");
  expect(ask({ answer: "city" })).toThrow(/answer must be a JSON Schema/);
  expect(await rejection(Promise.resolve().then(ask({ answer: { type: 7 } })))).toMatchObject({ param: "answer" });
});

test("a schema object is converted once for each generation and run", async () => {
  const engine = await openEngine([text, text]);
  const standard = weather["~standard"];
  let converted = 0;
  const jsonSchema = {
    ...standard.jsonSchema,
    input: (options: Parameters<typeof standard.jsonSchema.input>[0]) => (
      converted++,
      standard.jsonSchema.input(options)
    ),
  };
  const answer = { "~standard": { ...standard, jsonSchema } };
  expect((await engine.generate("How warm?", { answer })).answer).toEqual(oslo);
  expect((await engine.session().run("How warm?", { answer })).answer).toEqual(oslo);
  expect(converted).toBe(2);
});
