// What was thrown, in words: it may be any value, and reading it may run code that throws in turn. Must not: throw.
import { got } from "./check.js";

/** As `instanceof`, which asks the value for its prototype: that of a proxy may throw. */
export function isA<T>(thrown: unknown, kind: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/** What an Error says of itself; undefined: it is none, or cannot be read. Its fields may hold anything, too. */
export function errorSays(thrown: unknown): { readonly name: string; readonly message: string } | undefined {
  try {
    return isA(thrown, Error) ? { name: String(thrown.name), message: inWords(thrown.message) } : undefined;
  } catch {
    return undefined;
  }
}

/** Any value in `words`. */
export function shown(value: unknown, words: (value: unknown) => string = inWords): string {
  try {
    return words(value);
  } catch {
    return "a value that cannot be shown";
  }
}

/** A failure in a line, where who reads it knows what has failed. */
export function messageOf(thrown: unknown): string {
  const said = errorSays(thrown);
  return said === undefined ? shown(thrown) : said.message || said.name;
}

/** Of an object that is no Error its `message`, what its toString() says of it, or it as JSON. May throw. */
export function inWords(value: unknown): string {
  if (typeof value !== "object" || value === null || isA(value, Error)) return String(value);
  const { message } = value as { readonly message?: unknown };
  if (typeof message === "string" && message !== "") return message;
  const own = typeof (value as { toString?: unknown }).toString === "function" ? String(value) : "";
  if (own !== "" && !own.startsWith("[object ")) return own;
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined || json === "{}" ? got(value) : json;
}
