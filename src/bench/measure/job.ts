// The job of a contender, in a form that crosses processes. Must not: contain a field that only one contender
// understands.
import type { Gpu } from "../../index.js";
import type { ShapeName } from "../../testing/index.js";

/** The synthetic models for decode measurements. */
export const shapeNames = ["tiny", "0.5b", "1.1b", "8b"] as const satisfies readonly ShapeName[];

export interface Job {
  /** A GGUF file. */
  readonly model: string;
  readonly gpu: Gpu;
  readonly threads: number;
  readonly prompt: string;
  /** The tokens of each sequence after its first one, which belongs to the prompt. */
  readonly tokens: number;
  /** The number of generations at once; the context has room for no more. */
  readonly sequences: number;
  /**
   * The tokens of each sequence that fit into the cache; the same for all contenders, because the size of the cache
   * affects the speed.
   */
  readonly contextSize: number;
  /** A shared library with the C hook `bench_noop`. */
  readonly library?: string;
}

/** The context size for a prompt and its completion, rounded up to llama.cpp's step. */
export function contextFor(promptTokens: number, tokens: number): number {
  const step = 256;
  // A prompt that differs from the others of its round has a few tokens more.
  const room = 32;
  return Math.ceil((promptTokens + tokens + room) / step) * step;
}

/**
 * The prompts of a job. They differ from their first token on, so that no prompt finds another's tokens in the cache:
 * the plain loop evaluates every prompt as well.
 */
export function promptsOf({ prompt, sequences }: Job): string[] {
  if (sequences === 1) return [prompt];
  return Array.from({ length: sequences }, (_, index) => `${index + 1} ${prompt}`);
}
