// Choices and listed values beside other keywords.
import { expect, test } from "vitest";
import type { Engine, JsonSchema } from "../../../src/index.js";
import { openEngine, rejection } from "../../support/engine.js";

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const names = (count: number): string[] => many(count, (i) => `value ${i}`);

/** For each reply: true if the grammar of the schema admits it. */
async function written(
  engine: Engine,
  count: number,
  jsonSchema: JsonSchema,
  strictSchema: boolean,
): Promise<boolean[]> {
  return Promise.all(
    many(count, (reply) =>
      engine.generate("Go", { jsonSchema, strictSchema, chatTemplateArgs: { script_reply: reply } }).then(
        ({ finishReason }) => finishReason === "stop",
        ({ code }: { code: string }) => {
          expect(code).toBe("UNSUPPORTED_BY_MODEL");
          return false;
        },
      ),
    ),
  );
}

test.each<[string, JsonSchema, unknown[], unknown[]]>([
  [
    "a value that fits one alternative, and maybe another",
    { type: "string", oneOf: [{ const: "auto" }, { pattern: "[0-9]px" }] },
    ["auto"],
    [1],
  ],
  [
    "a value that may fit none, or not one alone",
    { enum: ["a", 1], oneOf: [{ format: "email" }, { pattern: "x" }, { type: "integer" }] },
    ["a"],
    [1],
  ],
  [
    "a value that fits two for certain",
    { enum: ["a", "b", 1], oneOf: [{ const: "a" }, { enum: ["a", "b"] }] },
    ["b"],
    ["a", 1],
  ],
  [
    "a value that is not what may be",
    { enum: ["a", 1], not: { anyOf: [{ pattern: "x" }, { type: "integer" }] } },
    ["a"],
    [1],
  ],
  [
    "a value whose condition is open",
    { enum: ["a", 1, 2], if: { pattern: "x" }, then: { type: ["string", "integer"] }, else: { maximum: 1 } },
    ["a", 1],
    [],
  ],
])("%s stays unless it is known not to fit", async (_, schema, fitting, others) => {
  const engine = await openEngine([...fitting, ...others].map((value) => JSON.stringify(value)));
  const admitted = await written(engine, fitting.length + others.length, schema, false);
  expect(admitted).toEqual([...fitting.map(() => true), ...others.map(() => false)]);
});

test.each<[string, JsonSchema, unknown[], unknown[]]>([
  [
    "a constant or a pattern",
    { type: "string", oneOf: [{ const: "auto" }, { pattern: "^[0-9]+px$" }] },
    ["auto", "12px"],
    ["x", "px", 1],
  ],
  [
    "listed values beside a pattern",
    { enum: ["a1", "b", "\u00e9\u00e9", 1], pattern: "^([a-z][0-9]|\u00e9){1,2}$" },
    ["a1", "\u00e9\u00e9", 1],
    ["b"],
  ],
  [
    "alternatives beside one that leads back",
    { anyOf: [{ type: "string" }, { $ref: "#" }], maxLength: 1 },
    ["a"],
    ["ab", 1],
  ],
  ["a pattern in a condition", { enum: ["a", "b"], not: { pattern: "^(a|c)*$" } }, ["b"], ["a"]],
  [
    "names that are listed, with a title",
    {
      type: "object",
      propertyNames: { title: "Name", description: "One.", enum: ["a"] },
      additionalProperties: { type: "integer" },
    },
    [{ a: 1 }, {}],
    [{ b: 1 }],
  ],
])("%s hold whole, and strictSchema takes them", async (_, schema, fitting, others) => {
  const engine = await openEngine([...fitting, ...others].map((value) => JSON.stringify(value)));
  const admitted = await written(engine, fitting.length + others.length, schema, true);
  expect(admitted).toEqual([...fitting.map(() => true), ...others.map(() => false)]);
});

const beside: readonly JsonSchema[] = [
  { type: "string" },
  { minLength: 1 },
  { anyOf: [{ minLength: 2 }, { type: "null" }] },
];
const listed: Readonly<Record<string, (values: readonly string[]) => JsonSchema>> = {
  "an enum": (values) => ({ enum: values }),
  "an anyOf of constants": (values) => ({ anyOf: values.map((value) => ({ const: value, title: value })) }),
  "a oneOf of constants": (values) => ({ oneOf: values.map((value) => ({ const: value, description: value })) }),
  "an anyOf of enums": (values) => ({ anyOf: values.map((value) => ({ enum: [value, 1] })) }),
};
const cases = Object.entries(listed).flatMap(([name, list]) =>
  [257, 2000].flatMap((count) => beside.map((sibling) => [name, count, sibling, list] as const)),
);

test.each(cases)("%s of %i beside %j holds whole", async (_, count, sibling, list) => {
  const values = names(count);
  const engine = await openEngine([values.at(-1), "value", `value ${count}`].map((value) => JSON.stringify(value)));
  const schema = { allOf: [sibling], ...list(values) };
  expect(await written(engine, 3, schema, true)).toEqual([true, false, false]);
});

test("a choice of 300 objects beside properties of all holds whole", async () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
    anyOf: many(300, (i) => ({ properties: { kind: { const: `kind ${i}` } }, required: ["kind"] })),
  };
  const engine = await openEngine(
    [
      { n: 1, kind: "kind 299" },
      { n: 1, kind: "kind 300" },
    ].map((value) => JSON.stringify(value)),
  );
  expect(await written(engine, 2, schema, true)).toEqual([true, false]);
});

test("a oneOf of 300 objects, each with a mark, is one that strictSchema takes", async () => {
  const oneOf = many(300, (i) => ({ type: "object", properties: { kind: { const: i } }, required: ["kind"] }));
  const engine = await openEngine([{ kind: 299 }, { kind: 300 }].map((value) => JSON.stringify(value)));
  expect(await written(engine, 2, { oneOf }, true)).toEqual([true, false]);
});

test("constants that are equal are not one of them", async () => {
  const engine = await openEngine(['"a"']);
  const jsonSchema = { type: "string", oneOf: [{ const: "a" }, { const: "b" }, { const: "a" }] };
  expect(await rejection(engine.generate("Go", { jsonSchema, strictSchema: true }))).toMatchObject({
    code: "INVALID_SCHEMA",
    message: expect.stringContaining("oneOf") as string,
  });
});
