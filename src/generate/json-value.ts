// Checks values that are passed to the engine unchanged: schemas, arguments, messages.
import { optionalObject } from "../base/check.js";
import { NotJson, toWire } from "../hooks/shape.js";

/** Copies a value as JSON would. Errors: `TypeError`, with the part that JSON cannot hold and its path. */
export function jsonValue(value: unknown, what: string): unknown {
  try {
    return toWire(undefined, value, what);
  } catch (error) {
    if (error instanceof NotJson) throw new TypeError(error.message, { cause: error });
    if (error instanceof RangeError) throw new TypeError(`${what} is nested too deeply`, { cause: error });
    throw error;
  }
}

export function optionalJsonObject(value: unknown, what: string): unknown {
  const object = optionalObject(value, what);
  return object && jsonValue(object, what);
}
