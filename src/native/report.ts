// Reports a failure to the hooks of a session.
import type { NativeEngine } from "./addon.js";
import type { NativeErrors } from "./native-errors.js";
import { Task } from "./task.js";

export interface SessionFailure {
  readonly sessionId: string;
  readonly code: string;
  readonly message: string;
  /** The place, as the event of `error` names it. */
  readonly where: string;
}

/** Fires `error` for the session. Does nothing if it is closed. */
export function reportFailure(native: NativeEngine, errors: NativeErrors, failure: SessionFailure): void {
  const { sessionId, code, message, where } = failure;
  const told = new Task((_, onEnd) => native.reportSession(sessionId, code, message, where, onEnd), { errors });
  told.ended.catch(() => undefined);
}
