// Checks what a handler returned and converts it to the engine's form.
// The engine checks the values against the schema of the point, for TypeScript and C alike.
import { types } from "node:util";
import { cancelReason } from "./cancel.js";
import type { Causes } from "../base/causes.js";
import { got, suggest } from "../base/check.js";
import { errorNumbers } from "../generated/errors.js";
import { describeThrown } from "../base/thrown.js";
import type { HookAnswer } from "../native/addon.js";
import type { Point } from "./points.js";
import { fieldNames, NotJson, toWire } from "./shape.js";
import { toJson } from "../base/wire.js";

/** Continue without changes. */
export const proceed: HookAnswer = Object.freeze([0, null] as const);

/** The event did not match the hook's `when`: the call is not counted. */
export const pass: HookAnswer = Object.freeze([3, null] as const);

/** The hook that answered. */
export interface Answerer {
  readonly id: number;
  /** Empty: the hook is called "hook <id>". */
  readonly name: string;
  readonly point: Point;
  readonly guard: boolean;
}

/** Converts the value that a handler returned; an invalid value becomes HOOK_BAD_ANSWER. */
export function answerOf(by: Answerer, value: unknown): HookAnswer {
  if (value === undefined) return proceed;
  if (typeof value !== "object" || value === null) return refused(by, got(value));
  const { kind } = by.point.info;
  const reason = cancelReason(value);
  if (reason !== undefined) return kind === "pre" ? [1, reason] : refused(by, `cancel(${got(reason)})`);
  const plain = Object.prototype.toString.call(value) === "[object Object]";
  return plain && kind !== "info" && !by.guard ? fieldsOf(by, value) : refused(by, got(value));
}

function refused(by: Answerer, what: string): HookAnswer {
  return bad(`answered with ${what}, expected ${expected(by)}`);
}

/** Says what a handler at this point may return. */
function expected({ point, guard }: Answerer): string {
  const { kind } = point.info;
  if (kind === "info") return "undefined, because an info point takes no answer";
  const answers = kind === "pre" ? ["undefined", "cancel(reason)"] : ["undefined"];
  if (guard) return `${answers.join(" or ")}, for a guard changes nothing`;
  if (point.answerKeys.length > 0) answers.push(`an object with ${point.answerKeys.join(", ")}`);
  const text = answers.join(" or ");
  return kind === "post" ? `${text}, for a post point cannot cancel` : text;
}

/**
 * The answer of a handler that threw: a failure, whose thrown value `causes` keeps. A thrown `cancel()` counts as a
 * returned one.
 */
export function thrownAnswer(by: Answerer, thrown: unknown, causes: Causes): HookAnswer {
  if (cancelReason(thrown) !== undefined) return answerOf(by, thrown);
  return failedAnswer(describeThrown(thrown), causes.keep(thrown));
}

function fieldsOf(by: Answerer, value: object): HookAnswer {
  const wire: Record<string, unknown> = {};
  let some = false;
  let flaw: string | undefined;
  const keys = answerKeys(by, value);
  for (const key of keys) {
    const said = addField(by, value as Record<string, unknown>, key, wire);
    some ||= said !== nothing;
    if (said !== nothing && said !== added) flaw ??= said;
  }
  if (flaw === undefined) return some ? [0, toJson(wire)] : proceed;
  // The engine decides whether such a field refuses something; if so, the refusal counts, and the flaw is reported
  // beside it.
  const mayRefuse = keys.some((key) => by.point.info.vetoes.includes(key));
  return mayRefuse ? [0, toJson({ ...wire, $flaw: flaw })] : bad(flaw);
}

/** The fields of an answer, including those that are only found by reading: of a proxy, or not enumerable. */
function answerKeys({ point }: Answerer, value: object): readonly string[] {
  const above: unknown = Object.getPrototypeOf(value);
  if ((above === Object.prototype || above === null) && !isProxy(value)) return Object.getOwnPropertyNames(value);
  const names = fieldNames(value);
  const more = [...point.answer.keys()].filter((key) => !names.includes(key) && key in value);
  return more.length === 0 ? names : [...names, ...more];
}

const { isProxy } = types;
const nothing = Symbol("no field");
const added = Symbol("a field");

/** Adds a field of the answer to `wire`. Returns what is wrong with it, if something is. */
function addField(
  by: Answerer,
  value: Readonly<Record<string, unknown>>,
  key: string,
  wire: Record<string, unknown>,
): string | typeof nothing | typeof added {
  const known = by.point.answer.get(key);
  try {
    // A handler may return the whole event, which contains the name of its point and a signal, which is not a field.
    if (key === "signal" && !Object.hasOwn(value, key)) return nothing;
    const item = value[key];
    if (item === undefined || (key === "point" && item === by.point.info.tsName)) return nothing;
    if (known === undefined) return `field ${JSON.stringify(key)}: ${notTaken(key, by)}`;
    wire[known.name] = typeof item === "string" ? item : toWire(known.inner, item, key);
    return added;
  } catch (error) {
    const mayRefuse = by.point.info.vetoes.some((name) => name in value);
    if (!mayRefuse && !(error instanceof NotJson)) throw error;
    if (known !== undefined) wire[known.name] = {}; // wrong for the engine, too
    const [path, why] = error instanceof NotJson ? [error.path, error.why] : [key, "cannot be read"];
    return `field ${JSON.stringify(path)}: ${why}`;
  }
}

function notTaken(key: string, { point: { answerKeys } }: Answerer): string {
  return `this point takes no such field${answerKeys.length > 0 ? suggest(key, answerKeys) : "; it takes none"}`;
}

/** The engine adds the hook's name and the point. */
function bad(why: string): HookAnswer {
  return failedAnswer(why, 0, errorNumbers.HOOK_BAD_ANSWER);
}

/** The answer of a hook or tool that failed, with a message. */
export function failedAnswer(message: string, causeId: number, status: number = errorNumbers.HOOK_FAILED): HookAnswer {
  return [2, toJson({ status, message, cause_id: causeId })];
}
