// Checks options by the generated table of parameters and converts them to the engine's names.
// Must not: know an option by name or set defaults; the table and the engine do that.
import type { ParameterCheck } from "../generated/parameters.js";
import {
  optionalBoolean,
  optionalInteger,
  optionalIntegerOrAuto,
  optionalIntegersByName,
  optionalName,
  optionalNumber,
  optionalNumbers,
  optionalObject,
  optionalOneOf,
  optionalString,
  optionalStrings,
  optionalTags,
} from "./check.js";
import { toSnake } from "./wire.js";

export type Check = (value: unknown, what: string) => unknown;

function checkOne(row: ParameterCheck, value: unknown, what: string): unknown {
  switch (row.type) {
    case "integer":
      if (row.auto) return optionalIntegerOrAuto(value, what, row.min ?? 0, row.max ?? 2 ** 31 - 1);
      return optionalInteger(value, what, row.min ?? 0, row.max);
    case "number":
      return optionalNumber(value, what, row.min, row.max);
    case "name":
      return row.values ? optionalOneOf(value, what, row.values) : optionalName(value, what);
    case "boolean":
      return optionalBoolean(value, what);
    case "enum":
      return optionalOneOf(value, what, row.values ?? []);
    case "numbers":
      return optionalNumbers(value, what, row.min, row.max);
    case "strings":
      return optionalStrings(value, what);
    case "integers_by_name":
      return optionalIntegersByName(value, what, row.min ?? 0, row.max ?? 2 ** 31 - 1);
    case "tags":
      return optionalTags(value, what);
    case "object":
      return optionalObject(value, what);
    default:
      return row.values ? optionalOneOf(value, what, row.values) : optionalString(value, what);
  }
}

/**
 * Returns the options that are set, under their own names. `special`: checks of types that the table does not cover.
 */
export function checkParameters<K extends string>(
  rows: Readonly<Record<K, ParameterCheck>>,
  given: { readonly [P in NoInfer<K>]?: unknown },
  what: string,
  special: Readonly<Record<string, Check>> = {},
): { [P in K]?: unknown } {
  const checked: { [P in K]?: unknown } = {};
  for (const [key, row] of Object.entries(rows) as [K, ParameterCheck][]) {
    const at = what === "" ? key : `${what}.${key}`;
    const check = special[row.type];
    const value = check === undefined ? checkOne(row, given[key], at) : check(given[key], at);
    if (value !== undefined) checked[key] = value;
  }
  return checked;
}

export function parameterKeys<K extends string>(rows: Readonly<Record<K, ParameterCheck>>): readonly K[] {
  return Object.keys(rows) as K[];
}

/** Converts the option names to the engine's. */
export function parametersToWire(options: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [toSnake(key), value as unknown]));
}
