// Embedders and rerankers for tests, and llama.cpp's own results for the same texts.
import path from "node:path";
import { expect } from "vitest";
import type { Engine, EngineOptions, LoadOptions } from "../../src/index.js";
import { type EmbeddingModelOptions, writeEmbeddingModel } from "../../src/testing/index.js";
import { node } from "../fixtures/child.js";
import { openEngine, tempDir } from "./engine.js";

/** Writes a new embedder and returns its path. */
export async function embeddingModel(options: EmbeddingModelOptions = {}): Promise<string> {
  const file = path.join(await tempDir(), "embeddings.gguf");
  await writeEmbeddingModel(file, options);
  return file;
}

/** Opens an engine with an embedder as its model "default", and returns its path, too. */
export async function openEmbedder(
  options: EmbeddingModelOptions = {},
  load: LoadOptions = {},
  engineOptions: EngineOptions = {},
): Promise<{ engine: Engine; file: string }> {
  const file = await embeddingModel(options);
  const engine = await openEngine([], { ...engineOptions, models: { default: { path: file, threads: 1, ...load } } });
  return { engine, file };
}

/** The tokens of texts in the form for embedders. */
export async function tokensOf(engine: Engine, texts: readonly string[]): Promise<number[][]> {
  return Promise.all(texts.map((text) => engine.tokenize(text, { addSpecial: true })));
}

/** llama.cpp's own results for tokenized texts, computed with node-llama-cpp in a child process. */
export async function ownOf(file: string, what: "vectors" | "scores", texts: readonly number[][]): Promise<number[][]> {
  const program = "test/fixtures/embedding-reference.mjs";
  const { code, stdout, stderr } = await node([program, file, what, JSON.stringify(texts)]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as number[][];
}

/** The vector with length 1. */
export function normalized(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** The largest difference of two vectors of the same length, number by number. */
export function distance(left: ArrayLike<number>, right: ArrayLike<number>): number {
  expect(left.length).toBe(right.length);
  return Math.max(...Array.from(left, (value, i) => Math.abs(value - (right[i] ?? NaN))));
}
