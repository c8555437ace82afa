// Checks the options of engine.session() and session.run() and converts them for the engine.
import { checkObject, isObject, optionalOneOf, optionalSignal, optionalStrings, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { toJson } from "../base/wire.js";
import { type JsonSchema, optionalSchema, type StandardSchema } from "../generate/json-schema.js";
import { jsonValue } from "../generate/json-value.js";
import { inputKinds, isParts, type MessageInput, messagesToWire, textOfParts } from "../generate/messages.js";
import { type SamplingOptions, samplingKeys, samplingToWire } from "../generate/sampling.js";
import { standardValidate, type Validate } from "../generate/standard-validate.js";
import { checkTool, type ToolContext, type ToolSettings, toolSettings } from "../generate/tool.js";
import { runChecks, type RunParameters, sessionChecks, type SessionParameters } from "../generated/parameters.js";
import { type ControlTool, controlTools } from "../generated/tools.js";
import { defineHooks, type HookSet, type HookSets, hookSetsOf } from "../hooks/define-hooks.js";
import type { IterationEndEvent, PlanStep } from "../generated/points.js";
import { Answer } from "./answer.js";
import { type ArgumentsCheck, argumentsCheck } from "./arguments-check.js";
import { type PermissionRule, rulesToWire } from "./permission-rules.js";
import { type PhaseOptions, phasesToWire, type TierOptions, tiersToWire } from "./tier-options.js";

/** A tool of a session: the result of `tool()`, or an object like it. */
export interface SessionTool extends ToolSettings {
  /** 1 to 128 letters, digits, `_` or `-`; unique in the session. */
  readonly name: string;
  /** The description that the model sees [none]. */
  readonly description?: string;
  /** Schema of the arguments: an object schema [no arguments]. */
  readonly parameters?: JsonSchema | StandardSchema;
  /** The validation that `tool()` derives from a schema object. */
  readonly validate?: Validate;
  /**
   * Called with the checked arguments. The returned value, or the value of the returned promise, is the result: a
   * string or UTF-8 bytes unchanged, `undefined` as an empty text, a {@link ToolResult} as it says, anything else as
   * JSON.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- each tool knows its own arguments, which were checked
  run(args: any, context: ToolContext): unknown;
}

/** Options of `engine.session()`. Sampling options are defaults for every run. */
export interface SessionOptions<Tools extends readonly SessionTool[] = readonly SessionTool[]>
  extends SessionParameters, SamplingOptions {
  /** Tools that the model may call. All calls of a message are decided first, and then run concurrently. */
  readonly tools?: Tools;
  /**
   * Permission rules [every call may run]. Deny takes precedence over ask, and ask over allow, in any order. A call
   * that matches no rule is treated as ask: permissionCheck fires, and a hook there may wait for a person. If no hook
   * answers, the call is denied.
   */
  readonly permissions?: readonly PermissionRule[];
  /** Built-in tools that the model is offered [none]; see {@link ControlTool}. */
  readonly controlTools?: readonly ControlTool[];
  /**
   * Tiers by name: the roles that the session can take, or delegate to [none]. The session begins as the tier that
   * `tier` names; an unknown name is refused.
   */
  readonly tiers?: Readonly<Record<string, TierOptions>>;
  /** Phases by name: what changes when the run switches to the phase [none]. */
  readonly phases?: Readonly<Record<string, PhaseOptions>>;
  /** Earlier messages, without a system message, in which every tool call has its result. */
  readonly history?: readonly MessageInput[];
}

/**
 * A list of steps. `sequence` runs them until one fails; `parallel` runs them concurrently, and more than half must
 * succeed; `fallback` runs them until one succeeds. A step is a tool call, a task for a tier, or a plan. In texts of a
 * step, `${name}` is replaced with the result of the earlier step of that name.
 */
export interface Plan {
  /** The order of the steps. */
  readonly flow: "sequence" | "parallel" | "fallback";
  /** At most 64 steps. */
  readonly steps: readonly (Omit<PlanStep, "name"> & {
    /** The name in hooks and results [the step's number]. */
    readonly name?: string;
  })[];
}

/** Options of `session.run()`. Each sampling option replaces the one of the session and its tier. */
export interface RunOptions extends RunParameters<JsonSchema | StandardSchema>, SamplingOptions {
  /** A plan that runs before the first model call, which gets its results. */
  readonly plan?: Plan;
  /**
   * Called with the event of `iterationEnd` after each iteration of this run but its last one; iterations of delegated
   * runs do not count. True ends the run as `complete`, without another model call [never]. An exception or a rejected
   * promise is a failed hook (HOOK_FAILED), and the run continues.
   */
  readonly stopWhen?: (event: IterationEndEvent) => boolean | Promise<boolean>;
  /**
   * Decides whether the run waits while another run of the session is under way. "refuse" [default]: the run fails with
   * SESSION_BUSY. "wait": the run begins after all earlier runs; if it is cancelled meanwhile, it also waits for them,
   * and then ends. A run that a hook or a tool starts always fails with SESSION_BUSY, because the earlier runs may be
   * waiting for that hook or tool.
   */
  readonly whenBusy?: "refuse" | "wait";
  /**
   * Hooks for this run and the runs that it delegates to, at the points that they fire (others: `POINT_NOT_FIRED`). At
   * equal priority they run after the hooks of the engine and of the session.
   */
  readonly hooks?: HookSet | HookSets;
  /** Cancels the run: it resolves with its partial result, `finishReason` "cancelled" and `cancel.by` "signal". */
  readonly signal?: AbortSignal;
}

/** Options of `session.resume()`: those of a run, in addition to the options of the run that waits. */
export type ResumeOptions = Omit<RunOptions, "plan" | "dryRun" | "whenBusy">;

/**
 * An answer for a tool call that waits. "allow" runs it; "deny" does not run it, and the model sees the denial, with
 * the reason of `{ deny }`. `{ args }` runs it with these arguments. "cancel" for any call ends the run, and no call of
 * its message runs. `by` names who answers: hooks at `permissionCheck` see it, and it is `decidedBy` of a denied call.
 */
export type WaitingAnswer =
  | "allow"
  | "deny"
  | "cancel"
  | (AnswerBy & {
      /** The call runs. */
      readonly allow: true;
    })
  | (AnswerBy & {
      /** The arguments that the tool runs with. */
      readonly args: Readonly<Record<string, unknown>>;
    })
  | (AnswerBy & {
      /** The reason, which the model sees; true: none. */
      readonly deny: string | true;
    })
  | (AnswerBy & {
      /** The run ends, and no call of its message runs. */
      readonly cancel: true;
    });

/** The person who answers for a waiting tool call. */
export interface AnswerBy {
  /** The name of the person who answers [`waitsFor` of the call]. */
  readonly by?: string;
}

export interface CheckedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly settings: ToolSettings;
  readonly check: ArgumentsCheck;
  /** The reason why the tool cannot be offered to the model; null: no problem. */
  readonly fault: string | null;
  readonly validate: Validate | undefined;
  readonly run: SessionTool["run"];
}

export interface CheckedRun {
  readonly json: string;
  readonly signal: AbortSignal | undefined;
  readonly waits: boolean;
  readonly hooks: readonly HookSet[];
  /** Undefined: the run needs no answer. */
  readonly answer: Answer | undefined;
  /** Undefined: the run has no `stopWhen`. */
  readonly stop: Stop | undefined;
}

/** Asks `stopWhen` at the end of each iteration. */
export interface Stop {
  readonly hooks: HookSet;
  /** True if the last answer of `stopWhen` was true. */
  readonly hasStopped: boolean;
}

export interface CheckedSession {
  /** The options without the history and the origin, which can be long and are needed only to open the session. */
  readonly json: string;
  readonly tools: readonly CheckedTool[];
}

/** The checked options that open a session. */
export interface SessionToOpen extends CheckedSession {
  /** The options, with the history and the origin. */
  readonly opening: string;
}

const sessionKeys = [
  ...parameterKeys(sessionChecks),
  ...samplingKeys,
  "tools",
  "history",
  "permissions",
  "controlTools",
  "tiers",
  "phases",
] as const;
const runKeys = [
  ...parameterKeys(runChecks),
  ...samplingKeys,
  "plan",
  "stopWhen",
  "whenBusy",
  "hooks",
  "signal",
] as const;
const notResumed: readonly string[] = ["plan", "dryRun", "whenBusy"];
const resumeKeys = runKeys.filter((key) => !notResumed.includes(key));

/** The saved session that a session continues: the path of its file, or its text. */
export interface SessionOrigin {
  readonly restore?: string;
  readonly record?: string;
}

/** Errors: `TypeError`, with the wrong option. */
export function checkSession(options: unknown, origin: SessionOrigin = {}): SessionToOpen {
  const what = "session() options";
  const given = checkObject(options, what, sessionKeys);
  const wire: Record<string, unknown> = {
    ...parametersToWire(checkParameters(sessionChecks, given, "")),
    params: samplingToWire(given, what),
  };
  if (given.permissions !== undefined) wire["permissions"] = rulesToWire(given.permissions, "permissions");
  if (given.controlTools !== undefined) wire["control_tools"] = controlToolsOf(given.controlTools);
  if (given.tiers !== undefined) wire["tiers"] = tiersToWire(given.tiers);
  if (given.phases !== undefined) wire["phases"] = phasesToWire(given.phases);
  const history = given.history === undefined ? {} : { history: messagesToWire(given.history, "history") };
  const opening = toJson({ ...wire, ...origin, ...history });
  return { json: toJson(wire), opening, tools: given.tools === undefined ? [] : checkTools(given.tools) };
}

/** Errors: `TypeError`, with the wrong option. */
export function checkRun(input: unknown, options: unknown): CheckedRun {
  return checkedRun(inputToWire(input), checkObject(options, "run() options", runKeys), "run() options");
}

/** The user's message, and the messages before it. */
function inputToWire(input: unknown): { content: unknown; history?: readonly unknown[] } {
  const what = "The input of run()";
  if (typeof input === "string") return { content: input };
  if (!Array.isArray(input) || input.length === 0) throw wrong(what, inputKinds, input);
  if (isParts(input)) return { content: textOfParts(input, what) };
  const messages = messagesToWire(input, "messages");
  const system = messages.findIndex(({ role }) => role === "system");
  if (system >= 0)
    throw new TypeError(`messages[${system}] of run() is a system message: give its text to session() as system`);
  const history = messages.slice(0, -1);
  const { role, content } = messages.at(-1) ?? {};
  if (role !== "user" || typeof content !== "string")
    throw wrong("The last message of run()", 'the user\'s: { role: "user", content }', input.at(-1));
  return history.length > 0 ? { content, history } : { content };
}

/** Errors: `TypeError`, with the wrong answer or option. */
export function checkResume(answers: unknown, options: unknown): CheckedRun {
  if (!isObject(answers)) throw wrong("The answers of resume()", "an object with answers by id of the call", answers);
  const resume = jsonValue(answers, "The answers of resume()");
  return checkedRun({ resume }, checkObject(options, "resume() options", resumeKeys), "resume() options");
}

function checkedRun(
  begin: object,
  given: Partial<Record<(typeof runKeys)[number], unknown>>,
  what: string,
): CheckedRun {
  const checked = checkParameters(runChecks, given, "", { schema: optionalSchema });
  const wire = {
    ...begin,
    ...parametersToWire(checked),
    params: samplingToWire(given, what),
    ...(given.plan !== undefined && { plan: planOf(given.plan) }),
  };
  const waits = optionalOneOf(given.whenBusy, "whenBusy", ["refuse", "wait"]) === "wait";
  const hooks = given.hooks === undefined ? [] : hookSetsOf(given.hooks, "hooks");
  const stop = given.stopWhen === undefined ? undefined : stopOf(given.stopWhen);
  const answer = checked.answer === undefined ? undefined : new Answer(given.answer, checked.answer as JsonSchema);
  return {
    json: toJson(wire),
    signal: optionalSignal(given.signal, "signal"),
    waits,
    hooks: stop === undefined ? hooks : [...hooks, stop.hooks],
    answer,
    stop,
  };
}

function stopOf(stopWhen: unknown): Stop {
  if (typeof stopWhen !== "function") throw wrong("stopWhen", "a function", stopWhen);
  const asked = stopWhen as NonNullable<RunOptions["stopWhen"]>;
  let hasStopped = false;
  const hooks = defineHooks("stopWhen", {
    async iterationEnd(event) {
      if (event.meta.depth !== 0 || event.status !== "running") return undefined;
      hasStopped = (await asked(event)) === true;
      return hasStopped ? { complete: true } : undefined;
    },
  });
  return {
    hooks,
    get hasStopped() {
      return hasStopped;
    },
  };
}

/** The engine checks the steps. */
function planOf(value: unknown): unknown {
  const { flow, steps } = checkObject(value, "plan", ["flow", "steps"]);
  if (flow === undefined) throw wrong("plan.flow", '"sequence", "parallel" or "fallback"', flow);
  optionalOneOf(flow, "plan.flow", ["sequence", "parallel", "fallback"]);
  if (!Array.isArray(steps)) throw wrong("plan.steps", "an array of steps", steps);
  return { flow, steps: jsonValue(steps, "plan.steps") };
}

function controlToolsOf(names: unknown): readonly string[] {
  return (optionalStrings(names, "controlTools") ?? []).map(
    (name, index) => optionalOneOf(name, `controlTools[${index}]`, controlTools) ?? name,
  );
}

/** Errors: `TypeError`, with the wrong tool. */
export function checkTools(tools: unknown): CheckedTool[] {
  if (!Array.isArray(tools)) throw wrong("tools", "an array of tools", tools);
  const origins = new Map<string, string | null>();
  return tools.map((value: unknown, index) => {
    const what = `tools[${index}]`;
    const spec = checkTool(value, what);
    const { run, parameters, validate = standardValidate(parameters) } = value as SessionTool;
    if (typeof run !== "function") throw wrong(`${what}.run`, "a function", run);
    if (validate !== undefined && typeof validate !== "function")
      throw wrong(`${what}.validate`, "a function", validate);
    const settings = toolSettings(value as SessionTool, what);
    const before = origins.get(spec.name);
    if (before !== undefined) throw twice(spec.name, before, settings.origin ?? null);
    origins.set(spec.name, settings.origin ?? null);
    return {
      ...spec,
      settings,
      ...argumentsCheck(`the parameters of the tool ${JSON.stringify(spec.name)} are`, spec.parameters),
      validate,
      run: (value as SessionTool).run.bind(value),
    };
  });
}

/** Tools of servers get their names from there, so the message says from where. */
function twice(name: string, before: string | null, origin: string | null): TypeError {
  const from = (of: string | null): string => (of === null ? "one without an origin" : `one of ${of}`);
  const both = before === null && origin === null ? "" : `: ${from(before)} and ${from(origin)}`;
  return new TypeError(`tools has two tools named ${JSON.stringify(name)}${both}`);
}
