// Distinguishes the callers of a shared call, which the engine cannot.
import type { Stopper } from "../generated/results.js";

/** Distinguishes an aborted signal from `cancel()`: the engine knows only one caller. */
export function stopper(cancel: Stopper, signal: AbortSignal | undefined): Stopper {
  return cancel.by === "caller" && signal?.aborted === true ? { ...cancel, by: "signal" } : cancel;
}
