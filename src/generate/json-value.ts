// Values that the engine gets as they are: schemas, arguments, messages. Must not: know what they mean.
import { optionalObject } from "../base/check.js";
import { NotJson, toWire } from "../hooks/shape.js";

/** A copy as JSON has it. Errors: `TypeError`, naming what of it JSON cannot hold, and where. */
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
