// Converts the timing of a contender to a measurement.
import { peakRssKib } from "./peak-memory.js";
import type { Measurement } from "../results/results.js";

/** The times and counts that a contender in this process measured. */
export type Timing = Omit<Measurement, "decodeTps" | "peakRssKib">;

/** Must be called before the process allocates further memory, because it reads the peak memory. */
export function measurementOf(timing: Timing): Measurement {
  const { completionTokens, decodeMs } = timing;
  return { ...timing, decodeTps: (completionTokens * 1000) / decodeMs, peakRssKib: peakRssKib() };
}
