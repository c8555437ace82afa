// Charts of micro-benchmarks: the cost of a call against the quantity that it grows with, one chart per quantity.
// Single figures are in a table instead.
import { CHART_COLORS } from "./colors.js";
import { fitLine } from "./line-fit.js";
import { chartAxis, logScale, logTicks, signedLogScale, thinned } from "./scale.js";
import { CHART_SHAPES, type PointChart, type PointSeries } from "./spec.js";
import { formatNanoseconds, formatTick, formatX } from "../../src/bench/results/format.js";
import type { MicroResult } from "../../src/bench/results/results.js";

/** A measured point of a curve. */
export type CurvePoint = MicroResult & { readonly x: number; readonly xLabel: string };

export interface CurveChart {
  readonly xLabel: string;
  readonly points: readonly CurvePoint[];
  readonly chart: PointChart;
}

export function curvePoints(micro: readonly MicroResult[]): CurvePoint[] {
  // A logarithmic axis has no place for zero.
  return micro.filter((one): one is CurvePoint => one.x !== null && one.xLabel !== null && one.median > 0);
}

export function curveCharts(micro: readonly MicroResult[]): CurveChart[] {
  const points = curvePoints(micro);
  const xLabels = [...new Set(points.map(({ xLabel }) => xLabel))];
  return xLabels.map((xLabel) => {
    const own = points.filter((point) => point.xLabel === xLabel);
    return { xLabel, points: own, chart: curveChart(xLabel, own) };
  });
}

function curveChart(xLabel: string, points: readonly CurvePoint[]): PointChart {
  const xs = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
  const place = signedLogScale(xs.find((x) => x > 0) ?? 1);
  const costs = points.flatMap(({ median, p99 }) => [median, p99 ?? median]);
  const groups = [...new Set(points.map(({ group }) => group))];
  return {
    kind: "points",
    x: { ...chartAxis(xLabel, place, xs, thinned(xs, 8), formatTick), origin: null },
    y: chartAxis("time of a call", logScale, costs, logTicks(costs), (value) => formatNanoseconds(value, formatTick)),
    series: groups.map((group, index) => {
      const own = points.filter((point) => point.group === group);
      return curveSeries(group, index, xLabel, own, place);
    }),
    guides: [],
    marks: [],
  };
}

function curveSeries(
  group: string,
  index: number,
  xLabel: string,
  points: readonly CurvePoint[],
  place: (x: number) => number,
): PointSeries {
  const fit = fitLine(points.map(({ x, median }) => ({ x, y: median })));
  const { base, slope } = fit ?? { base: 0, slope: 0 };
  const each = `+ ${formatNanoseconds(slope)} × ${xLabel}`;
  const xs = points.map(({ x }) => x);
  return {
    label: fit ? `${group}: ${formatNanoseconds(base)} ${each}` : group,
    color: CHART_COLORS[index % CHART_COLORS.length] ?? "gray",
    shape: CHART_SHAPES[index % CHART_SHAPES.length] ?? "circle",
    points: points.map((point) => ({
      x: place(point.x),
      y: logScale(point.median),
      lowest: logScale(point.median),
      highest: logScale(point.p99 ?? point.median),
      tip: [
        `${group}, ${formatX(point)}`,
        `median ${formatNanoseconds(point.median)}`,
        ...(point.p99 === null ? [] : [`p99 ${formatNanoseconds(point.p99)}`]),
      ],
    })),
    fit: fit === null ? [] : line(Math.min(...xs), Math.max(...xs), (x) => base + slope * x, place),
  };
}

/**
 * Divides a straight line into short pieces, because it is curved on these axes. Pieces that are not above zero are
 * left out.
 */
function line(from: number, to: number, y: (x: number) => number, place: (x: number) => number) {
  // The cube makes the pieces shorter near zero, where the axis is wider.
  return Array.from({ length: 61 }, (_, i) => from + (to - from) * (i / 60) ** 3)
    .filter((x) => y(x) > 0)
    .map((x) => ({ x: place(x), y: logScale(y(x)) }));
}
