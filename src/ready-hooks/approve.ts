// approve(): asks somebody before a tool runs. Must not: let a call run without an answer.
import {
  checkObject,
  isObject,
  optionalBoolean,
  optionalInteger,
  optionalOneOf,
  optionalString,
  wrong,
} from "../base/check.js";
import { defineHooks, type HookSet, type PermissionCheckAnswer } from "../index.js";

/** A question: may this call run? The call is final; no hook changes it afterwards. */
export interface ApprovalRequest {
  /** The tool that the model wants to call. */
  readonly toolName: string;
  /** The arguments, with the tool's own keys. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The rule that requires the question. Null: no rule does. */
  readonly rule: string | null;
  /** The tier. Null: the session has no tiers. */
  readonly tier: string | null;
  /** The session's id. */
  readonly sessionId: string | null;
  /** The run's id. */
  readonly runId: string | null;
  /** Aborts when the answer is no longer needed: on a cancelled run, a closed engine, a timeout. */
  readonly signal: AbortSignal;
}

/** `true`, `false`, or an object with more details. */
export type ApprovalAnswer =
  | boolean
  | {
      /** True: the tool may run. */
      readonly allow: boolean;
      /** The model gets it if the call is denied. */
      readonly reason?: string;
      /**
       * Remembers the answer: for calls of the tool with the same arguments, or for all calls of the tool. An allow is
       * remembered only where a rule asks.
       */
      readonly remember?: "call" | "tool";
    };

/** Options of `approve()`. */
export interface ApproveOptions {
  /** Asks one question at a time. If it throws, the call is denied and the hook counts as failed. */
  readonly ask: (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;
  /** Selects calls that are asked about although the rules allow them [none]. Without rules every call is allowed. */
  readonly also?: (request: ApprovalRequest) => boolean;
  /**
   * Timeout of an answer in milliseconds, including the wait for earlier questions; then the call is denied. 0: no
   * timeout [0].
   */
  readonly deadlineMs?: number;
}

/**
 * Asks before a tool runs, wherever the session's rules say `ask`, and waits for the answer. It fails closed, and calls
 * that a rule denies stay denied. Errors: `TypeError`, with the wrong option.
 */
export function approve(options: ApproveOptions): HookSet {
  const what = "approve() options";
  const given = checkObject(options, what, ["ask", "also", "deadlineMs"]);
  if (typeof given.ask !== "function") throw wrong(`${what}: ask`, "a function", given.ask);
  if (given.also !== undefined && typeof given.also !== "function")
    throw wrong(`${what}: also`, "a function", given.also);
  const deadlineMs = optionalInteger(given.deadlineMs, `${what}: deadlineMs`, 0) ?? 0;
  const { ask, also } = options;
  let before: Promise<unknown> = Promise.resolve();
  /** Concurrent sessions share one person to ask. */
  const inTurn = async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
    const turn = before.then(() => (request.signal.aborted ? false : ask(request)));
    before = before.then(() => Promise.race([turn.catch(() => undefined), aborted(request.signal)]));
    return await turn;
  };
  return defineHooks(
    "approve",
    {
      async permissionCheck({ permission, toolName, args, rule, tier, meta, signal }) {
        const { sessionId, runId } = meta;
        const request = { toolName, args, rule, tier, sessionId, runId, signal };
        if (permission === "deny" || (permission === "allow" && also?.(request) !== true)) return undefined;
        return permissionOf(await inTurn(request));
      },
    },
    { failClosed: true, deadlineMs },
  );
}

/** An abandoned question must not delay the next one. */
function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", resolve, { once: true });
  });
}

function permissionOf(answer: unknown): PermissionCheckAnswer {
  if (typeof answer === "boolean") return { permission: answer ? "allow" : "deny" };
  if (!isObject(answer)) throw wrong("What ask() gave", "true, false or { allow }", answer);
  const { allow, reason, remember } = checkObject(answer, "What ask() gave", ["allow", "reason", "remember"]);
  const allowed = optionalBoolean(allow, "What ask() gave: allow") ?? false;
  const why = optionalString(reason, "What ask() gave: reason");
  const kept = optionalOneOf(remember, "What ask() gave: remember", ["call", "tool"]);
  return {
    permission: allowed ? "allow" : "deny",
    ...(why !== undefined && why !== "" && { reason: why }),
    ...(kept !== undefined && { remember: kept }),
  };
}
