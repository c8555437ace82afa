// The colour of each contender, the same in every chart.
import { AWAITED, ENGINE, isOurs, PLAIN } from "../results/contender-roles.js";
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

/** Readers who cannot tell red from green can tell neighbours in this order apart. */
export const CHART_COLORS: readonly ChartColor[] = ["blue", "orange", "green", "purple", "ochre", "teal", "red"];

/** A contender without a colour of its own gets the colour that all such contenders share. */
export function contenderColor(contender: string): ChartColor {
  return COLORS[contender] ?? (isOurs(contender) ? "brown" : "ochre");
}
