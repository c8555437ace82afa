// Axes: the position of a value, and the ticks to show.
import type { ChartAxis } from "./spec.js";

/** Converts a value to its position on an axis. */
export type Scale = (value: number) => number;

export const logScale: Scale = (value) => Math.log10(value);

/** Logarithmic on both sides of zero, and linear around it up to about `linear`. */
export function signedLogScale(linear: number): Scale {
  return (value) => Math.asinh(value / linear);
}

/** An axis over all values with some room at both ends. */
export function chartAxis(
  title: string,
  scale: Scale,
  values: readonly number[],
  ticks: readonly number[],
  label: (value: number) => string,
): ChartAxis {
  const places = values.map(scale);
  const room = Math.max(0.06 * (Math.max(...places) - Math.min(...places)), 0.12);
  const from = Math.min(...places) - room;
  const to = Math.max(...places) + room;
  const shown = ticks.filter((value) => scale(value) >= from && scale(value) <= to);
  return {
    title,
    from,
    to,
    ticks: shown.map((value) => ({ at: scale(value), label: label(value) })),
    origin: scale(0) >= from && scale(0) <= to ? scale(0) : null,
  };
}

/** Round values for a logarithmic axis: the finest of 1, 2, 5, 10 and 1, 3, 10 and 1, 10, 100 that stays readable. */
export function logTicks(values: readonly number[]): number[] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const decades = Math.log10(high / low);
  const steps = decades < 1.5 ? [1, 2, 5] : decades < 3 ? [1, 3] : [1];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.ceil(Math.log10(high)); power++) {
    ticks.push(...steps.map((step) => step * 10 ** power));
  }
  return ticks;
}

/** Zero, and round values on both sides of it from `linear` on, where the scale becomes logarithmic. */
export function signedLogTicks(values: readonly number[], linear: number): number[] {
  const size = Math.max(linear * 10, ...values.map(Math.abs));
  const outer = logTicks([linear, size]).filter((value) => value >= linear);
  return [...outer.map((value) => -value).toReversed(), 0, ...outer];
}

/** At most `most` of the values, evenly spaced, with the first and the last. */
export function thinned(values: readonly number[], most: number): number[] {
  if (values.length <= most) return [...values];
  const step = (values.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => values[Math.round(i * step)] ?? 0);
}
