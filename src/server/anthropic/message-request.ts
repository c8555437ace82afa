// Reads a request for a message.
import {
  isObject,
  optionalBoolean,
  optionalInteger,
  optionalName,
  optionalNumber,
  optionalOneOf,
  optionalStrings,
  optionError,
  wrong,
} from "../../base/check.js";
import type { GenerateOptions, JsonSchema, Message } from "../../index.js";
import { ApiError } from "../http/api-error.js";
import type { CallRequest } from "../protocol/call-request.js";
import { ignoredOf, withoutNulls } from "../protocol/members.js";
import { userOf } from "../protocol/user.js";
import { deferredTools } from "./deferred-tools.js";
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
  "output_config",
  "metadata",
  "stream",
];

/** Errors: `TypeError` with `param`; 400 for unsupported members. */
export function messageRequestOf(given: Readonly<Record<string, unknown>>): CallRequest {
  const body = withoutNulls(given);
  refuseThread(body["thread"]);
  const { tools, skipped } = toolsOf(body["tools"], deferredTools(body));
  const messages = turnsOf(body["system"], body["messages"]);
  const { schema, effort } = outputOf(body["output_config"]);
  const choice = toolChoiceOf(body["tool_choice"], tools);
  const unasked = {
    // Models do not reason in this protocol unless the client asks for it.
    ...(body["thinking"] === undefined && { reasoning: false }),
    // The model continues a last message of the assistant, unless a call or a schema has to begin the answer.
    ...(isBegun(messages.at(-1)) && schema === undefined && !mustCall(choice) && { continueFinalMessage: true }),
  };
  return {
    model: optionalName(body["model"], "model"),
    messages,
    options: {
      ...samplingOf(body),
      ...thinkingOf(body["thinking"]),
      ...(tools.length > 0 && { tools }),
      ...choice,
      ...(schema !== undefined && { jsonSchema: schema }),
      ...(effort !== undefined && { chatTemplateArgs: { reasoning_effort: effort } }),
    },
    wishes: {
      reasoning: "thinking",
      reasoningBudget: "thinking.budget_tokens",
      topK: "top_k",
      ...(effort !== undefined && { chatTemplateArgs: "output_config.effort" }),
    },
    unasked,
    streams: optionalBoolean(body["stream"], "stream") ?? false,
    user: userOf(metadataOf(body["metadata"])["user_id"] ?? undefined, "metadata.user_id"),
    ignored: [...ignoredOf(body, known), ...(obeysDisplay(body["thinking"]) ? [] : ["thinking.display"]), ...skipped],
  };
}

function isBegun(last: Message | undefined): boolean {
  return last?.role === "assistant" && last.content !== "" && last.toolCalls === undefined;
}

const mustCall = ({ toolChoice }: Pick<GenerateOptions, "toolChoice">): boolean =>
  toolChoice === "required" || typeof toolChoice === "object";

/** This server keeps no conversation. A client that knows the words sends the whole one. */
function refuseThread(thread: unknown): void {
  if (thread === undefined) return;
  const details = { error_code: "thread_unsupported_request", unsupported: null };
  const message = "thread is not supported: this server keeps no conversation, send all of its messages";
  throw new ApiError(400, message, { param: "thread", code: "unsupported", details });
}

const efforts = ["low", "medium", "high", "xhigh", "max"];

interface Output {
  readonly schema?: JsonSchema;
  /** A variable of the chat template. */
  readonly effort?: string;
}

/** Reads `output_config`. */
function outputOf(value: unknown): Output {
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong("output_config", "an object with format or effort", value);
  const effort = optionalOneOf(value["effort"] ?? undefined, "output_config.effort", efforts);
  const format = value["format"] ?? undefined;
  if (format !== undefined && (!isObject(format) || format["type"] !== "json_schema" || !isObject(format["schema"])))
    throw wrong("output_config.format", '{ type: "json_schema", schema }', format);
  return {
    ...(effort !== undefined && { effort }),
    ...(format !== undefined && { schema: format["schema"] as JsonSchema }),
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
    case "between_tools": // no reasoning either; what the model says beside its calls is shown
      return { reasoning: false };
    case "adaptive":
      return {};
    case "enabled": {
      const reasoningBudget = optionalInteger(value["budget_tokens"] ?? undefined, "thinking.budget_tokens", 0);
      return reasoningBudget === undefined ? {} : { reasoningBudget };
    }
    default:
      throw wrong("thinking.type", "one of enabled, disabled, adaptive, between_tools", value["type"]);
  }
}

/**
 * True if `thinking.display` is obeyed: reasoning is always shown, because a client must have it to send it back.
 * Throws if it has another value than those of the protocol.
 */
function obeysDisplay(thinking: unknown): boolean {
  if (!isObject(thinking)) return true;
  const display = optionalOneOf(thinking["display"] ?? undefined, "thinking.display", displays);
  return display === undefined || display === "summarized";
}

const displays = ["summarized", "omitted", "updates"];

function metadataOf(metadata: unknown = {}): Readonly<Record<string, unknown>> {
  if (!isObject(metadata)) throw wrong("metadata", "an object", metadata);
  return metadata;
}
