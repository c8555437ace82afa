// Rows of the table of targets and their figures, from measurements. Must not: round a failure up.
import { medianError } from "../../dist/bench/results/statistics.js";

export function row(id, what, target, figures, note) {
  const pass = figures.length === 0 ? null : figures.every((figure) => figure.pass);
  const missing = pass === null ? "not measured in this run" : undefined;
  return { id, what, target, figures, pass, ...((note ?? missing) && { note: note ?? missing }) };
}

/** The median of a spread, with a lower limit. */
export function atLeast(label, spread, unit, limit) {
  return figureOf(label, spread, unit, `>= ${limit}`, spread.median >= limit);
}

export function atMost(label, spread, unit, limit) {
  return figureOf(label, spread, unit, `<= ${limit}`, spread.median <= limit);
}

function figureOf(label, { median, lowest, highest, runs }, unit, target, pass) {
  const error = medianError(runs);
  return { label, value: median, spread: { lowest, highest }, ...(error > 0 && { error }), unit, target, pass };
}

/** A spread with every figure multiplied. */
export function scaled({ median, lowest, highest, runs }, by) {
  return { median: median * by, lowest: lowest * by, highest: highest * by, runs: runs.map((run) => run * by) };
}
