// Finds the line of a caller's code that called the package.
import { framesOf, isCommand, isOwn, pathOf, placeOf } from "../base/stacks/frames.js";

/** The number of frames to read: at least one of them is outside the package. */
const frames = 30;

/**
 * The file and line of the innermost call outside of this package and of Node, as `/path/file.mjs:12`. Undefined if no
 * such frame is known, for example behind a timer, or if the package's own command makes the call.
 */
export function userLine(): string | undefined {
  for (const frame of framesOf(stack())) {
    const place = placeOf(frame);
    if (place === undefined) continue;
    if (isCommand(place)) return undefined;
    if (!isOwn(place)) return `${pathOf(place.file)}:${place.row}`;
  }
  return undefined;
}

/** A program may have replaced how stacks are made, or frozen their limit. */
function stack(): unknown {
  const before = Error.stackTraceLimit;
  try {
    Error.stackTraceLimit = frames;
    return new Error().stack;
  } catch {
    return undefined;
  } finally {
    if (Error.stackTraceLimit !== before) Error.stackTraceLimit = before;
  }
}
