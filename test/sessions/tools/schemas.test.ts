// Tools whose parameters are schema objects, with the library that most people use.
import { expect, test } from "vitest";
import { z } from "zod";
import { type SessionOptions, tool, type Tool } from "../../../src/index.js";
import { openEngine, rejection } from "../../support/engine.js";
import { asks, runOnce, resultTexts, tools } from "../../support/sessions.js";

const calls = (args: Record<string, unknown>) => ({ toolCalls: [{ name: "order", args }] });

const start = tool({ name: "start", run: () => "started" });

/** One call with those arguments, and what the tool was given. */
async function order(parameters: z.ZodType<object>, args: Record<string, unknown>, plain = false) {
  const engine = await openEngine([{ toolCalls: [{ name: "start", args: {} }] }, "Done."]);
  // A model's own arguments are held to the JSON Schema as it writes them.
  engine.hooks.on("preToolCall", () => ({ toolName: "order", args }));
  const given: unknown[] = [];
  const definition = { name: "order", parameters, run: (got: object) => (given.push(got), "ordered") };
  const result = await runOnce(engine, { tools: [plain ? definition : tool(definition), start] });
  return { given, texts: resultTexts(result), args: result.toolCalls[0]?.args, kind: result.toolCalls[0]?.resultKind };
}

const dish = z.object({
  dish: z.string().trim(),
  count: z.number().int().default(1),
  spicy: z.enum(["yes", "no"]).transform((word) => word === "yes"),
});

test("defaults and transforms reach the tool; the record has what the model wrote", async () => {
  const wrote = { dish: " soup ", spicy: "yes" };
  for (const plain of [false, true])
    expect(await order(dish, wrote, plain)).toEqual({
      given: [{ dish: "soup", count: 1, spicy: true }],
      texts: ["ordered"],
      args: wrote,
      kind: "ok",
    });
});

test("rules that JSON Schema cannot say refuse the call, by the name of the field; asynchronous ones, too", async () => {
  const even = z.object({ table: z.object({ number: z.number().refine((n) => n % 2 === 0, "an even one, please") }) });
  expect(await order(even, { table: { number: 3 } })).toMatchObject({
    given: [],
    texts: ["invalid arguments: /table/number an even one, please"],
    kind: "rejected_schema",
  });
  expect(await order(even, { table: { number: 4 } })).toMatchObject({ texts: ["ordered"] });
  const free = z.object({ table: z.number().refine(async (n) => Promise.resolve(n !== 7), "7 is taken") });
  expect(await order(free, { table: 7 })).toMatchObject({ texts: ["invalid arguments: /table 7 is taken"] });
  expect(await order(free, { table: 8 })).toMatchObject({ given: [{ table: 8 }], texts: ["ordered"] });
});

test("the JSON Schema comes first, and a schema object that throws is reported as a failure of the check", async () => {
  expect((await order(dish, { dish: 7 })).texts[0]).toMatch(/^invalid arguments: /);
  const broken = z.object({ table: z.number().transform(() => raise("no tables")) });
  expect(await order(broken, { table: 1 })).toMatchObject({
    given: [],
    texts: ["error: the check of the arguments failed: no tables"],
    kind: "error",
  });
});

test("what a tool threw is the cause of its record, in results, in events and in the details of errors", async () => {
  const thrown = new RangeError("out of soup");
  const fails = tool({ name: "order", run: () => Promise.reject(thrown) });
  const engine = await openEngine([calls({}), "Done."]);
  const session = engine.session({ tools: [fails], temperature: 0 });
  const run = session.run("Hello");
  const causes: unknown[] = [];
  for await (const event of run) if (event.type === "toolResult") causes.push(event.record.cause);
  const { toolCalls } = await run;
  expect(toolCalls[0]).toMatchObject({ result: "error: out of soup", isError: true });
  expect([toolCalls[0]?.cause, ...causes]).toEqual([thrown, thrown]);
  expect(toolCalls[0]?.cause).toBe(thrown);

  engine.hooks.on("iterationEnd", () => undefined);
  const crowded = engine.session({ tools: [fails], temperature: 0, injectionReserve: 1 });
  let asked = 0;
  engine.hooks.on("contextAssemble", () =>
    asked++ === 0 ? undefined : { inject: [{ content: "far too many words for that" }] },
  );
  const { details } = (await rejection(crowded.run("Hello"))) as { details?: { toolCalls?: { cause: unknown }[] } };
  expect(details?.toolCalls?.[0]?.cause).toBe(thrown);

  const masked = await openEngine([calls({}), "Done."]);
  masked.hooks.on("postToolCall", () => ({ result: "error: [masked]" }));
  const messages: string[] = [];
  masked.hooks.on("error", ({ message }) => void messages.push(message));
  const record = (await runOnce(masked, { tools: [fails] })).toolCalls[0];
  expect([record?.result, record && "cause" in record]).toEqual(["error: [masked]", false]);
  expect(messages).toEqual(["order: error: [masked]"]);
});

function raise(message: string): never {
  throw new Error(message);
}

/** A schema object of our own, with such rules. */
const standard = (validate: (args: unknown) => unknown): never =>
  ({
    toJSONSchema: () => ({ type: "object" }),
    "~standard": { version: 1 as const, vendor: "test", offset: 40, validate },
  }) as never;

test("schema objects of other makes: a promise that is none of ours, a method that needs its object", async () => {
  const later = standard((args) => ({
    then: (resolve: (result: unknown) => void) => void resolve({ value: { ...(args as object), late: true } }),
  }));
  expect(await order(later, { table: 2 })).toMatchObject({ given: [{ table: 2, late: true }] });
  const bound = standard(function (this: { offset: number }, args: unknown) {
    return { value: { table: (args as { table: number }).table + this.offset } };
  } as never);
  expect(await order(bound, { table: 2 })).toMatchObject({ given: [{ table: 42 }], texts: ["ordered"] });
});

test.each([
  [undefined, "error: the check of the arguments failed: its validate() gave no result"],
  ["fine", "error: the check of the arguments failed: its validate() gave no result"],
  [{}, "error: the check of the arguments failed: its validate() gave neither a value nor issues"],
  [{ issues: [] }, "invalid arguments: it does not fit"],
  [{ issues: [{ path: ["table"] }] }, "invalid arguments: /table is wrong"],
  [{ issues: [{ message: "too dear", path: [{ key: "a" }, 0] }] }, "invalid arguments: /a/0 too dear"],
  [{ issues: [{ message: "sold out" }, { message: "closed" }] }, "invalid arguments: sold out; closed"],
])("a schema object that says %j", async (says, text) => {
  const kind = text.startsWith("error: ") ? "error" : "rejected_schema";
  const odd = standard(() => says);
  expect(await order(odd, { table: 2 })).toMatchObject({ given: [], texts: [text], kind });
});

/** The text that the model receives about a tool with its own `validate`. */
async function resultsOfCheck(validate: unknown, options: SessionOptions = {}): Promise<string[]> {
  const engine = await openEngine([calls({}), "Done."]);
  const checked = { ...tool({ name: "order", run: () => "ordered" }), validate } as Tool;
  return resultTexts(await runOnce(engine, { tools: [checked], ...options }));
}

test("a validate() that answers with what is not an answer, or never; it is asked once for a call", async () => {
  const failed = "error: the check of the arguments failed:";
  expect(await resultsOfCheck(() => 7)).toEqual([`${failed} validate() gave neither a value nor what is wrong`]);
  expect(await resultsOfCheck(() => new Promise(() => undefined), { toolDeadlineMs: 30 })).toEqual([
    `${failed} timed out after 30 ms`,
  ]);
  let left = 1;
  expect(await resultsOfCheck(() => (left-- > 0 ? { value: {} } : { wrong: "sold out" }))).toEqual(["ordered"]);
  expect(await resultsOfCheck(() => ({ wrong: "" }))).toEqual(["invalid arguments: refused by the tool"]);
});

test("no schema of a tool spoils another's, whatever names it gives", async () => {
  const engine = await openEngine(["Done."]);
  const open = (parameters: object) =>
    engine.session({ tools: [{ name: "order", parameters: parameters as never, run: () => "ordered" }] }).close();
  await open({ type: "object", $id: "http://json-schema.org/draft-07/schema#" }).catch(() => undefined);
  await open({ type: "object", definitions: { a: { $id: "test:nested", type: "integer" } } });
  await open({ type: "object" });
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  const refers = { type: "object", properties: { a: { $ref: "test:nested" } } };
  await engine.session({ tools: [{ name: "order", parameters: refers, run: () => "" }] }).run("Hello");
  expect(errors).toEqual([
    expect.stringMatching(/^the parameters of the tool "order" are no JSON Schema: .*test:nested/),
  ]);
});

test("a tool that the model cannot be held to is named at error and not offered; the others work", async () => {
  const names = Array.from({ length: 450 }, (_, i) => [`p${i}`, { type: "string" }]);
  const wide = {
    name: "wide",
    parameters: { type: "object", properties: Object.fromEntries(names) },
    run: () => "ran",
  };
  const engine = await openEngine([asks("Oslo"), "It is cold."]);
  const errors: unknown[] = [];
  engine.hooks.on("error", ({ code, message, where }) => void errors.push([code, message, where]));
  const offered: string[][] = [];
  engine.hooks.on("preGenerate", ({ tools: given }) => void offered.push(given.map(({ name }) => name)));
  const result = await engine.session({ tools: [wide, ...tools], temperature: 0 }).run("Hello");
  expect(resultTexts(result)).toEqual(["Oslo: 4 degrees"]);
  expect(errors).toEqual([
    ["INVALID_SCHEMA", expect.stringMatching(/the tool "wide".*; the tool is not offered$/), "tool:wide"],
  ]);
  expect(offered[0]).toEqual(["weather", "clock"]);
});

test.each([
  ["a map", z.object({ n: z.map(z.string(), z.number()) })],
  ["a date", z.object({ when: z.date() })],
  ["a bigint", z.object({ n: z.bigint() })],
  [
    "a getter that throws",
    Object.defineProperty({}, "toJSONSchema", {
      get: () => {
        throw new Error("odd");
      },
    }),
  ],
  [
    "a toJSONSchema() that throws no Error",
    {
      toJSONSchema: () => {
        throw "odd";
      },
    },
  ], // oxlint-disable-line typescript/only-throw-error
])("a schema that JSON Schema cannot express (%s) is a TypeError that names the tool", (_, parameters) => {
  let error: unknown;
  try {
    tool({ name: "book", parameters: parameters as never, run: () => "" });
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toMatch(/tool\(\)\.parameters of the tool "book" cannot be described as JSON Schema: ./u);
  expect((error as Error).cause).toBeDefined();
});
