// Which contender is the limit, which are ours, which are others'.
// Must not: be needed to show a contender; one that is not known here is shown like any other.
import type { BenchResults, DecodeResult, Spread } from "./results.js";

export const PLAIN = "plain";
export const ENGINE = "engine";
export const AWAITED = "engine-awaited";

/** The engine of this package, with or without hooks. */
export function isOurs(contender: string): boolean {
  return contender === ENGINE || contender.startsWith(`${ENGINE}-`);
}

/** Decode results of one generation at a time, or of several at once. */
export function decodeOf(results: BenchResults, several: boolean): DecodeResult[] {
  return results.decode.filter(({ sequences }) => sequences > 1 === several);
}

/** What hooks are compared with: the plain loop, or the engine without hooks where the plain loop did not run. */
export function baseContender(results: BenchResults): string {
  return decodeOf(results, false).some(({ contender }) => contender === PLAIN) ? PLAIN : ENGINE;
}

/** The speed of one of ours as a share of the base's, within rounds; null where it was not measured beside it. */
export function ratioToBase(result: DecodeResult, base: string): Spread | null {
  return (base === PLAIN ? result.toPlain : result.toNoHook) ?? null;
}
