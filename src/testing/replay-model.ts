// The script model that says what a recorded one has said. Must not: invent anything; a call that was not recorded is told so.
import { isObject } from "../base/check.js";
import type { JsonSchema } from "../index.js";
import type { RecordedCall, Recording } from "../recording/recording.js";
import { writeScriptModel } from "./script-model.js";
import { coarsePieces, type ScriptMessage, type ScriptReply } from "./script-reply.js";

/** What the model says where the recording has nothing. */
export const unknownReply = "[the recording has no such model call]";

/** A script model has room for some 16,000 tokens; prompts and marks take a part of them. */
const mostPieces = 12_000;

export interface ReplayModel {
  /** Which reply a call has, by its name; of one that is not known the last. */
  replyOf(name: string): { readonly index: number; readonly maxTokens: number | null };
  /** Tokens that its context must hold. */
  readonly contextSize: number;
}

/** Writes it. Several models of the recording are all this one. */
export async function writeReplayModel(path: string, recording: Recording): Promise<ReplayModel> {
  const { calls, tools } = recording;
  const schemas = new Map(tools.map(({ name, parameters }) => [name, parameters]));
  const messages = calls.map((call) => messageOf(call, schemas));
  const words = messages.reduce((sum, message) => sum + coarsePieces(message, 1).length, 0);
  const perPiece = Math.ceil(words / mostPieces);
  const cut = calls.map(({ finishReason }) => finishReason === "length");
  const replies = messages.map((message, index): ScriptReply => {
    if (cut[index] === true) return { pieces: [...coarsePieces(message, 1_000_000), ...mark] };
    return perPiece > 1 ? { pieces: coarsePieces(message, perPiece) } : message;
  });
  const contextSize = contextSizeOf(recording);
  await writeScriptModel(path, { replies: [...replies, unknownReply], contextLength: contextSize, name: "replay" });
  const indexes = new Map(calls.map(({ name }, index) => [name, index]));
  return {
    contextSize,
    replyOf: (name) => {
      const index = indexes.get(name) ?? calls.length;
      const reply = replies[index];
      // Cut off where the recorded one was: before the mark.
      const isCut = cut[index] === true && typeof reply === "object" && "pieces" in reply;
      return { index, maxTokens: isCut ? Math.max(reply.pieces.length - mark.length, 1) : null };
    },
  };
}

const mark = [" [cut]"];

function messageOf(
  { content, reasoning, toolCalls, finishReason }: RecordedCall,
  schemas: ReadonlyMap<string, JsonSchema>,
): ScriptMessage {
  const calls = finishReason === "length" ? [] : toolCalls;
  return {
    ...(reasoning !== "" && { reasoning }),
    text: content,
    toolCalls: calls.map(({ name, args }) => ({
      name,
      args: inOrder(args, schemas.get(name)) as Record<string, unknown>,
    })),
  };
}

/** In the order of the schema, required keys first: llama.cpp's grammar of calls knows no other. */
function inOrder(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => inOrder(item, schema["items"]));
  const properties = schema["properties"];
  if (!isObject(value) || !isObject(properties)) return value;
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  const place = (key: string): number =>
    key in properties ? Object.keys(properties).indexOf(key) + (required.includes(key) ? 0 : 1e6) : 1e9;
  const keys = Object.keys(value).sort((a, b) => place(a) - place(b));
  return Object.fromEntries(keys.map((key) => [key, inOrder(value[key], properties[key])]));
}

/** A prompt of it is a token a byte, mostly, and must not be compacted where the recorded one was not. */
function contextSizeOf(recording: Recording): number {
  const bytes = Buffer.byteLength(JSON.stringify(recording));
  return Math.ceil((2 * bytes + 16_384) / 1024) * 1024;
}
