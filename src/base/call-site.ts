// Adds the place of a call to the stack of its error: an error of an async call is created long after its caller has
// returned, when the stack no longer shows the caller. Must not: remove frames of the
// program, or throw.
import { LlamaHooksError } from "./errors.js";
import { framesOf, isBundled, isOwn, placeOf } from "./stacks/frames.js";

/** Errors that have the frames of a caller. Several callers may share an error: it keeps the frames of the first. */
const marked = new WeakSet<LlamaHooksError>();

/** The place from which a call is made. Taking it costs a few microseconds: use it for calls, not for tokens. */
export class CallSite {
  readonly #at: { readonly stack?: unknown } = {};
  readonly #name: string;

  /** `entry`: the function of the package that was called; its own frame, and those inside it, are left out. */
  constructor(entry: (...args: never) => unknown) {
    this.#name = entry.name;
    Error.captureStackTrace(this.#at, entry);
  }

  /** Adds the frames of the caller to an error of this package, unless it has them. Returns its argument. */
  mark(error: unknown): unknown {
    if (!LlamaHooksError.isInstance(error) || marked.has(error)) return error;
    const frames = framesOf(this.#at.stack);
    const caller = frames.find((frame) => isForeign(frame));
    if (caller === undefined) return error; // a call within the package, whose own caller marks the error
    try {
      // Its frames in the program, whose callback may have thrown it.
      const thrower = framesOf(error.stack).filter((frame) => isForeign(frame));
      const between = thrower.length === 0 ? [] : [`    at async ${this.#name} (<anonymous>)`];
      if (!thrower.includes(caller))
        error.stack = [`${error.name}: ${error.message}`, ...thrower, ...between, ...frames].join("\n");
      marked.add(error);
    } catch {
      // It is frozen.
    }
    return error;
  }
}

/** True for a frame of the program, also of one that is in no file (`node --eval`). */
function isForeign(frame: string): boolean {
  const place = placeOf(frame);
  if (place !== undefined) return isBundled || !isOwn(place);
  return !frame.includes("node:") && /:\d+:\d+\)?$/.test(frame);
}

/** Runs an async function of the package: its errors name the caller of `entry`. */
export async function calledAt<T>(entry: (...args: never) => unknown, work: () => T | PromiseLike<T>): Promise<T> {
  const site = new CallSite(entry);
  try {
    return await work();
  } catch (error) {
    throw site.mark(error);
  }
}

type Names<Type> = { [K in keyof Type]: Type[K] extends (...args: never) => Promise<unknown> ? K : never }[keyof Type];

/** Makes the errors of async methods of a class name their callers. For the `static` block of the class. */
export function errorsNameCallers<Type extends object>(
  type: { readonly prototype: Type },
  ...names: readonly Names<Type>[]
): void {
  for (const name of names) {
    const method = type.prototype[name] as (this: Type, ...args: unknown[]) => Promise<unknown>;
    const called = function (this: Type, ...args: unknown[]): Promise<unknown> {
      return calledAt(called, () => method.apply(this, args));
    };
    Object.defineProperty(called, "name", { value: method.name });
    Object.defineProperty(type.prototype, name, { value: called, writable: true, configurable: true });
  }
}
