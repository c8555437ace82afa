// approve(): asks a person before a tool runs. Must not: let a call run without an answer.
import { checkObject, optionalFunction, optionalInteger, wrong } from "../base/check.js";
import { defineHooks, type HookSet } from "../index.js";
import { type ApprovalAnswer, type ApprovalRequest, permissionOf, requestOf } from "./approval.js";

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
 *
 * @example
 * ```ts
 * engine.hooks.use(
 *   approve({ ask: ({ toolName }) => (toolName === "read_file" ? true : { allow: false, reason: "reads only" }) }),
 * );
 * const session = engine.session({ tools: [readFile], permissions: [{ ask: "*" }] });
 * ```
 */
export function approve(options: ApproveOptions): HookSet {
  const what = "approve() options";
  const given = checkObject(options, what, ["ask", "also", "deadlineMs"]);
  if (typeof given.ask !== "function") throw wrong(`${what}: ask`, "a function", given.ask);
  optionalFunction(given.also, `${what}: also`);
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
      async permissionCheck(event) {
        const request = requestOf(event, also);
        return request && permissionOf(await inTurn(request), "What ask() gave");
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
