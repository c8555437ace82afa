// recordHooks(): records which points fire, in order. Must not: change or cancel anything.
import { type Engine, type HookEvents, type PointName, pointNames } from "../index.js";

/** One fired event. */
export type RecordedEvent = {
  readonly [P in PointName]: {
    /** The point. */
    readonly point: P;
    /** The event that the hooks got. */
    readonly event: HookEvents[P];
  };
}[PointName];

/** The events so far, and how to stop. */
export interface HookRecording extends Disposable {
  /** The fired events in order. The list grows. */
  readonly events: readonly RecordedEvent[];
  /** The names of the fired points in order. With `collapse`, adjacent repetitions count once. */
  names(options?: { readonly collapse?: boolean }): PointName[];
  /** Stops recording. `events` stays unchanged. */
  dispose(): void;
}

/** Runs before the user's hooks: an event that a user's hook cancels has fired nevertheless. */
const first = -(2 ** 31);

/**
 * Records every event of an engine from now on, at every point. The engine waits for each record, so the order is
 * exact; events are recorded as they were before any hook changed them. To include the points that fire during
 * `createEngine()`, create the engine with `models: {}` and load the model later.
 *
 * @example
 * ```ts
 * const recording = recordHooks(engine);
 * await engine.session({ tools: [read] }).run("Read a.");
 * console.log(recording.names({ collapse: true })); // [..., "preToolCall", "postToolCall", ...]
 * recording.dispose();
 * ```
 */
export function recordHooks(engine: Engine): HookRecording {
  const events: RecordedEvent[] = [];
  const added = pointNames.map((point) => {
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
