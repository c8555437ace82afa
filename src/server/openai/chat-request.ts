// Reads a request for a chat completion.
import { isObject, optionalBoolean, optionalName, wrong } from "../../base/check.js";
import { unsupported } from "../http/api-error.js";
import { messagesOf } from "./chat-messages.js";
import { choiceOf, responseFormatOf, toolsOf } from "./chat-tools.js";
import type { CallRequest } from "../protocol/call-request.js";
import { ignoredOf, withoutNulls } from "../protocol/members.js";
import { userOf } from "../protocol/user.js";
import { samplingMembers, samplingOf, wishesOf } from "./sampling.js";

/** A request for a chat completion. */
export interface ChatRequest extends CallRequest {
  /** The last event of a stream has the usage. */
  readonly includesUsage: boolean;
}

const known = [
  ...samplingMembers,
  "model",
  "messages",
  "stream",
  "stream_options",
  "user",
  "n",
  "tools",
  "tool_choice",
  "response_format",
  "continue_final_message",
];

/** Errors: `TypeError` with `param`; 400 for unsupported members. */
export function chatRequestOf(given: Readonly<Record<string, unknown>>): ChatRequest {
  const body = withoutNulls(given);
  for (const name of ["functions", "function_call"])
    if (body[name] !== undefined) throw unsupported(`${name} is not supported: use tools and tool_choice`, name);
  if (body["n"] !== undefined && body["n"] !== 1) throw unsupported("n must be 1: one answer a request", "n");
  const messages = messagesOf(body["messages"]);
  const { tools: all, skipped, areStrict } = toolsOf(body["tools"]);
  const { tools, toolChoice } = choiceOf(body["tool_choice"], all);
  const { schema, isStrict } = responseFormatOf(body["response_format"]);
  const continues = optionalBoolean(body["continue_final_message"], "continue_final_message");
  return {
    model: optionalName(body["model"], "model"),
    messages,
    options: {
      ...samplingOf(body),
      ...(tools.length > 0 && { tools }),
      ...(toolChoice !== undefined && { toolChoice }),
      ...(schema !== undefined && { jsonSchema: schema }),
      ...((schema !== undefined || tools.length > 0) && isStrict && areStrict && { strictSchema: true }),
      ...(continues !== undefined && { continueFinalMessage: continues }),
    },
    wishes: wishesOf(body["reasoning_effort"], body["chat_template_kwargs"], "reasoning_effort"),
    ...streamOf(body),
    user: userOf(body["user"], "user"),
    ignored: [...ignoredOf(body, known), ...skipped],
  };
}

/** Reads whether the answer is a stream, and whether its last event has the usage. Errors: `TypeError` with `param`. */
export function streamOf(body: Readonly<Record<string, unknown>>): Pick<ChatRequest, "streams" | "includesUsage"> {
  const options = body["stream_options"] ?? {};
  if (!isObject(options)) throw wrong("stream_options", "an object", options);
  return {
    streams: optionalBoolean(body["stream"], "stream") ?? false,
    includesUsage: optionalBoolean(options["include_usage"] ?? undefined, "stream_options.include_usage") ?? false,
  };
}
