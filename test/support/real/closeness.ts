// Compares answers that may round in different ways.
import { expect } from "vitest";
import type { TokenLogprob } from "../../../src/index.js";

/** The difference between log probabilities that weights of 16 bits explain. */
const rounding = 0.05;

/**
 * Expects that two greedy answers are equal, with log probabilities that differ by no more than rounding. They may part
 * where the first two tokens are as likely. Both need `topLogprobs`. Returns how many probabilities were compared.
 */
export function expectClose(ours: readonly TokenLogprob[], theirs: readonly TokenLogprob[]): number {
  let compared = 0;
  let parted = false;
  for (const [at, { token, topLogprobs = [] }] of ours.entries()) {
    const other = theirs[at];
    for (const { token: id, logprob } of topLogprobs.slice(0, 2)) {
      const known = other?.topLogprobs?.find((one) => one.token === id)?.logprob ?? Number.NaN;
      if (logprob < Math.log(0.01)) continue; // 16 bits do not hold what is hardly ever chosen
      expect(Math.abs(logprob - known)).toBeLessThan(rounding);
      compared += 1;
    }
    if (token !== other?.token) {
      // Rounding decides between two tokens that are as likely; the texts differ from there on.
      const [first, second] = topLogprobs;
      expect(Math.abs((first?.logprob ?? 0) - (second?.logprob ?? 1))).toBeLessThan(rounding);
      parted = true;
      break;
    }
  }
  if (!parted) expect(ours).toHaveLength(theirs.length);
  return compared;
}
