// Finds the line of a caller's code that called the package.
import { fileURLToPath } from "node:url";

/** The folder of the package's modules, as stack traces name it. */
const inside = new URL("../", import.meta.url).href;
const insidePath = inside.startsWith("file:") ? fileURLToPath(inside) : inside;
/** Enough frames to include one outside the package. */
const frames = 30;

/**
 * The file and line of the innermost call outside of this package and of Node, as `/path/file.mjs:12`. Undefined if no
 * such frame is known, for example behind a timer.
 */
export function userLine(): string | undefined {
  for (const line of stack().split("\n").slice(1)) {
    const place = /(?:\(|at (?:async )?)((?:[a-z-]+:\/\/|[A-Za-z]:[\\/]|\/)[^()]*):(\d+):\d+\)?$/.exec(line.trim());
    const [, file = "", row = ""] = place ?? [];
    if (file === "" || file.startsWith(inside) || file.startsWith(insidePath)) continue;
    return `${file.startsWith("file:") ? pathOf(file) : file}:${row}`;
  }
  return undefined;
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url.replace(/\?.*$/, "")); // a loader's query
  } catch {
    return url;
  }
}

/** A program may have replaced how stacks are made, or frozen their limit. */
function stack(): string {
  const before = Error.stackTraceLimit;
  try {
    Error.stackTraceLimit = frames;
    const text: unknown = new Error().stack;
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  } finally {
    if (Error.stackTraceLimit !== before) Error.stackTraceLimit = before;
  }
}
