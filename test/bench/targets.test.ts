import { expect, test } from "vitest";
import type { DecodeResult, TargetRow } from "../../src/bench/results/results.js";
import { spread } from "../../src/bench/results/statistics.js";

type TargetRows = (found: object, wanted?: readonly string[]) => TargetRow[];
type WarningsOf = (
  rows: readonly TargetRow[],
  decode: readonly DecodeResult[],
  failures: Record<string, string>,
) => string[];

// Scripts without types.
const script = (name: string): Promise<unknown> => import(new URL(`../../bench/run/${name}`, import.meta.url).href);
const { targetRows } = (await script("targets.mjs")) as { targetRows: TargetRows };
const { warningsOf } = (await script("warnings.mjs")) as { warningsOf: WarningsOf };
const { allRows } = (await script("plan.mjs")) as { allRows: string[] };

function rowOf(id: string, found: object): TargetRow {
  const [row] = targetRows(found, [id]);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
}

function figures(id: string, found: object): [label: string, value: number, pass: boolean][] {
  return rowOf(id, found).figures.map(({ label, value, pass }) => [label, Number(value.toFixed(3)), pass]);
}

test("a run that measured nothing has every row, each saying so", () => {
  const rows = targetRows({});
  // P5 to P8 are made where they are measured.
  const known = allRows.filter((id) => !["P5", "P6", "P7", "P7b", "P8"].includes(id));
  expect(rows.map(({ id }) => id)).toEqual(known);
  for (const { figures, pass, note } of rows) expect([figures, pass, note]).toEqual([[], null, expect.any(String)]);
});

test("a row that failed gives the reason, and one of what is not built says that", () => {
  expect(rowOf("P16", { failures: { P16: "it fell over" } })).toMatchObject({ pass: null, note: "it fell over" });
  expect(rowOf("P18", { speculation: { notBuilt: "not built" } })).toMatchObject({ pass: null, note: "not built" });
});

test("what pairs say of hooks is put on what rounds say of the engine without", () => {
  const run = (decodeTps: number) => ({ decodeTps, loadMs: 1, peakRssKib: 1024 });
  const one = (name: string, speeds: readonly number[]) => ({
    contender: { name, sequences: 1 },
    byRound: speeds.map(run),
  });
  const decode = new Map([["0.5b", [one("plain", [100]), one("engine", [104]), one("engine-awaited", [98])]]]);
  const paired = [
    { model: "0.5b", contender: "engine-awaited", without: spread([200]), ratio: spread([0.95, 0.96, 0.97]) },
  ];
  expect(figures("P2", { decode, paired })).toEqual([
    ["0.5b, to plain", 0.98, false],
    ["0.5b, paired, to plain", 0.998, true],
  ]);
  expect(figures("P2", { paired })).toEqual([["0.5b, paired, to no hook", 0.96, false]]);
  expect(rowOf("P2", { paired }).note).toContain("0.960x, +208 us a token");
});

test("figures of the rows after the first minute are what their targets ask for", () => {
  const flat = [{ speeds: [100, 100, 90, 90, 90, 90, 90, 99, 99, 99] }];
  expect(figures("P14", { flat })).toEqual([["tiny, context 1,024", 0.99, true]]);
  const fair = { name: "0.5b", step: 10, gaps: [100, 130], p95: 130, promptTokens: 4001, alone: 130, beside: 104 };
  expect(figures("P16", { fair })).toEqual([
    ["0.5b, gap, p95", 13, false],
    ["0.5b, prompt's speed, to alone", 0.8, true],
  ]);
  const firstBatch = { raw: [0.2], "3 tools": [0.5, 0.6, 0.7], "20 tools, 60 messages": [2.1] };
  expect(figures("P17", { firstBatch }).map(([, value, pass]) => [value, pass])).toEqual([
    [0.6, true],
    [2.1, false],
  ]);
  const sides = { without: { copied: 100, free: 100 }, with: { copied: 150, free: 97 } };
  expect(figures("P18", { speculation: { name: "0.5b", pairs: [sides] } })).toEqual([
    ["0.5b, copied text", 1.5, true],
    ["0.5b, free text", 0.97, false],
  ]);
  const turns = [
    { cachedTokens: 0, earlier: 0 },
    { cachedTokens: 96, earlier: 100 },
  ];
  expect(figures("P20", { kinds: [{ name: "hybrid", turns }] })[0]?.slice(1)).toEqual([96, true]);
});

test("conversations that are not kept report no swap", () => {
  const size = { name: "tiny", conversations: 32, sequences: 4, promptTokens: 2003 };
  expect(figures("P19", { swaps: [{ ...size, shares: [0.2, 0.4], swapMs: null }] })).toEqual([
    ["tiny, 32 of 2003 tokens over 4: kept, the least", 0.2, false],
  ]);
  const kept = rowOf("P19", { swaps: [{ ...size, shares: [99, 98], swapMs: [5, 6, 7] }] });
  expect([kept.pass, kept.figures.map(({ value }) => value)]).toEqual([true, [98, 6]]);
});

test("a thousand requests are held against as many in flight as there are sequences", () => {
  const one = (rate: number, threads: number, residentMb: number) => ({ rate, threads, residentMb });
  const burst = {
    requests: 1000,
    sequences: 8,
    idle: { threads: 13, residentMb: 100 },
    steady: [one(3000, 21, 101), one(3200, 21, 108)],
    bursts: [one(3000, 29, 105), one(3000, 33, 111)],
  };
  expect(figures("P21", { burst }).map(([, value, pass]) => [value, pass])).toEqual([
    [0.968, true],
    [20, false],
    [4, true],
    [6, false],
  ]);
});

test("runs of the agent loop are held against the same calls by hand, pair by pair", () => {
  const times = { run: [103, 204, 101], byHand: [100, 200, 100] };
  const outside = { runOutside: [20, 30, 25], byHandOutside: [20, 20, 20] };
  const loop = { iterations: 10, completionTokens: 270, ...times, ...outside };
  const agentLoop = ["tiny", "0.5b"].map((name) => ({ name, ...loop }));
  expect(figures("P22", { agentLoop })).toEqual([
    ["tiny, 10 calls, 270 tokens", 1.02, true],
    ["0.5b, 10 calls, 270 tokens, beside the model's time", 1.05, false],
  ]);
  expect(rowOf("P22", { agentLoop }).note).toContain("0.5b 2.50 and 2.00 of 10.30 ms");
  const leaner = [{ ...agentLoop[1], runOutside: [21, 22, 21] }];
  expect(figures("P22", { agentLoop: leaner })[0]?.slice(1)).toEqual([1.01, true]);

  const far = { pieces: 2000, streams: 500, streamsMs: 9000, pieceUs: [5, 6], hookedPieceUs: [61, 70], callMs: [0.5] };
  expect(figures("P24", { remote: far })).toEqual([
    ["a call of one piece", 0.5, true],
    ["a piece", 5.5, true],
    ["a piece with an awaited hook", 65.5, false],
  ]);
  expect(rowOf("P24", { remote: far }).note).toContain("9.0 us a piece");
});

test("answers over HTTP are held against those of the process and llama-server, and connections by what they add", () => {
  const speeds = { awaited: [1000, 1100], streamed: [900, 1001], llamaServer: [450, 490] };
  const serving = { streams: 32, tokens: 256, speeds, first: { awaited: [10, 12, 11], streamed: [13, 14, 15] } };
  expect(figures("P25", { serving })).toEqual([
    ["tiny, to awaited", 0.905, true],
    ["to llama-server", expect.closeTo(2.02, 2), true],
    ["first token, later than awaited", 3, true],
  ]);
  const { llamaServer: _, ...ours } = speeds;
  expect(figures("P25", { serving: { ...serving, speeds: ours } })).toHaveLength(2);
  expect(rowOf("P25", { serving: { ...serving, speeds: ours } }).note).toContain("llama-server is not built");

  const connections = { connections: 10_000, beforeMb: 137, afterMb: 340 };
  expect(figures("P26", { connections })).toEqual([["memory that 10000 add", 203, false]]);
});

test("warnings name verdicts that noise could have turned, and models whose plain loop is restless", () => {
  const figure = { label: "tiny, to plain", value: 0.99, unit: "x", target: ">= 0.98", pass: true, error: 0.02 };
  const row = { id: "P1", what: "", target: "", pass: true };
  const rows = [
    { ...row, figures: [figure, { ...figure, error: 0.005 }, { ...figure, value: 1.2 }] },
    { ...row, id: "P12", figures: [{ ...figure, target: "0" }] },
  ];
  expect(warningsOf(rows, [], {})).toEqual([expect.stringMatching(/^P1, tiny, to plain: .* off by 2\.0 %/)]);
  const speeds = (runs: readonly number[]) =>
    ({ model: "tiny", contender: "plain", label: "plain loop", sequences: 1, tokensPerSecond: spread(runs) }) as never;
  expect(warningsOf([], [speeds([100, 101, 100, 99]), speeds([100, 140, 90, 130])], {})).toHaveLength(1);
  expect(warningsOf(rows.slice(1), [], { P12: "the soak fell over" })).toEqual(["P12, in part: the soak fell over"]);
});
