// --hooks and --native: loads hooks from files.
import { existsSync } from "node:fs";
import path from "node:path";
import { type Engine, findPoint, type HookSet } from "../../index.js";
import { inFile, loadModule } from "./module.js";
import { UsageError } from "../process/exit.js";

/** Adds hooks to an engine. */
export type AddHooks = (engine: Engine) => unknown;

/**
 * Collects the hooks that a module exports: each hook set (`defineHooks()`) or list of sets, under any name; and the
 * default export if it is a function `(engine) => void` or a list that contains such functions. The order is that of
 * the export names. A function under another name adds nothing, because modules also export functions for other
 * modules.
 */
export async function loadHooks(file: string): Promise<AddHooks[]> {
  const module = await loadModule("--hooks", file);
  // An object that is exported under two names counts once.
  const found = new Set(Object.entries(module).flatMap(([name, value]) => hooksIn(value, name === "default")));
  if (found.size > 0) return [...found].map((hooks) => (engine) => inFile(`--hooks ${file}`, () => add(hooks, engine)));
  const helpers = Object.keys(module).filter((name) => typeof module[name] === "function");
  const hint =
    helpers.length === 0 ? "" : `; a function has to be the default export, and ${helpers.join(", ")} is not`;
  throw new UsageError(
    `--hooks ${file}: it exports no hook set (defineHooks) with a handler, and no function (engine) => void as default${hint}`,
  );
}

/** Parses `lib.so:symbol@point`, or `lib.so` for a library that registers its own hooks. */
export function nativeHook(text: string): AddHooks {
  const match = /^(.+):([A-Za-z_]\w*)@(\w+)$/.exec(text);
  if (match === null) {
    if (!existsSync(text))
      throw new UsageError(`--native ${text}: not of the form library:symbol@point, and no such file`);
    return (engine) => engine.hooks.addNative({ library: path.resolve(text) });
  }
  const [, library = "", symbol = "", named = ""] = match;
  const point = findPoint(named);
  if (point === undefined) throw new UsageError(`--native ${text}: no point ${named}; see llama-hooks hooks`);
  return (engine) => engine.hooks.addNative({ library: path.resolve(library), symbol, point });
}

function hooksIn(value: unknown, functionsToo: boolean): (AddHooks | HookSet)[] {
  if (typeof value === "function") return functionsToo ? [value as AddHooks] : [];
  if (Array.isArray(value)) return value.flatMap((item) => hooksIn(item, functionsToo));
  if (typeof value !== "object" || value === null || !("handlers" in value)) return [];
  return Object.keys(value.handlers ?? {}).length === 0 ? [] : [value as HookSet];
}

function add(hooks: AddHooks | HookSet, engine: Engine): unknown {
  return typeof hooks === "function" ? hooks(engine) : engine.hooks.use(hooks);
}
