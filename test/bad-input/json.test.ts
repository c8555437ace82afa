// Values in schemas, arguments and messages that JSON cannot hold are refused, with their place; none is dropped.
import { expect, test } from "vitest";
import { type Engine, tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

function nested(depth: number): Record<string, unknown> {
  let schema: Record<string, unknown> = {};
  for (let level = 0; level < depth; level++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

const wrong: readonly [what: string, value: unknown, why: RegExp][] = [
  ["itself", cyclic, /\.self contains itself$/],
  ["a bigint", { n: 1n }, /\.n is bigint 1n, which JSON cannot hold$/],
  ["a function", { f: () => 1 }, /\.f is function a function.*, which JSON cannot hold$/],
  ["NaN", { list: [1, NaN] }, /\.list\[1\] is number NaN, which JSON cannot hold$/],
  ["a Map", { map: new Map([["a", 1]]) }, /\.map is an object \(Map\), which JSON cannot hold$/],
];

const args = (value: unknown) =>
  [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "", toolCalls: [{ id: "1", name: "odd", args: value }] },
    { role: "tool", content: "", toolCallId: "1", toolName: "odd" },
  ] as never;

const places: readonly [place: string, call: (engine: Engine, value: never) => unknown, at: RegExp][] = [
  ["jsonSchema", (engine, jsonSchema) => engine.generate("Hi", { jsonSchema }), /jsonSchema/],
  [
    "the parameters of a tool",
    (_, parameters) => tool({ name: "a", parameters, run: () => 1 }),
    /tool\(\)\.parameters/,
  ],
  ["arguments of messages", (engine, value) => engine.generate(args(value)), /messages\[1\]\.toolCalls\[0\]\.args/],
  ["arguments of a history", (engine, value) => engine.session({ history: args(value) }), /history\[1\]/],
  ["chatTemplateArgs", (engine, chatTemplateArgs) => engine.generate("Hi", { chatTemplateArgs }), /chatTemplateArgs/],
  [
    "chatTemplateArgs of a prompt",
    async (engine, chatTemplateArgs) => engine.models.renderPrompt(undefined, { messages: [], chatTemplateArgs }),
    /chatTemplateArgs/,
  ],
  [
    "a plan",
    (engine, value) => engine.session().run("Hi", { plan: { flow: "sequence", steps: [{ tool: "a", args: value }] } }),
    /plan\.steps\[0\]\.args/,
  ],
];

test.each(places)("%s: what JSON cannot hold is named with its place", async (_, call, at) => {
  const engine = await openEngine(["Hello."]);
  for (const [what, value, why] of wrong) {
    const outcome = (await Promise.resolve()
      .then(() => call(engine, value as never))
      .catch((error: unknown) => error)) as Error;
    expect(outcome, what).toBeInstanceOf(TypeError);
    expect(outcome.message).toMatch(at);
    expect(outcome.message).toMatch(why);
  }
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("a schema that is nested too deeply is refused by name", async () => {
  const engine = await openEngine(["Hello."]);
  expect(() => engine.generate("Hi", { jsonSchema: nested(100_000) })).toThrow(/^.*jsonSchema is nested too deeply$/);
  expect(() => engine.session({ tools: [{ name: "a", parameters: nested(100_000), run: () => 1 }] })).toThrow(
    /^tools\[0\]\.parameters is nested too deeply$/,
  );
});

test("items of lists that are missing, and keys that there are not, are refused", async () => {
  const engine = await openEngine(["Hello."]);
  const holed = ["a", , "b"] as string[]; // oxlint-disable-line no-sparse-arrays
  expect(() => engine.generate("Hi", { stop: holed })).toThrow(/stop\[1\] must be a string, got undefined/);
  expect(() => engine.generate("Hi", { logitBias: [{ token: 5, bias: 1, bais: 3 } as never] })).toThrow(
    /logitBias\[0\] has no key "bais".*"bias"/,
  );
  await expect(engine.detokenize([NaN])).rejects.toThrow(
    /^tokens\[0\] of detokenize\(\) must be a token number, got NaN$/,
  );
});
