// The events of a trace, as all its readers see them.
import type { Decision, LifecycleEvent } from "../generated/results.js";

/** One event of `engine.trace()`, discriminated by its `type`. */
export type TraceEvent = Decision | LifecycleEvent;
