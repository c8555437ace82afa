// Random conversations over a model that keeps states, and the same prompts read from their first token on.
// Must not: know how states are kept.
import { expect } from "vitest";
import type { AdapterChoice, Engine } from "../../src/index.js";

/** Deterministic: a failure names its seed, and comes again with it. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below `sides`. */
  roll(sides: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * sides);
  }

  letters(least: number, most: number): string {
    const length = least + this.roll(most - least + 1);
    return Array.from({ length }, () => String.fromCodePoint(0x61 + this.roll(16))).join("");
  }
}

export interface Answer {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly text: string;
  readonly cached: number;
}

/** Letters, each a token that reads back as itself: so the answer of one turn is a prefix of the next one's prompt. */
const letters = "root ::= [a-p]+";

/** What `model` says after `prompt`, with its adapters, cancelled behind so many tokens if that is asked. */
export async function ask(
  engine: Engine,
  model: string,
  prompt: string,
  maxTokens: number,
  cancelAfter?: number,
  adapters: readonly AdapterChoice[] = [],
): Promise<Answer> {
  const generation = engine.generate(prompt, {
    model,
    raw: true,
    temperature: 0,
    grammar: letters,
    logprobs: true,
    maxTokens,
    adapters,
    tier: prompt.includes("hook") ? "changed" : "plain",
  });
  const tokens: number[] = [];
  const logprobs: number[] = [];
  for await (const event of generation) {
    if (event.type !== "token") continue;
    tokens.push(event.token);
    logprobs.push(event.logprob ?? Number.NaN);
    if (tokens.length === cancelAfter) generation.cancel("enough");
  }
  const { text, usage } = await generation;
  return { tokens, logprobs, text, cached: usage.cachedTokens };
}

/**
 * Batches of another size round otherwise. Measured with these models: the figures of one token differ by 3e-4 (median), of
 * one in ten thousand by 4e-3; a letter of the prompt that is not the right one makes 1e-2 (median) of each that follows.
 * Where two tokens are as likely as each other by that measure either may come, and from there on two texts differ.
 */
export function expectSame(answer: Answer, reference: Answer, what: string): void {
  let sum = 0;
  let compared = 0;
  for (const [i, token] of answer.tokens.entries()) {
    const ours = answer.logprobs[i] ?? Number.NaN;
    const theirs = reference.logprobs[i] ?? Number.NaN;
    const difference = Math.abs(ours - theirs);
    expect(difference, `${what}, token ${i}: ${ours} and ${theirs}`).toBeLessThan(1e-2);
    sum += difference;
    compared += 1;
    if (token !== reference.tokens[i]) break;
  }
  if (compared > 0) expect(sum / compared, `${what}: the mean of ${compared} tokens`).toBeLessThan(4e-3);
}
