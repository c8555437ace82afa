// Directives of a tool that comes to no result are refused, and said so.
import { expect, test } from "vitest";
import { type Engine, tool, type Tool, type ToolContext } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls, runOnce, resultTexts } from "../../support/sessions.js";

/** The errors about directives that `error` hooks get. */
function refusals(engine: Engine): string[] {
  const seen: string[] = [];
  engine.hooks.on("error", ({ code, message, where, recoverable }) => {
    if (code === "INVALID_DIRECTIVE") seen.push(`${where} ${recoverable} ${message}`);
  });
  return seen;
}

const directing = (run: (context: ToolContext) => unknown, more = {}): Tool =>
  tool({
    name: "odd",
    trusted: true,
    run: (_, context) => {
      context.directive("stop_processing");
      context.directive("notify", { message: "hm" });
      return run(context);
    },
    ...more,
  }) as Tool;

const forever = (): Promise<never> => new Promise(() => undefined);

test.each([
  [
    "throws",
    (): never => {
      throw new Error("no");
    },
    "error",
  ],
  ["rejects", () => Promise.reject(new Error("no")), "error"],
  ["gives what is not a result", () => () => 1, "error"],
  ["comes too late", forever, "timeout"],
] as const)("a tool that asks for something and then %s", async (_, run, kind) => {
  const engine = await openEngine([calls("odd"), "Well."]);
  const seen = refusals(engine);
  const shown: unknown[] = [];
  engine.hooks.on("postToolCall", ({ directives }) => void shown.push(directives.map(({ type }) => type)));
  const result = await runOnce(engine, { tools: [directing(run, { deadlineMs: 100 })] });
  expect(result).toMatchObject({ finishReason: "complete", text: "Well.", toolCalls: [{ resultKind: kind }] });
  const why = `of the tool odd: the tool came to no result: ${kind}`;
  expect(seen).toEqual([
    `directive:stop_processing true the directive stop_processing ${why}`,
    `directive:notify true the directive notify ${why}`,
  ]);
  expect(shown).toEqual([["stop_processing", "notify"]]);
});

test("a tool that the abort of its run cuts off", async () => {
  const engine = await openEngine([calls("odd"), "Well."]);
  const seen = refusals(engine);
  const stop = new AbortController();
  const stops = (): Promise<never> => {
    stop.abort(new Error("enough"));
    return forever();
  };
  const result = await engine.session({ tools: [directing(stops)] }).run("Go", { signal: stop.signal });
  expect(result.finishReason).toBe("cancelled");
  const why = "the tool came to no result: cancelled";
  expect(seen.map((one) => one.replace(/^.*of the tool odd: /, ""))).toEqual([why, why]);
});

test("a tool whose run is aborted before its directives are carried out", async () => {
  const engine = await openEngine([calls("odd"), "Well."]);
  const seen = refusals(engine);
  const stop = new AbortController();
  engine.hooks.on("postToolCall", () => stop.abort(new Error("enough")));
  const session = engine.session({ tools: [directing(() => "done")] });
  expect(await session.run("Go", { signal: stop.signal })).toMatchObject({ finishReason: "cancelled" });
  const why = "the run was cancelled";
  expect(seen.map((one) => one.replace(/^.*of the tool odd: /, ""))).toEqual([why, why]);
});

test("a check of arguments that fails while the tool is to run refuses what it asked for, too", async () => {
  const engine = await openEngine([calls("odd"), "Well."]);
  const seen = refusals(engine);
  const unwilling = directing((): unknown => Promise.reject(new Error("sold out")));
  expect(resultTexts(await runOnce(engine, { tools: [unwilling] }))).toEqual(["error: sold out"]);
  expect(seen).toHaveLength(2);
});

test("what a tool that is over asks for is a warning of the process", async () => {
  const engine = await openEngine([calls("odd"), "Well."]);
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  let late: ToolContext["directive"] | undefined;
  const leaves = tool({ name: "odd", trusted: true, run: (_, { directive }) => ((late = directive), "done") }) as Tool;
  await runOnce(engine, { tools: [leaves] });
  late?.("stop_processing");
  expect(await warned).toMatchObject({
    code: "INVALID_DIRECTIVE",
    message: "the directive stop_processing came when the call of its tool was over",
  });
});

test("params that JSON cannot hold, and a type that is none, are the tool's to answer for", async () => {
  for (const [type, params, text] of [
    ["notify", { n: 1n }, /BigInt/],
    ["", {}, /type of a directive must be/],
    ["notify", 7, /params of the directive notify must be an object/],
  ] as const) {
    const engine = await openEngine([calls("odd"), "Well."]);
    const odd = tool({ name: "odd", trusted: true, run: (_, { directive }) => directive(type, params as never) });
    expect(resultTexts(await runOnce(engine, { tools: [odd as Tool] }))[0]).toMatch(text);
  }
});
