import { expect, test } from "vitest";
import { LlamaHooksError, type Engine, type JsonSchema } from "../../src/index.js";
import { openEngine, unwilling } from "../support/engine.js";

const nested = (depth: number, wrap: (inner: JsonSchema) => JsonSchema): JsonSchema => {
  let schema: JsonSchema = { type: "string" };
  for (let i = 0; i < depth; i++) schema = wrap(schema);
  return schema;
};
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const schemas: Readonly<Record<string, JsonSchema>> = {
  "lengths the wrong way round": { type: "string", minLength: 5, maxLength: 2 },
  "a length of a billion": { type: "string", minLength: 1_000_000_000 },
  "a most of a billion": { type: "string", maxLength: 1_000_000_000 },
  "a negative length": { type: "string", minLength: -3 },
  "a length that is a fraction": { type: "string", minLength: 2.5 },
  "items the wrong way round": { type: "array", items: {}, minItems: 9, maxItems: 1 },
  "a million items": { type: "array", items: { type: "integer" }, minItems: 1_000_000 },
  "items of items of items": nested(6, (items) => ({ type: "array", items, minItems: 30, maxItems: 30 })),
  "items of lengths": {
    type: "array",
    minItems: 90,
    maxItems: 90,
    items: { type: "string", minLength: 90, maxLength: 90 },
  },
  "arrays 200 deep": nested(200, (items) => ({ type: "array", items })),
  "objects 300 deep": nested(300, (inner) => ({ type: "object", properties: { a: inner }, required: ["a"] })),
  "alternatives 300 deep": nested(300, (inner) => ({ anyOf: [inner, { type: "null" }] })),
  "alternatives that double": nested(14, (inner) => ({ anyOf: [inner, { type: "array", items: inner }] })),
  "all of all of all": nested(40, (inner) => ({ allOf: [inner] })),
  "an enum of 20,000": { enum: many(20_000, (i) => `value ${i}`) },
  "an enum of 3,000": { enum: many(3000, (i) => `value ${i}`) },
  "an enum of one long text": { enum: ["x".repeat(200_000)] },
  "an enum of nothing": { enum: [] },
  "a const that is deep": { const: JSON.parse("[".repeat(500) + "]".repeat(500)) as never },
  "2,000 optional properties": { type: "object", properties: Object.fromEntries(many(2000, (i) => [`p${i}`, {}])) },
  "40 optional properties": {
    type: "object",
    properties: Object.fromEntries(many(40, (i) => [`p${i}`, { type: "integer" }])),
  },
  "names with quotes and breaks": {
    type: "object",
    properties: { 'a"b\n\\c': { type: "string" } },
    required: ['a"b\n\\c'],
  },
  "a name of 100,000 letters": { type: "object", properties: { ["n".repeat(100_000)]: {} }, required: [] },
  "a required property that is not there": { type: "object", properties: {}, required: ["ghost"] },
  "a reference to itself": { $ref: "#" },
  "two references in a circle": { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" },
  "a tree that refers to itself": { $defs: { n: { type: "array", items: { $ref: "#/$defs/n" } } }, $ref: "#/$defs/n" },
  "a reference to nowhere": { $ref: "#/$defs/missing" },
  "a reference to elsewhere": { $ref: "https://example.com/schema.json" },
  "a type that is none": { type: "spaceship" },
  "types that are none": { type: ["string", "spaceship"] },
  "a pattern that does not close": { type: "string", pattern: "^(a$" },
  "a pattern that repeats repeats": { type: "string", pattern: "^((a{1,300}){1,300}){1,300}$" },
  "a pattern the wrong way round": { type: "string", pattern: "^a{9,3}$" },
  "a pattern of a million": { type: "string", pattern: "^a{1000000}$" },
  "a pattern that looks ahead": { type: "string", pattern: "^(?=a)b$" },
  "a pattern 2,000 groups deep": { type: "string", pattern: `^${"(".repeat(2000)}a${")".repeat(2000)}$` },
  "numbers the wrong way round": { type: "integer", minimum: 10, maximum: -10 },
  "a bound of many digits": { type: "integer", minimum: 1e300 },
  "a wide range": { type: "integer", minimum: -999_999_999_999_999, maximum: 999_999_999_999_999 },
  "an unknown format": { type: "string", format: "martian" },
  "a tuple of 5,000": { type: "array", prefixItems: many(5000, () => ({ type: "integer" })) },
  "nothing can be it": { not: {} },
};

const grammars: Readonly<Record<string, string>> = {
  "a repetition the wrong way round": 'root ::= "a"{3,2}',
  "a repetition of a billion": 'root ::= "a"{1000000000}',
  "a repetition beyond 64 bits": 'root ::= "a"{99999999999999999999999}',
  "repetitions of repetitions": "root ::= (((([a-z]{999}){999}){999}){999})",
  "a negative repetition": 'root ::= "a"{-1}',
  "a repetition of nothing": 'root ::= ""{1000}',
  "a star of nothing": 'root ::= (""*)*',
  "a loop to the left": 'root ::= root "a" | "b"',
  "a hidden loop to the left": 'root ::= x? root "a"\nx ::= "b"',
  "rules in a circle": "root ::= a\na ::= b\nb ::= a",
  "no root": 'start ::= "a"',
  "an unknown rule": "root ::= ghost",
  "a group that does not close": 'root ::= ("a"',
  "a text that does not close": 'root ::= "a',
  "a class that does not close": "root ::= [a-z",
  "a class the wrong way round": "root ::= [z-a]",
  "an escape that is none": String.raw`root ::= "\q"`,
  "half an escape": String.raw`root ::= "\x4"`,
  "nothing but comments": "# nothing\n# at all",
  "groups 3,000 deep": `root ::= ${"(".repeat(3000)}"a"${")".repeat(3000)}`,
  "20,000 alternatives": `root ::= ${many(20_000, (i) => `"w${i}"`).join(" | ")}`,
  "a text of 300,000 letters": `root ::= "${"y".repeat(300_000)}"`,
  "5,000 rules in a row": `root ::= r0\n${many(5000, (i) => `r${i} ::= ${i < 4999 ? `r${i + 1}` : '"a"'}`).join("\n")}`,
  "a character beyond Unicode": String.raw`root ::= "\UFFFFFFFF"`,
};

/** The limit of CPU time. The heaviest of these takes one to four seconds, by machine; what has no bound takes minutes. */
const mostMs = 15_000;
const mostBytes = 200 * 2 ** 20;

/** Ends well or with a coded error, in bounded time and memory; gives the error. */
async function bounded(engine: Engine, what: string, ask: () => PromiseLike<unknown>): Promise<unknown> {
  const cpu = process.cpuUsage();
  const memory = process.memoryUsage.rss();
  let error: unknown;
  try {
    await ask();
  } catch (caught) {
    error = caught;
  }
  const { user, system } = process.cpuUsage(cpu);
  expect((user + system) / 1000, `${what}: CPU ms`).toBeLessThan(mostMs);
  expect(process.memoryUsage.rss() - memory, `${what}: bytes`).toBeLessThan(mostBytes);
  expect((await engine.generate("Hi")).text, `after ${what}`).toBe("Fine.");
  return error;
}

/** The last one: a schema that compiles, and that a template writes into a prompt. */
const codes = ["INVALID_SCHEMA", "INVALID_GRAMMAR", "INVALID_ARGUMENT", "PROMPT_TOO_LONG"];

function expectCoded(error: unknown, what: string): void {
  if (error === undefined) return;
  expect(error, what).toBeInstanceOf(LlamaHooksError);
  expect(codes, `${what}: ${(error as LlamaHooksError).message}`).toContain((error as LlamaHooksError).code);
}

test.each(Object.entries(schemas))("a schema with %s works or is refused with its place", async (what, schema) => {
  const engine = await openEngine(unwilling("Fine."));
  const answer = await bounded(engine, what, () =>
    engine.generate("Hi", { jsonSchema: schema, maxTokens: 4, temperature: 0 }),
  );
  expectCoded(answer, what);
  const tools = [{ name: "clock" }, { name: "weather", parameters: { type: "object", properties: { "a/b": schema } } }];
  const tool = await bounded(engine, what, () => engine.generate("Hi", { tools, maxTokens: 4, temperature: 0 }));
  expectCoded(tool, what);
  const { code, message } = (tool ?? {}) as { code?: string; message?: string };
  if (code === "INVALID_SCHEMA") expect(message, what).toMatch(/"weather".*#/su);
});

test.each(Object.entries(grammars))("a grammar with %s works or is refused", async (what, grammar) => {
  const engine = await openEngine(unwilling("Fine."));
  expectCoded(
    await bounded(engine, what, () => engine.generate("Hi", { grammar, maxTokens: 4, temperature: 0 })),
    what,
  );
});

test.each(["[^-0-9]", "[^-]", "[-a]", "[a-]", "[^a-c-]", String.raw`[\]-a]`, "[é-ü]", String.raw`[\x41-\x5A]`])(
  "the class %s is one",
  async (characters) => {
    const engine = await openEngine(unwilling("Fine."));
    await engine.generate("Hi", { grammar: `root ::= ${characters}`, maxTokens: 1, temperature: 0 });
  },
);

test("a pattern with a class of all but a dash and digits works", async () => {
  const engine = await openEngine(unwilling("Fine."));
  await engine.generate("Hi", { jsonSchema: { type: "string", pattern: "^[^-0-9]+$" }, maxTokens: 2, temperature: 0 });
});

test("a call under a schema that takes its time can be cancelled, and the engine closed", async () => {
  const engine = await openEngine(unwilling("Fine."));
  const jsonSchema = { enum: many(3000, (i) => `value ${i}`) };
  const generation = engine.generate("Hi", { jsonSchema });
  generation.cancel("enough");
  expect((await generation).finishReason).toBe("cancelled");
  const other = engine.generate("Hi", { jsonSchema }).then(
    ({ finishReason }) => finishReason,
    (error: unknown) => (error as LlamaHooksError).code,
  );
  await engine.close();
  expect(["cancelled", "CLOSED"]).toContain(await other);
});
