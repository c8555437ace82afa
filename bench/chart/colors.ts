// The colour of each contender, the same in every chart.
import { AWAITED, ENGINE, isOurs, PLAIN } from "../../src/bench/results/contender-roles.js";
import type { ChartColor } from "./spec.js";

const COLORS: Readonly<Record<string, ChartColor>> = {
  [PLAIN]: "gray",
  [ENGINE]: "blue",
  [AWAITED]: "orange",
  "engine-observed": "green",
  "engine-c-hook": "purple",
  "engine-streamed": "teal",
  "engine-async": "red",
};

/** Colours in an order in which readers who cannot distinguish red from green can distinguish neighbours. */
export const CHART_COLORS: readonly ChartColor[] = ["blue", "orange", "green", "purple", "ochre", "teal", "red"];

/** Returns the colour of a contender. All contenders without a listed colour share one. */
export function contenderColor(contender: string): ChartColor {
  return COLORS[contender] ?? (isOurs(contender) ? "brown" : "ochre");
}
