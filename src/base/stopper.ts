// Tells the callers of a call apart, which the engine cannot.
import type { Stopper } from "../generated/results.js";

/** The engine knows one caller; this tells an aborted signal from `cancel()`. */
export function stopper(cancel: Stopper, signal: AbortSignal | undefined): Stopper {
  return cancel.by === "caller" && signal?.aborted === true ? { ...cancel, by: "signal" } : cancel;
}
