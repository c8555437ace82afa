// The arguments of calls that a client sends back.
import { isObject, wrong } from "../../base/check.js";

/**
 * The arguments of a past call, as JSON or as an object. A model, or the end of a stream, may have left a text that is no
 * object: the model sees it again as it was, as the argument `arguments`. Errors: `TypeError` with `param`.
 */
export function argumentsOf(args: unknown, at: string): Readonly<Record<string, unknown>> {
  if (isObject(args)) return args;
  if (typeof args !== "string") throw wrong(at, "an object or its JSON", args);
  try {
    const value: unknown = args.trim() === "" ? {} : JSON.parse(args);
    if (isObject(value)) return value;
    if (value === null) return {};
  } catch {
    // It is broken or cut off.
  }
  return { arguments: args };
}
