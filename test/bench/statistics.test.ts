import { describe, expect, test } from "vitest";
import { decodeResults } from "../../src/bench/measure/decode-results.js";
import { noiseOf } from "../../src/bench/results/noise.js";
import type { Measurement } from "../../src/bench/results/results.js";
import { type Contender, measureInRounds, takesPart, turnCount } from "../../src/bench/measure/rounds.js";
import { bestOf, median, medianError, percentile, spread, withinRounds } from "../../src/bench/results/statistics.js";

const never = new AbortController().signal;

function measured(decodeTps: number): Measurement {
  return { loadMs: 1, promptTokens: 1, promptMs: 1, completionTokens: 1, decodeMs: 1, decodeTps, peakRssKib: 1024 };
}

/** A contender that writes its turns down; it fails in the rounds named. */
function contender(name: string, turns: string[], options: { rounds?: number; failsIn?: number } = {}): Contender {
  let turn = 0;
  return {
    name,
    label: name,
    sequences: 1,
    ...(options.rounds !== undefined && { rounds: options.rounds }),
    measure: async () => {
      turns.push(name);
      if (turn++ === options.failsIn) throw new Error(`${name} fell over`);
      return measured(turn);
    },
  };
}

test("the median is the middle value, or the mean of the two in the middle, whatever their order", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 1, 2, 5])).toBe(3.5);
  expect(median([7])).toBe(7);
  expect(() => median([])).toThrow(RangeError);
});

test("a percentile is the smallest value that so many do not exceed", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(hundred, 0.99)).toBe(99);
  expect(percentile(hundred, 1)).toBe(100);
  expect(percentile([4, 2], 0.5)).toBe(2);
});

test("how far a median may be off goes by the quartiles and the number of runs, not by a wild one", () => {
  const runs = [0.98, 0.99, 1, 1.01, 1.02];
  expect(medianError(runs)).toBeCloseTo((0.93 * 0.02) / Math.sqrt(5));
  expect(medianError([...runs.slice(0, 4), 9])).toBe(medianError(runs));
  expect(medianError([1, 2])).toBe(0);
  expect(medianError([1, 1, 1])).toBe(0);
});

test("a spread keeps the runs in their order", () => {
  expect(spread([3, 1, 2])).toEqual({ median: 2, lowest: 1, highest: 3, runs: [3, 1, 2] });
});

describe("ratios", () => {
  test("are taken within a round, so that a slow round changes nothing", () => {
    expect(withinRounds([100, 10, 50], [50, 5, 25])).toMatchObject({ median: 2, lowest: 2, highest: 2 });
  });

  test("leave out rounds in which one did not take part", () => {
    expect(withinRounds([100, 10, 50], [50, undefined, 25])?.runs).toEqual([2, 2]);
    expect(withinRounds([100], [undefined])).toBeNull();
    expect(withinRounds([], [])).toBeNull();
  });

  test("to the better of several are to the best of each round", () => {
    expect(
      bestOf([
        [1, 5, undefined],
        [3, 2],
      ]),
    ).toEqual([3, 5, undefined]);
  });
});

describe("rounds", () => {
  test("begin with another contender each time", async () => {
    const turns: string[] = [];
    const all = ["a", "b", "c"].map((name) => contender(name, turns));
    await measureInRounds(all, { rounds: 3, signal: never });
    expect(turns).toEqual(["a", "b", "c", "b", "c", "a", "c", "a", "b"]);
  });

  test("are spread evenly for one that takes part in some", async () => {
    const rounds = [...Array(15).keys()];
    expect(rounds.filter((round) => takesPart(round, 15, 5))).toEqual([0, 3, 6, 9, 12]);
    expect(rounds.filter((round) => takesPart(round, 15))).toEqual(rounds);
    const turns: string[] = [];
    const all = [contender("a", turns), contender("b", turns, { rounds: 2 })];
    const { measured } = await measureInRounds(all, { rounds: 4, signal: never });
    expect(turns).toEqual(["a", "b", "a", "a", "b", "a"]);
    expect(turnCount(all, 4)).toBe(turns.length);
    expect(measured[1]?.byRound.map((run) => run?.decodeTps)).toEqual([1, undefined, 2, undefined]);
  });

  test("go on without one that fails, and say why", async () => {
    const turns: string[] = [];
    const all = [contender("a", turns), contender("b", turns, { failsIn: 1 })];
    let done = 0;
    const { measured, skipped } = await measureInRounds(all, {
      rounds: 4,
      signal: never,
      onDone: (count) => (done += count),
    });
    expect(turns.filter((name) => name === "b")).toHaveLength(2);
    expect(measured.map(({ contender }) => contender.name)).toEqual(["a"]);
    expect(skipped.map(({ contender, reason }) => [contender.name, reason])).toEqual([["b", "b fell over"]]);
    expect(done).toBe(turnCount(all, 4));
  });

  test("end when the signal aborts, with its reason", async () => {
    const stop = new AbortController();
    const stopping: Contender = {
      ...contender("a", []),
      measure: async () => {
        stop.abort(new Error("enough"));
        throw new Error("killed");
      },
    };
    await expect(measureInRounds([stopping], { rounds: 2, signal: stop.signal })).rejects.toThrow("enough");
  });
});

test("results are compared with those of as many generations at once only", () => {
  const one = (name: string, sequences: number, speeds: readonly number[]) => ({
    contender: { ...contender(name, []), sequences },
    byRound: speeds.map(measured),
  });
  const results = decodeResults("m", [
    one("plain", 1, [100, 200]),
    one("engine", 1, [90, 180]),
    one("engine-awaited", 1, [81, 162]),
    one("engine", 8, [300, 300]),
  ]);
  const awaited = results[2];
  expect(awaited?.toPlain?.median).toBeCloseTo(0.81);
  expect(awaited?.toNoHook?.median).toBeCloseTo(0.9);
  expect(awaited?.toNodeLlamaCpp).toBeNull();
  expect(results[3]).toMatchObject({ sequences: 8, toPlain: null, toNoHook: { median: 1 }, peakMib: { median: 1 } });
});

describe("noise", () => {
  /** Speeds of the engine without a hook, and of one that is so much of it in each round. */
  function decode(without: readonly number[], ratio: readonly number[]) {
    const entries = [
      ["engine", without],
      ["engine-awaited", without.map((speed, round) => speed * (ratio[round] ?? 1))],
    ] as const;
    return decodeResults(
      "m",
      entries.map(([name, speeds]) => ({ contender: contender(name, []), byRound: speeds.map(measured) })),
    );
  }

  test("on a quiet machine there is nothing to say, also with a single wild round", () => {
    expect(noiseOf(decode([100, 101, 99, 100, 102], [0.9, 0.91, 0.9, 0.89, 0.9]))).toEqual([]);
    expect(noiseOf(decode([100, 101, 20, 100, 102], [0.9, 0.91, 0.2, 0.89, 0.9]))).toEqual([]);
  });

  test("rounds that differ while the ratios within them agree leave the ratios", () => {
    expect(noiseOf(decode([100, 140, 70, 100, 160], [0.9, 0.91, 0.9, 0.89, 0.9]))).toEqual([
      expect.stringMatching(/^the machine was too noisy to believe the speeds: .* 40 %; only the ratios are reliable/),
    ]);
  });

  test("ratios that differ within the rounds leave nothing", () => {
    expect(noiseOf(decode([100, 101, 99, 100, 102], [0.9, 1.3, 0.6, 0.9, 1.2]))).toEqual([
      expect.stringMatching(
        /^the machine was too noisy to believe these figures: ratios within a round differ by 33 %/,
      ),
    ]);
    expect(noiseOf(decode([100, 100], [0.8, 1.2]))).toHaveLength(1);
  });

  test("hooks that seem to make it faster leave nothing", () => {
    expect(noiseOf(decode([100, 101, 99], [1.42, 1.41, 1.43]))).toEqual([
      expect.stringMatching(/^the machine was too noisy .*: hooks add work, but a run with them had 1\.42x the speed/),
    ]);
    expect(noiseOf(decode([100, 101, 99], [1.04, 1.05, 1.03]))).toEqual([]);
  });

  test("one round cannot tell", () => {
    expect(noiseOf(decode([100], [0.9]))).toEqual([expect.stringMatching(/^one round cannot tell/)]);
  });
});
