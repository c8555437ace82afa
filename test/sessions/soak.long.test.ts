// The soak of bench/soak-sessions.mjs, in short: whether memory stays flat takes the two minutes that it has by itself.
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { node, quiet } from "../fixtures/child.js";

const soak = fileURLToPath(new URL("../../bench/soak-sessions.mjs", import.meta.url));

interface Soaked {
  readonly wrong: readonly string[];
  readonly totals: Readonly<Record<"runs" | "neverBegan" | "delegated" | "toolCalls" | "histories", number>>;
  readonly finished: Readonly<Record<string, number>>;
  readonly resultKinds: Readonly<Record<string, number>>;
  readonly events: Readonly<Record<string, number>>;
}

test("eight sessions at once: each run ends with one loopEnd, each tool call has one result, whatever happens to them", async () => {
  const { stdout, ...end } = await node([soak, "--seconds", "8", "--growth", "100", "--json"]);
  const { wrong, totals, finished, resultKinds, events } = JSON.parse(stdout) as Soaked;
  expect(wrong).toEqual([]);
  expect(end).toEqual(quiet(0));
  // A slow machine does little in that time, but something of each.
  expect(totals.runs).toBeGreaterThan(16);
  expect(events["loopEnd"]).toBe(totals.runs - totals.neverBegan + totals.delegated);
  expect(Object.keys(finished)).toEqual(expect.arrayContaining(["complete", "cancelled"]));
  expect(Object.keys(resultKinds)).toEqual(expect.arrayContaining(["ok", "error"]));
});

interface Ledger {
  readonly violations: readonly string[];
  watch(engine: object): void;
  ended(result: object): void;
  close(): void;
}
interface Case {
  readonly ends?: number;
  readonly answers?: number;
  readonly messages?: readonly object[];
}
type Handlers = Record<string, (event: object) => void>;

const call = { id: "a", name: "clock", result: "noon", resultKind: "ok" };
const answer = { role: "tool", toolCallId: "a" };
const said = [{ role: "assistant", toolCalls: [{ id: "a" }] }, answer];

test.each([
  ["a run that is as it should be", {}, []],
  ["a second loopEnd", { ends: 2 }, ["r, depth 0: 0 loopStart, 1 loopEnd, 0 results"]],
  ["a run without loopEnd", { ends: 0 }, ["r, depth 0: 1 loopStart, 0 loopEnd, 1 results"]],
  ["a tool call without a result", { messages: said.slice(0, 1) }, ["r: no result of a"]],
  ["a second result", { messages: [...said, answer] }, ["r: a result of a, which waits for none"]],
  ["a call that postToolCall has seen twice", { answers: 2 }, ["r, a: 2 postToolCall"]],
] as const)(
  "the ledger of the soak, after %s",
  async (_, { ends = 1, answers = 1, messages = said }: Case, violations) => {
    const module: unknown = await import(new URL("../../bench/sessions/ledger.mjs", import.meta.url).href);
    const ledger = new (module as { Ledger: new () => Ledger }).Ledger();
    const handlers: Handlers = {};
    ledger.watch({ hooks: { on: (point: string, handler: Handlers[string]) => (handlers[point] = handler) } });
    const meta = { runId: "r", depth: 0 };
    const fire = (point: string, event: object = {}): void => handlers[point]?.({ meta, iterations: 1, ...event });
    fire("loopStart");
    fire("preToolCall", { toolCallId: "a" });
    for (let time = 0; time < answers; time++) fire("postToolCall", { toolCallId: "a" });
    ledger.ended({ runId: "r", finishReason: "complete", iterations: 1, toolCalls: [call], messages });
    for (let time = 0; time < ends; time++) fire("loopEnd");
    ledger.close();
    expect(ledger.violations).toEqual(violations);
  },
);
