// The outcome of a run, as far as replays compare it.
import { LlamaHooksError } from "../base/errors.js";
import { messageOf } from "../base/thrown.js";
import type { Message } from "../generated/points.js";
import type { RunResult } from "../generated/results.js";
import type { RecordedOutcome } from "./recording.js";

/** The messages without their ids and times, which differ in each run, and without their origins. */
export function withoutIds(messages: readonly Message[]): Message[] {
  const kept = ([key]: [string, unknown]): boolean => !["id", "timeMs", "origin"].includes(key);
  return messages.map((message) => Object.fromEntries(Object.entries(message).filter(kept)) as unknown as Message);
}

/** Returns the parts of a result that a replay compares. */
export function recordedOutcome(result: RunResult): RecordedOutcome {
  const { finishReason, cancel, halt, limit, text, reasoning, messages } = result;
  return {
    finishReason,
    ...(cancel !== undefined && { cancel }),
    ...(halt !== undefined && { halt }),
    limit,
    text,
    reasoning,
    messages: withoutIds(messages),
    toolCalls: result.toolCalls.map(({ name, args, resultKind, result: text, isError, decidedBy, parts }) => ({
      name,
      args,
      resultKind,
      result: text,
      isError,
      decidedBy,
      ...(parts !== undefined && { parts }),
    })),
  };
}

export function errorOf(error: unknown): { code: string; message: string } {
  const code = error instanceof LlamaHooksError ? error.code : "FAILED";
  return { code, message: messageOf(error) };
}
