// Finds figures that say little because the machine was too busy. Must not: change a verdict.
import { median, percentile } from "../../dist/bench/results/statistics.js";

/** A median whose error may exceed this, and may change the verdict of its target, is worthless. */
const mostError = 0.01;
/**
 * Rounds of the plain loop, which always does the same, that differ by more than this (quartiles) show a busy machine.
 */
const mostSpread = 0.1;

/**
 * `failures`: why a part of a row was not measured, by the row's number; rows without any figure report that
 * themselves.
 */
export function warningsOf(rows, decode, failures) {
  return [
    ...decode.flatMap(restless),
    ...rows.flatMap(({ id, pass }) => (pass === null || !failures[id] ? [] : [`${id}, in part: ${failures[id]}`])),
    ...rows.flatMap(({ id, figures }) => figures.flatMap((figure) => doubtful(id, figure))),
  ];
}

function restless({ model, contender, label, sequences, tokensPerSecond: { runs } }) {
  if (contender !== "plain" || sequences > 1 || runs.length < 4) return [];
  const share = (percentile(runs, 0.75) - percentile(runs, 0.25)) / median(runs);
  if (share <= mostSpread) return [];
  return [`${model}: the rounds of the ${label} differ by ${percent(share)} (quartiles); only the ratios are reliable`];
}

function doubtful(id, { label, value, target, error = 0 }) {
  const limit = Number(/^[<>]= ([\d.]+)$/.exec(target)?.[1]);
  const near = Math.abs(value - limit) <= 2 * error * Math.abs(value);
  if (error <= mostError || !near) return [];
  return [
    `${id}, ${label}: the rounds differ so much that it may be off by ${percent(error)}; its verdict is worth nothing`,
  ];
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
