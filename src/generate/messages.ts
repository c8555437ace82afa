// Converts chat messages for the engine and back. The engine checks roles and shapes (INVALID_MESSAGES).
import { checkObject, isObject, wrong } from "../base/check.js";
import { jsonValue } from "./json-value.js";
import type { Message } from "../generated/points.js";
import { camelTop } from "../base/wire.js";

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
export function messagesToWire(messages: unknown, what: string): unknown[] {
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
  const wire: Record<string, unknown> = { role, content };
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

/** Converts the engine's messages. Keys of tool calls are single words; keys of their arguments are the tool's own. */
export function messagesFromWire(messages: unknown): Message[] {
  return ((messages as object[] | null | undefined) ?? []).map(camelTop) as unknown as Message[];
}
