// The model learns why a control tool cannot be called that way. A grammar keeps a model from most such calls, but a
// hook may still make one.
import path from "node:path";
import { expect, test } from "vitest";
import { tool } from "../../../src/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { calls, runOnce, resultTexts, tools } from "../../support/sessions.js";

const tiers = { coder: {}, tester: {} };
const phases = { plan: {}, verify: {} };
const eat = { content: "Eat", status: "pending" };

test.each<[string, string, Record<string, unknown>, string]>([
  ["a summary that is not text", "complete", { summary: 7 }, "summary expected string, got number"],
  ["no summary", "complete", {}, 'lacks "summary"'],
  ["an unknown tier", "delegate", { tier: "boss", task: "Go." }, 'tier expected one of "coder", "tester", got "boss"'],
  ["no task", "delegate", { tier: "coder" }, 'lacks "task"'],
  ["an unknown field", "delegate", { tier: "coder", task: "Go.", who: "me" }, "who not a known field"],
  ["no stage", "pipeline", { task: "Go.", stages: [] }, "/stages is empty"],
  [
    "65 stages",
    "pipeline",
    { task: "Go.", stages: Array.from({ length: 65 }, () => ({ tier: "coder" })) },
    "/stages has more than 64",
  ],
  [
    "a stage of an unknown tier",
    "pipeline",
    { task: "Go.", stages: [{ tier: "coder" }, { tier: "boss" }] },
    'stages[1].tier expected one of "coder", "tester", got "boss"',
  ],
  ["steps that are no array", "plan", { flow: "sequence", steps: "clock" }, "steps expected array, got string"],
  [
    "an unknown flow",
    "plan",
    { flow: "circle", steps: [] },
    'flow expected one of "sequence", "parallel", "fallback", got "circle"',
  ],
  ["an unknown phase", "phase_change", { phase: "rest" }, 'phase expected one of "plan", "verify", got "rest"'],
  [
    "an unknown status",
    "todo",
    { todos: [eat, { ...eat, status: "soon" }] },
    'todos[1].status expected one of "pending", "in_progress", "completed", got "soon"',
  ],
  ["an unknown field of an item", "todo", { todos: [{ ...eat, when: "noon" }] }, "todos[0].when not a known field"],
  ["less than none to keep", "prune_context", { keep_last: -1 }, "keep_last expected at least 0, got -1"],
  ["half a result to keep", "prune_context", { keep_last: 1.5 }, "keep_last expected integer, got number"],
  [
    "an empty id",
    "prune_context",
    { ids: [""] },
    'params.ids must be an array of strings that are not empty, got [""]',
  ],
  [
    "an offset too far",
    "context_inspect",
    { id: "call_1", offset: 2 ** 40 },
    "offset expected at most 2147483647, got 1099511627776",
  ],
  ["an offset before the start", "context_inspect", { id: "call_1", offset: -1 }, "offset expected at least 0, got -1"],
])("%s: %s is refused, and the model gets the place", async (_, toolName, args, why) => {
  const engine = await openEngine([calls("clock"), "Well."]);
  engine.hooks.on("preToolCall", () => ({ toolName, args }));
  const result = await runOnce(engine, { tools, tiers, phases, controlTools: [toolName as "todo"] });
  expect(resultTexts(result)).toEqual([`invalid arguments: ${why}`]);
  expect(result.toolCalls).toMatchObject([{ name: toolName, resultKind: "rejected_schema", isError: true }]);
});

test("an offset behind the end of a result: the model learns how long that is", async () => {
  const long = tool({ name: "long", run: () => "ä".repeat(500) });
  const engine = await openEngine([calls("long"), calls("long"), calls("long"), "Well."]);
  let id = "";
  engine.hooks.on("preToolCall", ({ toolCallId, iteration }) => {
    if (iteration === 1) id = toolCallId;
    return iteration === 1 ? undefined : { toolName: "context_inspect", args: { id, offset: 998 + iteration } };
  });
  const result = await runOnce(engine, { tools: [long], maxResultBytes: 256, controlTools: ["context_inspect"] });
  expect(resultTexts(result).slice(1)).toEqual(["", "invalid arguments: /offset the result has 1000 bytes"]);
});

const long = tool({ name: "long", run: () => "It was a dark and stormy night in the north. ".repeat(9) });

test.each<[string, Record<string, unknown>, number]>([
  ["no ids", { ids: [] }, 0],
  ["a tool without a name", { tool: "" }, 0],
  ["a tool whose results are short", { tool: "clock" }, 0],
  ["all", { keep_last: 0 }, 1],
])("prune_context of %s shortens what it names, where that is shorter", async (_, args, count) => {
  const engine = await openEngine([calls("long"), calls("clock"), calls("prune_context", args), "Well."]);
  const session = engine.session({ tools: [long, ...tools], controlTools: ["prune_context"], temperature: 0 });
  const result = await session.run("Go");
  expect(resultTexts(result)[2]).toBe(`results shortened: ${count}`);
  const now = session.history().filter(({ role }) => role === "tool");
  // Nobody can give it back: the tool for that is not there.
  expect(now[0]?.content).toMatch(count === 0 ? /^It was/ : /^\[result of long, \d+ tokens, shortened\]$/);
  expect(now[1]?.content).toBe("noon");
});

test("a long result that was shortened is inspected after a restore as it was said", async () => {
  const file = path.join(await tempDir(), "session.json");
  let id = "";
  const engine = await openEngine([
    calls("long"),
    calls("prune_context", { keep_last: 0 }),
    "Well.",
    calls("clock"),
    "So.",
  ]);
  engine.hooks.on("preToolCall", ({ toolName, toolCallId }) => {
    if (toolName === "long") id = toolCallId;
    return toolName === "clock" ? { toolName: "context_inspect", args: { id } } : undefined;
  });
  const options = {
    tools: [long, ...tools],
    controlTools: ["prune_context", "context_inspect"],
    temperature: 0,
  } as const;
  const session = engine.session({ ...options, maxResultBytes: 300 });
  const said = resultTexts(await session.run("Go"))[0];
  expect(said).toContain("[shortened: ");
  await session.save(file);
  expect(resultTexts(await engine.restoreSession(file, options).run("Go"))).toEqual([said]);
});
