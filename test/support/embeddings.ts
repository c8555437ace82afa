// Embedders and rerankers for tests, and llama.cpp's results for the same texts.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import type { Engine, EngineOptions, LoadOptions } from "../../src/index.js";
import { type EmbeddingModelOptions, writeEmbeddingModel } from "../../src/testing/index.js";
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

const program = fileURLToPath(new URL("../fixtures/embedding-reference.mjs", import.meta.url));

/** llama.cpp's results for tokenized texts. */
export type OwnOf = (
  file: string,
  what: "vectors" | "scores",
  texts: readonly (readonly number[])[],
) => Promise<number[][]>;

/**
 * Computes llama.cpp's results with node-llama-cpp, in one child process for all tests of a file, one after the
 * other: its start takes longer than they do.
 */
export function reference(): OwnOf {
  let child: ChildProcessWithoutNullStreams | undefined;
  let lines: AsyncIterator<string> | undefined;
  let complaints = "";
  afterAll(() => void child?.kill("SIGKILL"));
  return async (...request) => {
    child ??= spawn(process.execPath, [program]);
    if (lines === undefined) {
      child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
      child.stdin.on("error", () => undefined); // the exit of the child is reported below
      lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    }
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`the process with node-llama-cpp has ended: ${complaints}`);
    return JSON.parse(value) as number[][];
  };
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
