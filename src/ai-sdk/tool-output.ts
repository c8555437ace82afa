// Converts results of tools to messages for models, with the same words as in sessions.
import { isObject } from "../base/check.js";
import type { Message } from "../index.js";
import { unsupported } from "./errors.js";
import type { PromptPart, ToolOutput } from "./specification.js";

/** Errors: an UnsupportedFunctionalityError of the AI SDK that names the part. */
export function toolMessage({ type, toolCallId = "", toolName = "", output }: PromptPart, at: string): Message {
  if (type !== "tool-result" || output === undefined)
    throw unsupported(`${type} parts`, `${at} is a ${type} part: a tool message has results only`);
  return { role: "tool", toolCallId, toolName, content: outputText(output, `${at}.output`) };
}

function outputText({ type, value, reason }: ToolOutput, at: string): string {
  switch (type) {
    case "text":
      return String(value);
    case "json":
      return jsonOf(value);
    case "error-text":
      return `error: ${String(value)}`;
    case "error-json":
      return `error: ${jsonOf(value)}`;
    case "execution-denied":
      return reason === undefined ? "denied" : `denied: ${reason}`;
    case "content":
      return (value as unknown[]).map((part, i) => contentText(part, `${at}.value[${i}]`)).join("\n");
    default:
      throw unsupported(`tool results of type ${type}`, `${at} has the type ${type}, which is unknown here`);
  }
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

function contentText(part: unknown, at: string): string {
  const { type, text } = isObject(part) ? part : {};
  if (type === "text") return String(text);
  throw unsupported(`${String(type)} parts`, `${at} is a ${String(type)} part: models of llama-hooks read text only`);
}
