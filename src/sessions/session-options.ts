// What engine.session() and session.run() take, checked and put into the engine's words. Must not: open anything.
import { checkObject, optionalOneOf, optionalSignal, optionalStrings, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { toJson } from "../base/wire.js";
import type { JsonSchema, StandardSchema } from "../generate/json-schema.js";
import { jsonValue } from "../generate/json-value.js";
import { messagesToWire } from "../generate/messages.js";
import { type SamplingOptions, samplingKeys, samplingToWire } from "../generate/sampling.js";
import { standardValidate, type Validate } from "../generate/standard-validate.js";
import { checkTool, type ToolContext, type ToolSettings, toolSettings } from "../generate/tool.js";
import { runChecks, type RunParameters, sessionChecks, type SessionParameters } from "../generated/parameters.js";
import { type HookSet, type HookSets, hookSetsOf } from "../hooks/define-hooks.js";
import type { Message, PlanStep } from "../generated/points.js";
import { type ArgumentsCheck, argumentsCheck } from "./arguments-check.js";
import { type PermissionRule, rulesToWire } from "./permission-rules.js";
import { type PhaseOptions, phasesToWire, type TierOptions, tiersToWire } from "./tier-options.js";

const controlTools = [
  "complete",
  "delegate",
  "pipeline",
  "plan",
  "todo",
  "prune_context",
  "phase_change",
  "context_inspect",
] as const;

/** A tool that the engine itself carries out. */
export type ControlTool = (typeof controlTools)[number];

/** A tool that a session can run: what `tool()` gives, or an object like it. */
export interface SessionTool extends ToolSettings {
  /** 1 to 64 letters, digits, `_` or `-`; unique in its session. */
  readonly name: string;
  /** What the model is told about it [nothing]. */
  readonly description?: string;
  /** Describes the arguments: an object schema [none are taken]. */
  readonly parameters?: JsonSchema | StandardSchema;
  /** What `tool()` makes of a schema object. */
  readonly validate?: Validate;
  /**
   * Called with the checked arguments. What it returns, or a promise of it, is the result: texts and UTF-8 bytes as they are, nothing as
   * an empty text, all else as JSON.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- each tool knows its own arguments, which were checked
  run(args: any, context: ToolContext): unknown;
}

/** Options of `engine.session()`. Sampling options hold for every run that has none of its own. */
export interface SessionOptions extends SessionParameters, SamplingOptions {
  /** What the model may call. All calls of a message are decided on first, then they run at once. */
  readonly tools?: readonly SessionTool[];
  /**
   * Which calls may run. Deny goes before ask, and ask before allow, whatever their order; what no rule matches is asked.
   * Asked is permissionCheck: a hook there may wait for a person; if no hook answers, the call is denied. Without rules all
   * may run.
   */
  readonly permissions?: readonly PermissionRule[];
  /**
   * Tools of the engine itself that the model is offered [none]. `complete`: it ends the run and says what was done, and
   * complete hooks may send it back. `delegate` and `pipeline`: a tier does a task, or several do it in turn.
   * `plan`: several tool calls and tasks, in a row or at once. `todo`: a
   * list of what is to be done. `prune_context`: earlier results of tools are shortened. `phase_change`: it goes over to
   * a named phase. `context_inspect`: it reads results again that were shortened.
   */
  readonly controlTools?: readonly ControlTool[];
  /**
   * Who the session can be, or delegate to, by name [none]. The session begins as the one that `tier` names; a name that is none
   * of them is refused.
   */
  readonly tiers?: Readonly<Record<string, TierOptions>>;
  /** What changes when the run goes over to a phase, by name [none]. */
  readonly phases?: Readonly<Record<string, PhaseOptions>>;
  /** What was said before: without a system message, and every tool call with its result. */
  readonly history?: readonly Message[];
}

/**
 * Steps that follow each other: `sequence` until one fails, `parallel` at once (more than half of them must succeed), `fallback`
 * until one succeeds. Each is a tool call, a task for a tier, or a plan. In texts of a step `${name}` stands for what the earlier
 * step of that name gave.
 */
export interface Plan {
  /** How its steps follow each other. */
  readonly flow: "sequence" | "parallel" | "fallback";
  /** What is done, in order; more than 64 are refused. */
  readonly steps: readonly (Omit<PlanStep, "name"> & {
    /** For hooks and results [a name by its number]. */
    readonly name?: string;
  })[];
}

/** Options of `session.run()`. Sampling options take the place of those of the session and its tier, each of its own. */
export interface RunOptions extends RunParameters, SamplingOptions {
  /** Carried out before the first model call, which is told what came of it. */
  readonly plan?: Plan;
  /**
   * While another run of the session is under way: "refuse" [default] is SESSION_BUSY; "wait": it begins when those before
   * it have ended, one that is cancelled meanwhile as well, and ends then. Inside a hook or a tool, which those may wait for, it
   * is SESSION_BUSY all the same.
   */
  readonly whenBusy?: "refuse" | "wait";
  /**
   * For this run and the runs that it delegates to alone, at the points that they fire (`POINT_NOT_FIRED` for others): they run
   * after the engine's and the session's of their priority.
   */
  readonly hooks?: HookSet | HookSets;
  /** Ends the run early: it resolves with what it came to, `finishReason` "cancelled" and `cancel.by` "signal". */
  readonly signal?: AbortSignal;
}

export interface CheckedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly settings: ToolSettings;
  readonly check: ArgumentsCheck;
  /** Why the model cannot be offered it; null: nothing is wrong. */
  readonly fault: string | null;
  readonly validate: Validate | undefined;
  readonly run: SessionTool["run"];
}

export interface CheckedRun {
  readonly json: string;
  readonly signal: AbortSignal | undefined;
  readonly waits: boolean;
  readonly hooks: readonly HookSet[];
}

export interface CheckedSession {
  readonly json: string;
  readonly tools: readonly CheckedTool[];
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
const runKeys = [...parameterKeys(runChecks), ...samplingKeys, "plan", "whenBusy", "hooks", "signal"] as const;

/** Errors: `TypeError`, naming what is wrong. */
export function checkSession(options: unknown, restore?: string): CheckedSession {
  const what = "session() options";
  const given = checkObject(options, what, sessionKeys);
  const wire: Record<string, unknown> = {
    ...parametersToWire(checkParameters(sessionChecks, given, "")),
    params: samplingToWire(given, what),
  };
  if (restore !== undefined) wire["restore"] = restore;
  if (given.permissions !== undefined) wire["permissions"] = rulesToWire(given.permissions, "permissions");
  if (given.controlTools !== undefined) wire["control_tools"] = controlToolsOf(given.controlTools);
  if (given.tiers !== undefined) wire["tiers"] = tiersToWire(given.tiers);
  if (given.phases !== undefined) wire["phases"] = phasesToWire(given.phases);
  if (given.history !== undefined) wire["history"] = messagesToWire(given.history, "history");
  return { json: toJson(wire), tools: toolsOf(given.tools) };
}

/** Errors: `TypeError`, naming what is wrong. */
export function checkRun(input: unknown, options: unknown): CheckedRun {
  if (typeof input !== "string") throw wrong("The input of run()", "what the user says (a string)", input);
  const what = "run() options";
  const given = checkObject(options, what, runKeys);
  const wire = {
    content: input,
    ...parametersToWire(checkParameters(runChecks, given, "")),
    params: samplingToWire(given, what),
    ...(given.plan !== undefined && { plan: planOf(given.plan) }),
  };
  const waits = optionalOneOf(given.whenBusy, "whenBusy", ["refuse", "wait"]) === "wait";
  const hooks = given.hooks === undefined ? [] : hookSetsOf(given.hooks, "hooks");
  return { json: toJson(wire), signal: optionalSignal(given.signal, "signal"), waits, hooks };
}

/** Its steps are the engine's to check. */
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

function toolsOf(tools: unknown): CheckedTool[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) throw wrong("tools", "an array of tools", tools);
  const names = new Set<string>();
  return tools.map((value: unknown, index) => {
    const what = `tools[${index}]`;
    const spec = checkTool(value, what);
    const { run, parameters, validate = standardValidate(parameters) } = value as SessionTool;
    if (typeof run !== "function") throw wrong(`${what}.run`, "a function", run);
    if (validate !== undefined && typeof validate !== "function")
      throw wrong(`${what}.validate`, "a function", validate);
    if (names.has(spec.name)) throw new TypeError(`tools has two tools named ${JSON.stringify(spec.name)}`);
    names.add(spec.name);
    return {
      ...spec,
      settings: toolSettings(value as SessionTool, what),
      ...argumentsCheck(spec.name, spec.parameters),
      validate,
      run: (value as SessionTool).run.bind(value),
    };
  });
}
