// Whether the machine let a benchmark's figures be what they are. Must not: measure, or change a figure.
import type { DecodeResult, Spread } from "./results.js";
import { median, percentile } from "./statistics.js";

/** Rounds of the same work that differ by more than this (quartiles) say what the machine does, not what was measured. */
const mostSpread = 0.1;

/** Whether the rounds agree about a ratio, so that it says something about what was measured. */
export function roundsAgree(ratio: Spread): boolean {
  return ratio.runs.length > 1 && quartileShare(ratio) <= mostSpread;
}

/** Some rounds were faster than what they are compared with, and others slower. */
export function isWithinNoise(ratio: Spread): boolean {
  return ratio.lowest < 1 && ratio.highest > 1;
}

const advice = "leave the machine alone meanwhile, or measure more rounds (--rounds)";
const unbelievable = "the machine was too noisy to believe these figures";

/** Why one model's ratios to a run without hooks say nothing; null: they say something. */
export function whyWorthless(decode: readonly DecodeResult[]): string | null {
  const single = decode.filter(({ sequences }) => sequences === 1);
  if (single.some(({ contender, tokensPerSecond: { runs } }) => contender === "engine" && runs.length < 2))
    return "one round cannot tell whether the machine was too noisy: measure several (--rounds)";
  const hooked = single.filter(({ contender }) => contender.startsWith("engine-"));
  const ratios = hooked.flatMap(({ toNoHook }) => toNoHook ?? []);
  const ratio = Math.max(0, ...ratios.map(quartileShare));
  if (ratio > mostSpread) return `${unbelievable}: ratios within a round differ by ${percent(ratio)}; ${advice}`;
  const fastest = Math.max(0, ...ratios.map(({ median: middle }) => middle));
  if (fastest <= 1 + mostSpread) return null;
  return `${unbelievable}: hooks add work, and yet a run with them had ${fastest.toFixed(2)}x the speed of one without; ${advice}`;
}

/** What of one model's figures with and without hooks is not to be believed, and why: one text, or none. */
export function noiseOf(decode: readonly DecodeResult[]): string[] {
  const worthless = whyWorthless(decode);
  if (worthless !== null) return [worthless];
  const speeds = decode.filter(({ contender, sequences }) => contender === "engine" && sequences === 1);
  const speed = Math.max(0, ...speeds.map(({ tokensPerSecond }) => quartileShare(tokensPerSecond)));
  if (speed <= mostSpread) return [];
  return [
    `the machine was too noisy to believe the speeds: rounds without a hook differ by ${percent(speed)}; only ratios are worth anything; ${advice}`,
  ];
}

/** The distance of the quartiles, as a share of the median: a single wild run does not count. */
function quartileShare({ runs }: Spread): number {
  return (percentile(runs, 0.75) - percentile(runs, 0.25)) / median(runs);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
