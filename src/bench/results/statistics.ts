// Figures from several measurements: median, spread, ratios within rounds. Must not: know what was measured.
import type { Spread } from "./results.js";

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) throw new RangeError("no values, no median");
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** The smallest value that is not below `share` of all (0.99: the 99th percentile). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new RangeError("no values, no percentile");
  return value;
}

/**
 * By how much of itself the median of these may be off: its standard error, worked out from the distance of the quartiles,
 * so that a single wild run does not count. 0: too few runs to say.
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
 * A figure of one contender for each round; undefined where it did not take part. What a machine does to one round, it
 * does to all who run in it: comparing within rounds takes that out.
 */
export type ByRound = readonly (number | undefined)[];

/** `of` divided by `by`, or combined otherwise, in the rounds that both took part in; null when there is none. */
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

/** The highest of several in each round. */
export function bestOf(contenders: readonly ByRound[]): ByRound {
  const rounds = Math.max(0, ...contenders.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => {
    const values = contenders.flatMap((figures) => figures[round] ?? []);
    return values.length === 0 ? undefined : Math.max(...values);
  });
}
