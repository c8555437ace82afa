// Computes statistics of several measurements: median, spread, ratios within rounds.
import type { Spread } from "./results.js";

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) throw new RangeError("no values, no median");
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** The smallest value that is not below `share` of all values (0.99: the 99th percentile). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new RangeError("no values, no percentile");
  return value;
}

/**
 * The relative standard error of the median, computed from the distance of the quartiles, so that a single outlier does
 * not affect it. 0 if there are too few values.
 */
export function medianError(values: readonly number[]): number {
  if (values.length < 3) return 0;
  const quartiles = percentile(values, 0.75) - percentile(values, 0.25);
  return (0.93 * quartiles) / Math.sqrt(values.length) / Math.abs(median(values));
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values), runs: values };
}

/**
 * A figure of one contender for each round; undefined if it did not take part. All contenders of a round run under the
 * same load, so a comparison within rounds removes the influence of the load.
 */
export type ByRound = readonly (number | undefined)[];

/** `of` divided by `by`, or combined by `combine`, for each round in which both took part; null if there is none. */
export function withinRounds(
  of: ByRound,
  by: ByRound,
  combine: (left: number, right: number) => number = (left, right) => left / right,
): Spread | null {
  const values = of.flatMap((left, round) => {
    const right = by[round];
    return left === undefined || right === undefined ? [] : [combine(left, right)];
  });
  return values.length === 0 ? null : spread(values);
}

/** The highest value of each round. */
export function bestOf(contenders: readonly ByRound[]): ByRound {
  const rounds = Math.max(0, ...contenders.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => {
    const values = contenders.flatMap((figures) => figures[round] ?? []);
    return values.length === 0 ? undefined : Math.max(...values);
  });
}
