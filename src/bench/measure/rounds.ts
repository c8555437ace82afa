// Measures contenders in turn, round after round.
import type { Measurement } from "../results/results.js";

export interface Contender {
  readonly name: string;
  readonly label: string;
  /** The number of generations at once. */
  readonly sequences: number;
  /** The number of rounds in which it takes part, evenly spread [all]. */
  readonly rounds?: number;
  /** Makes one measurement in a fresh process. */
  readonly measure: (signal: AbortSignal) => Promise<Measurement>;
}

export interface RoundsOptions {
  readonly rounds: number;
  readonly signal: AbortSignal;
  /** Called before each measurement. */
  readonly onTurn?: (contender: Contender, round: number) => void;
  /**
   * Called with the number of finished measurements. The measurements that a failed contender skips count as finished.
   */
  readonly onDone?: (count: number) => void;
}

export interface Measured {
  readonly contender: Contender;
  /** One entry per round; undefined if the contender did not take part. */
  readonly byRound: readonly (Measurement | undefined)[];
}

export interface RoundsResult {
  readonly measured: readonly Measured[];
  readonly skipped: readonly { readonly contender: Contender; readonly reason: string }[];
}

/** True for `share` of `rounds` rounds, evenly spread, including the first. */
export function takesPart(round: number, rounds: number, share = rounds): boolean {
  return Math.floor((round * share) / rounds) !== Math.floor(((round - 1) * share) / rounds);
}

/** The label of a contender in progress lines. */
export function turnLabel({ label, sequences }: Contender): string {
  return sequences === 1 ? label : `${label}, ${sequences} at once`;
}

/** The total number of measurements. */
export function turnCount(contenders: readonly Contender[], rounds: number): number {
  return contenders.reduce((sum, contender) => sum + Math.min(contender.rounds ?? rounds, rounds), 0);
}

/**
 * Measures all contenders in turn. Each round begins with another contender, so that none always follows the same
 * neighbour. A contender that fails is left out from then on. Rejects when the signal aborts.
 */
export async function measureInRounds(
  contenders: readonly Contender[],
  { rounds, signal, onTurn, onDone }: RoundsOptions,
): Promise<RoundsResult> {
  const found = new Map(contenders.map((contender) => [contender, emptyRounds(rounds)]));
  const failed = new Map<Contender, string>();
  for (let round = 0; round < rounds; round++) {
    for (const contender of rotated(contenders, round)) {
      const share = Math.min(contender.rounds ?? rounds, rounds);
      if (failed.has(contender) || !takesPart(round, rounds, share)) continue;
      onTurn?.(contender, round);
      const byRound = found.get(contender) ?? [];
      try {
        byRound[round] = await contender.measure(signal);
        onDone?.(1);
      } catch (error) {
        signal.throwIfAborted();
        failed.set(contender, error instanceof Error ? error.message : String(error));
        onDone?.(share - byRound.filter((measurement) => measurement !== undefined).length);
      }
    }
  }
  return {
    measured: [...found].flatMap(([contender, byRound]) => (failed.has(contender) ? [] : [{ contender, byRound }])),
    skipped: [...failed].map(([contender, reason]) => ({ contender, reason })),
  };
}

function emptyRounds(rounds: number): (Measurement | undefined)[] {
  return Array.from({ length: rounds }, () => undefined);
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
