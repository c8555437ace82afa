// The roles of contenders: the base of comparisons, llama-hooks' own contenders, and others. A contender without a role
// here is shown like any other.
import type { BenchResults, DecodeResult, Spread } from "./results.js";

export const PLAIN = "plain";
export const ENGINE = "engine";
export const AWAITED = "engine-awaited";

/** True for the engine of this package, with or without hooks. */
export function isOurs(contender: string): boolean {
  return contender === ENGINE || contender.startsWith(`${ENGINE}-`);
}

/** The decode results of one generation at a time, or of several at once. */
export function decodeOf(results: BenchResults, several: boolean): DecodeResult[] {
  return results.decode.filter(({ sequences }) => sequences > 1 === several);
}

/** The base that hooks are compared with: the plain loop, or the engine without hooks if the plain loop did not run. */
export function baseContender(results: BenchResults): string {
  return decodeOf(results, false).some(({ contender }) => contender === PLAIN) ? PLAIN : ENGINE;
}

/**
 * The speed of one of our contenders as a share of the base's, within rounds; null if they were not measured together.
 */
export function ratioToBase(result: DecodeResult, base: string): Spread | null {
  return (base === PLAIN ? result.toPlain : result.toNoHook) ?? null;
}
