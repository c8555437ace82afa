// The tables of micro-benchmarks: the time of a call, one table for each group.
import type { Paint } from "../../base/paint.js";
import type { MicroResult } from "../results/results.js";
import { type Cell, grid } from "./grid.js";

export function microText(micro: readonly MicroResult[], paint: Paint): string {
  const groups = [...new Set(micro.map(({ group }) => group))];
  return groups
    .map((group) => {
      const rows = micro
        .filter((one) => one.group === group)
        .map(({ label, median, p99 }): Cell[] => [
          { text: `  ${label}` },
          { text: duration(median), style: "bold" },
          { text: p99 === null ? "" : duration(p99) },
        ]);
      const columns = [
        { heading: group, align: "left" },
        { heading: "median", align: "right" },
        { heading: "p99", align: "right" },
      ] as const;
      return grid(columns, rows, paint).join("\n");
    })
    .join("\n");
}

function duration(nanoseconds: number): string {
  if (nanoseconds < 1000) return `${nanoseconds.toFixed(nanoseconds < 100 ? 1 : 0)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1000).toFixed(nanoseconds < 1e5 ? 1 : 0)} us`;
  return `${(nanoseconds / 1e6).toFixed(1)} ms`;
}
