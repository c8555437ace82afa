// Texts for comparing values: equal values give equal texts. Not meant to be parsed.
import { isObject } from "./check.js";

/** JSON with the keys of each object in a fixed order. */
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
