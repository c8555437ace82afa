// Keeps the callers of the calls under way: the async context in which a call was made, and its signal. JavaScript
// functions that the engine calls for a call run in that context, so that they see the caller's AsyncLocalStorage.
// Must not: use AsyncLocalStorage.snapshot(), which takes 35 us in Node 20; a resource takes a tenth of one.
import { AsyncResource } from "node:async_hooks";
import type { NativeTask } from "./addon.js";

/** Runs a function in the async context in which this was made. */
export type InContext = <Args extends unknown[], R>(run: (...args: Args) => R, ...args: Args) => R;

export interface Caller {
  /** Runs a function in the async context of the call. */
  readonly run: InContext;
  readonly signal: AbortSignal | undefined;
}

/** Callers by the number of the call, which is unique in the process. */
const callers = new Map<number, Caller>();

/** The async context of the code that calls this. */
export function contextHere(): InContext {
  const resource = new AsyncResource("LlamaHooksCaller");
  return (run, ...args) => resource.runInAsyncScope(run, undefined, ...args);
}

/** Keeps the caller of a call that begins. Returns a function that forgets the caller. */
export function keepCaller(task: NativeTask, signal: AbortSignal | undefined): () => void {
  const number = task.number();
  callers.set(number, { run: contextHere(), signal });
  return () => void callers.delete(number);
}

export function callerOf(number: number | undefined): Caller | undefined {
  return number === undefined ? undefined : callers.get(number);
}

/** The async context for functions that the engine calls in the call with that number; `otherwise` if there is none. */
export function contextOf(task: number, otherwise: InContext = here): InContext {
  return task < 0 ? here : (callers.get(task)?.run ?? otherwise);
}

const here: InContext = (run, ...args) => run(...args);
