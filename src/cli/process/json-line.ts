// One JSON object a line, as --json writes them. Must not: know what is in them.
import { inspect } from "node:util";
import { errorSays, shown } from "../../base/thrown.js";

// oxlint-disable-next-line no-control-regex
const unescaped = /[\u007f-\u009f]/g;

/** The line. JSON itself escapes what a terminal would obey, but for these, which some terminals do. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value, causesToo);
  return `${text.replace(unescaped, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

/** A cause is what somebody threw, and so may be any value. */
function causesToo(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("cause" in value)) return value;
  return { ...value, cause: inJson(value.cause) };
}

/** Errors, which would be {}, with name and message; what JSON does not have in words. */
function inJson(value: unknown): unknown {
  if (value === undefined) return undefined;
  try {
    const text = JSON.stringify(value, (_, item: unknown) => errorSays(item) ?? item) as string | undefined;
    if (text !== undefined) return JSON.parse(text);
  } catch {
    // It is circular, holds a bigint, or throws when it is read.
  }
  return shown(value, (it) => inspect(it, { breakLength: Infinity }));
}
