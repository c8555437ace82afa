// Values as texts that are the same where the values are. Must not: be read back.
import { isObject } from "./check.js";

/** JSON in which the keys of each object stand in one order. */
export function canonical(value: unknown): string {
  return JSON.stringify(ordered(value)) ?? "undefined";
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  const entries = Object.keys(value)
    .sort()
    .map((key) => [key, ordered(value[key])] as const);
  return Object.fromEntries(entries);
}
