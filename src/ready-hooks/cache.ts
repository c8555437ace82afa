// cache(): tool calls answered from a store. Must not: keep what no tool has given, or a form of it that hooks have replaced.
import { canonical } from "../base/canonical.js";
import { checkObject, optionalStrings, wrong } from "../base/check.js";
import { defineHooks, type HookSet } from "../index.js";
import { afterOthers } from "./order.js";

/** Where results are kept: a `Map`, or anything with its two methods, which may be asynchronous. */
export interface CacheStore {
  /** What is kept under the key; undefined: nothing. */
  get(key: string): string | undefined | Promise<string | undefined>;
  /** Keeps a result under the key; a promise is waited for. */
  set(key: string, result: string): unknown;
}

/** Options of `cache()`. */
export interface CacheSetOptions {
  /** Names of the tools whose calls are answered [all]. Not those that do something: a second call would do nothing. */
  readonly tools?: readonly string[];
}

/**
 * Answers calls from `store`. The key is the call as hooks have left it: name and arguments, whatever the order of their keys.
 * Kept is what a tool gave, as `postToolCall` hooks left it; no errors, no refusals, nothing with directives. A call that is
 * answered passes `preToolCall` guards and `postToolCall` hooks as any other, but no schema and no permission rule: the tool
 * does not run. A store that fails is a failed hook, and the tool runs. Errors: `TypeError`.
 */
export function cache(store: CacheStore, options?: CacheSetOptions): HookSet {
  // A Map is one.
  if (typeof store !== "object" || store === null || typeof store.get !== "function" || typeof store.set !== "function")
    throw wrong("The store of cache()", "an object with get() and set()", store);
  const tools = optionalStrings(checkObject(options, "cache() options", ["tools"]).tools, "cache() options: tools");
  const isFor = (name: string): boolean => tools === undefined || tools.includes(name);
  return defineHooks(
    "cache",
    {
      async preToolCall({ toolName, args, response }) {
        if (response !== undefined || !isFor(toolName)) return undefined;
        const known: unknown = await store.get(keyOf(toolName, args));
        if (known === undefined || known === null) return undefined;
        if (typeof known !== "string") throw wrong("What the store of cache() gave", "a string", known);
        return { response: known };
      },
      async postToolCall({ toolName, args, result, resultKind, isError, directives, elapsedMs }) {
        const ran = elapsedMs > 0 && (resultKind === "ok" || resultKind === "ok_empty");
        if (!ran || isError || directives.length > 0 || !isFor(toolName)) return;
        await store.set(keyOf(toolName, args), result);
      },
    },
    { priority: afterOthers },
  );
}

function keyOf(toolName: string, args: unknown): string {
  return canonical([toolName, args]);
}
