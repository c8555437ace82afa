// Engines for tests: script models in a temporary folder, closed and removed after the test.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { inject, onTestFinished } from "vitest";
import { createEngine, type Engine, type EngineOptions } from "../../src/index.js";
import { type ScriptModelOptions, type ScriptReply, writeScriptModel } from "../../src/testing/index.js";
import { localProvider } from "./remote/local-provider.js";

/** A script model: its replies in order, or all of its options. */
export type Script = readonly ScriptReply[] | ScriptModelOptions;

/** A model that would write these replies, if the grammar of the request did not overrule them. */
export const unwilling = (...replies: readonly ScriptReply[]): ScriptModelOptions => ({ replies, overruled: true });

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
  if (remotely) return openRemotely({ gpu: false, threads: 1, ...model, ...options });
  const engine = await createEngine({
    gpu: false,
    threads: 1,
    ...(isolated && { isolation: "process" }),
    ...model,
    ...options,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/**
 * Where models of tests compute: here; "remote": in an engine of their own behind the interface of remote models;
 * "process": in a process of the engine's.
 */
const where = process.env["LLAMA_HOOKS_TEST_MODELS"];
const remotely = where === "remote";
const isolated = where === "process";

const inners = new WeakMap<Engine, Engine>();

/** The engine that computes: the engine itself, or the one behind its remote models. */
export function computing(engine: Engine): Engine {
  return inners.get(engine) ?? engine;
}

async function openRemotely({ model, models, hooks, ...options }: EngineOptions): Promise<Engine> {
  const files = models ?? { default: model ?? "" };
  const { sessionStore, sessionLeaseMs, sessionStoreTimeoutMs, maxQueued, closeTimeoutMs, ...load } = options;
  const own = { sessionStore, sessionLeaseMs, sessionStoreTimeoutMs, maxQueued, closeTimeoutMs };
  const inner = await createEngine({ ...load, models: files });
  const provided = Object.keys(files).map((id) => {
    const { contextSize, parallel } = inner.models.describe(id);
    return [id, { provider: localProvider(inner, id), contextSize, parallel }] as const;
  });
  const engine = await createEngine({
    gpu: false,
    ...(Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) as object),
    ...(hooks !== undefined && { hooks }),
    models: Object.fromEntries(provided),
  });
  inners.set(engine, inner);
  onTestFinished(async () => {
    await engine.close();
    await inner.close();
  });
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
