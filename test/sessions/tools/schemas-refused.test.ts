// A schema that cannot be used costs its tool, not the session.
import { expect, test } from "vitest";
import { type Engine, type SessionOptions, type SessionTool } from "../../../src/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { asks, runOnce, resultTexts, tools } from "../../support/sessions.js";

const draft4 = { type: "object", properties: { count: { type: "integer", minimum: 1, exclusiveMinimum: true } } };

/** The errors that `error` hooks get, and the tools of each model call. */
function watch(engine: Engine): { errors: unknown[]; offered: string[][] } {
  const seen = { errors: [] as unknown[], offered: [] as string[][] };
  engine.hooks.on("error", ({ code, message, where }) => void seen.errors.push([code, message, where]));
  engine.hooks.on("preGenerate", ({ tools: given }) => void seen.offered.push(given.map(({ name }) => name)));
  return seen;
}

const order = (parameters: object, run: () => unknown = () => "ordered"): SessionTool => ({
  name: "order",
  parameters: parameters as never,
  run,
});

test.each([
  ["of draft 4, with exclusiveMinimum: true", draft4, "exclusiveMinimum must be number"],
  [
    "with a $ref that leads nowhere",
    { type: "object", properties: { a: { $ref: "#/none" } } },
    "can't resolve reference",
  ],
  ["with a type that there is not", { type: "object", properties: { a: { type: "whole" } } }, "type"],
  ["that is $async", { $async: true, type: "object" }, "$async is not supported"],
] as const)(
  "a schema %s: the session opens, the tool is named at error and not offered",
  async (_, parameters, why) => {
    const engine = await openEngine([asks("Oslo"), "It is cold."]);
    const { errors, offered } = watch(engine);
    const result = await runOnce(engine, { tools: [order(parameters), ...tools] });
    expect(resultTexts(result)).toEqual(["Oslo: 4 degrees"]);
    expect(errors).toEqual([["INVALID_SCHEMA", expect.stringContaining(why), "tool:order"]]);
    expect(errors[0]).toEqual([
      "INVALID_SCHEMA",
      expect.stringMatching(/^the parameters of the tool "order" .*; the tool is not offered$/),
      "tool:order",
    ]);
    expect(offered).toEqual([
      ["weather", "clock"],
      ["weather", "clock"],
    ]);
  },
);

test("a call of such a tool, which only a hook can make, is refused: no arguments are known to be right", async () => {
  const engine = await openEngine([asks("Oslo"), "Well."]);
  engine.hooks.on("preToolCall", () => ({ toolName: "order", args: { count: 2 } }));
  let ran = 0;
  const result = await runOnce(engine, { tools: [order(draft4, () => ++ran), ...tools] });
  expect(resultTexts(result)[0]).toMatch(/^invalid arguments: the parameters of the tool "order" are no JSON Schema: /);
  expect(ran).toBe(0);
});

test("tiers that have the tool do without it, and so do forks and restored sessions", async () => {
  const engine = await openEngine({ replies: ["Well."], afterLast: "repeat" });
  const { errors, offered } = watch(engine);
  const options = {
    tools: [order(draft4), ...tools],
    tier: "cook",
    tiers: { cook: { tools: ["order", "clock"] } },
  } satisfies SessionOptions;
  const session = engine.session(options);
  await session.run("Hello");
  await session.fork().run("Hello");
  const file = `${await tempDir()}/session.json`;
  await session.save(file);
  await engine.restoreSession(file, options).run("Hello");
  expect(errors).toHaveLength(3);
  expect(offered).toEqual([["clock"], ["clock"], ["clock"]]);
});

test("the tools of one call of generate() are that call's: its error names the tool", async () => {
  const engine = await openEngine(["Well."]);
  const parameters = { type: "object", properties: { a: { $ref: "#/none" } } };
  await expect(engine.generate("hi", { tools: [{ name: "order", parameters }] })).rejects.toMatchObject({
    code: "INVALID_SCHEMA",
    message: expect.stringContaining('"order"') as string,
  });
});
