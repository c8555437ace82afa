// The picture of the README: the share of plain llama.cpp's speed that is left with hooks.
import { shareCharts } from "./bars.js";
import { svgPicture } from "./svg.js";
import { AWAITED, ENGINE, isOurs } from "../../src/bench/results/contender-roles.js";
import type { BenchResults } from "../../src/bench/results/results.js";

const SHOWN = [ENGINE, AWAITED, "engine-c-hook", "node-llama-cpp"];

/** Returns an SVG document. */
export function overheadPicture(results: BenchResults): string {
  const { machine, versions, date } = results;
  const named = results.decode.map((result) =>
    isOurs(result.contender) ? { ...result, label: `llama-hooks, ${result.label}` } : result,
  );
  return svgPicture({
    title: "Speed with hooks, as a share of plain llama.cpp",
    charts: shareCharts({ ...results, decode: named }, SHOWN),
    lineLabel: "plain llama.cpp loop: 1.00x",
    note: `Tokens per second, medians of rounds. ${machine.cpu}, ${machine.cores} cores, ${date.slice(0, 10)}; node-llama-cpp ${versions["node-llama-cpp"] ?? ""}.`,
  });
}
