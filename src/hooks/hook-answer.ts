// What a handler gave back, checked and put into the engine's words. Must not: run handlers.
// Values are checked by the engine, against the schema of the point, for TypeScript and C alike.
import { isCancel } from "./cancel.js";
import { got, suggest } from "../base/check.js";
import type { HookAnswer } from "../native/addon.js";
import type { Point } from "./points.js";
import { NotJson, toWire } from "./shape.js";
import { toJson } from "../base/wire.js";

const hookFailed = 61;
const hookBadAnswer = 63;

/** Go on, nothing changed. */
export const proceed: HookAnswer = Object.freeze([0, null] as const);

/** The call was not for this hook: it does not count. */
export const pass: HookAnswer = Object.freeze([3, null] as const);

/** Whose answer it is. */
export interface Answerer {
  readonly id: number;
  /** Empty: "hook <id>". */
  readonly name: string;
  readonly point: Point;
  readonly guard: boolean;
}

/** The answer of a handler that returned `value`; HOOK_BAD_ANSWER if it is none. */
export function answerOf(by: Answerer, value: unknown): HookAnswer {
  if (value === undefined) return proceed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return bad(`answered with ${got(value)}`);
  const { kind } = by.point.info;
  if (isCancel(value)) {
    return kind === "pre"
      ? [1, value.reason]
      : bad(`answered with cancel(), which only pre points take; this is a ${kind} point`);
  }
  if (kind === "info") return bad(`answered with ${got(value)}, where nothing may be changed`);
  if (by.guard) return bad(`answered with ${got(value)}; a guard may cancel, not change`);
  const tag = Object.prototype.toString.call(value);
  if (tag !== "[object Object]") return bad(`answered with ${got(value)}`);
  return fieldsOf(by, value);
}

/** The answer of a handler that threw. `causeId` finds the thrown value again. */
export function thrownAnswer(thrown: unknown, causeId: number): HookAnswer {
  let message = "threw a value that cannot be shown";
  try {
    message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `threw ${got(thrown)}`;
  } catch {
    // A thrown object whose own accessors throw: the message above stands.
  }
  return failedAnswer(message, causeId);
}

function fieldsOf(by: Answerer, value: object): HookAnswer {
  const { answer, answerKeys } = by.point;
  const wire: Record<string, unknown> = {};
  let some = false;
  try {
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const known = answer.get(key);
      if (known === undefined) return bad(`answered with the key ${JSON.stringify(key)}${suggest(key, answerKeys)}`);
      wire[known.name] = typeof item === "string" ? item : toWire(known.inner, item, key);
      some = true;
    }
    return some ? [0, toJson(wire)] : proceed;
  } catch (error) {
    if (error instanceof NotJson) return bad(error.message);
    throw error;
  }
}

/** The engine adds which hook it was, and where. */
function bad(why: string): HookAnswer {
  return failedAnswer(why, 0, hookBadAnswer);
}

/** The answer of a function that failed, in words: a hook's, or a tool's. */
export function failedAnswer(message: string, causeId: number, status = hookFailed): HookAnswer {
  return [2, toJson({ status, message, cause_id: causeId })];
}
