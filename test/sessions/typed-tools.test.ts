// Types of arguments and answers come from literal schemas and from zod. A wrong type fails `npm run check`.
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type JsonSchema, type SchemaOutput, tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

test("a literal JSON Schema types the arguments", () => {
  const search = tool({
    name: "search",
    parameters: {
      type: "object",
      properties: {
        words: { type: "string" },
        limit: { type: "integer" },
        order: { enum: ["new", "old"] },
        tags: { type: "array", items: { type: "string" } },
        near: {
          type: "object",
          properties: { x: { type: "number" }, y: { type: ["number", "null"] } },
          required: ["x", "y"],
        },
        any: {},
      },
      required: ["words", "near"],
    },
    run: (args) => {
      expectTypeOf(args.words).toEqualTypeOf<string>();
      expectTypeOf(args.limit).toEqualTypeOf<number | undefined>();
      expectTypeOf(args.order).toEqualTypeOf<"new" | "old" | undefined>();
      expectTypeOf(args.tags).toEqualTypeOf<readonly string[] | undefined>();
      expectTypeOf(args.near.x).toEqualTypeOf<number>();
      expectTypeOf(args.near.y).toEqualTypeOf<number | null>();
      expectTypeOf(args.any).toEqualTypeOf<unknown>();
      return args.words;
    },
  });
  expect(search.name).toBe("search");
});

test("zod types the arguments, and a schema that is no literal leaves them open", () => {
  tool({
    name: "a",
    parameters: z.object({ n: z.number().default(1) }),
    run: ({ n }) => expectTypeOf(n).toEqualTypeOf<number>(),
  });
  const parameters: JsonSchema = { type: "object" };
  tool({ name: "b", parameters, run: (args) => expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>() });
  expectTypeOf<SchemaOutput<{ anyOf: [{ type: "string" }, { const: 4 }] }>>().toEqualTypeOf<string | 4>();
});

test("the answer of a run has the type of its schema", async () => {
  const engine = await openEngine(['{"city":"Oslo","degrees":4}']);
  const session = engine.session();
  const { answer } = await session.run("Hi", {
    answer: {
      type: "object",
      properties: { city: { type: "string" }, degrees: { type: "number" } },
      required: ["city"],
      additionalProperties: false,
    },
  });
  expectTypeOf(answer?.city).toEqualTypeOf<string | undefined>();
  expectTypeOf(answer?.degrees).toEqualTypeOf<number | undefined>();
  expect(answer).toEqual({ city: "Oslo", degrees: 4 });
});
