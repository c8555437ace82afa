// Types of arguments and answers come from literal schemas and from zod. A wrong type fails `npm run check`.
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  type ControlTool,
  type JsonSchema,
  type Run,
  type RunResult,
  type SchemaInput,
  type SchemaOutput,
  type Session,
  type SessionOptions,
  type SessionTool,
  tool,
  type Tool,
  type ToolContext,
  type ToolRecordOf,
} from "../../src/index.js";
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

test("zod types the arguments, and a schema that is not a literal leaves them open", () => {
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

const weather = tool({
  name: "weather",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
  },
  run: ({ city }) => `${city}: 4 degrees`,
});
const wait = tool({
  name: "wait",
  parameters: z.object({ ms: z.number().default(1), unit: z.string().transform(Number) }),
  run: ({ ms, unit }) => {
    expectTypeOf(ms).toEqualTypeOf<number>();
    expectTypeOf(unit).toEqualTypeOf<number>();
  },
});

test("the calls of a result are a union by the name of the tool", async () => {
  const engine = await openEngine([
    {
      toolCalls: [
        { name: "weather", args: { city: "Oslo" } },
        { name: "wait", args: { unit: "3" } },
        { name: "todo", args: { todos: [] } },
      ],
    },
    "Cold.",
  ]);
  const session = engine.session({ tools: [weather, wait], controlTools: ["todo"] });
  const { toolCalls } = await session.run("How is it?");
  const seen: unknown[] = [];
  for (const call of toolCalls) {
    expectTypeOf(call.name).toEqualTypeOf<"weather" | "wait" | ControlTool>();
    expectTypeOf(call.result).toEqualTypeOf<string>();
    if (call.name === "weather") {
      expectTypeOf(call.args.city).toEqualTypeOf<string>();
      expectTypeOf(call.args.days).toEqualTypeOf<number | undefined>();
      // @ts-expect-error -- the tool takes no such argument
      seen.push([call.args.city, call.args.hours]);
    } else if (call.name === "wait") {
      // As the model wrote them, before zod's default and transform.
      expectTypeOf(call.args).toEqualTypeOf<{ ms?: number | undefined; unit: string }>();
      seen.push(call.args.unit);
    } else {
      expectTypeOf(call.args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
      seen.push(call.name);
    }
  }
  expect(seen).toEqual([["Oslo", undefined], "3", "todo"]);
});

test("so are the events of a run, and the results of forks and of runs with an answer", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "weather", args: { city: "Oslo" } }] }, '{"warm":false}']);
  const session = engine.session({ tools: [weather, wait] });
  const answer = { type: "object", properties: { warm: { type: "boolean" } }, required: ["warm"] } as const;
  const run = session.run("How is it?", { answer });
  const cities: string[] = [];
  const calls: readonly ToolRecordOf<readonly [typeof weather, typeof wait]>[] = [];
  for await (const event of run) {
    if (event.type === "toolCall" && event.name === "weather") cities.push(event.args.city);
    if (event.type === "toolResult" && event.record.name === "weather") cities.push(event.record.args.city);
    if (event.type === "end") expectTypeOf(event.result.toolCalls).toEqualTypeOf<typeof calls>();
  }
  const result = await run;
  expectTypeOf(result.answer?.warm).toEqualTypeOf<boolean | undefined>();
  expectTypeOf(result.toolCalls).toEqualTypeOf<typeof calls>();
  expectTypeOf(session.fork()).toEqualTypeOf<typeof session>();
  expect([cities, result.answer]).toEqual([["Oslo", "Oslo"], { warm: false }]);
});

test("a session without known tools is as before, and every session is one", async () => {
  const engine = await openEngine([]);
  const any: Session = engine.session({ tools: [weather, wait] });
  expectTypeOf(engine.session()).toEqualTypeOf<Session>();
  const asRun = (given: ReturnType<Session["run"]>): Run => given;
  const asResult = async (given: ReturnType<Session["run"]>): Promise<RunResult> => given;
  expect([any, asRun, asResult]).toHaveLength(3);
  const loose: readonly SessionTool[] = [weather];
  expectTypeOf(engine.session({ tools: loose })).toEqualTypeOf<Session>();
  const options: SessionOptions = { tools: [weather] };
  expectTypeOf(engine.session(options)).toEqualTypeOf<Session>();
  const erased = tool({ name: "x", run: () => "" }) as Tool;
  expectTypeOf(engine.session({ tools: [erased] })).toEqualTypeOf<Session>();
  await engine.close();
});

test("a tool is typed by its name, what it gets and what the model writes", () => {
  expectTypeOf(wait).toEqualTypeOf<
    Tool<{ ms: number; unit: number }, "wait", { ms?: number | undefined; unit: string }>
  >();
  const name: string = "any";
  expectTypeOf(tool({ name, run: () => "" })).toEqualTypeOf<Tool>();
  expectTypeOf<SchemaInput<{ type: "string" }>>().toEqualTypeOf<string>();
  expect(weather).not.toHaveProperty("types");
});

test("the input that a tool asks the user for has the type of its schema", () => {
  const ask = async ({ elicit }: ToolContext): Promise<void> => {
    const literal = await elicit({
      message: "?",
      schema: {
        type: "object",
        properties: { city: { type: "string" }, days: { type: "integer" } },
        required: ["city"],
      },
    });
    if (literal.action === "accept") {
      expectTypeOf(literal.content.city).toEqualTypeOf<string>();
      expectTypeOf(literal.content.days).toEqualTypeOf<number | undefined>();
    } else {
      expectTypeOf(literal.action).toEqualTypeOf<"decline" | "cancel">();
      expectTypeOf(literal.reason).toEqualTypeOf<string | undefined>();
    }
    const zod = await elicit({ message: "?", schema: z.object({ on: z.boolean().default(true) }) });
    if (zod.action === "accept") expectTypeOf(zod.content).toEqualTypeOf<{ on: boolean }>();
    const any = await elicit({ message: "?" });
    if (any.action === "accept") expectTypeOf(any.content).toEqualTypeOf<Record<string, unknown>>();
  };
  expect(ask).toBeTypeOf("function");
});
