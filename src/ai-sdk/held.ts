// Decides whether a stream waits for the end of its answer: streamed text cannot be taken back.
import { type Engine, findPoint, type GenerateOptions, type HookSet } from "../index.js";

/** True if a hook might change text or calls that have been streamed. `stream` of the options overrides it. */
export function isHeld(engine: Engine, { stream, hooks, tools = [] }: GenerateOptions): boolean {
  if (stream !== undefined) return stream === "held";
  const points = new Set<string>();
  for (const { point, observe } of engine.hooks.list()) if (!observe) points.add(point);
  // The engine checks the sets afterwards.
  for (const set of (hooks ?? []) as readonly (Partial<HookSet> | null | undefined)[])
    if (set?.options?.observe !== true) for (const key of Object.keys(set?.handlers ?? {})) points.add(pointOf(key));
  return points.has("postGenerate") || (points.has("streamToken") && tools.length > 0);
}

function pointOf(key: string): string {
  return findPoint(key) ?? key;
}
