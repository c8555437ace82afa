// Warns of hooks that are never called in their place, because their points do not fire there.
// Must not: warn at an engine's calls if other hooks of the set are called: such a set is made for several places.
import { LlamaHooksError } from "../base/errors.js";
import { type PointName, POINTS } from "../generated/points.js";
import type { HookInfo } from "./hook-info.js";
import type { Hooks } from "./hooks.js";

/**
 * A kind of work that calls hooks. "generation": single model calls, such as `generate()`, `infill()`, the server's
 * `/v1` and the AI SDK provider; "run": runs of sessions.
 */
export type HookPlace = "generation" | "run";

const ofGeneration: readonly string[] = ["generate", "adapter", "error"];

/**
 * True if the point fires in that place. Points of loading and memory fire for the engine, whatever it does.
 *
 * @example
 * ```ts
 * firesIn("generation", "preToolCall"); // false: only runs of sessions call tools
 * ```
 */
export function firesIn(place: HookPlace, point: PointName): boolean {
  const { group } = POINTS[point];
  return ofGeneration.includes(group) || (place === "run" && group === "agent");
}

/** Points that fire for local models only. */
const ofOwnModels: readonly PointName[] = ["adapterSwap", "vramPressure"];

/** The work that an engine does. */
export interface Doings {
  readonly place: HookPlace;
  /** True: all its models are remote models. */
  readonly remote: boolean;
}

/** Returns the reason why the work never calls hooks at a point, and a remedy. Undefined: it does, or may. */
function whyNever(point: PointName, { place, remote }: Doings): readonly [why: string, remedy: string] | undefined {
  if (place === "generation" && POINTS[point].group === "agent")
    return ["by single model calls: such points fire in runs of sessions", "Open one (engine.session())"];
  if (remote && ofOwnModels.includes(point))
    return ["because all models of the engine are remote", "Load one that runs here"];
  return undefined;
}

/** The names in earlier warnings; if they were ids, a hook that is added again would cause another warning. */
const reported = new WeakMap<Hooks, Set<string>>();

/**
 * Warns of the hooks of an engine at points that never fire in a place (POINT_NOT_FIRED), once for each name: for a
 * server that waits for its first request, `warnOfUnfired(engine.hooks, "generation")`. `isMeant` leaves out hooks by
 * name.
 *
 * @example
 * ```ts
 * warnOfUnfired(engine.hooks, "generation");
 * ```
 */
export function warnOfUnfired(hooks: Hooks, place: HookPlace, isMeant?: (name: string) => boolean): void {
  warn(hooks, (name, all) => (isMeant?.(name) === false ? undefined : sentence(name, all, { place, remote: false })));
}

/**
 * The same for an engine, at its first calls. It may do other work later, so it does not name hooks if others of their
 * name are called.
 */
export function warnOfUseless(hooks: Hooks, doings: Doings): void {
  warn(hooks, (name, all) => {
    const isCalled = all.some(({ point }) => whyNever(point, doings) === undefined);
    return isCalled ? undefined : sentence(name, all, doings);
  });
}

/** Calls `says` with the hooks of each name that no warning has had yet. */
function warn(hooks: Hooks, says: (name: string, all: readonly HookInfo[]) => string | undefined): void {
  const before = reported.get(hooks) ?? new Set();
  reported.set(hooks, before);
  const all = hooks.list();
  for (const name of new Set(all.map((one) => one.name))) {
    if (before.has(name)) continue;
    const message = says(
      name,
      all.filter((one) => one.name === name),
    );
    if (message === undefined) continue;
    before.add(name);
    process.emitWarning(new LlamaHooksError("POINT_NOT_FIRED", message));
  }
}

/** Names those of these hooks of one name that are never called. Undefined: there are none. */
function sentence(name: string, hooks: readonly HookInfo[], doings: Doings): string | undefined {
  const never = hooks.filter(({ point }) => whyNever(point, doings) !== undefined);
  const [reason] = never.map(({ point }) => whyNever(point, doings));
  if (reason === undefined) return undefined;
  const [why, remedy] = reason;
  const points = [...new Set(never.map(({ point }) => point))].join(", ");
  const lines = [...new Set(never.flatMap(({ location }) => location ?? []))];
  const at = lines.length === 0 ? "" : `, registered at ${lines.join(", ")}`;
  return `The hook ${JSON.stringify(name)} at ${points}${at}, is never called ${why}. ${remedy}, or remove the hook.`;
}
