// Where what came of a run is not what was recorded. Must not: take an id or a time for one.
import type { Message, ToolCall } from "../index.js";
import { canonical } from "../base/canonical.js";
import type { RecordedOutcome, RecordedToolCall } from "../recording/recording.js";

/** One place where a replay is otherwise. */
export interface ReplayDifference {
  /** Which run, from 1. */
  readonly run: number;
  /** `tool call 2: weather`, `message 3: user`, `text`, `end` and the like. */
  readonly what: string;
  /** What was recorded; null: there was none. */
  readonly recorded: unknown;
  /** What came of it now; null: nothing. */
  readonly replayed: unknown;
  /** The hook that has decided now, as far as the result says; null: none, or it is not known. */
  readonly by: string | null;
}

type Ended = RecordedOutcome | { readonly error: { readonly code: string; readonly message: string } };

/** In the order of the run: tool calls, what was said, the end. */
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
    // What a tool call came to has been told already.
    if (!sameCalls && (one ?? other)?.role === "tool") return;
    compare(`message ${number}: ${(one ?? other)?.role}`, withoutIds(one), withoutIds(other));
  });
  compare("text", recorded.text, replayed.text);
  compare("reasoning", recorded.reasoning, replayed.reasoning);
  compare("end", endOf(recorded), endOf(replayed), replayed.halt?.by ?? replayed.cancel?.by ?? null);
  return found;
}

/** A deadline is not waited for again: what the model was told of it is what counts. */
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

/** `messages` with the ids of tool calls that `like` has in the same places: the engine's own are never the same twice. */
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
