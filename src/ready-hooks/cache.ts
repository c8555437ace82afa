// cache(): answers tool calls from a store. Must not: store anything but a tool's result, or a version of it that hooks
// have replaced.
import { canonical } from "../base/canonical.js";
import { checkObject, optionalStrings, wrong } from "../base/check.js";
import { defineHooks, type HookSet } from "../index.js";
import { afterOthers } from "./order.js";

/** The store of results: a `Map`, or an object with its two methods, which may be asynchronous. */
export interface CacheStore {
  /** Returns the result stored under the key; undefined: none. */
  get(key: string): string | undefined | Promise<string | undefined>;
  /** Stores a result under the key. A returned promise is awaited. */
  set(key: string, result: string): unknown;
}

/** Options of `cache()`. */
export interface CacheSetOptions {
  /**
   * Names of the tools whose calls are answered [all]. Exclude tools with side effects: a repeated call would have
   * none.
   */
  readonly tools?: readonly string[];
}

/**
 * Answers tool calls from `store`. The key is the call as hooks left it: name and arguments, independent of the order
 * of keys. Stored are results of tools as `postToolCall` hooks left them, but no errors, no refusals and no results
 * with directives or parts. An answered call passes `preToolCall` guards and `postToolCall` hooks, but is not checked
 * against the schema and permission rules, because the tool does not run. If the store fails, the hook fails and the
 * tool runs. Errors: `TypeError`.
 *
 * @example
 * ```ts
 * engine.hooks.use(cache(new Map(), { tools: ["weather"] }));
 * ```
 */
export function cache(store: CacheStore, options?: CacheSetOptions): HookSet {
  // A Map qualifies.
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
      async postToolCall({ toolName, args, result, resultKind, isError, directives, parts, elapsedMs }) {
        const ran = elapsedMs > 0 && (resultKind === "ok" || resultKind === "ok_empty");
        if (!ran || isError || directives.length > 0 || parts !== undefined || !isFor(toolName)) return;
        await store.set(keyOf(toolName, args), result);
      },
    },
    { priority: afterOthers },
  );
}

function keyOf(toolName: string, args: unknown): string {
  return canonical([toolName, args]);
}
