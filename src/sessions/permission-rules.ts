// Which tool calls may run: rules as callers give them, checked. Must not: judge a call; the engine does.
import { checkObject, optionalObject, requiredString, wrong } from "../base/check.js";

/**
 * A rule with one of `allow`, `deny` and `ask`: a pattern of names of tools, in which `*` stands for anything but `/`, `**`
 * for anything and `?` for one character. With `when` it holds for calls whose arguments are as its patterns say, by path:
 * `{ allow: "fs_*", when: { "args.path": "data/**" } }`. A path among the arguments is compared without `.` and `..`: as a
 * whole with a pattern that is an absolute path, from the current folder on with any other. What denies or asks does so
 * whether or not a `/` ends the path; links in the file system are the tool's to resolve. A number is compared as the
 * shortest way to write it: `5` for `5.0`. Two spellings of one letter in Unicode are the same (texts are compared in
 * normal form C); upper and lower case are not.
 */
export interface PermissionRule {
  /** A pattern of names: these calls run. */
  readonly allow?: string;
  /** A pattern of names: these calls do not run. */
  readonly deny?: string;
  /** A pattern of names: somebody is asked, at `permissionCheck`. */
  readonly ask?: string;
  /** Patterns of arguments, by paths that begin with `args.`; all must match [any arguments]. */
  readonly when?: Readonly<Record<string, string>>;
}

const ruleKeys = ["allow", "deny", "ask", "when"] as const;

/** Errors: `TypeError`, naming what is wrong in `at`. */
export function rulesToWire(rules: unknown, at: string): unknown[] {
  if (!Array.isArray(rules)) throw wrong(at, "an array of rules", rules);
  return rules.map((rule: unknown, index) => {
    const what = `${at}[${index}]`;
    const { when, ...kinds } = checkObject(rule, what, ruleKeys);
    const given = Object.entries(kinds).filter(([, pattern]) => pattern !== undefined);
    if (given.length !== 1) throw new TypeError(`${what} must have one of allow, deny and ask`);
    for (const [kind, pattern] of given) requiredString(pattern, `${what}.${kind}`);
    for (const [path, pattern] of Object.entries(optionalObject(when, `${what}.when`) ?? {})) {
      if (!path.startsWith("args."))
        throw new TypeError(`${what}.when has the path ${JSON.stringify(path)}; paths begin with "args."`);
      if (typeof pattern !== "string") throw wrong(`${what}.when[${JSON.stringify(path)}]`, "a pattern", pattern);
    }
    return { ...Object.fromEntries(given), ...(when !== undefined && { when }) };
  });
}
