// Engines for tests: script models in a temporary folder, closed and removed after the test.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { inject, onTestFinished } from "vitest";
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
  await writeScript(file, script);
  return file;
}

function writeScript(file: string, script: Script): Promise<void> {
  return writeScriptModel(file, "replies" in script ? script : { replies: script });
}

/** The scripts that engines of this process were opened with. */
const opened = new Set<string>();

/**
 * The model of a script for one engine. Writing a model takes as long as loading it, so from the second time on the
 * engines of a script share a file, which no test knows the path of.
 */
async function engineModel(script: Script): Promise<string> {
  const key = JSON.stringify(script);
  // The writer also writes a file for each adapter.
  if (!opened.has(key) || key.includes('"adapters"')) {
    opened.add(key);
    return scriptModel(script);
  }
  const file = path.join(inject("modelFolder"), `${createHash("sha256").update(key).digest("hex")}.gguf`);
  if (!existsSync(file)) await writeScript(file, script);
  return file;
}

/**
 * Opens an engine on the CPU with one thread, closed after the test. The script becomes its model "default", unless the
 * options contain `model` or `models` (even `models: {}`).
 */
export async function openEngine(script: Script = [], options: EngineOptions = {}): Promise<Engine> {
  const given = options.model !== undefined || options.models !== undefined;
  const model = given ? {} : { model: await engineModel(script) };
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
