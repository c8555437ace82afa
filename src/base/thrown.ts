// Describes thrown values. A thrown value may be anything, and reading it may run code that throws. Must not: throw.
import { got } from "./check.js";

/** Like `instanceof`, which throws for some proxies. */
export function isA<T>(thrown: unknown, kind: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/** Name and message of an Error. Undefined: not an Error, or unreadable. The fields may hold anything. */
export function errorSays(thrown: unknown): { readonly name: string; readonly message: string } | undefined {
  try {
    return isA(thrown, Error) ? { name: String(thrown.name), message: inWords(thrown.message) } : undefined;
  } catch {
    return undefined;
  }
}

/** Describes any value with `words`. */
export function shown(value: unknown, words: (value: unknown) => string = inWords): string {
  try {
    return words(value);
  } catch {
    return "a value that cannot be shown";
  }
}

/** A failure in one line, for messages that already name what failed. */
export function messageOf(thrown: unknown): string {
  const said = errorSays(thrown);
  return said === undefined ? shown(thrown) : said.message || said.name;
}

/** Describes the value that a hook or tool threw: name and message of an Error, or kind and text of any other value. */
export function describeThrown(thrown: unknown): string {
  const said = errorSays(thrown);
  return said === undefined ? `threw ${shown(thrown, kindAndWords)}` : `${said.name}: ${said.message}`;
}

function kindAndWords(thrown: unknown): string {
  const kind = got(thrown);
  const words = typeof thrown === "object" && thrown !== null ? inWords(thrown) : kind;
  return words === kind ? kind : `${kind}: ${words}`;
}

/** Describes an object that is not an Error by its `message`, its toString() or its JSON. May throw. */
export function inWords(value: unknown): string {
  if (typeof value !== "object" || value === null || isA(value, Error)) return String(value);
  const { message } = value as { readonly message?: unknown };
  if (typeof message === "string" && message !== "") return message;
  const own = typeof (value as { toString?: unknown }).toString === "function" ? String(value) : "";
  if (own !== "" && !own.startsWith("[object ")) return own;
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined || json === "{}" ? got(value) : json;
}
