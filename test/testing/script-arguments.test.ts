// Calls of a script are written in the order of the request's schema.
import { expect, test } from "vitest";
import type { GenerateOptions, ToolSpec } from "../../src/index.js";
import type { ScriptReply } from "../../src/testing/index.js";
import { openEngine } from "../support/engine.js";

const trip = (properties: Record<string, object>, required: readonly string[] = []): ToolSpec => ({
  name: "trip",
  parameters: { type: "object", properties, required },
});
const text = { type: "string" };
const number = { type: "integer" };
const calling = (args: Record<string, unknown>, name = "trip"): ScriptReply => ({ toolCalls: [{ name, args }] });

async function args(reply: ScriptReply, options: GenerateOptions): Promise<readonly string[]> {
  const engine = await openEngine([reply]);
  const { toolCalls } = await engine.generate("Go", options);
  return toolCalls.map((call) => JSON.stringify(call.args));
}

test("arguments are written in the order of the request's schema", async () => {
  const engine = await openEngine([calling({ to: "Oslo", from: "Bergen", days: 3 })]);
  const all = { from: text, to: text, days: number };
  const written = async (tool: ToolSpec) =>
    JSON.stringify((await engine.generate("Go", { tools: [tool] })).toolCalls[0]?.args);
  expect(await written(trip(all))).toBe('{"from":"Bergen","to":"Oslo","days":3}');
  expect(await written(trip(all, ["days"]))).toBe('{"days":3,"from":"Bergen","to":"Oslo"}');
  expect(await written(trip(all, ["to", "days"]))).toBe('{"to":"Oslo","days":3,"from":"Bergen"}');
  expect(await written(trip({ days: number, note: text, to: text, from: text }))).toBe(
    '{"days":3,"to":"Oslo","from":"Bergen"}',
  );
});

test("two calls of a message, one after a text and a thought, each get their order, in the next turn, too", async () => {
  const reply: ScriptReply = {
    reasoning: "Hm.",
    text: "Two trips.",
    toolCalls: [
      { name: "trip", args: { to: "Oslo", from: "Bergen" } },
      { name: "trip", args: { to: "Bergen", from: "Oslo" } },
    ],
  };
  const engine = await openEngine([reply, "Done."]);
  const ran: string[] = [];
  const tool = { ...trip({ from: text, to: text }), run: (given: unknown) => (ran.push(JSON.stringify(given)), "ok") };
  const run = await engine.session({ tools: [tool], temperature: 0 }).run("Go");
  expect(run.text).toBe("Done.");
  expect(ran.sort()).toEqual(['{"from":"Bergen","to":"Oslo"}', '{"from":"Oslo","to":"Bergen"}']);
  expect(run.usage.cachedTokens).toBeGreaterThan(0);
});

test("a script's own order holds without tools, and where the schema has it", async () => {
  const said = calling({ to: "Oslo", from: "Bergen" });
  expect(await args(said, { tools: [trip({ to: text, from: text })] })).toEqual(['{"to":"Oslo","from":"Bergen"}']);
  const engine = await openEngine([said]);
  expect((await engine.generate("Go")).text).toContain('{"to": "Oslo", "from": "Bergen"}');
});
