// Engines for tests: script models in a temporary folder, closed and removed when the test is over.
// Must not: touch anything but the public API.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createEngine, type Engine, type EngineOptions } from "../../src/index.js";
import { type ScriptModelOptions, type ScriptReply, writeScriptModel } from "../../src/testing/index.js";

/** What a script model says: its replies in order, or all of its options. */
export type Script = readonly ScriptReply[] | ScriptModelOptions;

/** A folder that is there until the test is over. */
export async function tempDir(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The path of a new script model. */
export async function scriptModel(script: Script): Promise<string> {
  const file = path.join(await tempDir(), "script.gguf");
  await writeScriptModel(file, "replies" in script ? script : { replies: script });
  return file;
}

/**
 * An engine on the CPU with one thread, closed when the test is over. The script becomes its model "default"; with
 * `model` or `models` in the options (also `models: {}`) the script is left aside.
 */
export async function openEngine(script: Script = [], options: EngineOptions = {}): Promise<Engine> {
  const given = options.model !== undefined || options.models !== undefined;
  const model = given ? {} : { model: await scriptModel(script) };
  const engine = await createEngine({ gpu: false, threads: 1, ...model, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

/** What a promise rejects with; fails when it resolves. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it should have been rejected");
}
