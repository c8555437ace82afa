// Replays of calls that their tools' schemas would not let a model write: hooks made them what they are.
import { expect, test } from "vitest";
import { defineHooks, type HookSet, recordRun, tool, type Tool } from "../../src/index.js";
import { replayRun } from "../../src/testing/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { expectSame, record, type Scene } from "../support/recordings.js";
import { asks, calls, clock, weather } from "../support/sessions.js";

const counts = tool({
  name: "counts",
  parameters: {
    type: "object",
    properties: { n: { type: "integer", maximum: 9 }, word: { type: "string", pattern: "^[a-z]+$" } },
    required: ["n"],
    additionalProperties: false,
  },
  run: ({ n }) => `${String(n)} it is`,
}) as Tool;
const anything = tool({
  name: "anything",
  parameters: { type: "object" },
  run: (args) => JSON.stringify(args),
}) as Tool;

/** Puts other arguments in the place of those of one tool. */
const argsOf = (toolName: string, args: Record<string, unknown>): HookSet =>
  defineHooks("args", { preToolCall: (event) => (event.toolName === toolName ? { args } : undefined) });
const renames = (from: string, to: string): HookSet =>
  defineHooks("renames", { preToolCall: ({ toolName }) => (toolName === from ? { toolName: to } : undefined) });
const writes = (content: string): HookSet =>
  defineHooks("writes", { postGenerate: (event) => (event.content.startsWith("One") ? { content } : undefined) });
const call = (name: string, args: unknown): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

const script = [asks("Oslo"), "Done."];
const scenes: Record<string, Scene> = {
  "arguments of the wrong types": { script, hooks: [argsOf("weather", { city: 7, days: "two" })] },
  "arguments that are missing": { script, hooks: [argsOf("weather", {})] },
  "arguments that the schema does not have": {
    script,
    hooks: [argsOf("weather", { city: "Oslo", unit: [{ a: null }] })],
  },
  "arguments in another order": { script, hooks: [argsOf("weather", { days: 2, city: "Oslo" })] },
  "a pattern and a bound that do not hold": {
    script: [calls("counts", { n: 1, word: "a" }), "Done."],
    options: { tools: [counts] },
    hooks: [argsOf("counts", { n: 1e21, word: 'A "quoted"\n\u0001 word' })],
  },
  "numbers and characters that no grammar of JSON has": {
    script: [calls("anything", { a: 1 }), "Done."],
    options: { tools: [anything] },
    hooks: [
      argsOf("anything", {
        numbers: [0.1 + 0.2, 1e21, 12345678901234567000, 1e-7, -0, 5e-324, 1.7976931348623157e308],
        "key\x7f": '\x7f <|im_end|> </tool_call> <tool_call> </think> \ud83d\ude00 \\ " \u2028',
      }),
    ],
  },
  "a tool that another name was given": { script, hooks: [renames("weather", "clock")] },
  "a tool that does not exist": { script, hooks: [renames("weather", "gone")] },
  "a name that no tool can have": { script, hooks: [renames("weather", 'no "tool"\n')] },
  "several calls in a message": {
    script: [
      {
        text: "Both.",
        toolCalls: [
          { name: "weather", args: { city: "Oslo" } },
          { name: "clock", args: {} },
          { name: "weather", args: { city: "Rome" } },
        ],
      },
      "Done.",
    ],
    hooks: [argsOf("weather", { town: true }), renames("clock", "gone")],
  },
  "a call that a hook wrote": { script: ["One moment.", "Done."], hooks: [writes(call("weather", { city: "Oslo" }))] },
  "a call that a hook wrote with other arguments than the schema's": {
    script: ["One moment.", "Done."],
    hooks: [writes(`Let me see. ${call("weather", { town: 3 })}`)],
  },
  "calls that a hook wrote in the place of the model's": {
    script,
    hooks: [writes(`${call("clock", {})}\n${call("weather", { city: null })}`)],
  },
  "a call that a hook wrote to a tool that does not exist": {
    script: ["One moment.", "Done."],
    hooks: [writes(call("gone", {}))],
  },
  "text with the marks of calls and of reasoning": {
    script: ["One moment.", "Done."],
    hooks: [writes("A <tool_call> is none, <think> neither: </tool_call></think>")],
  },
  "text with space around it": { script: ["One moment.", "Done."], hooks: [writes("\n  Well. \n\n")] },
  "text that is empty": { script: ["One moment.", "Done."], hooks: [writes("")] },
  "an answer under a schema that a hook changed": {
    script: ['{"a": 1}'],
    options: { jsonSchema: { type: "object", properties: { a: { const: 1 } } } },
    hooks: [defineHooks("says", { postGenerate: () => ({ content: "One, not JSON" }) })],
  },
  "a tool choice of required": {
    script: [calls("weather", { city: "Oslo" })], // no text comes before a call that is required
    options: { toolChoice: "required", maxIterations: 1 },
    hooks: [argsOf("weather", { city: 1 })],
  },
};

test.each(Object.keys(scenes).flatMap((name) => [false, true].map((raw) => [name, raw] as const)))(
  "%s: the same hooks, the same run, raw %s",
  async (name, raw) => {
    const scene = scenes[name] as Scene;
    const { runs } = await expectSame(await record({ ...scene, raw }), scene.hooks);
    for (const run of runs) if ("usage" in run) expect(run.usage.completionTokens).toBeLessThan(500);
  },
);

test("without the hook a call has the arguments that the hook gave it, and the tool's own check refuses them", async () => {
  const recorded = await record({ script, hooks: [argsOf("weather", { city: 7 })] });
  const { runs, differences } = await recorded.replay();
  expect(differences).toEqual([]);
  expect(runs[0]).toMatchObject({ toolCalls: [{ name: "weather", args: { city: 7 }, resultKind: "rejected_schema" }] });
});

test("a replay whose model cannot say what was recorded ends with REPLAY_FAILED and the call", async () => {
  const engine = await openEngine(script);
  const session = engine.session({ tools: [weather, clock], temperature: 0 });
  const recording = recordRun(session);
  await session.run("Hello");
  const { calls: said, ...rest } = recording.toJSON();
  // A name that no tool can have, which no recording of recordRun() has.
  const damaged = said.map((one) => ({ ...one, toolCalls: one.toolCalls.map((had) => ({ ...had, name: 'a"b' })) }));
  expect(await rejection(replayRun({ ...rest, calls: damaged }))).toMatchObject({
    code: "REPLAY_FAILED",
    message: expect.stringContaining('"1 1"') as string,
  });
});
