// Compares the outcome of a replayed run with the recorded one. Must not: compare ids or times.
import type { Message, ToolCall } from "../index.js";
import { canonical } from "../base/canonical.js";
import type { RecordedOutcome, RecordedToolCall } from "../recording/recording.js";

/** One difference between a replay and its recording. */
export interface ReplayDifference {
  /** The number of the run, from 1. */
  readonly run: number;
  /** `tool call 2: weather`, `message 3: user`, `text`, `end` and the like. */
  readonly what: string;
  /** The recorded value; null: none. */
  readonly recorded: unknown;
  /** The replayed value; null: none. */
  readonly replayed: unknown;
  /** The hook that decided in the replay, if the result names it; null: none, or unknown. */
  readonly by: string | null;
}

type Ended = RecordedOutcome | { readonly error: { readonly code: string; readonly message: string } };

/** Lists the differences in the order of the run: tool calls, messages, the end. */
export function differences(run: number, recorded: Ended, replayed: Ended): ReplayDifference[] {
  const found: ReplayDifference[] = [];
  const compare = (what: string, one: unknown, other: unknown, by: string | null = null): void => {
    if (canonical(one) !== canonical(other))
      found.push({ run, what, recorded: one ?? null, replayed: other ?? null, by });
  };
  const isOutcome = (ended: Ended): ended is RecordedOutcome => !("error" in ended);
  if (!isOutcome(recorded) || !isOutcome(replayed)) {
    compare("end", endOf(recorded), endOf(replayed));
    return found;
  }
  forEachPair(recorded.toolCalls, replayed.toolCalls, (one, other, number) =>
    compare(`tool call ${number}: ${(one ?? other)?.name}`, untimed(one), untimed(other), byOf(other)),
  );
  const sameCalls = found.length === 0;
  forEachPair(recorded.messages, replayed.messages, (one, other, number) => {
    // A difference in a tool call was already reported.
    if (!sameCalls && (one ?? other)?.role === "tool") return;
    compare(`message ${number}: ${(one ?? other)?.role}`, withoutIds(one), withoutIds(other));
  });
  compare("text", recorded.text, replayed.text);
  compare("reasoning", recorded.reasoning, replayed.reasoning);
  compare("end", endOf(recorded), endOf(replayed), replayed.halt?.by ?? replayed.cancel?.by ?? null);
  return found;
}

/** A timeout is not repeated in the replay: only the text that the model got is compared. */
function untimed(call: RecordedToolCall | undefined): RecordedToolCall | undefined {
  return call?.resultKind === "timeout" || call?.resultKind === "cancelled" ? { ...call, resultKind: "error" } : call;
}

function byOf(call: RecordedToolCall | undefined): string | null {
  return call?.decidedBy ?? null;
}

function endOf(ended: Ended): unknown {
  if ("error" in ended) return { error: ended.error.code };
  const { finishReason, cancel, halt, limit } = ended;
  return { finishReason, ...(cancel && { cancel }), ...(halt && { halt }), ...(limit !== null && { limit }) };
}

function withoutIds(message: Message | undefined): unknown {
  if (message === undefined) return undefined;
  const { toolCallId: _id, toolCalls, ...rest } = message;
  return { ...rest, ...(toolCalls && { toolCalls: toolCalls.map(({ name, args }: ToolCall) => ({ name, args })) }) };
}

function forEachPair<T>(
  ones: readonly T[],
  others: readonly T[],
  see: (one: T | undefined, other: T | undefined, number: number) => void,
): void {
  for (let index = 0; index < Math.max(ones.length, others.length); index++) see(ones[index], others[index], index + 1);
}

/**
 * `messages` with the tool call ids that `like` has at the same places, because the engine creates new ids each time.
 */
export function withIdsOf(messages: readonly Message[], like: readonly Message[]): Message[] {
  const idsIn = (all: readonly Message[]): (string | undefined)[] =>
    all.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
  const wanted = idsIn(like);
  const known = new Map(idsIn(messages).map((id, index) => [id, wanted[index] ?? id]));
  return messages.map((message) => ({
    ...message,
    ...(message.toolCalls && {
      toolCalls: message.toolCalls.map((call) => ({
        ...call,
        ...(call.id !== undefined && { id: known.get(call.id) }),
      })),
    }),
    ...(message.toolCallId !== undefined && { toolCallId: known.get(message.toolCallId) ?? message.toolCallId }),
  }));
}
