// Runs JavaScript that may take too long, and stops it: a regular expression or a schema from outside can keep the
// event loop busy for hours. Must not: run code that waits, or that leaves something half done when it is stopped.
import { createContext, Script } from "node:vm";

/** The work has been stopped. */
export class TooLate extends Error {
  override readonly name = "TooLate";
}

interface Scope {
  work: (() => void) | undefined;
}

let scope: Scope | undefined;
let script: Script | undefined;

/**
 * Returns what `work` returns. Costs some hundred microseconds, because Node watches the time in a thread. Errors:
 * TooLate after `ms` milliseconds; what `work` throws.
 */
export function within<T>(ms: number, work: () => T): T {
  scope ??= createContext({ work: undefined }) as Scope;
  script ??= new Script("work()");
  let result: { readonly value: T } | undefined;
  scope.work = () => {
    result = { value: work() };
  };
  try {
    // The time limit holds for everything that the script calls, a regular expression included.
    script.runInContext(scope, { timeout: ms });
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new TooLate(`it took longer than ${ms} ms`);
    throw error;
  } finally {
    scope.work = undefined;
  }
  return (result as unknown as { readonly value: T }).value;
}
