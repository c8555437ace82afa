// The page reads, lists, filters and compares large and deep files without freezing or running out of stack.
import { expect, test } from "vitest";

interface Node {
  readonly id: string;
  readonly kind: string;
  readonly begin: number;
  readonly children: readonly Node[];
  readonly counts: { readonly changes: number };
}
interface Model {
  readonly roots: readonly Node[];
}
interface Row {
  readonly node: Node;
  readonly level: number;
  readonly place: number;
  readonly size: number;
}

/** The code of the page, which has its own types. */
const folder = new URL("../../src/inspector/page/browser/", import.meta.url);
const load = (name: string): Promise<unknown> => import(new URL(name, folder).href);
const { compare } = (await load("compare.js")) as { compare(a: Model, b: Model): { differences: number }[] };
const { openText } = (await load("from-file.js")) as { openText(name: string, text: string): { model: Model } };
const { rowsOf } = (await load("rows.js")) as {
  rowsOf(model: Model, closed: ReadonlySet<string>, filter: string, decided: boolean): Row[];
};

/** A trace of runs; if they are nested, each run delegates to the next. */
function trace(runs: number, isNested: boolean): string {
  const events = Array.from({ length: runs }, (_, index) => {
    const [runId, tid] = [`run-${index}`, index + 1];
    const span = { ph: "X", tid, ts: index * 10, dur: 9 };
    const parent = isNested && index > 0 ? { parentRunId: `run-${index - 1}` } : {};
    return [
      { ph: "M", name: "thread_name", tid, args: { name: runId } },
      { ...span, cat: "run", name: "run", args: { runId, sessionId: "session-1", ...parent } },
      { ...span, cat: "modelCall", name: "call", args: { runId, iteration: 1 } },
      { ...span, cat: "decision", name: "preGenerate", args: { point: "preGenerate", decision: "modified" } },
    ];
  });
  return JSON.stringify({ traceEvents: events.flat() });
}

test("20,000 nested runs are a tree with one row each, which filters find, and compare with themselves", () => {
  const { model } = openText("deep.json", trace(20_000, true));
  const rows = rowsOf(model, new Set(), "", false);
  expect(rows.length).toBe(40_001);
  expect(rows.map(({ level }) => level).reduce((a, b) => Math.max(a, b))).toBe(20_002);
  expect(rowsOf(model, new Set(), "preGenerate", true).length).toBeGreaterThan(20_000);
  expect(rowsOf(model, new Set(), "nothing has this", false)).toEqual([]);
  expect(model.roots[0]?.counts.changes).toBe(20_000);
  expect(compare(model, model).map(({ differences }) => differences)).toEqual([0]);
});

test("a closed row hides what is below it, and the order is that of time", () => {
  const { model } = openText("trace.json", trace(3, false));
  const rows = rowsOf(model, new Set(), "", false);
  expect(rows.map(({ node, level, place, size }) => `${level} ${place}/${size} ${node.kind} ${node.begin}`)).toEqual([
    "1 1/1 session 0",
    "2 1/3 run 0",
    "3 1/1 modelCall 0",
    "2 2/3 run 10",
    "3 1/1 modelCall 10",
    "2 3/3 run 20",
    "3 1/1 modelCall 20",
  ]);
  const closed = new Set([rows[1]?.node.id ?? ""]);
  expect(rowsOf(model, closed, "", false).map(({ node }) => node.kind)).toEqual([
    "session",
    "run",
    "run",
    "modelCall",
    "run",
    "modelCall",
  ]);
});

test("each call of a recording of 20,000 runs is in its run, and paths of 5,000 tiers are runs in runs", () => {
  const runs = Array.from({ length: 20_000 }, () => ({ outcome: { finishReason: "complete" } }));
  const calls = runs.map((_, index) => ({ name: `${index + 1} 1`, content: "x" }));
  const deep = { name: `1${"/coder:ab".repeat(5000)} 1`, content: "y" };
  const { model } = openText(
    "recording.json",
    JSON.stringify({ format: "llama-hooks recording", runs, calls: [...calls, deep] }),
  );
  const [session] = model.roots;
  expect(session?.children.length).toBe(20_000);
  expect(session?.children.every(({ children }) => children[0]?.kind === "modelCall")).toBe(true);
  expect(rowsOf(model, new Set(), "", false).length).toBe(1 + 20_000 * 2 + 5001);
});
