// Which tool calls may run: rules as callers give them, checked. Must not: judge a call; the engine does.
import { checkObject, got, isObject, optionalNumber, optionalObject, requiredString, wrong } from "../base/check.js";

/** That number, or the ends of a range. */
export type NumberCondition =
  | number
  | {
      /** At least this [no lower end]. */
      readonly min?: number;
      /** At most this [no upper end]. */
      readonly max?: number;
    };

/**
 * What an argument must be for a rule to hold: a pattern, or an object that names the kind of value. In patterns `*` stands
 * for anything but `/`, `**` for anything and `?` for one character but `/`.
 *
 * A plain pattern names no kind: the value may be a text, a path or a URL. A rule that allows holds if each of these readings
 * matches, one that denies or asks if any does. A value that is not of the kind that is named is not allowed, and is denied or
 * asked about. The table in docs/concepts/agent.md has every case.
 */
export type ArgumentCondition =
  | string
  | {
      /** A pattern of the text as it is: a command, a query, an enum. */
      readonly text: string;
    }
  | {
      /**
       * A pattern of a path, which is compared without `.` and `..`: as a whole with an absolute pattern, from the current folder
       * on with any other. `x/**` is the folder `x` and all in it. Links in the file system are the tool's to resolve.
       */
      readonly path: string;
    }
  | {
      /** A pattern of an absolute URL; a `?` begins the query. */
      readonly url: string;
    }
  | {
      /** A number, or the range that it is in. */
      readonly number: NumberCondition;
    };

/**
 * A rule with one of `allow`, `deny` and `ask`: a pattern of names of tools, in which `*` stands for anything but `/`, `**`
 * for anything and `?` for one character. With `when` it holds for calls whose arguments are as its conditions say, by path:
 * `{ allow: "fs_*", when: { "args.path": { path: "data/**" } } }`. Two spellings of one letter in Unicode are the same (texts
 * are compared in normal form C); upper and lower case are not.
 */
export interface PermissionRule {
  /** A pattern of names: these calls run. */
  readonly allow?: string;
  /** A pattern of names: these calls do not run. */
  readonly deny?: string;
  /** A pattern of names: somebody is asked, at `permissionCheck`. */
  readonly ask?: string;
  /** Conditions of arguments, by paths that begin with `args.`; all must hold [any arguments]. */
  readonly when?: Readonly<Record<string, ArgumentCondition>>;
}

const ruleKeys = ["allow", "deny", "ask", "when"] as const;
const kinds = ["text", "path", "url", "number"] as const;

/** Errors: `TypeError`, naming what is wrong in `at`. */
export function rulesToWire(rules: unknown, at: string): unknown[] {
  if (!Array.isArray(rules)) throw wrong(at, "an array of rules", rules);
  return rules.map((rule: unknown, index) => {
    const what = `${at}[${index}]`;
    const { when, ...permissions } = checkObject(rule, what, ruleKeys);
    const given = Object.entries(permissions).filter(([, pattern]) => pattern !== undefined);
    if (given.length !== 1) throw new TypeError(`${what} must have one of allow, deny and ask`);
    for (const [permission, pattern] of given) requiredString(pattern, `${what}.${permission}`);
    for (const [path, condition] of Object.entries(optionalObject(when, `${what}.when`) ?? {})) {
      if (!path.startsWith("args."))
        throw new TypeError(`${what}.when has the path ${JSON.stringify(path)}; paths begin with "args."`);
      checkCondition(condition, `${what}.when[${JSON.stringify(path)}]`);
    }
    return { ...Object.fromEntries(given), ...(when !== undefined && { when }) };
  });
}

function checkCondition(condition: unknown, what: string): void {
  if (typeof condition === "string") return;
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

/** With an origin that names no user: one that could match nothing would deny nothing. */
function isUrlPattern(pattern: string): boolean {
  return pattern.startsWith("**") || /^[^/]*:\/\/[^/@]*(?:\/|$)/.test(pattern);
}
