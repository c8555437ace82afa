// Asks the RPC servers of an engine for their devices in a child process: a server that accepts a connection and
// answers nothing would hold up the thread of JavaScript.
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { unlessAborted } from "../base/unless-aborted.js";
import { wordsOf } from "./child.js";
import { type EngineTrialReply, tryEngine } from "./engine-trial.js";
import { NativeErrors } from "./native-errors.js";

const limits = { timeoutMs: 20_000, keepsOfErr: 1000 };

/**
 * `options`: of the engine, in its form. Errors: BACKEND_UNAVAILABLE if a server cannot be reached, is of another
 * version, or does not answer within 20 seconds; CANCELLED; those of creating the engine.
 */
export async function tryRpcServers(options: object, signal: AbortSignal | undefined): Promise<void> {
  const cancelled = (cause: unknown): Error =>
    new LlamaHooksError("CANCELLED", "createEngine() was cancelled", { cause });
  const end = await unlessAborted(tryEngine(options, { ...limits, signal }), signal, cancelled);
  const reply = isObject(end.reply) ? (end.reply as EngineTrialReply) : {};
  if (reply.devices !== undefined) return;
  if (typeof reply.code === "string") throw new NativeErrors().fromObject({ code: reply.code, message: reply.message });
  const what = reply.message ?? `a process that asked for their devices ${wordsOf(end, limits.timeoutMs)}`;
  throw new LlamaHooksError("BACKEND_UNAVAILABLE", `the RPC servers cannot be used: ${what}`);
}
