// approve(): somebody is asked before a tool runs. Must not: let a call run that nobody has answered.
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

/** What is asked: may this call run? As the hooks have left it; nothing changes it afterwards. */
export interface ApprovalRequest {
  /** The tool that the model wants to call. */
  readonly toolName: string;
  /** Keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The rule that wants the question; null: none does. */
  readonly rule: string | null;
  /** Null: the session has no tiers. */
  readonly tier: string | null;
  /** The session. */
  readonly sessionId: string | null;
  /** The run. */
  readonly runId: string | null;
  /** Aborts when the answer is no longer wanted: a cancelled run, a closed engine, a deadline. */
  readonly signal: AbortSignal;
}

/** `true` or `false`, or more about it. */
export type ApprovalAnswer =
  | boolean
  | {
      /** Whether the tool may run. */
      readonly allow: boolean;
      /** The model is told it when the call is denied. */
      readonly reason?: string;
      /**
       * Holds from now on: for calls of the tool with the same arguments, or for all calls of the tool. That it may run is
       * remembered where a rule asks.
       */
      readonly remember?: "call" | "tool";
    };

/** Options of `approve()`. */
export interface ApproveOptions {
  /** Asks, one question at a time. What it throws is a denial, and a failed hook. */
  readonly ask: (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;
  /** Which of the calls that the rules allow are asked about as well [none]: without rules they allow every call. */
  readonly also?: (request: ApprovalRequest) => boolean;
  /** Milliseconds for an answer, the wait for earlier questions included; then the call is denied. 0: no end [0]. */
  readonly deadlineMs?: number;
}

/**
 * Asks before a tool runs, wherever the session's rules say `ask`, and waits. It fails closed, and what a rule denies stays
 * denied. Errors: `TypeError`, naming what is wrong.
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
  /** Sessions run side by side; whoever is asked is one. */
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

/** A question that nobody waits for any more, answered or not, holds up no other. */
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
