// Engines for tests: script models in a temporary folder, closed and removed after the test.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createEngine, type Engine, type EngineOptions } from "../../src/index.js";
import { type ScriptModelOptions, type ScriptReply, writeScriptModel } from "../../src/testing/index.js";

/** A script model: its replies in order, or all of its options. */
export type Script = readonly ScriptReply[] | ScriptModelOptions;

/** A folder that is removed after the test. */
export async function tempDir(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a new script model and returns its path. */
export async function scriptModel(script: Script): Promise<string> {
  const file = path.join(await tempDir(), "script.gguf");
  await writeScriptModel(file, "replies" in script ? script : { replies: script });
  return file;
}

/**
 * Opens an engine on the CPU with one thread, closed after the test. The script becomes its model "default", unless the
 * options contain `model` or `models` (even `models: {}`).
 */
export async function openEngine(script: Script = [], options: EngineOptions = {}): Promise<Engine> {
  const given = options.model !== undefined || options.models !== undefined;
  const model = given ? {} : { model: await scriptModel(script) };
  const engine = await createEngine({ gpu: false, threads: 1, ...model, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

/** The reason of a promise's rejection. Fails if the promise resolves. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it should have been rejected");
}
