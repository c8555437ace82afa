// Decides whether an answer can be streamed while it is written: not if a hook may still change text that was sent.
import type { Engine, HookSet, HookSets, PointName } from "../../index.js";

/**
 * True if a hook at postGenerate may change the answer; or if a hook at streamToken may change the text of a tool call,
 * which is then read anew at the end.
 */
export function mustHold(engine: Engine, sets: HookSets, hasTools: boolean): boolean {
  return changes(engine, sets, "postGenerate") || (hasTools && changes(engine, sets, "streamToken"));
}

function changes(engine: Engine, sets: HookSets, point: PointName): boolean {
  if (sets.some((set) => changesIn(set, point))) return true;
  // A list is long, and there seldom is such a hook.
  return engine.hooks.has(point) && engine.hooks.list().some((hook) => hook.point === point && !hook.observe);
}

function changesIn(set: HookSet | null | undefined, point: PointName): boolean {
  return set?.handlers[point] !== undefined && set.options.observe !== true;
}
