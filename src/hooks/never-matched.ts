// Warns of hooks that were never called because `when` has a name that nothing in the program has.
// Must not: warn of a hook that had no occasion: a guard of a tool that the model never called is not a mistake.
import { types } from "node:util";
import { suggest } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { controlTools } from "../generated/tools.js";
import type { HookInfo } from "./hook-info.js";
import { Hooks } from "./hooks.js";

/** The kind of thing that a field of an event names. */
const kinds = { toolName: "tool", tier: "tier", targetTier: "tier" } as const;

type Field = keyof typeof kinds;

/** The names that events of one engine can have, and the hooks that wait for other ones. */
export class NeverMatched {
  readonly #names = { tool: new Set<string>(controlTools), tier: new Set<string>() };
  readonly #told = new Set<number>();

  /** Notes names that sessions have. */
  add(kind: "tool" | "tier", names: readonly string[]): void {
    for (const name of names) this.#names[kind].add(name);
  }

  /** Warns of those of these hooks, when their last event has been. */
  report(hooks: Hooks): void {
    const conditions = Hooks.conditions(hooks);
    if (conditions.size === 0) return;
    const listed = new Map(hooks.list().map((info) => [info.id, info]));
    for (const { id, fired, matched } of hooks.stats()) {
      const [info, when] = [listed.get(id), conditions.get(id)];
      if (info === undefined || when === undefined || fired === 0 || matched > 0 || this.#told.has(id)) continue;
      const field = (Object.keys(kinds) as Field[]).find((key) => key in when && !this.#mayMatch(key, when[key]));
      if (field === undefined) continue;
      this.#told.add(id);
      process.emitWarning(new LlamaHooksError("HOOK_NEVER_MATCHED", this.#message(info, fired, field, when[field])));
    }
  }

  #message({ name, point, location }: HookInfo, fired: number, field: Field, test: unknown): string {
    const at = location === null ? "" : `, registered at ${location}`;
    const times = fired === 1 ? "once" : `${fired} times`;
    const shown = types.isRegExp(test) ? String(test) : JSON.stringify(test);
    const hint = typeof test === "string" ? suggest(test, [...this.#names[kinds[field]]]) : "";
    return `The hook ${JSON.stringify(name)} at ${point}${at}, was never called: its point fired ${times}, but when.${field} is ${shown}, and no ${kinds[field]} has such a name${hint}. Correct \`when\`, or remove the hook.`;
  }

  #mayMatch(field: Field, test: unknown): boolean {
    const names = this.#names[kinds[field]];
    if (typeof test === "string") return names.has(test);
    return !types.isRegExp(test) || [...names].some((name) => new RegExp(test).test(name));
  }
}
