// The arguments of calls that a client sends back.
import { isObject, wrong } from "../../base/check.js";

/**
 * The arguments of a past call, as JSON or as an object. If the arguments are a text that is not a JSON object, because
 * the model wrote it so or the stream ended early, the model sees the same text again, as the argument `arguments`.
 * Errors: `TypeError` with `param`.
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
