import { expect, test } from "vitest";
import type { JsonSchema } from "../../src/index.js";
import { openEngine, rejection, unwilling } from "../support/engine.js";
import { openRandomEngine } from "../support/models/random-model.js";

const withCity = (city: JsonSchema): JsonSchema => ({ type: "object", properties: { "in/city": city } });
const bad: [string, JsonSchema, string][] = [
  ["an unknown type", { type: "spaceship" }, "spaceship"],
  ["a length that cannot be", { type: "string", minLength: 5, maxLength: 2 }, "minLength 5"],
  ["a length beyond counting", { type: "string", minLength: 10_000 }, "minLength 10000"],
  ["a number of items that cannot be", { type: "array", items: {}, minItems: 3, maxItems: 2 }, "minItems 3"],
  ["a range that cannot be", { type: "integer", minimum: 3, maximum: 2 }, "minimum"],
  ["a bound of too many digits", { type: "integer", minimum: 1e16 }, "digits"],
  ["a pattern that is none", { type: "string", pattern: "^(a$" }, "pattern"],
  ["an enum of nothing", { enum: [] }, "enum"],
];

test.each(bad)("%s in a tool's parameters is INVALID_SCHEMA with the tool and the place", async (_, schema, what) => {
  const engine = await openEngine(["Fine."]);
  const tools = [{ name: "clock" }, { name: "weather", parameters: withCity(schema) }];
  const error = await rejection(engine.generate("Weather?", { tools }));
  expect(error).toMatchObject({ code: "INVALID_SCHEMA" });
  for (const part of ['"weather"', "#/properties/in", what]) expect((error as Error).message).toContain(part);
  expect((await engine.generate("Weather?")).text).toBe("Fine.");
});

test.each(bad)("%s in jsonSchema is INVALID_SCHEMA with the place", async (_, schema, what) => {
  const engine = await openEngine(["Fine."]);
  for (const raw of [true, false]) {
    const error = await rejection(engine.generate("Weather?", { jsonSchema: withCity(schema), raw }));
    expect(error).toMatchObject({ code: "INVALID_SCHEMA" });
    for (const part of ["#/properties/in", what]) expect((error as Error).message).toContain(part);
  }
});

test("a schema with more parts than can be compiled in good time is refused", async () => {
  const engine = await openEngine(["Fine."]);
  const jsonSchema = { enum: Array.from({ length: 20_000 }, (_, i) => `value ${i}`) };
  expect(await rejection(engine.generate("Hi", { jsonSchema }))).toMatchObject({ code: "INVALID_SCHEMA" });
});

test("an object with more optional properties than can be compiled in good time is refused", async () => {
  const engine = await openEngine(["Fine."]);
  const properties = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`p${i}`, { type: "null" }]));
  const tools = [{ name: "weather", parameters: { type: "object", properties } }];
  const error = await rejection(engine.generate("Hi", { tools }));
  expect(error).toMatchObject({ code: "INVALID_SCHEMA", message: expect.stringContaining("required") as string });
});

test("references that lead to references without end in sight are refused", async () => {
  const engine = await openEngine(["Fine."]);
  const chain = Array.from({ length: 9_000 }, (_, i) => (i < 8_999 ? { $ref: `#/$defs/a${i + 1}` } : { type: "null" }));
  for (const order of [[...chain.entries()], [...chain.entries()].toReversed()]) {
    const $defs = Object.fromEntries(order.map(([i, schema]) => [`a${i}`, schema]));
    expect(await rejection(engine.generate("Hi", { jsonSchema: { $ref: "#/$defs/a0", $defs } }))).toMatchObject({
      code: "INVALID_SCHEMA",
      message: expect.stringContaining("references") as string,
    });
  }
});

const ignored: [string, JsonSchema, string][] = [
  ["a bound of a number", { type: "number", minimum: 0 }, "minimum"],
  ["uniqueItems", { type: "array", items: { type: "null" }, uniqueItems: true }, "uniqueItems"],
  ["contains", { type: "array", contains: { type: "null" } }, "contains"],
  ["minProperties", { type: "object", minProperties: 1 }, "minProperties"],
  ["dependentRequired", { type: "object", dependentRequired: {} }, "dependentRequired"],
  ["a pattern without anchors", { type: "string", pattern: "[a-z]" }, "pattern"],
  ["a length above 2,000", { type: "string", maxLength: 5000 }, "maxLength"],
  ["what an alternative may fit beside another", { oneOf: [{ type: "string" }, { const: "a" }] }, "oneOf"],
  ["a second pattern", { type: "string", allOf: [{ pattern: "^a+$" }, { pattern: "^[a-z]$" }] }, "pattern"],
  ["an unknown format", { type: "string", format: "email" }, "format"],
];

test.each(ignored)("%s has no effect, and strictSchema refuses it", async (_, schema, keyword) => {
  const engine = await openEngine(["Fine."]);
  const tools = [{ name: "weather", parameters: withCity(schema) }];
  expect((await engine.generate("Weather?", { tools })).text).toBe("Fine.");
  const ofTool = await rejection(engine.generate("Weather?", { tools, strictSchema: true }));
  expect(ofTool).toMatchObject({ code: "INVALID_SCHEMA" });
  for (const part of ['"weather"', keyword]) expect((ofTool as Error).message).toContain(part);
  const ofAnswer = await rejection(engine.generate("Weather?", { jsonSchema: schema, strictSchema: true }));
  expect(ofAnswer).toMatchObject({
    code: "INVALID_SCHEMA",
    message: expect.stringContaining(keyword) as string,
  });
});

test("strictSchema takes a schema all of which holds", async () => {
  const engine = await openEngine(["Fine."]);
  const parameters = {
    type: "object",
    properties: {
      city: { type: "string", maxLength: 40, description: "Where." },
      days: { type: "integer", minimum: 1 },
    },
    required: ["city"],
  };
  const options = { tools: [{ name: "weather", parameters }], strictSchema: true };
  expect((await engine.generate("Weather?", options)).text).toBe("Fine.");
});

test("strictSchema takes values of several types, and true for any value", async () => {
  const engine = await openEngine(unwilling("Fine."));
  const jsonSchema = {
    type: "object",
    properties: { unit: { type: ["string", "null"], enum: ["C", null] }, other: true },
    required: ["unit"],
    additionalProperties: false,
  };
  const { text } = await engine.generate("Weather?", { jsonSchema, strictSchema: true, maxTokens: 200 });
  expect(["C", null]).toContain((JSON.parse(text) as { unit: unknown }).unit);
});

test("the model is shown a tool's parameters as they were written", async () => {
  const engine = await openEngine(["Fine."]);
  const parameters = withCity({ type: "string", pattern: "[A-Z][a-z]+", maxLength: 9000 });
  const messages = [{ role: "user" as const, content: "Weather?" }];
  const prompt = await engine.models.renderPrompt(undefined, { messages, tools: [{ name: "weather", parameters }] });
  for (const part of ["[A-Z][a-z]+", "9000"]) expect(prompt).toContain(part);
});

const plainTemplate =
  "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}";

test.each([{}, { raw: true }])("an empty jsonSchema gives JSON of any kind: %j", async (options) => {
  const engine = await openRandomEngine({ chatTemplate: plainTemplate });
  let whole = 0;
  for (let seed = 0; seed < 8; seed++) {
    const given = { jsonSchema: {}, temperature: 1, seed, maxTokens: 60, ...options };
    const { text, finishReason } = await engine.generate("JSON", given);
    expect(text.trimStart()).toMatch(/^[-{["0-9tfn]/u);
    if (finishReason !== "stop") continue;
    JSON.parse(text);
    whole++;
  }
  expect(whole).toBeGreaterThan(0);
});

test.each([
  ["a grammar", { grammar: 'root ::= "yes" | "no"' }, /^(yes|no)$/u],
  ["a grammar, greedily", { grammar: 'root ::= "yes" | "no"', temperature: 0 }, /^(yes|no)$/u],
  ["a jsonSchema", { jsonSchema: { enum: ["rain", "snow"] } }, /^"(rain|snow)"$/u],
])("ignoreEos ends where %s allows nothing more", async (_, options, text) => {
  const engine = await openRandomEngine({ chatTemplate: plainTemplate });
  const result = await engine.generate("Hi", { ignoreEos: true, maxTokens: 60, ...options });
  expect(result).toMatchObject({ finishReason: "stop", text: expect.stringMatching(text) as string });
});

test("ignoreEos continues where a grammar allows more", async () => {
  const engine = await openRandomEngine();
  const result = await engine.generate("Hi", { ignoreEos: true, maxTokens: 40, grammar: 'root ::= "a"+' });
  expect(result.finishReason).toBe("length");
});

const noObject: JsonSchema[] = [
  { type: "string" },
  { type: ["array", "null"] },
  { const: 3 },
  { enum: ["a", "b"] },
  { pattern: "^a$" },
  { anyOf: [{ type: "string" }, { $ref: "#/$defs/a" }], $defs: { a: { type: "integer" } } },
];

test.each(noObject)("a tool whose parameters are %j is INVALID_SCHEMA: arguments are an object", async (parameters) => {
  const engine = await openEngine(["Fine."]);
  const error = { code: "INVALID_SCHEMA", message: expect.stringContaining("no object") as string };
  const tools = [{ name: "weather", parameters }];
  expect(await rejection(engine.generate("Weather?", { tools }))).toMatchObject(error);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, where }) => void errors.push(`${code} ${where}`));
  const session = engine.session({ tools: [{ name: "weather", parameters, run: () => "ran" }] });
  expect((await session.run("Weather?")).text).toBe("Fine.");
  expect(errors).toEqual(["INVALID_SCHEMA tool:weather"]);
});

test.each<JsonSchema>([
  { type: "object" },
  { type: ["object", "null"] },
  { const: { a: 1 } },
  { enum: [1, { a: 1 }] },
  { allOf: [{ properties: { a: { type: "null" } } }] },
  { anyOf: [{ type: "string" }, { $ref: "#/$defs/a" }], $defs: { a: { type: "object" } } },
])("a tool whose parameters are %j is offered", async (parameters) => {
  const engine = await openEngine(["Fine."]);
  const tools = [{ name: "weather", parameters }];
  expect((await engine.generate("Weather?", { tools })).text).toBe("Fine.");
});

test.each([
  {
    type: "object",
    properties: {
      additionalProperties: { properties: { x: { $ref: "#/properties" }, y: {} } },
      properties: { "]": {} },
    },
  },
  {
    type: "object",
    properties: {
      a: { $ref: "#/properties" },
      type: "string",
      pattern: "(?=x)",
      "a name of more than fifteen bytes": {},
    },
  },
] as never[])("a reference to what it stands in is read without changing that: %j", async (jsonSchema) => {
  const engine = await openEngine(["{}"]);
  const outcome = await engine.generate("Go", { jsonSchema, maxTokens: 4 }).then(
    () => "answered",
    ({ code }: { code: string }) => code,
  );
  expect(["answered", "INVALID_SCHEMA"]).toContain(outcome);
  expect((await engine.generate("Go", { maxTokens: 4 })).text).toBe("{}");
});
