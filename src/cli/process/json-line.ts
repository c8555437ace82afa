// Writes values as JSON, one object per line.
import { inspect } from "node:util";
import { errorSays, shown } from "../../base/thrown.js";

// oxlint-disable-next-line no-control-regex
const unescaped = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Formats the line. JSON escapes most control characters; this function escapes the others, which some terminals
 * execute, and the controls of bidirectional text.
 */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value, causesToo);
  return `${text.replace(unescaped, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

/** Describes a cause, because a cause may be any thrown value. */
function causesToo(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("cause" in value)) return value;
  return { ...value, cause: inJson(value.cause) };
}

/** Converts values that JSON lacks: errors, which would become {}, into name and message, others into text. */
function inJson(value: unknown): unknown {
  if (value === undefined) return undefined;
  try {
    const text = JSON.stringify(value, (_, item: unknown) => errorSays(item) ?? item) as string | undefined;
    if (text !== undefined) return JSON.parse(text);
  } catch {
    // The value is circular, contains a bigint, or throws when it is read.
  }
  return shown(value, (it) => inspect(it, { breakLength: Infinity }));
}
