// Converts measurements in rounds to results with ratios.
import type { DecodeResult, Measurement, Spread } from "../results/results.js";
import type { Measured } from "./rounds.js";
import { type ByRound, spread, withinRounds } from "../results/statistics.js";

/** The contenders that others are compared with, at the same number of generations at once. */
const plain = "plain";
const nodeLlamaCpp = "node-llama-cpp";
const noHook = "engine";

export function decodeResults(model: string, measured: readonly Measured[]): DecodeResult[] {
  return measured.map(({ contender: { name, label, sequences }, byRound }) => {
    const runs = byRound.filter((run) => run !== undefined);
    const speeds = speedsOf(byRound);
    const against = (other: string): Spread | null => {
      const base = measured.find(({ contender }) => contender.name === other && contender.sequences === sequences);
      return base === undefined ? null : withinRounds(speeds, speedsOf(base.byRound));
    };
    return {
      model,
      contender: name,
      label,
      sequences,
      tokensPerSecond: spread(runs.map(({ decodeTps }) => decodeTps)),
      toPlain: against(plain),
      toNodeLlamaCpp: against(nodeLlamaCpp),
      toNoHook: against(noHook),
      loadMs: spread(runs.map(({ loadMs }) => loadMs)),
      peakMib: spread(runs.map(({ peakRssKib }) => peakRssKib / 1024)),
      runs,
    };
  });
}

export function speedsOf(byRound: readonly (Measurement | undefined)[]): ByRound {
  return byRound.map((run) => run?.decodeTps);
}
