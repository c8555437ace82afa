// The callers of the calls under way, for the trace's messages: the async context in which a call was made, and its
// signal. Must not: keep anything while nobody subscribes.
import { AsyncLocalStorage } from "node:async_hooks";
import { hasChannelSubscribers } from "../base/trace-channels.js";
import type { NativeTask } from "./addon.js";

export interface Caller {
  /** Runs a function in the async context of the call. */
  readonly run: (publish: () => void) => void;
  readonly signal: AbortSignal | undefined;
}

/** By the number of the call, which is unique in the process. */
const callers = new Map<number, Caller>();

/** Keeps the caller if anybody subscribes. Returns a function that forgets the caller. */
export function keepCaller(task: NativeTask, signal: AbortSignal | undefined): (() => void) | undefined {
  if (!hasChannelSubscribers()) return undefined;
  const number = task.number();
  callers.set(number, { run: AsyncLocalStorage.snapshot(), signal });
  return () => void callers.delete(number);
}

export function callerOf(number: number | undefined): Caller | undefined {
  return number === undefined ? undefined : callers.get(number);
}
