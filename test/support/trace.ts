// The decisions of an engine, in order. Must not: lose decisions that are still on their way.
import type { Decision, Engine, HookRecord, PointName, TraceEvent } from "../../src/index.js";

/** Runs something and closes the engine. Returns all events of its trace, including those of the close. */
export async function traced(engine: Engine, run: () => unknown): Promise<TraceEvent[]> {
  const all = (async () => {
    const events: TraceEvent[] = [];
    for await (const event of engine.trace()) events.push(event);
    return events;
  })();
  await run();
  await engine.close();
  return all;
}

/** The decisions of one point. */
export function decisionsAt(events: readonly (TraceEvent | Decision)[], point: PointName): Decision[] {
  return events.filter((event): event is Decision => event.type === "decision" && event.point === point);
}

/** The hooks of decisions, each as "name outcome". */
export function outcomes(decisions: readonly Decision[]): string[] {
  return decisions.flatMap(({ hooks }) => hooks.map(({ name, outcome }) => `${name} ${outcome}`));
}

/** The record of the hook of that name at its first call. */
export function recordOf(decisions: readonly Decision[], name: string): HookRecord {
  const record = decisions.flatMap(({ hooks }) => hooks).find((hook) => hook.name === name);
  if (record === undefined) throw new Error(`no decision speaks of ${name}`);
  return record;
}
