// --hooks and --native: hooks from files. Must not: run before the engine exists.
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Engine, type HookSet, type PointName, POINTS } from "../index.js";
import { UsageError } from "./usage-error.js";

/** Adds hooks to an engine. */
export type AddHooks = (engine: Engine) => unknown;

/**
 * What a module's exports add: each hook set (`defineHooks()`), list of sets or function `(engine) => void` among them,
 * in the order of their names, as modules list them.
 */
export async function loadHooks(file: string): Promise<AddHooks[]> {
  const at = path.resolve(file);
  if (!existsSync(at)) throw new UsageError(`--hooks ${file}: no such file`);
  const module = (await import(pathToFileURL(at).href)) as Record<string, unknown>;
  const found = Object.values(module).flatMap(adderOf);
  if (found.length === 0) {
    throw new UsageError(`--hooks ${file}: it exports no hook set (defineHooks) and no function (engine) => void`);
  }
  return found;
}

/** `lib.so:symbol@point`, or `lib.so` for a library that registers its own hooks. */
export function nativeHook(text: string): AddHooks {
  const match = /^(.+):([A-Za-z_]\w*)@(\w+)$/.exec(text);
  if (match === null) {
    if (!existsSync(text))
      throw new UsageError(`--native ${text}: not of the form library:symbol@point, and no such file`);
    return (engine) => engine.hooks.addNative({ library: path.resolve(text) });
  }
  const [, library = "", symbol = "", point = ""] = match;
  if (!Object.hasOwn(POINTS, point)) throw new UsageError(`--native ${text}: no point ${point}; see llama-hooks hooks`);
  return (engine) => engine.hooks.addNative({ library, symbol, point: point as PointName });
}

function adderOf(value: unknown): AddHooks[] {
  if (typeof value === "function") return [value as AddHooks];
  if (Array.isArray(value)) return value.flatMap(adderOf);
  if (typeof value !== "object" || value === null || !("handlers" in value)) return [];
  return [(engine) => engine.hooks.use(value as HookSet)];
}
