// Bar charts of tokens per second and memory: one chart, with its own axis, for each model and number of generations at
// once.
import { contenderColor } from "./colors.js";
import type { BarChart } from "./spec.js";
import { decodeOf } from "../../src/bench/results/contender-roles.js";
import { formatNumber, roughRatio } from "../../src/bench/results/format.js";
import type { BenchResults, DecodeResult, MeasuredModel, Spread } from "../../src/bench/results/results.js";

export interface ModelChart {
  readonly model: string;
  readonly title: string;
  readonly chart: BarChart;
}

/** The models of the results in their order, then models that only measurements name. */
function modelsOf(results: BenchResults, decode: readonly DecodeResult[]): { name: string; about?: MeasuredModel }[] {
  const names = new Set([...results.models.map(({ name }) => name), ...decode.map(({ model }) => model)]);
  return [...names].map((name) => {
    const about = results.models.find((model) => model.name === name);
    return { name, ...(about && { about }) };
  });
}

function bars(
  decode: readonly DecodeResult[],
  axis: string,
  figure: (result: DecodeResult) => Spread,
  line: number | null = null,
): BarChart {
  return {
    kind: "bars",
    axis,
    line,
    bars: decode.map((result) => {
      const { median, lowest, highest, runs } = figure(result);
      const range = `${formatNumber(lowest)} to ${formatNumber(highest)} in ${runs.length} ${runs.length === 1 ? "round" : "rounds"}`;
      return {
        label: result.label,
        text: formatNumber(median),
        color: contenderColor(result.contender),
        value: median,
        lowest,
        highest,
        tip: [`${formatNumber(median)} ${axis}`, range],
      };
    }),
  };
}

/** The tokens per second of each contender. */
export function speedCharts(results: BenchResults, several: boolean): ModelChart[] {
  const decode = decodeOf(results, several);
  return modelsOf(results, decode).flatMap(({ name }) => {
    const ofModel = decode.filter(({ model }) => model === name);
    const counts = [...new Set(ofModel.map(({ sequences }) => sequences))];
    return counts.map((count) => ({
      model: name,
      title: several ? `${name}, ${count} at once` : name,
      chart: bars(
        ofModel.filter(({ sequences }) => sequences === count),
        "tokens/s",
        ({ tokensPerSecond }) => tokensPerSecond,
      ),
    }));
  });
}

/** The peak memory of each contender, with a line at the size of the model's file. */
export function memoryCharts(results: BenchResults): ModelChart[] {
  const decode = decodeOf(results, false);
  return modelsOf(results, decode).flatMap(({ name, about }) => {
    const ofModel = decode.filter(({ model }) => model === name);
    if (ofModel.length === 0) return [];
    const file = about ? about.bytes / 2 ** 20 : null;
    return [{ model: name, title: name, chart: bars(ofModel, "MiB", ({ peakMib }) => peakMib, file) }];
  });
}

/** The speed of these contenders as a share of the plain loop's, with a line at the plain loop. */
export function shareCharts(results: BenchResults, contenders: readonly string[]): ModelChart[] {
  const decode = decodeOf(results, false).filter(({ contender }) => contenders.includes(contender));
  return modelsOf(results, decode).map(({ name, about }) => {
    const ofModel = decode.filter(({ model, toPlain }) => model === name && toPlain !== null);
    const chart = bars(ofModel, "x", (result) => result.toPlain ?? result.tokensPerSecond, 1);
    const shares = chart.bars.map((bar) => ({ ...bar, text: `${roughRatio(bar.value)}x` }));
    return { model: name, title: about?.label ?? name, chart: { ...chart, bars: shares } };
  });
}
