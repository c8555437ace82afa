// Random conversations over a model that keeps states, and the same prompts read from their first token on.
import { expect } from "vitest";
import type { AdapterChoice, Engine } from "../../src/index.js";

/** Deterministic: a failure names its seed and can be repeated with it. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to `sides` - 1. */
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

/** Letters, each a token that reads back as itself, so that the answer of one turn is a prefix of the next prompt. */
const letters = "root ::= [a-p]+";

/** The answer of `model` to `prompt`, with its adapters; cancelled after a number of tokens if requested. */
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
 * Batches of another size round differently. Measured with these models: the logprobs of a token differ by 3e-4
 * (median), those of one in ten thousand by 4e-3; a wrong letter in the prompt changes each following token by 1e-2
 * (median). If two tokens are equally likely within that tolerance, either may come, and the texts differ from there
 * on.
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
