// Warns of hooks that are never called in their place, because their points do not fire there.
// Must not: warn of a hook if other hooks of its set are called: such a set is made for several places.
import { LlamaHooksError } from "../base/errors.js";
import { type PointName, POINTS } from "../generated/points.js";
import type { HookInfo } from "./hook-list.js";

/**
 * What calls hooks: "generation": single model calls, such as `generate()`, `infill()`, the server's `/v1` and the AI
 * SDK provider; "run": runs of sessions.
 */
export type HookPlace = "generation" | "run";

const ofGeneration: readonly string[] = ["generate", "adapter", "error"];

/**
 * True if the point fires in that place. Points of loading and memory fire for the engine, whatever it does.
 */
export function firesIn(place: HookPlace, point: PointName): boolean {
  const { group } = POINTS[point];
  return ofGeneration.includes(group) || (place === "run" && group === "agent");
}

/** Points that fire for models that compute here. */
const ofOwnModels: readonly PointName[] = ["adapterSwap", "vramPressure"];

/** What an engine has done so far. */
interface Doings {
  /** It has had sessions. */
  readonly runs: boolean;
  /** All its models are remote models. */
  readonly remote: boolean;
}

function whyNever(point: PointName, { runs, remote }: Doings): string | undefined {
  if (!runs && POINTS[point].group === "agent")
    return "is never called by single model calls: such points fire in runs of sessions (engine.session())";
  if (remote && ofOwnModels.includes(point)) return "is never called: every model of the engine computes elsewhere";
  return undefined;
}

/** Warns, once for each name, of the hooks that an engine never calls in its use so far. */
export class UnfiredHooks {
  readonly #told = new Set<string>();

  /** `hooks`: those of the engine. */
  tell(hooks: readonly HookInfo[], doings: Doings): void {
    const names = new Set(hooks.map(({ name }) => name).filter((name) => !this.#told.has(name)));
    for (const name of names) {
      const points = [...new Set(hooks.filter((one) => one.name === name).map(({ point }) => point))];
      const reasons = points.map((point) => whyNever(point, doings));
      const [why] = reasons;
      if (why === undefined || reasons.includes(undefined)) continue;
      this.#told.add(name);
      process.emitWarning(new LlamaHooksError("POINT_NOT_FIRED", `the hook ${name} at ${points.join(", ")} ${why}`));
    }
  }
}
