// Process warnings of a test.
import { onTestFinished } from "vitest";

export interface Warning extends Error {
  readonly code?: string;
}

/** Collects the process warnings from now to the end of the test. `settled()` waits for those that are under way. */
export function collectWarnings(): { readonly list: readonly Warning[]; settled(): Promise<readonly Warning[]> } {
  const list: Warning[] = [];
  const add = (warning: Warning): void => void list.push(warning);
  process.on("warning", add);
  onTestFinished(() => void process.off("warning", add));
  return {
    list,
    // A warning is emitted in the next tick, and the engine's warnings come before the end of the work that caused them.
    settled: () => new Promise((resolve) => setImmediate(() => resolve(list))),
  };
}

/** The line of the caller, as locations of hooks have it: `file.test.ts:12`. */
export function here(offset = 0): string {
  const frame = new Error().stack?.split("\n")[2] ?? "";
  const [, file = "", line = "0"] = /([^/\\(]+):(\d+):\d+\)?$/.exec(frame) ?? [];
  return `${file}:${Number(line) + offset}`;
}
