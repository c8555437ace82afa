// The script model that says what a recorded one has said. Must not: invent anything; a call that was not recorded is told so.
import type { RecordedCall, Recording } from "../recording/recording.js";
import { writeScriptModel } from "./script-model.js";
import { coarsePieces, type ScriptMessage, type ScriptReply } from "./script-reply.js";

/** What the model says where the recording has nothing. */
export const unknownReply = "[the recording has no such model call]";

/** A script model has room for some 16,000 tokens; prompts and marks take a part of them. */
const mostPieces = 12_000;

/** What the model says in one call, and what the engine must be told so that it can. */
export interface Replayed {
  readonly index: number;
  /** It ends before, or it has gone astray. */
  readonly maxTokens: number;
  /** Whether it is cut off at `maxTokens`, as the recorded one was. */
  readonly cut: boolean;
  /** Names of the tools that it calls. */
  readonly called: readonly string[];
  /** What it is to have said, where that reads as a call or as reasoning if a model says it. */
  readonly unspoken: string | undefined;
}

export interface ReplayModel {
  /** By the name of the call; what is said to one that is not known. */
  replyOf(name: string): Replayed;
  /** Tokens that its context must hold. */
  readonly contextSize: number;
}

/** Writes it. Several models of the recording are all this one. */
export async function writeReplayModel(path: string, recording: Recording): Promise<ReplayModel> {
  const { calls } = recording;
  const messages = calls.map(messageOf);
  const words = messages.reduce((sum, message) => sum + coarsePieces(message, 1).length, 0);
  const perPiece = Math.ceil(words / mostPieces);
  const pieces = messages.map((message, index) =>
    isCut(calls[index]) ? [...coarsePieces(message, 1_000_000), ...mark] : coarsePieces(message, Math.max(perPiece, 1)),
  );
  const replies = [...pieces.map((one): ScriptReply => ({ pieces: one })), unknownReply];
  const contextSize = contextSizeOf(recording);
  await writeScriptModel(path, { replies, contextLength: contextSize, name: "replay" });
  const known = new Map(
    calls.map((call, index): [string, Replayed] => {
      const length = pieces[index]?.length ?? 0;
      const cut = isCut(call);
      return [
        call.name,
        {
          index,
          cut,
          // Cut off before the mark.
          maxTokens: cut ? Math.max(length - mark.length, 1) : length + spare,
          called: messages[index]?.toolCalls?.map(({ name }) => name) ?? [],
          unspoken: isSpeakable(call.content) ? undefined : call.content,
        },
      ];
    }),
  );
  const unknown = { index: calls.length, cut: false, maxTokens: 64, called: [], unspoken: undefined };
  return { contextSize, replyOf: (name) => known.get(name) ?? unknown };
}

const mark = [" [cut]"];
/** Tokens beyond those of a reply, such as its end. */
const spare = 16;

const isCut = (call: RecordedCall | undefined): boolean => call?.finishReason === "length";

/** Hooks may have left what a model cannot say as plain text: marks of calls and reasoning, and space in front. */
function isSpeakable(content: string): boolean {
  return !/^\s|<\/?(?:tool_call|think)>/.test(content);
}

function messageOf({ content, reasoning, toolCalls, finishReason }: RecordedCall): ScriptMessage {
  const calls = finishReason === "length" ? [] : toolCalls;
  return {
    ...(reasoning !== "" && { reasoning }),
    text: isSpeakable(content) ? content : "",
    toolCalls: calls.map(({ name, args }) => ({ name, args })),
  };
}

/** A prompt of it is a token a byte, mostly, and must not be compacted where the recorded one was not. */
function contextSizeOf(recording: Recording): number {
  const bytes = Buffer.byteLength(JSON.stringify(recording));
  return Math.ceil((2 * bytes + 16_384) / 1024) * 1024;
}
