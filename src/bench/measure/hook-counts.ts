// Adds up what hooks did in several generations, although each generation adds the hooks anew.
import { type Decision, type ErrorCode, firesIn, type HookInfo, type HookStats, LlamaHooksError } from "../../index.js";
import type { HookResult } from "../results/results.js";

/** One hook, over all generations. */
interface Counted {
  readonly info: HookInfo;
  /** The names that the engine gave it, of which that of a nameless hook has its id. */
  readonly engineNames: Set<string>;
  fired: number;
  matched: number;
  calls: number;
  failures: number;
  /** The calls whose time is known, and that time. */
  timed: number;
  totalUs: number;
  /** It was removed before its counts were read. */
  removed: boolean;
  failure: HookResult["failure"];
}

/** The hooks of an engine, how often each was called, and what its calls took. */
export class HookCounts {
  readonly #counted = new Map<string, Counted>();
  #first: readonly string[] | undefined;
  #listed: readonly HookInfo[] = [];

  /** Called once the hooks of a generation were added. Errors: INVALID_ARGUMENT if they are not those of the others. */
  begin(listed: readonly HookInfo[]): void {
    this.#listed = listed;
    const keys = keysOf(listed);
    this.#first ??= keys;
    if (keys.join("\n") === this.#first.join("\n")) return;
    const [before, now] = [this.#first, keys].map((all) => (all.length === 0 ? "none" : all.join(", ")));
    throw new LlamaHooksError(
      "INVALID_ARGUMENT",
      `the hooks were ${before}, and later ${now}: a function as default export is called before each generation with the hooks, and must add the same ones each time`,
    );
  }

  /** Called when the generation has ended, before its hooks are removed. */
  end(listed: readonly HookInfo[], stats: readonly HookStats[], decisions: readonly Decision[]): void {
    const late = listed.filter(({ id }) => this.#listed.every((hook) => hook.id !== id));
    const all = [...this.#listed, ...late];
    const byId = new Map(stats.map((hook) => [hook.id, hook]));
    const records = decisions.flatMap(({ hooks }) => hooks);
    for (const [index, key] of keysOf(all).entries()) {
      const info = all[index];
      if (info === undefined) continue;
      const hook = this.#of(key, info);
      const own = records.filter(({ id }) => id === info.id);
      hook.failure ??= own.find(({ outcome, error }) => error !== undefined && outcome !== "abandoned")?.error ?? null;
      addTo(hook, byId.get(info.id) ?? ofRemoved(info, own));
    }
  }

  /** Forgets the counts, but not which hooks there are. */
  reset(): void {
    this.#counted.clear();
  }

  /** `warnings`: those of the process. Only they contain the reason why an observer failed. */
  results(warnings: readonly Error[]): HookResult[] {
    return [...this.#counted.values()].map((hook): HookResult => {
      const { info, fired, matched, calls, failures, timed, totalUs } = hook;
      return {
        name: nameOf(info),
        point: info.point,
        location: info.location,
        observe: info.observe,
        fired,
        matched,
        calls,
        failures,
        callUs: timed === 0 ? null : totalUs / timed,
        neverCalled: calls > 0 ? null : whyNever(hook),
        failure: failures === 0 ? null : (failureOf(hook) ?? warnedOf(info.point, [...hook.engineNames], warnings)),
      };
    });
  }

  #of(key: string, info: HookInfo): Counted {
    const none = { fired: 0, matched: 0, calls: 0, failures: 0, timed: 0, totalUs: 0 };
    const hook = this.#counted.get(key) ?? { info, engineNames: new Set(), ...none, removed: false, failure: null };
    this.#counted.set(key, hook);
    hook.engineNames.add(info.name);
    return hook;
  }
}

type Counts = Pick<HookStats, "fired" | "matched" | "calls" | "failures" | "totalUs"> & {
  readonly timed?: number;
  readonly removed?: boolean;
};

function addTo(hook: Counted, counts: Counts): void {
  for (const key of ["fired", "matched", "calls", "failures", "totalUs"] as const) hook[key] += counts[key];
  hook.timed += counts.timed ?? counts.calls;
  hook.removed ||= counts.removed ?? false;
}

/** A hook that was removed took its counts along. Decisions have its calls, except those at streamToken. */
function ofRemoved({ once }: HookInfo, own: Decision["hooks"]): Counts {
  const calls = Math.max(own.length, once ? 1 : 0);
  const failures = own.filter(({ error }) => error !== undefined).length;
  const totalUs = own.reduce((sum, { durationUs }) => sum + durationUs, 0);
  return { fired: calls, matched: calls, calls, failures, totalUs, timed: own.length, removed: true };
}

/** The label of the hook for people: its name, or without one its line. */
export function hookLabel(hook: {
  readonly name: string;
  readonly point: string;
  readonly location: string | null;
}): string {
  return `${hook.name === "" ? (hook.location ?? "a hook") : hook.name} at ${hook.point}`;
}

/** Empty for a hook without a name, which the engine calls by its id. */
export function nameOf({ id, name }: HookInfo): string {
  return name === `hook ${id}` ? "" : name;
}

/** The same for the same hook of each generation, although ids differ. */
function keysOf(listed: readonly HookInfo[]): string[] {
  const labels = listed.map((info) => hookLabel({ ...info, name: nameOf(info) }));
  return labels.map((label, index) => {
    const before = labels.slice(0, index).filter((other) => other === label).length;
    return before === 0 ? label : `${label} (${before + 1})`;
  });
}

function whyNever({ info: { point, when }, fired, matched, removed }: Counted): string {
  if (removed) return "it was removed before the generation ended, and its counts with it";
  if (!firesIn("generation", point))
    return firesIn("run", point)
      ? "its point fires in runs of sessions, and bench makes single model calls"
      : "its point fires when models are loaded or unloaded, or memory is short";
  if (fired === 0) return "its point did not fire";
  if (matched > 0) return "it was called, but has not ended";
  return when === null
    ? `its point fired ${fired} times, but an earlier hook ended each dispatch`
    : `its point fired ${fired} times, but its \`when\` never fitted`;
}

function failureOf({ failure }: Counted): HookResult["failure"] {
  return failure === null ? null : { code: failure.code, message: failure.message };
}

/** The failure of an observer, which only a warning reports. */
export function warnedOf(
  point: string,
  names: readonly string[],
  warnings: readonly Error[],
): { readonly code: ErrorCode; readonly message: string } {
  const begins = names.map((name) => `The hook ${JSON.stringify(name)} at ${point}`);
  const found = warnings.find(({ message }) => begins.some((begin) => message.startsWith(begin)));
  const [, why = found?.message] = /, failed: (.*?) Nobody waits for an observer/s.exec(found?.message ?? "") ?? [];
  return { code: "HOOK_FAILED", message: why ?? "it failed" };
}
