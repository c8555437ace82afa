// A question about a tool call and its answer, for all sets that ask. Must not: allow a call without an answer.
import { checkObject, isObject, optionalOneOf, optionalString, wrong } from "../base/check.js";
import type { HookEventOf, PermissionCheckAnswer, ToolAnnotations } from "../index.js";

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
  /** The hints that the tool's owner gives about it; they are not verified. */
  readonly annotations: ToolAnnotations;
  /** The place that the tool comes from, as its owner names it. Null: not named. */
  readonly origin: string | null;
  /** Aborts when the engine stops waiting for the answer: on a cancelled run, a closed engine, a timeout. */
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

/** The question about a call, if it is one: the rules ask, or they allow and `also` selects the call. */
export function requestOf(
  { permission, toolName, args, rule, tier, annotations, origin, meta, signal }: HookEventOf<"permissionCheck">,
  also: ((request: ApprovalRequest) => boolean) | undefined,
): ApprovalRequest | undefined {
  const { sessionId, runId } = meta;
  const request = { toolName, args, rule, tier, annotations, origin, sessionId, runId, signal };
  return permission === "deny" || (permission === "allow" && also?.(request) !== true) ? undefined : request;
}

/** The answer in the hook's form. Errors: `TypeError`; `what` names the answer in it, `between` precedes a member. */
export function permissionOf(answer: unknown, what: string, between = ": "): PermissionCheckAnswer {
  if (typeof answer === "boolean") return { permission: answer ? "allow" : "deny" };
  if (!isObject(answer)) throw wrong(what, "true, false or { allow }", answer);
  const { allow, reason, remember } = checkObject(answer, what, ["allow", "reason", "remember"]);
  if (typeof allow !== "boolean") throw wrong(`${what}${between}allow`, "true or false", allow);
  const why = optionalString(reason, `${what}${between}reason`);
  const kept = optionalOneOf(remember, `${what}${between}remember`, ["call", "tool"]);
  return {
    permission: allow ? "allow" : "deny",
    ...(why !== undefined && why !== "" && { reason: why }),
    ...(kept !== undefined && { remember: kept }),
  };
}
