// What `when` asks: what the engine can decide itself, before a handler is called, and what only JavaScript can.
// Must not: test anything in JavaScript that the engine decides in the same way.
import { types } from "node:util";
import { got, isObject, suggest, wrong } from "../base/check.js";
import { toJson, toSnake } from "../base/wire.js";
import { fieldTypes } from "./point-schemas.js";
import type { Point } from "./points.js";

/** A test of each field that only JavaScript can decide. */
export type Match = readonly (readonly [key: string, test: (value: unknown) => boolean])[];

/** A matcher made ready. */
export interface Matching {
  /** For the engine: JSON, as `lh_hook_options.when` takes it; null: nothing. */
  readonly when: string | null;
  /** Undefined: the engine decides all of it. */
  readonly match: Match | undefined;
}

const { isRegExp } = types; // of any realm

const metaKeys = ["tier", "modelId", "depth", "iteration", "sessionId", "runId", "parentRunId"];

/** Errors: `TypeError`, naming field and value. */
export function checkMatcher(when: unknown, point: Point, what: string): Matching {
  const { engine, rest } = split(when, point, what);
  const { fields } = point.info;
  const match = rest.map(([key, test]) => fieldTest(key, testOf(test), fields.includes(key)));
  return { when: engine, match: match.length > 0 ? match : undefined };
}

/** The matcher of a hook that JavaScript is not woken for, as `Matching.when`. Errors: `TypeError`, also for what the engine cannot decide. */
export function checkNativeMatcher(when: unknown, point: Point, what: string): string | null {
  const { engine, rest } = split(when, point, what);
  for (const [key, test] of rest) {
    const kind = typeof test === "function" ? "a function" : isRegExp(test) ? String(test) : got(test);
    throw new TypeError(
      `${what}.${key}: ${kind} would be asked in JavaScript, which is not woken for a native hook; the engine itself compares with ` +
        "values and with a RegExp of plain texts, ^, $ and |, without the flags i, m and y",
    );
  }
  return engine;
}

/** What the engine can decide, in its words, and what is left. */
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
    if (!known.includes(key))
      throw new TypeError(`${tsName} has no field ${JSON.stringify(key)}${suggest(key, known)}`);
    const native = nativeTest(test, `${what}.${key}`);
    checkType(test, fieldTypes(point, key), `${what}.${key}`);
    if (native !== undefined && key !== "meta") engine[toSnake(key)] = native.test;
    else rest.push([key, test]);
  }
  return { engine: Object.keys(engine).length > 0 ? toJson(engine) : null, rest };
}

/** What can never match is a mistake. Null stands for what is not there, too. */
function checkType(test: unknown, types: readonly string[], what: string): void {
  if (typeof test === "function" || test === null) return;
  const type = isRegExp(test) ? "string" : typeof test;
  if (types.includes(type) || (type === "number" && types.includes("integer"))) return;
  const shown = isRegExp(test) ? String(test) : got(test);
  throw new TypeError(
    `${what} would never match ${shown}: it is of type ${types.join(" or ")}; a function can test it`,
  );
}

/** Of a field of the event's own, or of its `meta`. */
function fieldTest(key: string, test: (value: unknown) => boolean, own: boolean): Match[number] {
  if (own || key === "meta") return [key, test];
  return ["meta", (meta) => test((meta as Record<string, unknown>)[key])];
}

/** The test in the engine's words; undefined: only JavaScript can make it. */
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
    // A copy, which nobody else moves on; one with ways of its own has them in itself alone.
    const pattern = isPlain(test) ? new RegExp(test) : test;
    return (value) => {
      if (typeof value !== "string") return false;
      // With g and y it would go on from where it stood after the last test.
      if (pattern.lastIndex !== 0) pattern.lastIndex = 0;
      return pattern.test(value);
    };
  }
  return (value) => value === test;
}

/** Of this realm, and neither of a class of its own nor with methods of its own: what its source and flags say is all. */
function isPlain(pattern: RegExp): boolean {
  return Object.getPrototypeOf(pattern) === RegExp.prototype && Reflect.ownKeys(pattern).length === 1;
}

type NativePattern = string | { starts_with: string } | { ends_with: string } | { contains: string };

/** Escaped or not, a character that stands for itself; and no half of a pair, which UTF-8 does not have. */
const literal = /^(?:[^\\^$.*+?()[\]{}|/]|\\[\\^$.*+?()[\]{}|/-])*$/;

/** Flags by which a pattern of plain texts means what it means without: those that the engine knows nothing of are not here. */
const idle = /^[dgsuv]*$/;

/**
 * A pattern of plain texts, with `^`, `$` and `|`, which means the same byte by byte: `/^fs_/`, `/_read$/`, `/^(?:a|b)$/`.
 * Undefined for any other, and where a flag gives these another meaning (`i`, `m`, `y`, and what JavaScript may yet bring).
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

/** Between `|` that are not escaped. */
function alternatives(source: string): string[] {
  const parts = [""];
  for (let at = 0; at < source.length; at++) {
    const char = source[at] as string;
    if (char === "|") parts.push("");
    else parts[parts.length - 1] += char === "\\" ? char + (source[++at] ?? "") : char;
  }
  return parts;
}
