// Runs hook sets without an engine or a model. The engine's own dispatcher decides order and outcome, synchronously.
import { Causes } from "../base/causes.js";
import { isThenable, isObject, suggest, wrong } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { describeThrown } from "../base/thrown.js";
import type { AnyPoint, PointOf } from "../base/point-names.js";
import { toJson } from "../base/wire.js";
import type { ErrorCode } from "../generated/errors.js";
import { hookFlags } from "../generated/flags.js";
import type { HookAnswers, HookEvents, InfoPoint, PointName } from "../generated/points.js";
import type { Decision } from "../generated/results.js";
import { nativeAddon } from "../native/addon.js";
import { decisionFromWire } from "../native/decisions.js";
import { NativeErrors } from "../native/native-errors.js";
import { handlersOf, type HookSet, type HookSets, hookSetsOf, locationOf } from "./define-hooks.js";
import { answerOf, pass, proceed, thrownAnswer } from "./hook-answer.js";
import { eventOf } from "./hook-event.js";
import { type FailedHook, warnOfHook } from "./hook-warnings.js";
import { fieldFault } from "./point-schemas.js";
import { checkPoint, type Point } from "./points.js";
import { assignFromWire, NotJson, toWire } from "./shape.js";

/** The fields of a point's event, without `meta`. */
type Fields<P extends PointName> = Omit<HookEvents[P], "meta">;
/** The fields that only an answer has: `response`, `halt` ... */
type Extra<P extends PointName> = P extends keyof HookAnswers
  ? Omit<HookAnswers[P] & object, keyof HookEvents[P]>
  : object;

/** The result of a decision. `decision` lists the hooks that ran, their answers and how long each took. */
export type Decided<P extends PointName> =
  | {
      /** No hook changed or cancelled anything. */
      readonly outcome: "unchanged";
      /** The given event, with missing fields filled in. */
      readonly event: Fields<P>;
      /** The outcome of each hook. */
      readonly decision: Decision;
    }
  | {
      /** Hooks changed or answered something, and none cancelled. */
      readonly outcome: "changed";
      /** The event after the hooks' changes. */
      readonly event: Fields<P>;
      /** Answers that are not fields of the event. */
      readonly answers: Extra<P>;
      /**
       * Names of the hooks that changed or answered something, in the order in which they ran. A hook that returns an
       * equal value does not count.
       */
      readonly by: readonly string[];
      /** The outcome of each hook. */
      readonly decision: Decision;
    }
  | {
      /** A hook cancelled, or failed and is `failClosed`. */
      readonly outcome: "cancelled";
      /** The event as earlier hooks left it. */
      readonly event: Fields<P>;
      /** The name of the hook that cancelled. */
      readonly by: string;
      /** The reason. */
      readonly reason: string;
      /** The outcome of each hook. */
      readonly decision: Decision;
    };

/** The event of a decision by hand: `Needed` fields are required, others are optional. */
type Given<P extends PointName, Needed extends keyof Fields<P>> = Pick<Fields<P>, Needed> & Partial<Fields<P>>;
type Sets = HookSet | HookSets;

/**
 * Runs the `preToolCall` handlers of hook sets on a tool call, as the engine would: by priority, then in the order of
 * the sets. The first cancel ends it. A handler that throws is skipped, or cancels if it is `failClosed`. No engine and
 * no model are needed. Handlers must answer synchronously: a promise is HOOK_BAD_ANSWER. Misuse throws `TypeError`.
 *
 * @example
 * ```ts
 * const sets = [audit("audit.jsonl"), limit({ toolCalls: 3 })];
 * const decided = decideToolCall(sets, { toolName: "shell", args: { command: "ls" } });
 * if (decided.outcome === "changed") console.log(decided.by, decided.event.args);
 * if (decided.outcome === "cancelled") console.log(decided.by, decided.reason);
 * ```
 */
export function decideToolCall(sets: Sets, event: Given<"preToolCall", "toolName" | "args">): Decided<"preToolCall"> {
  const others = { toolCallId: "call-1", tier: null, iteration: 1, annotations: null, origin: null };
  return decide("decideToolCall()", sets, "preToolCall", ["toolName", "args"], event, others);
}

/**
 * Runs the `postToolCall` handlers of hook sets on a tool result, like `decideToolCall()`.
 *
 * @example
 * ```ts
 * const decided = decideToolResult(alwaysSunny, { toolName: "weather", result: '{"condition":"rain"}' });
 * if (decided.outcome === "changed") console.log(decided.by, decided.event.result);
 * ```
 */
export function decideToolResult(
  sets: Sets,
  event: Given<"postToolCall", "toolName" | "result">,
): Decided<"postToolCall"> {
  const isError = isObject(event) && event.isError === true;
  return decide("decideToolResult()", sets, "postToolCall", ["toolName", "result"], event, {
    args: {},
    toolCallId: "call-1",
    elapsedMs: 0,
    tier: null,
    iteration: 1,
    resultKind: isError ? "error" : "ok",
    isError,
    directives: [],
    annotations: null,
    origin: null,
  });
}

/**
 * Runs the `preGenerate` handlers of hook sets on the messages of a model call, like `decideToolCall()`.
 *
 * @example
 * ```ts
 * const decided = decideMessages(polite, { messages: [{ role: "user", content: "Now!!!" }] });
 * if (decided.outcome === "cancelled") console.log(decided.by, decided.reason);
 * ```
 */
export function decideMessages(sets: Sets, event: Given<"preGenerate", "messages">): Decided<"preGenerate"> {
  const others = { params: {}, tools: [], tier: null, iteration: null };
  return decide("decideMessages()", sets, "preGenerate", ["messages"], event, others);
}

/**
 * Calls the handlers of hook sets at an info point. An exception is recorded in the decision and not rethrown. If an
 * observer (`observe`) returns a promise that rejects, the process emits a warning (`HOOK_FAILED`).
 */
export function notify<K extends AnyPoint>(
  sets: Sets,
  point: PointOf<K> extends InfoPoint ? K : never,
  event: Partial<Fields<PointOf<K>>> = {},
): Decision {
  const { tsName, kind } = checkPoint(point).info;
  if (kind !== "info") throw new TypeError(`notify() takes an info point; ${tsName} is a ${kind} point`);
  return decide("notify()", sets, tsName, [], event, {}).decision;
}

function decide<P extends PointName>(
  what: string,
  sets: Sets,
  name: P,
  needed: readonly string[],
  given: object,
  others: object,
): Decided<P> {
  const point = checkPoint(name);
  const context = { ...contextOf(point, what, [], others), ...contextOf(point, what, needed, given) };
  const list = hookSetsOf(sets, `The sets of ${what}`);
  const hooks = list
    .flatMap((set) => handlersOf(set).map((hook) => ({ ...hook, location: locationOf(set, undefined) })))
    .filter(({ at }) => at === point);
  const causes = new Causes();
  let promised: string | undefined;
  const call = (index: number, _: number, json: string): ReturnType<typeof answerOf> => {
    const { handler, options } = hooks[index] as (typeof hooks)[number];
    const observe = (options.flags & hookFlags.observe) !== 0;
    const by = { id: 0, name: options.name, point, guard: false };
    try {
      const value: unknown = handler(eventOf(point, json) as never);
      if (observe) {
        if (isThenable(value))
          Promise.resolve(value).catch((cause: unknown) =>
            warnOnce(hooks[index] as HandHook, name, "HOOK_FAILED", describeThrown(cause), "observed", { cause }),
          );
        return proceed;
      }
      if (isThenable(value)) {
        Promise.resolve(value).catch(() => undefined); // the promise itself is the error
        promised ??= options.name;
        return pass;
      }
      return answerOf(by, value);
    } catch (thrown) {
      return thrownAnswer(by, thrown, causes);
    }
  };
  const wanted = hooks.map(({ options }) => ({ ...options, flags: options.flags | hookFlags.jsonResult }));
  const json = new NativeErrors(causes).call(() =>
    nativeAddon().dispatchPlainly(point.info.number, wanted, toJson(context), call),
  );
  if (promised !== undefined) {
    const message = `${what}: the handler of ${JSON.stringify(promised)} at ${name} answered with a promise, and nobody waits for it here`;
    throw new LlamaHooksError("HOOK_BAD_ANSWER", message);
  }
  const decided = decidedOf(point, JSON.parse(json) as Wire, causes) as Decided<P>;
  for (const { id, outcome, error } of decided.decision.hooks) {
    const hook = hooks[id - 1]; // a separate registry numbers them from 1
    if (error === undefined || hook === undefined) continue;
    const effect = outcome === "cancelled" ? "cancelled" : outcome === "modified" ? "refused" : "skipped";
    warnOnce(hook, name, error.code, error.message, effect, "cause" in error ? { cause: error.cause } : undefined);
  }
  return decided;
}

interface HandHook {
  readonly handler: object;
  readonly options: { readonly name: string };
  readonly location: string | undefined;
}

/** Handlers whose first failure was reported. */
const warned = new WeakSet<object>();

function warnOnce(
  { handler, options, location }: HandHook,
  point: PointName,
  code: ErrorCode,
  why: string,
  effect: FailedHook["effect"],
  thrown?: { readonly cause: unknown },
): void {
  if (warned.has(handler)) return;
  warned.add(handler);
  warnOfHook({ name: options.name, point, location, code, why, effect, ...(thrown && { thrown }) });
}

interface Wire {
  readonly decision: Record<string, unknown>;
  readonly context: Record<string, unknown>;
  readonly answers: Record<string, unknown>;
}

function decidedOf(point: Point, wire: Wire, causes: Causes): object {
  const decision = decisionFromWire(wire.decision, causes);
  const event: Record<string, unknown> = {};
  assignFromWire(point.event, wire.context, event);
  if (decision.action === "cancelled")
    return { outcome: "cancelled", event, by: decision.decidedBy?.name ?? "", reason: decision.reason ?? "", decision };
  const by = decision.hooks.filter(({ outcome }) => outcome === "modified").map(({ name }) => name);
  if (by.length === 0) return { outcome: "unchanged", event, decision };
  const answers: Record<string, unknown> = {};
  assignFromWire(point.event, wire.answers, answers);
  return { outcome: "changed", event, answers, by, decision };
}

function contextOf(point: Point, what: string, needed: readonly string[], given: object): Record<string, unknown> {
  if (!isObject(given)) throw wrong(`The event of ${what}`, "an object", given);
  const { fields } = point.info;
  const context: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (!fields.includes(key))
      throw new TypeError(`The event of ${what} has no field ${JSON.stringify(key)}${suggest(key, fields)}`);
    if (value !== undefined) context[key] = value;
  }
  for (const key of needed) {
    if (context[key] === undefined) throw wrong(`The event of ${what}`, `an object with ${key}`, given);
  }
  const wire = inWireWords(point, what, context);
  for (const [key, value] of Object.entries(wire)) {
    const fault = fieldFault(point, key, value);
    if (fault !== undefined) throw new TypeError(`The event of ${what}: ${fault}`);
  }
  return wire;
}

function inWireWords(point: Point, what: string, context: object): Record<string, unknown> {
  try {
    return toWire({ keys: point.answer }, context, "event") as Record<string, unknown>;
  } catch (error) {
    if (error instanceof NotJson) throw new TypeError(`${what}: ${error.message}`, { cause: error });
    throw error;
  }
}
