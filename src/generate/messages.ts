// Converts chat messages for the engine and back. The engine checks roles and shapes (INVALID_MESSAGES).
import { checkObject, isObject, wrong } from "../base/check.js";
import { jsonValue } from "./json-value.js";
import type { Message } from "../generated/points.js";
import { camelTop } from "../base/wire.js";

/** A piece of a message's text. The texts of a message's parts follow one another without a separator. */
export interface TextPart {
  /** The models of this engine read text only. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** A message as the engine takes it: its content is a text, or parts of a text. */
export interface MessageInput extends Omit<Message, "content"> {
  /** The text; empty if an assistant only calls tools. */
  readonly content: string | readonly TextPart[];
}

/** The input of a model: the user's message, as a text or as parts of a text, or a conversation. */
export type Input = string | readonly TextPart[] | readonly MessageInput[];

/** The kinds of input, for messages. */
export const inputKinds = "a text (a string), an array of messages, or an array of text parts";

const messageKeys = [
  "role",
  "content",
  "reasoning",
  "toolCalls",
  "toolCallId",
  "toolName",
  "id",
  "timeMs",
  "origin",
] as const;
const callKeys = ["id", "name", "args"] as const;

/** Converts messages for the engine. `undefined` fields are omitted. */
export function messagesToWire(messages: unknown, what: string): Record<string, unknown>[] {
  if (!Array.isArray(messages)) throw wrong(what, "an array of messages", messages);
  return messages.map((message: unknown, index) => messageToWire(message, `${what}[${index}]`));
}

function messageToWire(message: unknown, what: string): Record<string, unknown> {
  if (!isObject(message)) throw wrong(what, "a message: { role, content }", message);
  const known = checkObject(message, what, messageKeys);
  const { role, content, reasoning, toolCalls, toolCallId, toolName, id, timeMs, origin } = jsonValue(
    known,
    what,
  ) as typeof known;
  const wire: Record<string, unknown> = { role, content: contentText(content, `${what}.content`) };
  if (reasoning !== undefined) wire["reasoning"] = reasoning;
  if (toolCalls !== undefined) wire["tool_calls"] = callsToWire(toolCalls, `${what}.toolCalls`);
  if (toolCallId !== undefined) wire["tool_call_id"] = toolCallId;
  if (toolName !== undefined) wire["tool_name"] = toolName;
  if (id !== undefined) wire["id"] = id;
  if (timeMs !== undefined) wire["time_ms"] = timeMs;
  if (origin !== undefined) wire["origin"] = origin;
  return wire;
}

function callsToWire(calls: unknown, what: string): unknown[] {
  if (!Array.isArray(calls)) throw wrong(what, "an array of tool calls", calls);
  return calls.map((call: unknown, index) => checkObject(call, `${what}[${index}]`, callKeys));
}

/** The text of parts. Any other content is returned as it is, for the engine to check. */
function contentText(content: unknown, what: string): unknown {
  return Array.isArray(content) ? textOfParts(content, what) : content;
}

/** Errors: `TypeError`, which names the part that is not a text. */
export function textOfParts(parts: readonly unknown[], what: string): string {
  return parts
    .map((part, index) => {
      const at = `${what}[${index}]`;
      if (!isObject(part)) throw wrong(at, 'a part: { type: "text", text }', part);
      if (part["type"] !== "text")
        throw wrong(`${at}.type`, '"text", because models here read text only', part["type"]);
      const { text } = checkObject(part, at, ["type", "text"]);
      if (typeof text !== "string") throw wrong(`${at}.text`, "a string", text);
      return text;
    })
    .join("");
}

/** True: the list has parts of a text. False: it has messages, or is empty. */
export function isParts(input: readonly unknown[]): boolean {
  return input.some((item) => isObject(item) && "type" in item && !("role" in item));
}

/** Converts the engine's messages. Keys of tool calls are single words; keys of their arguments are the tool's own. */
export function messagesFromWire(messages: unknown): Message[] {
  return ((messages as object[] | null | undefined) ?? []).map(camelTop) as unknown as Message[];
}
