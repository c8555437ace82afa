// Decides whether a benchmark's figures are reliable, or the machine was too noisy.
import type { DecodeResult, Spread } from "./results.js";
import { median, percentile } from "./statistics.js";

/** If the quartiles of the same work differ by more than this share, the figures describe the machine's other load. */
const mostSpread = 0.1;

/** True if the rounds agree about a ratio, so that it is reliable. */
export function roundsAgree(ratio: Spread): boolean {
  return ratio.runs.length > 1 && quartileShare(ratio) <= mostSpread;
}

/** True if some rounds were faster than the base and others slower. */
export function isWithinNoise(ratio: Spread): boolean {
  return ratio.lowest < 1 && ratio.highest > 1;
}

const advice = "run nothing else meanwhile, or measure more rounds (--rounds)";
const unbelievable = "the machine was too noisy to believe these figures";

/** The reason why one model's ratios to a run without hooks are unreliable; null if they are reliable. */
export function whyUnreliable(decode: readonly DecodeResult[]): string | null {
  const single = decode.filter(({ sequences }) => sequences === 1);
  if (single.some(({ contender, tokensPerSecond: { runs } }) => contender === "engine" && runs.length < 2))
    return "one round cannot tell whether the machine was too noisy: measure several (--rounds)";
  const hooked = single.filter(({ contender }) => contender.startsWith("engine-"));
  const ratios = hooked.flatMap(({ toNoHook }) => toNoHook ?? []);
  const ratio = Math.max(0, ...ratios.map(quartileShare));
  if (ratio > mostSpread) return `${unbelievable}: ratios within a round differ by ${percent(ratio)}; ${advice}`;
  const fastest = Math.max(0, ...ratios.map(({ median: middle }) => middle));
  if (fastest <= 1 + mostSpread) return null;
  return `${unbelievable}: hooks add work, but a run with them had ${fastest.toFixed(2)}x the speed of one without; ${advice}`;
}

/** A warning about one model's figures with and without hooks, in a list; the list is empty if they are reliable. */
export function noiseOf(decode: readonly DecodeResult[]): string[] {
  const unreliable = whyUnreliable(decode);
  if (unreliable !== null) return [unreliable];
  const speeds = decode.filter(({ contender, sequences }) => contender === "engine" && sequences === 1);
  const speed = Math.max(0, ...speeds.map(({ tokensPerSecond }) => quartileShare(tokensPerSecond)));
  if (speed <= mostSpread) return [];
  return [
    `the machine was too noisy to believe the speeds: rounds without a hook differ by ${percent(speed)}; only the ratios are reliable; ${advice}`,
  ];
}

/** A warning about a ratio of pairs, in a list; the list is empty if the ratio is reliable. */
export function noiseOfPairs(ratio: Spread): string[] {
  if (ratio.runs.length < 2)
    return ["one pair cannot tell whether the machine was too noisy: measure several (--rounds)"];
  const share = quartileShare(ratio);
  return share <= mostSpread ? [] : [`${unbelievable}: ratios of pairs differ by ${percent(share)}; ${advice}`];
}

/** The distance between the quartiles, as a share of the median. A single outlier does not affect it. */
function quartileShare({ runs }: Spread): number {
  return (percentile(runs, 0.75) - percentile(runs, 0.25)) / median(runs);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
