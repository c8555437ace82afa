// Small models with random weights: their output is meaningless, but every sampler and grammar has a real choice.
import path from "node:path";
import type { Engine, EngineOptions } from "../../../src/index.js";
import { type ModelShape, writeSyntheticModel } from "../../../src/testing/index.js";
import { openEngine, tempDir } from "../engine.js";

const small: ModelShape = { layers: 2, embedding: 64, heads: 2, kvHeads: 2, feedForward: 96, vocabulary: 320 };

/**
 * Writes a new model and returns its path. Its vocabulary is the 256 bytes, a few control tokens and some made-up
 * words.
 */
export async function randomModel(shape: Partial<ModelShape> = {}): Promise<string> {
  const file = path.join(await tempDir(), "random.gguf");
  await writeSyntheticModel(file, { ...small, ...shape });
  return file;
}

/** An engine with such a model, closed after the test. */
export async function openRandomEngine(options: EngineOptions = {}, shape: Partial<ModelShape> = {}): Promise<Engine> {
  return openEngine([], { model: await randomModel(shape), ...options });
}

/** A model and a prompt that takes seconds to read on one thread. */
export const slowShape: ModelShape = {
  layers: 6,
  embedding: 512,
  heads: 8,
  kvHeads: 8,
  feedForward: 1408,
  vocabulary: 320,
};
