// The first lines of a benchmark's text: machine and versions, and its warnings.
import { plural } from "../../base/plural.js";
import type { Paint } from "../../base/paint.js";
import { wrap } from "../../base/wrap.js";
import type { BenchResults } from "../results/results.js";
import { pageWidth } from "./grid.js";

/** Machine and versions, in two lines or three. */
export function headText({ machine, versions, settings }: BenchResults, paint: Paint, width = pageWidth): string {
  const { cpu, cores, memoryGib, platform, node, gpu } = machine;
  const threads = plural(settings.threads, "thread");
  const where = [
    cpu,
    plural(cores, "core"),
    `${memoryGib} GiB`,
    platform,
    ...(gpu === null ? [] : [gpu.name]),
    threads,
  ];
  const what = [`Node ${node}`, ...Object.entries(versions).map(([name, version]) => `${name} ${version}`)];
  return [where, what]
    .flatMap((parts) => listed(parts, width))
    .map((line) => paint("dim", line))
    .join("\n");
}

/** A line for each warning about an unreliable figure; empty if there is none. */
export function warningsText({ warnings = [] }: BenchResults, paint: Paint, width = pageWidth): string {
  const lines = warnings.flatMap((warning) => wrap(`warning: ${warning}`, width, "  "));
  return lines.map((line) => paint("yellow", line)).join("\n");
}

/** Parts in lines; no part is broken in two. */
function listed(parts: readonly string[], width: number): string[] {
  const hard = "\u00a0";
  const words = parts.map((part, index) => (index + 1 < parts.length ? `${part} ·` : part).replaceAll(" ", hard));
  return wrap(words.join(" "), width).map((line) => line.replaceAll(hard, " "));
}
