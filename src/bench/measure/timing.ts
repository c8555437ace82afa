// What a contender times, and what a measurement makes of it. Must not: time anything.
import { peakRssKib } from "./peak-memory.js";
import type { Measurement } from "../results/results.js";

/** What a contender in this process found. */
export type Timing = Omit<Measurement, "decodeTps" | "peakRssKib">;

/** To be called before the process does anything else of size. */
export function measurementOf(timing: Timing): Measurement {
  const { completionTokens, decodeMs } = timing;
  return { ...timing, decodeTps: (completionTokens * 1000) / decodeMs, peakRssKib: peakRssKib() };
}
