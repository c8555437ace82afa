import { Ajv } from "ajv";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { openRandomEngine } from "../support/models/random-model.js";

const yesOrNo = 'root ::= "yes" | "no"';

test("a grammar is followed by a model that would write anything", async () => {
  const engine = await openRandomEngine();
  const texts = new Set<string>();
  for (let seed = 0; seed < 12; seed++) {
    const { text, finishReason } = await engine.generate("Yes or no?", { grammar: yesOrNo, temperature: 1, seed });
    expect(finishReason).toBe("stop");
    texts.add(text);
  }
  expect([...texts].sort()).toEqual(["no", "yes"]);
});

test.each([
  ["greedily", { temperature: 0 }],
  ["with a raw prompt", { raw: true }],
  ["with mirostat", { mirostat: 2 as const }],
  ["with a penalty", { repeatPenalty: 1.5 }],
  ["streamed after the hooks", { stream: "held" as const }],
])("a grammar is followed %s", async (_, options) => {
  const engine = await openRandomEngine();
  expect((await engine.generate("Yes or no?", { grammar: yesOrNo, ...options })).text).toMatch(/^(yes|no)$/);
});

test("a grammar with rules, repetition and characters outside ASCII is followed", async () => {
  const engine = await openRandomEngine();
  const grammar = 'root ::= item ("," item){1,3} "。"\nitem ::= [äöü]+ | digit{2}\ndigit ::= [0-9]';
  for (let seed = 0; seed < 4; seed++) {
    const result = await engine.generate("List", { grammar, temperature: 1, seed, maxTokens: 300 });
    if (result.finishReason === "stop") expect(result.text).toMatch(/^([äöü]+|\d\d)(,([äöü]+|\d\d)){1,3}。$/);
  }
});

test("a grammar holds for each of several generations at once", async () => {
  const engine = await openRandomEngine();
  const words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];
  const results = await Promise.all(words.map((word) => engine.generate("Say", { grammar: `root ::= "${word}"` })));
  expect(results.map(({ text }) => text)).toEqual(words);
});

test("a grammar may come with tools when toolChoice is none", async () => {
  const engine = await openRandomEngine();
  const options = { grammar: yesOrNo, tools: [{ name: "clock" }], toolChoice: "none" as const };
  expect((await engine.generate("Yes or no?", options)).text).toMatch(/^(yes|no)$/);
});

const schemas: [string, JsonSchema][] = [
  [
    "an object",
    {
      type: "object",
      properties: {
        ok: { type: "boolean" },
        count: { type: "integer", minimum: 0, maximum: 999 },
        kind: { enum: ["rain", "snow"] },
        note: { type: "string", pattern: "^[a-z]{1,8}$" },
      },
      required: ["ok", "count", "kind", "note"],
      additionalProperties: false,
    },
  ],
  ["an array", { type: "array", items: { enum: ["a", "b"] }, minItems: 1, maxItems: 4 }],
  ["one of several types", { anyOf: [{ type: "boolean" }, { type: "integer", minimum: 1, maximum: 9 }] }],
  ["a constant", { const: { fixed: [1, null] } }],
  [
    "a nested object with $ref",
    {
      type: "object",
      properties: { left: { $ref: "#/$defs/side" }, right: { $ref: "#/$defs/side" } },
      required: ["left", "right"],
      additionalProperties: false,
      $defs: {
        side: { type: "object", properties: { x: { enum: [1, 2] } }, required: ["x"], additionalProperties: false },
      },
    },
  ],
];

test.each(schemas)("jsonSchema of %s gives valid JSON of that schema", async (_, jsonSchema) => {
  const engine = await openRandomEngine();
  const valid = new Ajv({ strict: false }).compile(jsonSchema);
  for (let seed = 0; seed < 5; seed++) {
    const options = { jsonSchema, temperature: 1, seed, maxTokens: 500, raw: true };
    const { text, finishReason } = await engine.generate("JSON", options);
    expect(finishReason).toBe("stop");
    expect(valid(JSON.parse(text)), text).toBe(true);
  }
});

// Raw, here and above: through the chat template a model may think before it answers, and one of random weights does so
// for as long as it likes.
test("a schema object that can describe itself is taken as jsonSchema", async () => {
  const engine = await openRandomEngine();
  const jsonSchema = { toJSONSchema: () => ({ enum: ["rain", "snow"] }) };
  expect((await engine.generate("JSON", { jsonSchema, temperature: 1, raw: true })).text).toMatch(/^"(rain|snow)"$/);
});

test("a scripted reply that fits its grammar comes through unchanged", async () => {
  const engine = await openEngine(["yes"]);
  expect((await engine.generate("Yes or no?", { grammar: yesOrNo })).text).toBe("yes");
});
