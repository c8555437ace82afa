// audit(): what was asked, decided and done, a line of JSON each. Must not: write what a hook has replaced.
import { appendFile } from "node:fs/promises";
import { checkObject, optionalBoolean, requiredString } from "../base/check.js";
import { type AnyHookEvent, defineHooks, type HookSet } from "../index.js";
import { afterOthers } from "./order.js";

/** Options of `audit()`. */
export interface AuditOptions {
  /** A user message or a tool call whose line cannot be written is refused [true]. Else it goes on, with an `error`. */
  readonly failClosed?: boolean;
}

/**
 * Appends to `file`: what users say (`userMessage`), each tool call before it runs (`preToolCall`) and what it came to, refusals
 * and their reasons included (`postToolCall`), permissions that were asked for, tasks that were handed on, errors, and the end of each
 * run. Each line has `time`, `point`, the ids of session and run, and the fields of the event, as the other hooks left them. The
 * file is made for its owner alone, and lines are there before the work goes on. Errors: `TypeError`.
 */
export function audit(file: string, options?: AuditOptions): HookSet {
  const path = requiredString(file, "The file of audit()");
  const given = checkObject(options, "audit() options", ["failClosed"]);
  const failClosed = optionalBoolean(given.failClosed, "audit() options: failClosed") ?? true;
  let last: Promise<unknown> = Promise.resolve();
  const write = async (event: AnyHookEvent): Promise<undefined> => {
    const { meta, point: _, ...fields } = event;
    const { point: __, name, timeUs, ...ids } = meta;
    const line = JSON.stringify({ time: new Date(timeUs / 1000).toISOString(), point: name, ...ids, ...fields });
    const written = last.then(() => appendFile(path, `${line}\n`, { mode: 0o600 }));
    last = written.catch(() => undefined);
    await written;
  };
  return defineHooks(
    "audit",
    {
      userMessage: write,
      preToolCall: write,
      permissionCheck: write,
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
