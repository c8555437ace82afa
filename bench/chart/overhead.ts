// The chart of the cost of hooks: microseconds added to each token, against the speed of the model without hooks. Must
// not: hide noise; a model that happened to run faster with hooks has a value below zero.
import { contenderColor } from "./colors.js";
import { chartAxis, logScale, logTicks, signedLogScale, signedLogTicks } from "./scale.js";
import { CHART_SHAPES, type PointChart } from "./spec.js";
import { isWithinNoise } from "../../src/bench/results/noise.js";
import { baseContender, decodeOf, isOurs, ratioToBase } from "../../src/bench/results/contender-roles.js";
import { formatNumber, formatTick } from "../../src/bench/results/format.js";
import type { BenchResults, Spread } from "../../src/bench/results/results.js";
import { spread } from "../../src/bench/results/statistics.js";

/** The number of microseconds at which the vertical axis turns from linear to logarithmic. */
export const LINEAR_UP_TO = 10;

/** The time that one contender adds to each token of one model. */
export interface Overhead {
  readonly model: string;
  readonly contender: string;
  readonly label: string;
  readonly baseTps: number;
  readonly microseconds: Spread;
  readonly percent: number;
  /** True: some rounds were faster with hooks. */
  readonly inNoise: boolean;
}

/** The overheads of llama-hooks' contenders, except the base of the comparison. */
export function overheads(results: BenchResults): Overhead[] {
  const base = baseContender(results);
  const decode = decodeOf(results, false);
  return decode.flatMap((result) => {
    const other = decode.find(({ model, contender }) => model === result.model && contender === base);
    const ratio = other && isOurs(result.contender) && result.contender !== base ? ratioToBase(result, base) : null;
    if (!other || !ratio) return [];
    const { model, contender, label } = result;
    const baseTps = other.tokensPerSecond.median;
    // A ratio within a round is free of changes of the machine between rounds; a difference of medians is not.
    const added = ratio.runs.map((share) => ((1 / share - 1) * 1e6) / baseTps);
    const percent = (1 / ratio.median - 1) * 100;
    return [{ model, contender, label, baseTps, microseconds: spread(added), percent, inNoise: isWithinNoise(ratio) }];
  });
}

/** Null if there is nothing to compare. */
export function overheadChart(results: BenchResults): PointChart | null {
  const all = overheads(results);
  if (all.length === 0) return null;
  const base = baseContender(results) === "plain" ? "the plain loop" : "the engine without hooks";
  const speeds = all.map(({ baseTps }) => baseTps);
  const added = all.flatMap(({ microseconds: { lowest, highest } }) => [lowest, highest]);
  const place = signedLogScale(LINEAR_UP_TO);
  // The axis has room on both sides, also around a single model.
  const x = chartAxis(
    `tokens/s of ${base}`,
    logScale,
    [Math.min(...speeds) / 1.5, Math.max(...speeds) * 1.5],
    logTicks(speeds),
    formatTick,
  );
  const y = chartAxis(
    "added to each token, µs",
    place,
    [-LINEAR_UP_TO, LINEAR_UP_TO, ...added],
    signedLogTicks(added, LINEAR_UP_TO),
    formatTick,
  );
  const contenders = [...new Set(all.map(({ contender }) => contender))];
  const models = [...new Map(all.map(({ model, baseTps }) => [model, baseTps]))];
  const step = distance(contenders.length, speeds, x);
  const beside = (index: number): number => (index - (contenders.length - 1) / 2) * step;
  return {
    kind: "points",
    x,
    y,
    series: contenders.map((contender, index) => {
      const own = all.filter((one) => one.contender === contender);
      return {
        label: own[0]?.label ?? contender,
        color: contenderColor(contender),
        shape: CHART_SHAPES[index % CHART_SHAPES.length] ?? "circle",
        fit: [],
        points: own.map(({ model, label, baseTps, microseconds, percent, inNoise }) => ({
          x: logScale(baseTps) + beside(index),
          y: place(microseconds.median),
          lowest: place(microseconds.lowest),
          highest: place(microseconds.highest),
          tip: [
            `${label}, ${model}`,
            `${formatNumber(microseconds.median)} µs a token (${formatNumber(percent)} %)`,
            `${formatNumber(microseconds.lowest)} to ${formatNumber(microseconds.highest)} µs${inNoise ? ", within the noise" : ""}`,
          ],
        })),
      };
    }),
    guides: [1, 5].map((percent) => ({ label: `${percent} %`, points: shareLine(percent, x, place) })),
    marks: models.map(([model, tps]) => ({ x: logScale(tps), label: model })),
  };
}

/**
 * The distance between the points of one model: they must not cover each other, and must be nearer to each other than
 * to the points of the next model.
 */
function distance(contenders: number, speeds: readonly number[], { from, to }: { from: number; to: number }): number {
  const places = [...new Set(speeds)].map(logScale).sort((a, b) => a - b);
  const gaps = places.slice(1).map((place, i) => place - (places[i] ?? place));
  return Math.min(0.022 * (to - from), (0.75 * Math.min(...gaps)) / contenders);
}

/** The line on which hooks add a given share to a token's time, for models of every speed. */
function shareLine(percent: number, { from, to }: { from: number; to: number }, place: (value: number) => number) {
  return Array.from({ length: 41 }, (_, i) => {
    const x = from + ((to - from) * i) / 40;
    return { x, y: place((percent * 1e4) / 10 ** x) };
  });
}
