import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Engine, JsonSchema } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";

/** What a model may want to write. */
const values: readonly unknown[] = [
  null,
  2,
  2.5,
  "a",
  "ab",
  [],
  [1],
  ["a", 1],
  ["a", 1, 1],
  {},
  { x: 1 },
  { x: "a" },
  { x: 1, y: 2 },
  { x: 1, next: { x: 2 } },
  { x: 1, next: { x: "a" } },
];
const texts = values.map((value) => JSON.stringify(value));

/** The values that a model can write under the schema. Undefined: strictSchema refuses the schema. */
async function admitted(engine: Engine, jsonSchema: JsonSchema): Promise<unknown[] | undefined> {
  const outcome = (text: string, reply: number): Promise<boolean | string> =>
    engine.generate("Go", { jsonSchema, strictSchema: true, chatTemplateArgs: { script_reply: reply } }).then(
      (result) => result.text === text && result.finishReason === "stop",
      ({ code }: { code: string }) => code,
    );
  // The first makes and checks the grammar, which the others, asked at the same time, would do each by itself.
  const outcomes = [await outcome(texts[0] ?? "", 0)];
  outcomes.push(...(await Promise.all(texts.slice(1).map((text, at) => outcome(text, at + 1)))));
  if (outcomes.every((outcome) => outcome === "INVALID_SCHEMA")) return undefined;
  expect(outcomes.filter((outcome) => outcome !== true && outcome !== "UNSUPPORTED_BY_MODEL")).toEqual([]);
  return values.filter((_, at) => outcomes[at] === true);
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validator = (schema: JsonSchema): ((value: unknown) => boolean) => {
  const { $schema: _, ...rest } = schema;
  return ajv.compile(rest);
};

const $defs = {
  text: { type: "string", maxLength: 1 },
  thing: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] },
};
const joining: Readonly<Record<string, JsonSchema>> = {
  enum: { enum: ["a", 2, 2.5, [1], { x: 1 }, { x: "a" }] },
  const: { const: "a" },
  anyOf: { anyOf: [{ type: "string" }, { $ref: "#/$defs/thing" }, { type: "array", minItems: 1 }] },
  oneOf: { oneOf: [{ type: "string", minLength: 2 }, { type: "array", items: { type: "integer" } }, { type: "null" }] },
  allOf: { allOf: [{ $ref: "#/$defs/thing" }, { properties: { y: { type: "integer" } } }] },
  "a reference to a text": { $ref: "#/$defs/text" },
  "a reference to an object": { $ref: "#/$defs/thing" },
};
const beside: Readonly<Record<string, JsonSchema>> = {
  "a type": { type: "string" },
  "two types": { type: ["object", "array"] },
  "a length": { minLength: 2 },
  "a pattern": { pattern: "^a$" },
  "a bound": { exclusiveMinimum: 2 },
  "a number of items": { minItems: 2 },
  "a tuple": { prefixItems: [{ type: "string" }], items: false },
  "a property": { properties: { x: { type: "string" } } },
  "a property that is false": { properties: { y: false } },
  "a required name": { required: ["y"] },
  "no other properties": { additionalProperties: false },
  "not a number": { not: { type: "number" } },
};

test.each(Object.entries(joining))("%s with siblings admits nothing that Ajv refuses", async (name, joined) => {
  const engine = await openEngine(texts);
  const refused: string[] = [];
  for (const [sibling, keyword] of Object.entries(beside)) {
    const schema = { ...joined, ...keyword, $defs };
    const written = await admitted(engine, schema);
    if (written === undefined) refused.push(sibling);
    else {
      const fits = validator(schema);
      expect(
        written.filter((value) => !fits(value)),
        `${name} beside ${sibling}`,
      ).toEqual([]);
    }
  }
  expect(refused.length).toBeLessThan(6);
});

const Node = z.object({
  x: z.int(),
  get next() {
    return z.optional(Node);
  },
});
const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: "object", properties, ...more });
const ends: readonly unknown[] = [{ x: 1 }, { x: 1, next: { x: 2 } }];
const cases: readonly [string, JsonSchema, readonly unknown[]][] = [
  ["what zod writes for a recursive object", z.toJSONSchema(Node), ends],
  [
    "a reference to the whole",
    object({ x: { type: "integer" }, next: { $ref: "#" } }),
    [{}, ...ends.slice(0, 1), ...ends.slice(1)],
  ],
  ["a pointer with ~1", { $ref: "#/$defs/a~1b", $defs: { "a/b": { const: "a" } } }, ["a"]],
  ["a pointer with ~0", { $ref: "#/$defs/a~0b", $defs: { "a~b": { const: "a" } } }, ["a"]],
  ["a pointer with %20", { $ref: "#/$defs/a%20b", $defs: { "a b": { const: "a" } } }, ["a"]],
  ["an anchor", { $ref: "#mark", $defs: { a: { $anchor: "mark", const: "a" } } }, ["a"]],
  [
    "the address of a definition",
    { $id: "https://example.com/s/", $ref: "item", $defs: { a: { $id: "item", const: "a" } } },
    ["a"],
  ],
  ["what zod writes for a tuple", z.toJSONSchema(z.tuple([z.string(), z.int()])), [["a", 1]]],
  ["a tuple with a rest", z.toJSONSchema(z.tuple([z.string()], z.int())), []],
  [
    "a tuple with more items than are listed",
    { prefixItems: [{ type: "string" }], items: { type: "integer" }, minItems: 3 },
    [["a", 1, 1]],
  ],
  [
    "a tuple with fewer items than are listed",
    { prefixItems: [{ type: "string" }, { type: "integer" }], maxItems: 0 },
    [[]],
  ],
  ["no items", { type: "array", items: false }, [[]]],
  ["a property that is false", object({ x: { type: "integer" }, y: false }, { required: ["x"] }), [{ x: 1 }]],
  ["a property that is false among any", object({ y: false }, { additionalProperties: true }), [{}]],
  ["an alternative that is false", { anyOf: [false, { const: "a" }, { not: {} }] }, ["a"]],
  [
    "a required name without a property",
    { type: "object", required: ["x"] },
    [{ x: 1 }, { x: "a" }, { x: 1, y: 2 }, ...ends.slice(1), { x: 1, next: { x: "a" } }],
  ],
  ["what zod writes for a record of names", z.toJSONSchema(z.record(z.enum(["x", "y"]), z.int())), [{ x: 1, y: 2 }]],
  [
    "what zod writes for a union with a mark",
    z.toJSONSchema(
      z.discriminatedUnion("x", [z.object({ x: z.literal(1), y: z.int() }), z.object({ x: z.literal("a") })]),
    ),
    [{ x: "a" }, { x: 1, y: 2 }],
  ],
  ["an intersection", z.toJSONSchema(z.object({ x: z.int() }).and(z.object({ y: z.int() }))), [{ x: 1, y: 2 }]],
  [
    "a choice with siblings below a choice with siblings that it leads back to",
    object(
      { x: { type: "integer" }, next: { anyOf: [{ $ref: "#" }, { type: "null" }], type: ["object", "null"] } },
      { anyOf: [{ required: ["x"] }, { required: ["next"] }] },
    ),
    [{ x: 1 }, { x: 1, next: { x: 2 } }],
  ],
  [
    "bounds of an integer from two schemas",
    { type: "number", maximum: 2, allOf: [{ type: "integer" }, { minimum: 1 }] },
    [2],
  ],
];

test.each(cases)("%s is what the grammar admits", async (_, schema, expected) => {
  const engine = await openEngine(texts);
  const known = expected.map((value) => JSON.stringify(value)).toSorted();
  const written = (await admitted(engine, schema)) ?? [];
  if (known.length > 0) expect(written.map((value) => JSON.stringify(value)).toSorted()).toEqual(known);
  const fits = validator(schema);
  expect(written.filter((value) => !fits(value))).toEqual([]);
});

test("definitions of the same name in two tools are two", async () => {
  const call = (item: unknown): object => ({ toolCalls: [{ name: "second", args: { item } }] });
  const engine = await openEngine([call(1) as never, call("a") as never]);
  const parameters = (type: string): JsonSchema =>
    object({ item: { $ref: "#/$defs/item" } }, { required: ["item"], $defs: { item: { type } } });
  const tools = ["integer", "string"].map((type, at) => ({
    name: at === 0 ? "first" : "second",
    parameters: parameters(type),
  }));
  const run = async (reply: number): Promise<unknown> =>
    engine.generate("Go", { tools, toolChoice: "required", chatTemplateArgs: { script_reply: reply } });
  await expect(run(0)).rejects.toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
  expect(await run(1)).toMatchObject({ toolCalls: [{ name: "second", args: { item: "a" } }] });
});

const nothing: JsonSchema = { type: "string", const: 1 };
test.each<[string, JsonSchema]>([
  ["#/properties/x", object({ x: nothing }, { required: ["x"] })],
  ["#/properties/y", object({ x: nothing, y: nothing }, { required: ["y"] })],
  ["#", { anyOf: [nothing, object({ x: false }, { required: ["x"] })] }],
  ["#/anyOf/0/properties/x", { anyOf: [object({ x: nothing }, { required: ["x"] })] }],
  [
    "#/$defs/list/items",
    {
      ...object({ a: nothing, x: { $ref: "#/$defs/list" } }, { required: ["x"] }),
      $defs: { list: { type: "array", items: nothing, minItems: 1 } },
    },
  ],
  ["#/prefixItems/1", { type: "array", prefixItems: [{ type: "array", items: nothing }, nothing], minItems: 2 }],
])("no value fits: the place says where, %s", async (place, jsonSchema) => {
  const engine = await openEngine(["a"]);
  const refusal = { code: "INVALID_SCHEMA", message: expect.stringContaining(`: ${place}: no value fits`) as string };
  await expect(engine.generate("Go", { jsonSchema })).rejects.toMatchObject(refusal);
});

test("a tool's name has up to 128 characters", async () => {
  const name = "n".repeat(128);
  const engine = await openEngine([{ toolCalls: [{ name, args: {} }] }, "Done."]);
  const session = engine.session({ tools: [{ name, run: () => "ran" }] });
  expect((await session.run("Go")).text).toBe("Done.");
});
