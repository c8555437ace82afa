// What fired, in order: hooks at every point that fires, which only take notes. Must not: change or cancel anything.
import { type Engine, type HookEvents, type PointName, pointNames, POINTS } from "../index.js";

/** One event that fired. */
export type RecordedEvent = {
  readonly [P in PointName]: {
    /** Where it fired. */
    readonly point: P;
    /** What hooks were given there. */
    readonly event: HookEvents[P];
  };
}[PointName];

/** What `recordHooks()` gives: the events so far, and how to stop. */
export interface HookRecording extends Disposable {
  /** What fired so far, in order: a list that grows. */
  readonly events: readonly RecordedEvent[];
  /** The points that fired so far, in order; with `collapse`, repetitions in a row count once. */
  names(options?: { readonly collapse?: boolean }): PointName[];
  /** Stops recording. `events` stays as it is. */
  dispose(): void;
}

/** Runs before the hooks of users, which may cancel: what a hook cancels has fired all the same. */
const first = -(2 ** 31);

/**
 * Records every event of an engine, at every point that this version fires, from now on. The engine waits for the note to be taken, so the
 * order is exact; events are as they were before any hook changed them. Points that load models fire before
 * `createEngine()` returns: create the engine with `models: {}` to record these as well.
 */
export function recordHooks(engine: Engine): HookRecording {
  const events: RecordedEvent[] = [];
  const added = pointNames
    .filter((point) => POINTS[point].fires)
    .map((point) => {
      const note = (event: HookEvents[PointName]): undefined => {
        events.push({ point, event: { ...event } } as RecordedEvent);
      };
      return engine.hooks.on(point, note, { name: "record", priority: first });
    });
  const dispose = (): void => {
    for (const registration of added) registration.dispose();
  };
  return {
    events,
    names: ({ collapse = false } = {}) => {
      const names = events.map(({ point }) => point);
      return collapse ? names.filter((name, index) => name !== names[index - 1]) : names;
    },
    dispose,
    [Symbol.dispose]: dispose,
  };
}
