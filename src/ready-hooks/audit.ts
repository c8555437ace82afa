// audit(): appends a line of JSON for everything that is asked, decided and done. Must not: write content that a hook
// replaced.
import { appendText } from "../base/files/append.js";
import { checkObject, optionalBoolean, requiredString } from "../base/check.js";
import { type AnyHookEvent, defineHooks, type HookSet } from "../index.js";
import { afterOthers } from "./order.js";

/** Options of `audit()`. */
export interface AuditOptions {
  /**
   * True: a user message or a tool call is refused if its line cannot be written [true]. False: it continues, and
   * `error` fires.
   */
  readonly failClosed?: boolean;
}

/**
 * Appends to `file`: user messages (`userMessage`), each tool call before it runs (`preToolCall`) and its result,
 * including refusals and their reasons (`postToolCall`), requested permissions, tools' questions for the user with what
 * hooks answered (`elicitation`; no line for one that a hook cancelled), delegated tasks, errors, and the end of
 * each run. Each line has `time`, `point`, the ids of session and run, and the fields of the event as other hooks left
 * them. Only its owner can read a newly created file. Each line is written before the work continues. Errors:
 * `TypeError`.
 *
 * @example
 * ```ts
 * engine.hooks.use(audit("audit.jsonl"));
 * ```
 */
export function audit(file: string, options?: AuditOptions): HookSet {
  const path = requiredString(file, "The file of audit()");
  const given = checkObject(options, "audit() options", ["failClosed"]);
  const failClosed = optionalBoolean(given.failClosed, "audit() options: failClosed") ?? true;
  let last: Promise<unknown> = Promise.resolve();
  const write = async (event: AnyHookEvent): Promise<undefined> => {
    const { meta, point, ...fields } = event;
    const { point: _, name: __, timeUs, ...ids } = meta;
    const line = JSON.stringify({ time: new Date(timeUs / 1000).toISOString(), point, ...ids, ...fields });
    const written = last.then(() => appendText(path, `${line}\n`, 0o600));
    last = written.catch(() => undefined);
    await written;
  };
  return defineHooks(
    "audit",
    {
      userMessage: write,
      preToolCall: write,
      permissionCheck: write,
      elicitation: write,
      postToolCall: write,
      delegate: write,
      delegateComplete: write,
      complete: write,
      error: write,
      loopEnd: write,
    },
    { priority: afterOthers, failClosed },
  );
}
