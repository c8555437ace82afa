// Patterns of schemas: whatever a model writes under one is JSON, and fits it.
import { expect, test } from "vitest";
import type { Engine, GenerateOptions, JsonSchema } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { openRandomEngine } from "../support/models/random-model.js";

const kept = [
  String.raw`^[^x]{6}$`,
  String.raw`^a\tb$`,
  String.raw`^"a"$`,
  String.raw`^\\{2}$`,
  String.raw`^.{1,8}$`,
  String.raw`^\d{3}-\d{2}$`,
  String.raw`^\w+\s\S\W\D$`,
  String.raw`^[\d\s"\\/]{5}$`,
  String.raw`^[\0-\x1f]{4}$`,
  String.raw`^[\b\f\n\r\t\v]{4}$`,
  String.raw`^\x41\u00e9\u{1F600}\u{10FFFF}\cJ\/\.\*$`,
  String.raw`^\uD83D\uDE00[\uD83D\uDE01-\u{1F64F}]$`,
  String.raw`^[^\u0000-\uFFFF]{2}$`,
  String.raw`^[\]\[\-\^a-c"]{6}$`,
  String.raw`^[^"\\]{5}$`,
  String.raw`^[^]{5}$`,
  String.raw`^é{2}ab+\.*c{2,3}?"??$`,
  String.raw`^ab\.{2}$`,
  String.raw`^(?:ab|"c"|\\d){2}(e|)$`,
  String.raw`^(?<year>\d{4})-(?<month>0[1-9]|1[0-2])$`,
  String.raw`^(a*)*(b?c?)*(|d+)+(?:e?){2,}f$`,
  String.raw`^a{0}b{0,0}c{1,}$`,
  String.raw`^[a\-z]$|^(?:yes|no)$`,
  String.raw`^yes|no$`,
  String.raw`^$`,
  String.raw`^\$\^$`,
  String.raw`^[_$&+,:;=?@#|'<>.^*()%!~]{6}$`,
];

const base: GenerateOptions = { temperature: 3, topK: 0, topP: 1, minP: 0, maxTokens: 300, strictSchema: true };
const template =
  "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}";

/** Texts that a model of random weights writes under a schema; those that it has ended. */
async function written(engine: Engine, jsonSchema: JsonSchema, seeds: number, options: GenerateOptions = {}) {
  const given = Array.from({ length: seeds }, (_, seed) => ({ ...base, raw: true, ...options, jsonSchema, seed }));
  const results = await Promise.all(given.map((one) => engine.generate("JSON", one)));
  return results.filter(({ finishReason }) => finishReason === "stop").map(({ text }) => text);
}

test.each(kept)("what is written under %s is JSON and fits it", async (pattern) => {
  const engine = await openRandomEngine();
  const texts = await written(engine, { type: "string", pattern }, 12);
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) expect(JSON.parse(text), text).toMatch(new RegExp(pattern, "u"));
});

test("a pattern that has all of a class reaches each of its characters", async () => {
  const engine = await openRandomEngine();
  const texts = await written(engine, { type: "string", pattern: String.raw`^["\\\n\x01\x1f]$` }, 60);
  expect([...new Set(texts)].sort()).toEqual(['"\\""', '"\\\\"', '"\\n"', '"\\u0001"', '"\\u001f"'].sort());
});

test.each([
  String.raw`^(?=a)a$`,
  String.raw`^(?!b)a$`,
  String.raw`^(?<=a)a$`,
  String.raw`^(?i:a)$`,
  String.raw`^(a)\1$`,
  String.raw`^(?<n>a)\k<n>$`,
  String.raw`^\bword\b$`,
  String.raw`^\p{Lu}$`,
  String.raw`^[\p{Lu}]$`,
  String.raw`^[]$`,
  String.raw`^\ud800$`,
  String.raw`^a\$`,
  String.raw`(^a$)`,
  "a",
  "^a",
  "a$",
  "^a$b$",
])("the pattern %s has no effect, and strictSchema refuses it", async (pattern) => {
  const engine = await openEngine(['"any"']);
  const jsonSchema = { type: "string", pattern };
  expect((await engine.generate("Hi", { jsonSchema })).text).toBe('"any"');
  expect(await rejection(engine.generate("Hi", { jsonSchema, strictSchema: true }))).toMatchObject({
    code: "INVALID_SCHEMA",
    message: expect.stringContaining("pattern") as string,
  });
});

test.each([
  "^(a$",
  "^(?=a)(b$",
  "^a)$",
  "^[a$",
  "^*a$",
  "^a**$",
  "^a{3,2}$",
  "^[b-a]$",
  "^a{2001}$",
  "^\\u{110000}$",
  `^${"\\W".repeat(30_000)}$`,
])("the pattern %j is refused", async (pattern) => {
  const engine = await openEngine(['"any"']);
  expect(await rejection(engine.generate("Hi", { jsonSchema: { type: "string", pattern } }))).toMatchObject({
    code: "INVALID_SCHEMA",
    message: expect.stringContaining("pattern") as string,
  });
});

const text: JsonSchema = { type: "string", pattern: String.raw`^[^x]{2}"\t$` };
test.each<[string, JsonSchema]>([
  ["a list of types", { type: ["string", "null"], pattern: String(text.pattern) }],
  ["items", { type: "array", items: text, minItems: 1, maxItems: 3 }],
  ["$defs", { $ref: "#/$defs/a", $defs: { a: text } }],
  ["a place that no keyword leads to", { $ref: "#/parts/0/a", parts: [{ a: text }] }],
  ["several references to one place", { anyOf: [{ $ref: "#/parts/a" }, { $ref: "#/parts/a" }], parts: { a: text } }],
])("a pattern in %s is followed", async (_, schema) => {
  const engine = await openRandomEngine();
  const strings = (value: unknown): string[] =>
    Array.isArray(value) ? value.flatMap(strings) : typeof value === "string" ? [value] : [];
  const texts = await written(engine, schema, 8);
  const found = texts.flatMap((json) => strings(JSON.parse(json)));
  expect(found.length).toBeGreaterThan(0);
  for (const one of found) expect(one).toMatch(new RegExp(String(text.pattern), "u"));
});

const names = ["plain", "with-hyphen", "a", "an", 'quo"te', "back\\slash", "br]ack^et", "new\nline", "", "é"];
test.each<[string, JsonSchema]>([
  ["constants", { enum: ['"', "\\", "\n\r\t\b\f\u0000\u001f", "]-^[", { 'a"\\\n': "\u2028" }] }],
  [
    "names",
    { type: "object", properties: Object.fromEntries(names.map((name) => [name, { const: 1 }])), required: names },
  ],
  ...names.map((name): [string, JsonSchema] => [
    `other names beside ${JSON.stringify(name)}`,
    { type: "object", properties: { [name]: { const: 1 } }, additionalProperties: { const: 2 } },
  ]),
  [
    "other names beside several",
    {
      type: "object",
      properties: { "a-b": { const: 1 }, "a,b": { const: 1 }, é: { const: 1 } },
      additionalProperties: { const: 2 },
    },
  ],
])("%s with characters that JSON escapes are written as JSON", async (_, jsonSchema) => {
  const engine = await openRandomEngine({ chatTemplate: template });
  for (const raw of [true, false]) {
    const texts = await written(engine, jsonSchema, 10, { raw, maxTokens: 300, strictSchema: false });
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) {
      const value = JSON.parse(text) as unknown;
      if (jsonSchema.enum !== undefined) {
        expect(jsonSchema.enum).toContainEqual(value);
      } else {
        const known = Object.keys(jsonSchema.properties as object);
        for (const [name, one] of Object.entries(value as object)) expect(one).toBe(known.includes(name) ? 1 : 2);
      }
    }
  }
});

test("a tool call may have what its parameters' patterns allow, escaped as JSON has it", async () => {
  const args = { city: '"ab\\\t', "an other": 2 };
  const engine = await openEngine([{ toolCalls: [{ name: "weather", args }] }]);
  const properties = { city: { type: "string", pattern: String.raw`^"[^x]{2}\\\t$` } };
  const parameters = { type: "object", properties, required: ["city"], additionalProperties: { const: 2 } };
  const tools = [{ name: "weather", parameters }];
  const result = await engine.generate("Weather?", { tools, strictSchema: true, maxTokens: 100 });
  expect(result.toolCalls.map((call) => call.args)).toEqual([args]);
});
