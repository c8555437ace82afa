// The parts of the page that have charts, and the description of the method. A part is left out if its figures were not
// measured.
import { type ModelChart, memoryCharts, speedCharts } from "../chart/bars.js";
import { curveCharts, curvePoints } from "../chart/curves.js";
import { LINEAR_UP_TO, overheadChart, overheads } from "../chart/overhead.js";
import { baseContender, decodeOf, PLAIN } from "../../src/bench/results/contender-roles.js";
import type { PageFigure, PlacedChart } from "./figures.js";
import { formatList, formatNumber } from "../../src/bench/results/format.js";
import { decodeTable, memoryTable, microTable, overheadTable } from "./tables.js";
import type { BenchResults } from "../../src/bench/results/results.js";

export function pageFigures(results: BenchResults): PageFigure[] {
  return [speed(results), overhead(results), growth(results), several(results), memory(results)].filter(
    (figure) => figure !== null,
  );
}

function perModel(id: string, what: string, charts: readonly ModelChart[]): PlacedChart[] {
  return charts.map(({ title, chart }, i) => {
    const bars = chart.bars.map(({ label, text }) => `${label}: ${text}`).join("; ");
    return { id: `${id}-${i}`, title, chart, description: `${what}, ${title}. ${bars}.` };
  });
}

const ROUNDS =
  "Bars named by a hook, or by none, are llama-hooks. Each is the median of the rounds; the thin line runs from the " +
  "lowest to the highest. Every chart has an axis of its own.";

function speed(results: BenchResults): PageFigure | null {
  const charts = speedCharts(results, false);
  if (charts.length === 0) return null;
  return {
    id: "speed",
    heading: "Decode speed, tokens/s, one generation",
    charts: perModel("speed", "Tokens per second", charts),
    caption: ROUNDS,
    table: decodeTable("Decode speed, one generation", decodeOf(results, false)),
  };
}

function overhead(results: BenchResults): PageFigure | null {
  const chart = overheadChart(results);
  if (!chart) return null;
  const base = baseContender(results) === PLAIN ? "the plain llama.cpp loop" : "the engine without hooks";
  const added = overheads(results)
    .map(({ label, model, microseconds: { median } }) => `${label} on ${model} ${formatNumber(median)}`)
    .join("; ");
  return {
    id: "overhead",
    heading: "Overhead per token, µs, against model speed, tokens/s",
    charts: [
      {
        id: "overhead",
        chart,
        description: `Microseconds added to each token, against the speed of ${base}: ${added}.`,
      },
    ],
    caption:
      `What a token takes longer than in ${base}, from ratios within a round: medians, with whiskers from the ` +
      `lowest to the highest round. Below zero a round happened to be faster; that is noise, and is shown. The ` +
      `dashed lines are shares of a token's time. The horizontal axis is logarithmic; the vertical one too, but ` +
      `linear within ${LINEAR_UP_TO} µs of zero. Points of one model stand side by side.`,
    table: overheadTable("Overhead per token", results),
  };
}

function growth({ micro }: BenchResults): PageFigure | null {
  const charts = curveCharts(micro);
  if (charts.length === 0) return null;
  return {
    id: "growth",
    heading: `Time of a call against ${formatList(charts.map(({ xLabel }) => xLabel))}`,
    charts: charts.map(({ xLabel, chart }, i) => ({
      id: `growth-${i}`,
      ...(charts.length > 1 && { title: `Time of a call against ${xLabel}` }),
      chart,
      description: `Time of a call against ${xLabel}, with straight lines fitted. ${formatList(
        chart.series.map(({ label }) => label),
      )}.`,
    })),
    caption:
      "Points are medians, whiskers reach up to the 99th percentile, and both axes are logarithmic. Where the points " +
      "of a group lie on a straight line, it is drawn (bent by the axes) and its terms are in the legend.",
    table: microTable("Time of a call", curvePoints(micro)),
  };
}

function several(results: BenchResults): PageFigure | null {
  const charts = speedCharts(results, true);
  if (charts.length === 0) return null;
  return {
    id: "several",
    heading: "Several generations at once, sum of tokens/s",
    charts: perModel("several", "Sum of tokens per second", charts),
    caption: `The tokens of all generations, over the time until the last one ends. ${ROUNDS}`,
    table: decodeTable("Several generations at once", decodeOf(results, true)),
  };
}

function memory(results: BenchResults): PageFigure | null {
  const charts = memoryCharts(results);
  if (charts.length === 0) return null;
  return {
    id: "memory",
    heading: "Peak memory of the process, MiB",
    charts: perModel("memory", "Peak memory in MiB", charts),
    caption: `The largest resident set of the process; the upright line is the size of the model's file. ${ROUNDS}`,
    table: memoryTable("Peak memory, and time to load the model", decodeOf(results, false)),
  };
}
