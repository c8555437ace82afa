// Small models of random weights: what they say means nothing, but every sampler and grammar has a real choice to make.
// Must not: be used where a test needs to know the text; script models are for that.
import path from "node:path";
import type { Engine, EngineOptions } from "../../src/index.js";
import { type ModelShape, writeSyntheticModel } from "../../src/testing/index.js";
import { openEngine, tempDir } from "./engine.js";

const small: ModelShape = { layers: 2, embedding: 64, heads: 2, kvHeads: 2, feedForward: 96, vocabulary: 320 };

/** The path of a new model; its vocabulary is the 256 bytes, a few controls and some made-up words. */
export async function randomModel(shape: Partial<ModelShape> = {}): Promise<string> {
  const file = path.join(await tempDir(), "random.gguf");
  await writeSyntheticModel(file, { ...small, ...shape });
  return file;
}

/** An engine with such a model, closed when the test is over. */
export async function openRandomEngine(options: EngineOptions = {}, shape: Partial<ModelShape> = {}): Promise<Engine> {
  return openEngine([], { model: await randomModel(shape), ...options });
}

/** A model and a prompt whose reading takes seconds on one thread. */
export const slowShape: ModelShape = {
  layers: 6,
  embedding: 512,
  heads: 8,
  kvHeads: 8,
  feedForward: 1408,
  vocabulary: 320,
};
