// A script model that repeats the recorded answers. For a call that was not recorded it says so.
import type { RecordedCall, Recording } from "../recording/recording.js";
import { writeScriptModel } from "./script-model.js";
import { coarsePieces, type ScriptMessage, type ScriptReply } from "./script-reply.js";

/** The model's answer to a call that was not recorded. */
export const unknownReply = "[the recording has no such model call]";

/** A script model has room for some 16,000 tokens, a part of which prompts and markers take. */
const mostPieces = 12_000;

/** The answer to one call, and the settings that the engine needs for it. */
export interface Replayed {
  readonly index: number;
  /** The answer ends before this limit, unless the replay has gone astray. */
  readonly maxTokens: number;
  /** True: the answer is cut off at `maxTokens`, like the recorded one. */
  readonly cut: boolean;
  /** Names of the tools that the answer calls. */
  readonly called: readonly string[];
  /** Recorded text that would be parsed as a tool call or as reasoning if the model said it. */
  readonly unspoken: string | undefined;
}

export interface ReplayModel {
  /** Returns the answer for the name of a call, or the one for unknown calls. */
  replyOf(name: string): Replayed;
  /** The context size that the model needs, in tokens. */
  readonly contextSize: number;
}

/** Writes the model, which replaces all models of the recording. */
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
  // The replay names the recorded call, not the reply, if the grammar overrules the reply.
  await writeScriptModel(path, { replies, contextLength: contextSize, name: "replay", overruled: true });
  const known = new Map(
    calls.map((call, index): [string, Replayed] => {
      const length = pieces[index]?.length ?? 0;
      const cut = isCut(call);
      return [
        call.name,
        {
          index,
          cut,
          // Cut off before the marker.
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

/**
 * Hooks may have left text that a model cannot say as plain text: markers of calls and reasoning, and leading space.
 */
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

/** Most of a prompt takes a token per byte, and it must not be compacted where the recorded one was not. */
function contextSizeOf(recording: Recording): number {
  const bytes = Buffer.byteLength(JSON.stringify(recording));
  return Math.ceil((2 * bytes + 16_384) / 1024) * 1024;
}
