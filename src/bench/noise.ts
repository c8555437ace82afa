// Whether the machine let a benchmark's figures be what they are. Must not: measure, or change a figure.
import type { DecodeResult, Spread } from "./results.js";
import { median, percentile } from "./statistics.js";

/** Rounds of the same work that differ by more than this (quartiles) say what the machine does, not what was measured. */
const mostSpread = 0.1;

/** What of the figures with and without hooks is not to be believed, and why: one text, or none. */
export function noiseOf(decode: readonly DecodeResult[]): string[] {
  const single = decode.filter(({ sequences }) => sequences === 1);
  const speeds = single.flatMap(({ contender, tokensPerSecond }) => (contender === "engine" ? [tokensPerSecond] : []));
  if (speeds.some(({ runs }) => runs.length < 2))
    return ["one round cannot tell whether the machine was too noisy: measure several (--rounds)"];
  const speed = Math.max(0, ...speeds.map(quartileShare));
  const ratio = Math.max(0, ...single.flatMap(({ toNoHook }) => (toNoHook ? [quartileShare(toNoHook)] : [])));
  const advice = "leave the machine alone meanwhile, or measure more rounds (--rounds)";
  if (ratio > mostSpread)
    return [
      `the machine was too noisy to believe these figures: ratios within a round differ by ${percent(ratio)}; ${advice}`,
    ];
  if (speed > mostSpread)
    return [
      `the machine was too noisy to believe the speeds: rounds without a hook differ by ${percent(speed)}; only ratios are worth anything; ${advice}`,
    ];
  return [];
}

/** The distance of the quartiles, as a share of the median: a single wild run does not count. */
function quartileShare({ runs }: Spread): number {
  return (percentile(runs, 0.75) - percentile(runs, 0.25)) / median(runs);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
