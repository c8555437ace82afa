import { expect, test } from "vitest";
import { z } from "zod";
import { cancel, type Engine, type RunEvent } from "../../src/index.js";
import { openEngine, rejection, unwilling } from "../support/engine.js";

const weather = z.object({ city: z.string(), degrees: z.number() });
const oslo = { city: "Oslo", degrees: 4 };
const text = JSON.stringify(oslo);
const lookUp = {
  name: "look_up",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: () => "4 degrees",
};
const looksUp = { toolCalls: [{ name: "look_up", args: { city: "Oslo" } }] };

function session(engine: Engine, options: object = {}) {
  return engine.session({ tools: [lookUp], temperature: 0, ...options });
}

test("the last message follows the schema, and the result has the value", async () => {
  const engine = await openEngine([looksUp, text]);
  const result = await session(engine).run("How warm?", { answer: weather });
  expect(result.answer?.degrees).toBe(4);
  expect([result.answer, result.text, result.finishReason]).toEqual([oslo, text, "complete"]);
  expect(result.toolCalls.map(({ name }) => name)).toEqual(["look_up"]);
});

test("the end event has the answer, too, and a run without the option has none", async () => {
  const engine = await openEngine([text]);
  const events: RunEvent[] = [];
  for await (const event of session(engine).run("How warm?", { answer: weather })) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: "end", result: { answer: oslo } });
  expect(await session(engine).run("How warm?")).not.toHaveProperty("answer");
});

test("a model that would rather talk cannot", async () => {
  const engine = await openEngine(unwilling("It is rather warm."));
  const { text: said, answer, limit } = await session(engine).run("How warm?", { answer: weather, maxTokens: 200 });
  if (limit !== "maxTokens") expect(answer).toEqual(JSON.parse(said));
  expect(said).toMatch(/^\s*(?:\{|$)/);
});

test("an answer that breaks a rule of the schema object is sent back with the reason", async () => {
  const engine = await openEngine([JSON.stringify({ city: "Oslo", degrees: 400 }), text]);
  const cool = z.object({ city: z.string(), degrees: z.number().max(60, "too hot") });
  const { answer, messages, iterations } = await session(engine).run("How warm?", { answer: cool });
  expect([answer, iterations]).toEqual([oslo, 2]);
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "How warm?"],
    ["assistant", '{"city":"Oslo","degrees":400}'],
    ["user", expect.stringMatching(/^\[CITATION VALIDATION\] the answer is wrong: .*degrees/)],
    ["assistant", text],
  ]);
});

test("asynchronous rules and conversions of the schema object count", async () => {
  const engine = await openEngine([text]);
  const shouted = z.object({ city: z.string(), degrees: z.number() }).refine(async ({ city }) => {
    await Promise.resolve();
    return city !== "Rome";
  });
  const { answer } = await session(engine).run("How warm?", { answer: shouted });
  expect(answer).toEqual(oslo);
});

test("wrong answers end at maxCompletionRejections, without an answer", async () => {
  const engine = await openEngine(Array.from({ length: 3 }, () => JSON.stringify({ city: "Oslo", degrees: 400 })));
  const cool = z.object({ city: z.string(), degrees: z.number().max(60) });
  const of = session(engine, { maxCompletionRejections: 1 });
  const result = await of.run("How warm?", { answer: cool });
  expect([result.answer, result.finishReason, result.limit]).toEqual([undefined, "limit", "maxCompletionRejections"]);
});

test("a complete hook sends an answer back", async () => {
  const engine = await openEngine([JSON.stringify({ city: "Rome", degrees: 4 }), text]);
  const seen: string[] = [];
  engine.hooks.on("complete", ({ summary }) => {
    seen.push(summary);
    return summary.includes("Rome") ? cancel("not Rome") : undefined;
  });
  const { answer } = await session(engine).run("How warm?", { answer: weather });
  expect([answer, seen.length]).toEqual([oslo, 2]);
});

test("an answer that a complete hook rejects to the end is none", async () => {
  const engine = await openEngine(Array.from({ length: 5 }, () => text));
  engine.hooks.on("complete", () => cancel("never"));
  const result = await session(engine, { maxCompletionRejections: 1 }).run("How warm?", { answer: weather });
  expect([result.answer, result.answered, result.limit]).toEqual([undefined, false, "maxCompletionRejections"]);
});

test("runs that this one delegates to answer as ever", async () => {
  const engine = await openEngine([
    { toolCalls: [{ name: "delegate", args: { tier: "coder", task: "Look" } }] },
    text,
    { toolCalls: [{ name: "complete", args: { summary: "4 degrees." } }] },
  ]);
  engine.hooks.on("preGenerate", ({ meta }) =>
    meta.depth === 1
      ? { response: '<tool_call>\n{"name": "complete", "arguments": {"summary": "4 degrees."}}\n</tool_call>' }
      : undefined,
  );
  const of = engine.session({
    tier: "lead",
    controlTools: ["delegate", "complete"],
    tiers: { lead: { system: "Lead." }, coder: { system: "Code.", description: "Codes." } },
    temperature: 0,
  });
  const result = await of.run("How warm?", { answer: weather });
  expect(result.toolCalls.map(({ name, result: text }) => [name, text])).toEqual([
    ["delegate", expect.stringMatching(/^4 degrees\./)],
  ]);
  expect(result.answer).toEqual(oslo);
});

test("patterns and references of the schema hold for complete, too", async () => {
  const schema = {
    type: "object",
    $defs: { code: { type: "string", pattern: "^[A-Z]{3}$" } },
    properties: { code: { $ref: "#/$defs/code" } },
    required: ["code"],
    additionalProperties: false,
  };
  const engine = await openEngine([{ toolCalls: [{ name: "complete", args: { answer: { code: "OSL" } } }] }]);
  const of = session(engine, { controlTools: ["complete"], explicitCompletion: true });
  expect((await of.run("Which?", { answer: schema })).answer).toEqual({ code: "OSL" });
  const plain = session(await openEngine(['{"code":"OSL"}']));
  expect((await plain.run("Which?", { answer: schema })).answer).toEqual({ code: "OSL" });
});

test("a tier that completes explicitly gives its answer to complete", async () => {
  const engine = await openEngine(["Not yet.", { toolCalls: [{ name: "complete", args: { answer: oslo } }] }]);
  const of = session(engine, { controlTools: ["complete"], explicitCompletion: true });
  const { answer, text: said, finishReason } = await of.run("How warm?", { answer: weather });
  expect([answer, JSON.parse(said), finishReason]).toEqual([oslo, oslo, "complete"]);
});

test("the next run of the session may do without", async () => {
  const engine = await openEngine([text, "Bye."]);
  const of = session(engine);
  await of.run("How warm?", { answer: weather });
  expect((await of.run("Thanks")).text).toBe("Bye.");
});

test("what is not a schema, and a grammar beside it, are refused", async () => {
  const engine = await openEngine(["Never."]);
  const of = session(engine);
  expect(() => of.run("Go", { answer: 42 as never })).toThrow(/answer must be a JSON Schema/);
  expect(() => of.run("Go", { answer: { type: "nonsense" } })).toThrow(/answer/);
  expect(await rejection(of.run("Go", { answer: weather, grammar: 'root ::= "a"' }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("request.answer") as string,
  });
});
