// Invented benchmark results in the form and size of real ones, for tests of their display. Must not: look like
// measurements; the machine is called a fixture.
import type { BenchResults, DecodeResult, MicroResult, Spread, TargetRow } from "../../src/bench/results/results.js";

interface FixtureModel {
  readonly name: string;
  readonly label: string;
  readonly plainTps: number;
  readonly bytes: number;
}

const MODELS: readonly FixtureModel[] = [
  { name: "tiny", label: "tiny: 4 layers, 19 M parameters, Q8_0, 21.3 MB", plainTps: 1376.4, bytes: 21_279_040 },
  { name: "0.5b", label: "0.5b: 24 layers, 494 M parameters, Q4_0, 284.0 MB", plainTps: 109.7, bytes: 283_972_320 },
  { name: "1.1b", label: "1.1b: 22 layers, 1.1 B parameters, Q4_0, 619.8 MB", plainTps: 62.6, bytes: 619_832_032 },
];

/**
 * Contenders: microseconds added to a token, share of the noise, MiB beyond the model, and the speed with eight
 * sequences.
 */
const CONTENDERS = [
  { contender: "plain", label: "plain llama.cpp loop", added: 0, mib: 18, batch: 2.6 },
  { contender: "engine", label: "no hook", added: 5, mib: 62, batch: 2.5 },
  { contender: "engine-c-hook", label: "C hook on every token", added: 6, mib: 62, batch: 2.49 },
  { contender: "engine-observed", label: "observing hook on every token", added: 15, mib: 64, batch: 2.46 },
  { contender: "engine-awaited", label: "awaited hook on every token", added: 24, mib: 64, batch: 2.42 },
  { contender: "engine-async", label: "async hook on every token", added: 29, mib: 64, batch: 2.4 },
  { contender: "engine-all-points", label: "a hook on every point", added: 27, mib: 65, batch: 2.41 },
  { contender: "node-llama-cpp", label: "node-llama-cpp", added: 3900, mib: 118, batch: 0.9 },
] as const;

const ROUNDS = 5;

/** Reproducible numbers between -1 and 1. */
function noise(seed: number): number {
  return Math.sin(seed * 12.9898) * Math.cos(seed * 78.233);
}

function spread(runs: readonly number[]): Spread {
  const sorted = runs.toSorted((a, b) => a - b);
  const [lowest = 0] = sorted;
  return { median: sorted[sorted.length >> 1] ?? 0, lowest, highest: sorted.at(-1) ?? 0, runs };
}

function speeds(model: number, contender: number, sequences: number): number[] {
  const { plainTps } = MODELS[model] ?? { plainTps: 1 };
  const { added, batch } = CONTENDERS[contender] ?? { added: 0, batch: 1 };
  const tps = 1e6 / (1e6 / plainTps + added);
  return Array.from({ length: ROUNDS }, (_, round) => {
    const share = 1 + 0.012 * noise(round + 7 * model + 31 * contender + sequences);
    return tps * share * (sequences > 1 ? batch : 1);
  });
}

function ratios(of: readonly number[], to: readonly number[]): Spread {
  return spread(of.map((speed, round) => speed / (to[round] ?? 1)));
}

function decodeResult(model: number, contender: number, sequences: number): DecodeResult {
  const { name, bytes } = MODELS[model] ?? { name: "", bytes: 0 };
  const { contender: id, label, mib } = CONTENDERS[contender] ?? CONTENDERS[0];
  const runs = speeds(model, contender, sequences);
  const loads = runs.map((_, round) => bytes / 4e6 + mib + 9 * noise(round + contender));
  const peaks = runs.map((_, round) => bytes / 2 ** 20 + mib + 30 + 3 * noise(round - contender));
  const last = CONTENDERS.length - 1;
  return {
    model: name,
    contender: id,
    label: sequences > 1 ? `${label}, ${sequences} at once` : label,
    sequences,
    tokensPerSecond: spread(runs),
    toPlain: ratios(runs, speeds(model, 0, sequences)),
    toNodeLlamaCpp: ratios(runs, speeds(model, last, sequences)),
    toNoHook: ratios(runs, speeds(model, 1, sequences)),
    loadMs: spread(loads),
    peakMib: spread(peaks),
    runs: runs.map((decodeTps, round) => ({
      loadMs: loads[round] ?? 0,
      promptTokens: 64,
      promptMs: 80,
      completionTokens: 128 * sequences,
      decodeMs: (128_000 * sequences) / decodeTps,
      decodeTps,
      peakRssKib: (peaks[round] ?? 0) * 1024,
    })),
  };
}

function curve(group: string, xLabel: string, xs: readonly number[], base: number, slope: number): MicroResult[] {
  return xs.map((x, i) => {
    const median = (base + slope * x) * (1 + 0.06 * noise(i + base));
    return { group, label: `${x} ${xLabel}`, x, xLabel, median, p99: median * (1.8 + noise(i)) };
  });
}

const MICRO: readonly MicroResult[] = [
  { group: "empty point", label: "has()", x: null, xLabel: null, median: 1.9, p99: null },
  { group: "empty point", label: "fire()", x: null, xLabel: null, median: 3.2, p99: null },
  { group: "round trip by handler", label: "answers with text", x: null, xLabel: null, median: 9840, p99: 41_300 },
  ...curve("C hooks", "hooks", [1, 2, 5, 10, 20, 50, 100], 210, 46),
  ...curve("TypeScript hooks", "hooks", [1, 2, 5, 10, 20, 50, 100], 6900, 2350),
  ...curve("round trip", "bytes", [200, 1024, 4096, 65_536], 9100, 1.7),
  ...curve("round trip, 1 ms apart", "bytes", [200, 1024, 4096, 65_536], 27_000, 2.1),
];

function row(
  id: string,
  what: string,
  target: string,
  pass: boolean | null,
  ...figures: TargetRow["figures"]
): TargetRow {
  return { id, what, target, figures, pass, ...(pass === null && { note: "not in this run: it needs a GPU" }) };
}

const ROWS: readonly TargetRow[] = [
  row(
    "P1",
    "decode, no hooks, against the plain loop in the same run",
    ">= 0.98 tiny, >= 0.99 at 0.5B and up",
    true,
    { label: "tiny", value: 0.9931, unit: "x", target: ">= 0.98", pass: true },
    { label: "0.5b", value: 0.9996, unit: "x", target: ">= 0.99", pass: true },
    { label: "1.1b", value: 1.0012, unit: "x", target: ">= 0.99", pass: true },
  ),
  row(
    "P2",
    "the same with an awaited TypeScript hook on every token",
    ">= 0.95 tiny, >= 0.99 at 0.5B and up",
    false,
    { label: "tiny", value: 0.9677, unit: "x", target: ">= 0.95", pass: true },
    { label: "0.5b", value: 0.98963, unit: "x", target: ">= 0.99", pass: false },
  ),
  row("P5", "dispatch with no hook registered", "<= 5 ns, no allocation", true, {
    label: "fire() on an empty point",
    value: 3.2,
    unit: "ns",
    target: "<= 5",
    pass: true,
  }),
  row(
    "P7",
    "one awaited TypeScript hook, 200-byte context, round trip",
    "<= 15 us median, <= 60 us p99",
    true,
    { label: "median", value: 9.84, unit: "us", target: "<= 15", pass: true },
    { label: "p99", value: 41.3, unit: "us", target: "<= 60", pass: true },
  ),
  row("P13", "engine ready on a loaded page cache", "<= 1.2x the plain loop's load time", false, {
    label: "tiny",
    value: 1.20004,
    unit: "x",
    target: "<= 1.2",
    pass: false,
  }),
  row("P11", "a system prompt shared by 8 sessions", "evaluated once", null),
  row("P12", "memory over the plain loop", "<= 60 MB, flat", true, {
    label: "0.5b, over 100,000 tokens",
    value: 1234.5,
    unit: "MiB",
    target: "<= 1,300",
    pass: true,
  }),
];

/** Results with all parts filled in. */
export function benchResults(changes: Partial<BenchResults> = {}): BenchResults {
  const all = CONTENDERS.map(({ contender }) => contender);
  const grid = (names: readonly string[], sequences: number): DecodeResult[] =>
    MODELS.flatMap((_, model) =>
      names.map((name) =>
        decodeResult(
          model,
          all.findIndex((one) => one === name),
          sequences,
        ),
      ),
    );
  return {
    version: 1,
    date: "2026-11-21T12:48:31.000Z",
    machine: {
      cpu: "Fixture CPU 9000 @ 2.50GHz",
      cores: 2,
      memoryGib: 15.6,
      platform: "linux-x64",
      os: "Linux 6.1.0",
      node: "v20.20.2",
      gpu: null,
    },
    versions: { "llama-hooks": "0.1.0", "llama.cpp": "b7154", "node-llama-cpp": "3.22.1" },
    settings: { threads: 2, gpu: "off" },
    models: MODELS.map(({ name, label, bytes }) => ({
      name,
      label,
      synthetic: true,
      bytes,
      promptTokens: 64,
      tokens: 128,
      rounds: ROUNDS,
    })),
    decode: [...grid(all, 1), ...grid(["plain", "engine", "engine-awaited", "node-llama-cpp"], 8)],
    skipped: [{ model: "tiny", contender: "llama.node", reason: "the package @fugood/llama.node is not installed" }],
    micro: MICRO,
    instructions: [
      { name: "empty point: fire()", perCall: 9, bound: 12 },
      { name: "token with a C hook", perCall: 1840, bound: 1800 },
    ],
    rows: ROWS,
    ...changes,
  };
}

/** The results of `llama-hooks bench` on a user's machine: one model, no plain loop, no targets. */
export function smallBenchResults(model = "my-model.gguf"): BenchResults {
  const decode = ["engine", "engine-awaited"].map((contender) => {
    const result = decodeResult(
      1,
      CONTENDERS.findIndex((one) => one.contender === contender),
      1,
    );
    return { ...result, model, toPlain: null, toNodeLlamaCpp: null };
  });
  const about = { label: `${model}: 494 M parameters`, synthetic: false, bytes: 283_972_320 };
  const models = [{ name: model, ...about, promptTokens: 64, tokens: 128, rounds: ROUNDS }];
  return benchResults({ models, decode, skipped: [], micro: [], instructions: [], rows: [] });
}

/** Sets the ratios, round by round, of an awaited hook to no hook and to the plain loop; for one model, or for all. */
export function withRatios(results: BenchResults, runs: readonly number[], of?: string): BenchResults {
  const decode = results.decode.map((result) => {
    if (of !== undefined && result.model !== of) return result;
    const { tokensPerSecond } = result;
    const rounds = { ...tokensPerSecond, runs: tokensPerSecond.runs.slice(0, runs.length) };
    if (result.contender !== "engine-awaited") return { ...result, tokensPerSecond: rounds };
    const ratio = spread(runs);
    return { ...result, tokensPerSecond: rounds, toNoHook: ratio, toPlain: result.toPlain && ratio };
  });
  return { ...results, decode };
}
