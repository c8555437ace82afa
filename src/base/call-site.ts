// Adds the place of a call to the stack of its error: an error of an async call is created long after its caller has
// returned, when the stack no longer shows the caller. Must not: change errors that other code has thrown.
import { LlamaHooksError } from "./errors.js";

/** The place from which a call is made. Taking it costs a few microseconds: use it for calls, not for tokens. */
export class CallSite {
  readonly #at: { readonly stack?: unknown } = {};

  /** `entry`: the function of the package that was called; its own frame, and those inside it, are left out. */
  constructor(entry: (...args: never) => unknown) {
    Error.captureStackTrace(this.#at, entry);
  }

  /** Adds the frames of the caller to an error of this package, unless it has them. Returns its argument. */
  mark(error: unknown): unknown {
    const frames = framesOf(this.#at.stack);
    const [nearest] = frames;
    if (nearest === undefined || !LlamaHooksError.isInstance(error)) return error;
    if (framesOf(error.stack).includes(nearest)) return error;
    error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
    return error;
  }
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

/** The lines of the frames; none if no stack was kept, or if it is not a text (`Error.prepareStackTrace`). */
function framesOf(stack: unknown): string[] {
  return typeof stack === "string" ? stack.split("\n").filter((line) => /^\s+at /.test(line)) : [];
}
