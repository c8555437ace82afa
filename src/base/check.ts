// Checks of callers' arguments, with messages that show the value that was given.
import { suggest, suggestOption } from "./names/suggest.js";

export { suggest };

/** Shows a wrong value in a message: its type, and the value if it is short. */
export function got(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length > 60 ? `a string of ${value.length} characters` : JSON.stringify(value);
    case "function":
      return `a function${value.name === "" ? "" : ` (${value.name})`}`;
    case "bigint":
      return `${value}n`;
    case "object": {
      if (value === null) return "null";
      if (Array.isArray(value)) return `an array of ${value.length}`;
      const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
      return typeof name === "string" && name !== "Object" ? `an object (${name})` : "an object";
    }
    default:
      return String(value);
  }
}

/** The error of a wrong option. */
export interface OptionError extends TypeError {
  /** The path of the option: `topK`, `tools[0].name`, `history[2].role`. */
  readonly param?: string;
}

/** A path, alone or behind the words for the object that it is in: `generate() options.topK`. */
const path =
  /^(?:[a-zA-Z]{1,32}\(\) (?:options|request)(?:\.|: ))?([a-z]\w{0,63}(?:\.[\w-]{1,64}|\[\d{1,9}\]){0,16})$/i;

/** An error about `what`, which may be the path of an option. */
export function optionError(what: string, message: string): OptionError {
  const error = new TypeError(message);
  const param = path.exec(what)?.[1];
  return param === undefined ? error : Object.assign(error, { param });
}

export function wrong(what: string, expected: string, value: unknown): OptionError {
  return optionError(what, `${what} must be ${expected}, got ${got(value)}`);
}

/** Checks that `value` is an object with known keys only. `undefined` counts as an empty object. */
export function checkObject<K extends string>(
  value: unknown,
  what: string,
  known: readonly K[],
): { [P in K]?: unknown } {
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong(what, "an object", value);
  for (const key of Object.keys(value)) {
    if (known.includes(key as K)) continue;
    const at = path.test(what) ? `${what}.${key}` : key;
    const meant = / (?:options|control)$/.test(what) ? suggestOption(key, known) : suggest(key, known);
    throw optionError(at, `${what} has no key ${got(key)}${meant}`);
  }
  return value as { [P in K]?: unknown };
}

/**
 * True if the value is an object whose properties are its content, such as a plain object or a module's exports. An
 * array, a Map or a Date would be read as empty, and a permission rule that lost its condition allows too much.
 */
export function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object") return false;
  const tag: string = Object.prototype.toString.call(value);
  return tag === "[object Object]" || tag === "[object Module]";
}

export function optionalString(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw wrong(what, "a string", value);
  return value;
}

/** Checks a name or a path. C would truncate it at a NUL character. */
export function requiredString(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "") throw wrong(what, "a string that is not empty", value);
  if (value.includes("\0")) throw optionError(what, `${what} must not contain a NUL character`);
  return value;
}

export function optionalName(value: unknown, what: string): string | undefined {
  return value === undefined ? undefined : requiredString(value, what);
}

export function optionalBoolean(value: unknown, what: string): boolean | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "boolean") throw wrong(what, "true or false", value);
  return value;
}

export function optionalFunction(value: unknown, what: string): void {
  if (value !== undefined && typeof value !== "function") throw wrong(what, "a function", value);
}

export function optionalOneOf<T extends string>(value: unknown, what: string, known: readonly T[]): T | undefined {
  if (value === undefined) return undefined;
  if (!known.includes(value as T))
    throw wrong(what, `one of ${known.map((one) => JSON.stringify(one)).join(", ")}`, value);
  return value as T;
}

/** Checks a number from `min` to `max`, inclusive. NaN and infinities are refused. */
export function optionalNumber(value: unknown, what: string, min = -Infinity, max = Infinity): number | undefined {
  if (value === undefined) return undefined;
  const ok = typeof value === "number" && Number.isFinite(value) && value >= min && value <= max;
  if (!ok) throw wrong(what, `a number${span(min, max)}`, value);
  return value;
}

export function optionalInteger(value: unknown, what: string, min: number, max = 2 ** 31 - 1): number | undefined {
  if (value === undefined) return undefined;
  if (isIntegerIn(value, min, max)) return value;
  // The message mentions the limit of the engine's integers only if the value exceeds it.
  const hidden = max === 2 ** 31 - 1 && !(typeof value === "number" && value > max);
  throw wrong(what, `an integer${span(min, hidden ? Infinity : max)}`, value);
}

export function optionalIntegerOrAuto(
  value: unknown,
  what: string,
  min: number,
  max: number,
): number | "auto" | undefined {
  if (value === undefined || value === "auto" || isIntegerIn(value, min, max)) return value;
  throw wrong(what, `"auto" or an integer${span(min, max)}`, value);
}

function isIntegerIn(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

export function optionalIntegersByName(
  value: unknown,
  what: string,
  min: number,
  max: number,
): Readonly<Record<string, number>> | undefined {
  const given = optionalObject(value, what);
  for (const [name, number] of Object.entries(given ?? {})) {
    if (!isIntegerIn(number, min, max)) throw wrong(`${what}.${name}`, `an integer${span(min, max)}`, number);
  }
  return given as Readonly<Record<string, number>> | undefined;
}

export function optionalNumbers(
  value: unknown,
  what: string,
  min = -Infinity,
  max = Infinity,
): readonly number[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrong(what, "an array of numbers", value);
  for (const [index, one] of value.entries()) optionalNumber(one ?? null, `${what}[${index}]`, min, max);
  return value as number[];
}

export function optionalObject(value: unknown, what: string): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw wrong(what, "an object", value);
  return value;
}

/** Checks tags: a flat object of texts, numbers and booleans. */
export function optionalTags(value: unknown, what: string): Readonly<Record<string, unknown>> | undefined {
  const given = optionalObject(value, what);
  const entries = Object.entries(given ?? {});
  if (entries.length > 32) throw wrong(what, "an object of at most 32 tags", `${entries.length} tags`);
  for (const [name, tag] of entries) {
    if (!/^[\w.-]{1,64}$/.test(name)) {
      throw optionError(
        what,
        `${what} has the name ${JSON.stringify(name)}; names have 1 to 64 letters, digits, _, - or .`,
      );
    }
    const isText = typeof tag === "string" && Buffer.byteLength(tag) <= 512;
    if (isText || typeof tag === "boolean" || (typeof tag === "number" && Number.isFinite(tag))) continue;
    throw wrong(`${what}.${name}`, "a string of at most 512 bytes, a finite number or a boolean", tag);
  }
  return given && { ...given };
}

export function optionalStrings(value: unknown, what: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrong(what, "an array of strings", value);
  // forEach() would skip holes.
  for (const [index, item] of value.entries()) {
    if (typeof item !== "string") throw wrong(`${what}[${index}]`, "a string", item);
  }
  return value as readonly string[];
}

export function optionalSignal(value: unknown, what: string): AbortSignal | undefined {
  if (value === undefined) return undefined;
  if (!(value instanceof AbortSignal)) throw wrong(what, "an AbortSignal", value);
  return value;
}

function span(min: number, max: number): string {
  if (min === -Infinity) return max === Infinity ? "" : ` of at most ${max}`;
  return max === Infinity ? ` of at least ${min}` : ` from ${min} to ${max}`;
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
