// Converts the timing of a contender to a measurement.
import { peakRssKib } from "./peak-memory.js";
import type { Measurement } from "../results/results.js";

/** The times and counts that a contender in this process measured. */
export type Timing = Omit<Measurement, "decodeTps" | "peakRssKib">;

/**
 * Must be called before the process allocates further memory, because it reads the peak memory. `pid`: the process that
 * computed, if another did.
 */
export function measurementOf(timing: Timing, pid?: number): Measurement {
  const { completionTokens, decodeMs } = timing;
  return { ...timing, decodeTps: (completionTokens * 1000) / decodeMs, peakRssKib: peakRssKib(pid) };
}

/** The usage of one generation among several at once, in tokens and milliseconds. */
export interface SequenceUsage {
  readonly promptTokens: number;
  readonly promptMs: number;
  readonly completionTokens: number;
  readonly decodeMs: number;
}

/**
 * The timing of generations at once that took `wallMs`. Decoding begins when every sequence has its first token. A
 * sequence that had its first token earlier has already decoded some tokens; these are subtracted in proportion to the
 * time.
 */
export function timingTogether(usages: readonly SequenceUsage[], wallMs: number): Omit<Timing, "loadMs"> {
  const promptMs = Math.max(...usages.map((usage) => usage.promptMs));
  const decoded = usages.map((usage) => {
    const early = usage.decodeMs > 0 ? Math.min(1, (promptMs - usage.promptMs) / usage.decodeMs) : 0;
    return (usage.completionTokens - 1) * (1 - early);
  });
  return {
    promptTokens: usages.reduce((sum, usage) => sum + usage.promptTokens, 0),
    promptMs,
    completionTokens: Math.round(decoded.reduce((sum, tokens) => sum + tokens, 0)),
    decodeMs: wallMs - promptMs,
  };
}
