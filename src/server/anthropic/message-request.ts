// Reads a request for a message.
import {
  isObject,
  optionalBoolean,
  optionalInteger,
  optionalName,
  optionalNumber,
  optionalString,
  optionalStrings,
  optionError,
  wrong,
} from "../../base/check.js";
import type { GenerateOptions } from "../../index.js";
import type { CallRequest } from "../protocol/call-request.js";
import { ignoredOf, withoutNulls } from "../protocol/members.js";
import { toolChoiceOf, toolsOf } from "./tools.js";
import { turnsOf } from "./turns.js";

const known = [
  "model",
  "messages",
  "system",
  "max_tokens",
  "stop_sequences",
  "temperature",
  "top_p",
  "top_k",
  "tools",
  "tool_choice",
  "thinking",
  "metadata",
  "stream",
];

/** Errors: `TypeError` with `param`; 400 for what is not supported. */
export function messageRequestOf(given: Readonly<Record<string, unknown>>): CallRequest {
  const body = withoutNulls(given);
  const { tools, skipped } = toolsOf(body["tools"]);
  return {
    model: optionalName(body["model"], "model"),
    messages: turnsOf(body["system"], body["messages"]),
    options: {
      ...samplingOf(body),
      ...thinkingOf(body["thinking"]),
      ...(tools.length > 0 && { tools }),
      ...toolChoiceOf(body["tool_choice"], tools),
    },
    wishes: { reasoning: "thinking", reasoningBudget: "thinking.budget_tokens", topK: "top_k" },
    // In this protocol, models do not reason unless the client asks for it.
    ...(body["thinking"] === undefined && { unasked: { reasoning: false } }),
    streams: optionalBoolean(body["stream"], "stream") ?? false,
    user: userOf(body["metadata"]),
    ignored: [...ignoredOf(body, known), ...skipped],
  };
}

function samplingOf(body: Readonly<Record<string, unknown>>): GenerateOptions {
  const maxTokens = optionalInteger(body["max_tokens"], "max_tokens", 1);
  const stop = optionalStrings(body["stop_sequences"], "stop_sequences");
  if (stop?.includes("") === true) throw optionError("stop_sequences", "stop_sequences must not have an empty string");
  const temperature = optionalNumber(body["temperature"], "temperature", 0, 2);
  const topP = optionalNumber(body["top_p"], "top_p", 0, 1);
  const topK = optionalInteger(body["top_k"], "top_k", 0);
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(stop !== undefined && { stop }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
  };
}

function thinkingOf(value: unknown): Pick<GenerateOptions, "reasoning" | "reasoningBudget"> {
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong("thinking", "an object with a type", value);
  switch (value["type"]) {
    case "disabled":
      return { reasoning: false };
    case "adaptive":
      return {};
    case "enabled": {
      const reasoningBudget = optionalInteger(value["budget_tokens"] ?? undefined, "thinking.budget_tokens", 0);
      return reasoningBudget === undefined ? {} : { reasoningBudget };
    }
    default:
      throw wrong("thinking.type", "one of enabled, disabled, adaptive", value["type"]);
  }
}

function userOf(metadata: unknown = {}): string | undefined {
  if (!isObject(metadata)) throw wrong("metadata", "an object", metadata);
  const user = optionalString(metadata["user_id"] ?? undefined, "metadata.user_id");
  if (user !== undefined && Buffer.byteLength(user) > 512)
    throw optionError("metadata.user_id", "metadata.user_id must have at most 512 bytes");
  return user;
}
