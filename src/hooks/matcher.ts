// Splits `when` into tests that the engine makes before it calls a handler, and tests that only JavaScript can make.
// Must not: leave to JavaScript a test that the engine makes in the same way; each such test wakes JavaScript for
// nothing.
import { types } from "node:util";
import { got, isObject, suggest, wrong } from "../base/check.js";
import { toJson, toSnake } from "../base/wire.js";
import type { Tags } from "../generated/points.js";
import { fieldTypes } from "./point-schemas.js";
import type { Point } from "./points.js";

/** One test per field, for fields that only JavaScript can test. */
export type Match = readonly (readonly [key: string, test: (value: unknown) => boolean])[];

/** A prepared matcher. */
export interface Matching {
  /** The engine's part: JSON, as `lh_hook_options.when` takes it. Null: no tests. */
  readonly when: string | null;
  /** The part for JavaScript. Undefined: no tests. */
  readonly match: Match | undefined;
}

const { isRegExp } = types; // recognises RegExps of any realm

const tagKey = /^tags\.([\w.-]{1,64})$/;
const metaKeys = ["tier", "modelId", "depth", "iteration", "sessionId", "runId", "parentRunId"];

/** Prepares a matcher. Errors: `TypeError`, with the field and the value. */
export function checkMatcher(when: unknown, point: Point, what: string): Matching {
  const { engine, rest } = split(when, point, what);
  const { fields } = point.info;
  const match = rest.map(([key, test]) => fieldTest(key, testOf(test), fields.includes(key)));
  return { when: engine, match: match.length > 0 ? match : undefined };
}

/** A checked `when` for lists: a RegExp or a function becomes a text. Null: there are no tests. */
export function shownMatcher(when: unknown): Readonly<Record<string, unknown>> | null {
  if (!isObject(when)) return null;
  return Object.fromEntries(Object.entries(when).map(([key, test]) => [key, shownTest(test)]));
}

function shownTest(test: unknown): unknown {
  if (typeof test === "function") return `function ${test.name}`.trim();
  return isRegExp(test) ? String(test) : test;
}

/**
 * Prepares the matcher of a native hook, as `Matching.when`. Errors: `TypeError`, also for tests that only JavaScript
 * can make.
 */
export function checkNativeMatcher(when: unknown, point: Point, what: string): string | null {
  const { engine, rest } = split(when, point, what);
  for (const [key, test] of rest) {
    const kind = typeof test === "function" ? "a function" : isRegExp(test) ? String(test) : got(test);
    throw new TypeError(
      `${what}.${key}: ${kind} needs JavaScript, which native hooks run without; use ` +
        "values or a RegExp of plain texts, ^, $ and |, without the flags i, m and y",
    );
  }
  return engine;
}

/** Returns the tests that the engine makes, in its format, and the remaining ones. */
function split(
  when: unknown,
  point: Point,
  what: string,
): { readonly engine: string | null; readonly rest: readonly (readonly [key: string, test: unknown])[] } {
  if (when === undefined) return { engine: null, rest: [] };
  if (!isObject(when)) throw wrong(what, "an object of fields", when);
  const { fields, tsName } = point.info;
  const known = [...new Set([...fields, ...metaKeys, "meta"])];
  const engine: Record<string, unknown> = {};
  const rest: (readonly [string, unknown])[] = [];
  for (const [key, test] of Object.entries(when)) {
    const isTag = tagKey.test(key);
    if (!isTag && !known.includes(key))
      throw new TypeError(`${tsName} has no field ${JSON.stringify(key)}${suggest(key, known)}`);
    const native = nativeTest(test, `${what}.${key}`);
    if (!isTag) checkType(test, fieldTypes(point, key), `${what}.${key}`);
    if (native !== undefined && key !== "meta") engine[isTag ? key : toSnake(key)] = native.test;
    else rest.push([key, test]);
  }
  return { engine: Object.keys(engine).length > 0 ? toJson(engine) : null, rest };
}

/** A test that can never match is a mistake of the caller. Null matches a missing field. */
function checkType(test: unknown, types: readonly string[], what: string): void {
  if (typeof test === "function" || test === null) return;
  const type = isRegExp(test) ? "string" : typeof test;
  if (types.includes(type) || (type === "number" && types.includes("integer"))) return;
  const shown = isRegExp(test) ? String(test) : got(test);
  throw new TypeError(
    `${what} would never match ${shown}: it is of type ${types.join(" or ")}; a function can test it`,
  );
}

/** A test of a field of the event, or of its `meta`. */
function fieldTest(key: string, test: (value: unknown) => boolean, own: boolean): Match[number] {
  if (own || key === "meta") return [key, test];
  const tag = tagKey.exec(key)?.[1];
  if (tag !== undefined) return ["meta", (meta) => test((meta as { tags?: Tags }).tags?.[tag])];
  return ["meta", (meta) => test((meta as Record<string, unknown>)[key])];
}

/** The test in the engine's format. Undefined: only JavaScript can make it. */
function nativeTest(test: unknown, what: string): { readonly test: unknown } | undefined {
  if (typeof test === "function") return undefined;
  if (isRegExp(test)) {
    const patterns = isPlain(test) ? literalPattern(test) : undefined;
    return patterns && { test: patterns };
  }
  if (typeof test === "string") return test.isWellFormed() ? { test } : undefined;
  if (typeof test === "number" && !Number.isFinite(test)) throw wrong(what, "a finite number", test);
  if (test !== null && typeof test !== "number" && typeof test !== "boolean")
    throw wrong(what, "a value, a RegExp or a function", test);
  return { test };
}

function testOf(test: unknown): (value: unknown) => boolean {
  if (typeof test === "function") return (value) => test(value) === true;
  if (isRegExp(test)) {
    // A copy, whose `lastIndex` no other code changes. A RegExp with overridden methods cannot be copied.
    const pattern = isPlain(test) ? new RegExp(test) : test;
    return (value) => {
      if (typeof value !== "string") return false;
      // A RegExp with g or y would continue behind the last match.
      if (pattern.lastIndex !== 0) pattern.lastIndex = 0;
      return pattern.test(value);
    };
  }
  return (value) => value === test;
}

/**
 * True if the RegExp is from this realm, its class is not a subclass and it has no overridden methods, so that source
 * and flags describe it completely.
 */
function isPlain(pattern: RegExp): boolean {
  return Object.getPrototypeOf(pattern) === RegExp.prototype && Reflect.ownKeys(pattern).length === 1;
}

type NativePattern = string | { starts_with: string } | { ends_with: string } | { contains: string };

/** Plain text: characters that stand for themselves, escaped or not. No lone surrogates, which UTF-8 cannot hold. */
const literal = /^(?:[^\\^$.*+?()[\]{}|/]|\\[\\^$.*+?()[\]{}|/-])*$/;

/** Flags that do not change the meaning of plain text. Flags that the engine does not know are not listed. */
const idle = /^[dgsuv]*$/;

/**
 * The plain texts of a pattern that means the same byte by byte: plain text with `^`, `$` and `|`, such as `/^fs_/`,
 * `/_read$/`, `/^(?:a|b)$/`. Undefined for any other pattern, or if a flag changes the meaning (`i`, `m`, `y`, or
 * unknown ones).
 */
export function literalPattern({ source, flags }: RegExp): readonly NativePattern[] | undefined {
  if (!idle.test(flags) || !source.isWellFormed()) return undefined;
  const group = /^(\^?)\((?:\?:)?([^()]*)\)(\$?)$/.exec(source);
  const [starts, body, ends] = group === null ? ["", source, ""] : [group[1], group[2] ?? "", group[3]];
  const patterns: NativePattern[] = [];
  for (const part of alternatives(body)) {
    const at = /^(\^?)([^]*?)(\$?)$/.exec(part);
    const [, from = "", before = "", dollar = ""] = at ?? [];
    const escaped = dollar !== "" && /(?:^|[^\\])(?:\\\\)*\\$/.test(before);
    const [text, to] = escaped ? [`${before}$`, ""] : [before, dollar];
    if (!literal.test(text)) return undefined;
    const plain = text.replace(/\\([^])/g, "$1");
    const [first, last] = [from !== "" || starts !== "", to !== "" || ends !== ""];
    if (first && last) patterns.push(plain);
    else if (first) patterns.push({ starts_with: plain });
    else patterns.push(last ? { ends_with: plain } : { contains: plain });
  }
  return patterns;
}

/** Splits at every `|` that is not escaped. */
function alternatives(source: string): string[] {
  const parts = [""];
  for (let at = 0; at < source.length; at++) {
    const char = source[at] as string;
    if (char === "|") parts.push("");
    else parts[parts.length - 1] += char === "\\" ? char + (source[++at] ?? "") : char;
  }
  return parts;
}
