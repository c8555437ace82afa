// What a contender is asked to do, in a form that crosses processes. Must not: hold what only one contender understands.
import type { Gpu } from "../../index.js";
import type { ShapeName } from "../../testing/index.js";

/** The synthetic models that decoding is measured on. */
export const shapeNames = ["tiny", "0.5b", "1.1b", "8b"] as const satisfies readonly ShapeName[];

export interface Job {
  /** A GGUF file. */
  readonly model: string;
  readonly gpu: Gpu;
  readonly threads: number;
  readonly prompt: string;
  /** Tokens of each sequence after its first one, which is the prompt's work. */
  readonly tokens: number;
  /** Generations at once, and no more are made room for. */
  readonly sequences: number;
  /** Tokens of each sequence that the cache has room for. Same for all contenders, and so the cache's size. */
  readonly contextSize: number;
  /** A shared library with the C hook `bench_noop`. */
  readonly library?: string;
}

/** Room for a prompt and what follows, in the steps in which llama.cpp makes it. */
export function contextFor(promptTokens: number, tokens: number): number {
  const step = 256;
  // A prompt that is told apart from the others of its round has a few tokens more.
  const room = 32;
  return Math.ceil((promptTokens + tokens + room) / step) * step;
}

/**
 * The prompts of a job. They differ from the beginning, so that none finds another's tokens in the cache: the plain loop
 * evaluates each as well.
 */
export function promptsOf({ prompt, sequences }: Job): string[] {
  if (sequences === 1) return [prompt];
  return Array.from({ length: sequences }, (_, index) => `${index + 1} ${prompt}`);
}
