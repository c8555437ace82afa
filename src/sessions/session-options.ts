// What engine.session() and session.run() take, checked and put into the engine's words. Must not: open anything.
import { checkObject, optionalInteger, optionalObject, optionalSignal, requiredString, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { toJson } from "../base/wire.js";
import type { JsonSchema, StandardSchema } from "../generate/json-schema.js";
import { messagesToWire } from "../generate/messages.js";
import { type SamplingOptions, samplingKeys, samplingToWire } from "../generate/sampling.js";
import { checkTool, type ToolContext } from "../generate/tool.js";
import { runChecks, type RunParameters, sessionChecks, type SessionParameters } from "../generated/parameters.js";
import type { Message } from "../generated/points.js";
import { type ArgumentsCheck, argumentsCheck } from "./arguments-check.js";

/** A tool that a session can run: what `tool()` gives, or an object like it. */
export interface SessionTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonSchema | StandardSchema;
  /** Milliseconds that a call may take [`toolDeadlineMs` of the session]; 0: any. */
  readonly deadlineMs?: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- each tool knows its own arguments, which were checked
  run(args: any, context: ToolContext): unknown;
}

/**
 * A rule with one of `allow`, `deny` and `ask`: a pattern of names of tools, in which `*` stands for anything but `/`, `**`
 * for anything and `?` for one character. With `when` it holds for calls whose arguments are as its patterns say, by path:
 * `{ allow: "fs_*", when: { "args.path": "data/**" } }`. A path among the arguments is compared without `.` and `..`, and
 * below the current folder; links in the file system are the tool's to resolve. Texts are compared as they are written: two
 * spellings of one letter in Unicode are two texts.
 */
export interface PermissionRule {
  readonly allow?: string;
  readonly deny?: string;
  readonly ask?: string;
  readonly when?: Readonly<Record<string, string>>;
}

/** Options of `engine.session()`. Sampling options hold for every run that has none of its own. */
export interface SessionOptions extends SessionParameters, SamplingOptions {
  /** What the model may call. All calls of a message are decided on first, then they run at once. */
  readonly tools?: readonly SessionTool[];
  /**
   * Which calls may run. Deny goes before ask, and ask before allow, whatever their order; what no rule matches is asked.
   * Asked is permissionCheck: a hook there may wait for a person; nobody's answer is a denial. Without rules all may run.
   */
  readonly permissions?: readonly PermissionRule[];
  /** What was said before: without a system message, and every tool call with its result. */
  readonly history?: readonly Message[];
}

/** Options of `session.run()`. Sampling options take the place of the session's, each of its own. */
export interface RunOptions extends RunParameters, SamplingOptions {
  /** Ends the run early: it resolves with what it came to, `finishReason` "cancelled" and `cancel.by` "signal". */
  readonly signal?: AbortSignal;
}

export interface CheckedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly deadlineMs: number;
  readonly check: ArgumentsCheck;
  readonly run: SessionTool["run"];
}

export interface CheckedSession {
  readonly json: string;
  readonly tools: readonly CheckedTool[];
  readonly sampling: Readonly<Record<string, unknown>>;
}

const sessionKeys = [...parameterKeys(sessionChecks), ...samplingKeys, "tools", "history", "permissions"] as const;
const runKeys = [...parameterKeys(runChecks), ...samplingKeys, "signal"] as const;

/** Errors: `TypeError`, naming what is wrong; INVALID_SCHEMA, naming the tool. */
export function checkSession(options: unknown): CheckedSession {
  const what = "session() options";
  const given = checkObject(options, what, sessionKeys);
  const sampling = samplingToWire(given, what);
  const wire: Record<string, unknown> = {
    ...parametersToWire(checkParameters(sessionChecks, given, "")),
    params: sampling,
  };
  if (given.permissions !== undefined) wire["permissions"] = rulesOf(given.permissions);
  if (given.history !== undefined) wire["history"] = messagesToWire(given.history, "history");
  return { json: toJson(wire), tools: toolsOf(given.tools), sampling };
}

/** Errors: `TypeError`, naming what is wrong. */
export function checkRun(
  input: unknown,
  options: unknown,
  sampling: Readonly<Record<string, unknown>>,
): { json: string; signal: AbortSignal | undefined } {
  if (typeof input !== "string") throw wrong("The input of run()", "what the user says (a string)", input);
  const what = "run() options";
  const given = checkObject(options, what, runKeys);
  const wire = {
    content: input,
    ...parametersToWire(checkParameters(runChecks, given, "")),
    params: { ...sampling, ...samplingToWire(given, what) },
  };
  return { json: toJson(wire), signal: optionalSignal(given.signal, "signal") };
}

const ruleKeys = ["allow", "deny", "ask", "when"] as const;

function rulesOf(rules: unknown): unknown[] {
  if (!Array.isArray(rules)) throw wrong("permissions", "an array of rules", rules);
  return rules.map((rule: unknown, index) => {
    const what = `permissions[${index}]`;
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

function toolsOf(tools: unknown): CheckedTool[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) throw wrong("tools", "an array of tools", tools);
  const names = new Set<string>();
  return tools.map((value: unknown, index) => {
    const what = `tools[${index}]`;
    const spec = checkTool(value, what);
    const { run, deadlineMs } = value as SessionTool;
    if (typeof run !== "function") throw wrong(`${what}.run`, "a function", run);
    if (names.has(spec.name)) throw new TypeError(`tools has two tools named ${JSON.stringify(spec.name)}`);
    names.add(spec.name);
    return {
      ...spec,
      deadlineMs: optionalInteger(deadlineMs, `${what}.deadlineMs`, 0) ?? -1,
      check: argumentsCheck(spec.name, spec.parameters),
      run: (value as SessionTool).run.bind(value),
    };
  });
}
