// Checks permission rules and converts them for the engine, which judges the calls.
import { checkObject, got, isObject, optionalNumber, optionalObject, requiredString, wrong } from "../base/check.js";

/** A number, or a range of numbers. */
export type NumberCondition =
  | number
  | {
      /** The smallest number [no lower end]. */
      readonly min?: number;
      /** The largest number [no upper end]. */
      readonly max?: number;
    };

/**
 * A condition on an argument: a pattern, or an object that names the kind of value. In patterns `*` matches anything
 * but `/`, `**` matches anything, and `?` matches one character but `/`.
 *
 * `true` and `false` are patterns for that value.
 *
 * A plain pattern names no kind, so the value may be a text, a path or a URL. An allow rule matches if all of these
 * readings match; a deny or ask rule matches if any of them does. With a named kind, a value of another kind never
 * matches an allow rule, and always matches a deny or ask rule. The tables in docs/concepts/permissions.md list every
 * case.
 */
export type ArgumentCondition =
  | string
  | boolean
  | {
      /** A pattern for the text itself: a command, a query, an enum value. */
      readonly text: string;
    }
  | {
      /**
       * A pattern for a path, compared after resolving `.` and `..`: an absolute pattern with the absolute path, any
       * other with the path relative to the current folder. `x/**` is the folder `x` and everything in it. A denied
       * path is also denied by the names that symbolic links lead to.
       */
      readonly path: string;
    }
  | {
      /** A pattern for an absolute URL. A literal `?` begins the query. */
      readonly url: string;
    }
  | {
      /** A number, or a range that contains it. */
      readonly number: NumberCondition;
    };

/**
 * A permission rule: one of `allow`, `deny` and `ask`, each a pattern of tool names, in which `*` matches anything but
 * `/`, `**` matches anything and `?` matches one character. With `when` the rule matches only calls whose arguments
 * meet the conditions, by path: `{ allow: "fs_*", when: { "args.path": { path: "data/**" } } }`. Texts are compared in
 * Unicode normal form C, and case matters.
 */
export interface PermissionRule {
  /** Calls of tools with a matching name run. */
  readonly allow?: string;
  /** Calls of tools with a matching name do not run. */
  readonly deny?: string;
  /** Calls of tools with a matching name are decided at `permissionCheck`. */
  readonly ask?: string;
  /**
   * Conditions on arguments, by paths that begin with `args.`; on hints of the tool, `"annotations.destructiveHint"`:
   * true or false; on `"annotations.title"` and `"origin"`: patterns for the text. All must hold [no conditions]. A
   * condition on a hint, a title or an origin that the tool does not have never holds.
   */
  readonly when?: Readonly<Record<string, ArgumentCondition>>;
}

const ruleKeys = ["allow", "deny", "ask", "when"] as const;
const hintPaths = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].map(
  (hint) => `annotations.${hint}`,
);
const textPaths = ["annotations.title", "origin"];
const kinds = ["text", "path", "url", "number"] as const;

/** Checks and converts rules. Errors: `TypeError`, with the place in `at`. */
export function rulesToWire(rules: unknown, at: string): unknown[] {
  if (!Array.isArray(rules)) throw wrong(at, "an array of rules", rules);
  return rules.map((rule: unknown, index) => {
    const what = `${at}[${index}]`;
    const { when, ...permissions } = checkObject(rule, what, ruleKeys);
    const given = Object.entries(permissions).filter(([, pattern]) => pattern !== undefined);
    if (given.length !== 1) throw new TypeError(`${what} must have one of allow, deny and ask`);
    for (const [permission, pattern] of given) requiredString(pattern, `${what}.${permission}`);
    for (const [path, condition] of Object.entries(optionalObject(when, `${what}.when`) ?? {})) {
      const place = `${what}.when[${JSON.stringify(path)}]`;
      if (path.startsWith("args.")) checkCondition(condition, place);
      else if (hintPaths.includes(path)) requiredBoolean(condition, place);
      else if (textPaths.includes(path)) checkTextCondition(condition, place);
      else
        throw new TypeError(
          `${what}.when has the path ${JSON.stringify(path)}; paths begin with "args.", or are ${[...hintPaths, ...textPaths].join(", ")}`,
        );
    }
    return { ...Object.fromEntries(given), ...(when !== undefined && { when }) };
  });
}

function requiredBoolean(condition: unknown, what: string): void {
  if (typeof condition !== "boolean") throw wrong(what, "true or false", condition);
}

function checkTextCondition(condition: unknown, what: string): void {
  if (typeof condition !== "string") throw wrong(what, "a pattern", condition);
}

function checkCondition(condition: unknown, what: string): void {
  if (typeof condition === "string" || typeof condition === "boolean") return;
  if (!isObject(condition)) throw wrong(what, "a pattern, or an object that names the kind of value", condition);
  const [[kind, value] = [undefined, undefined], ...more] = Object.entries(checkObject(condition, what, kinds));
  if (kind === undefined || more.length > 0) throw new TypeError(`${what} must have one of ${kinds.join(", ")}`);
  if (kind !== "number") {
    if (typeof value !== "string") throw wrong(`${what}.${kind}`, "a pattern", value);
    if (kind === "url" && !isUrlPattern(value))
      throw new TypeError(`${what}.url must begin with scheme://host, or with **, got ${got(value)}`);
    return;
  }
  if (typeof value === "number") return void optionalNumber(value, `${what}.number`);
  if (!isObject(value)) throw wrong(`${what}.number`, "a number or {min, max}", value);
  const { min, max } = checkObject(value, `${what}.number`, ["min", "max"]);
  if (min === undefined && max === undefined) throw new TypeError(`${what}.number must have min or max`);
  optionalNumber(min, `${what}.number.min`);
  optionalNumber(max, `${what}.number.max`, min as number | undefined);
}

/** Accepts only an origin without user information: a pattern that can never match would never deny anything. */
function isUrlPattern(pattern: string): boolean {
  return pattern.startsWith("**") || /^[^/]*:\/\/[^/@]*(?:\/|$)/.test(pattern);
}
