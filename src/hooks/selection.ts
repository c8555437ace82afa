// Checks the options that select what a hook is shown: events (`when`, `tool`), and fields of these (`fields`).
import { isObject, suggest, wrong } from "../base/check.js";
import { toJson, toSnake } from "../base/wire.js";
import { checkMatcher, type Match } from "./matcher.js";
import type { Point } from "./points.js";

/** Checked options of a hook that select what it is shown. */
export interface Selection {
  /** The engine's tests, as `lh_hook_options.when` takes them. Null: none. */
  readonly when: string | null;
  /** The tests for JavaScript. Undefined: none. */
  readonly match: Match | undefined;
  /** `when` as it was given, for lists. */
  readonly given: Readonly<Record<string, unknown>> | null;
  /** The fields that the engine makes, as `lh_hook_options.fields` takes them. Null: all. */
  readonly fields: string | null;
}

/** All events, with all fields. */
export const everything: Selection = { when: null, match: undefined, given: null, fields: null };

/** Checks the options `when`, `tool` and `fields`. Errors: `TypeError`. */
export function selectionOf(options: object, point: Point, what: string): Selection {
  const { tool, fields, ...rest } = options as { readonly when?: unknown; tool?: unknown; fields?: unknown };
  const when = tool === undefined ? rest.when : whenOf(rest.when, tool, what);
  const matching = checkMatcher(when, point, "when");
  const tested = (matching.match ?? []).map(([key]) => key);
  return {
    ...matching,
    given: isObject(when) ? { ...when } : null,
    fields: checkFields(fields, point, "fields", tested),
  };
}

/** `when` with a test of the tool's name. */
function whenOf(when: unknown, tool: unknown, what: string): unknown {
  const toolName = isObject(tool) ? tool["name"] : undefined;
  if (typeof toolName !== "string" || toolName === "") throw wrong(`${what}.tool`, "a tool", tool);
  if (when !== undefined && !isObject(when)) return when; // wrong for the matcher, too
  if (when?.["toolName"] !== undefined) throw new TypeError(`${what} take tool or when.toolName, not both`);
  return { ...when, toolName };
}

/**
 * Checks `fields`; the result is that of {@link Selection}. `tested`: fields that tests of `when` read in JavaScript,
 * which the event has, too. Errors: `TypeError`, with the field.
 */
export function checkFields(
  fields: unknown,
  point: Point,
  what: string,
  tested: readonly string[] = [],
): string | null {
  if (fields === undefined) return null;
  if (!Array.isArray(fields)) throw wrong(what, "a list of fields of the event", fields);
  const known = [...point.info.fields, "meta"];
  for (const [index, field] of fields.entries()) {
    if (typeof field !== "string") throw wrong(`${what}[${index}]`, "the name of a field", field);
    if (!known.includes(field))
      throw new TypeError(`${point.info.tsName} has no field ${JSON.stringify(field)}${suggest(field, known)}`);
  }
  return toJson([...new Set([...(fields as string[]), ...tested])].map((field) => toSnake(field)));
}
