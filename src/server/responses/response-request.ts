// Reads a request for a response.
import {
  isObject,
  optionalBoolean,
  optionalInteger,
  optionalName,
  optionalOneOf,
  optionalString,
  optionalStrings,
  optionError,
  wrong,
} from "../../base/check.js";
import type { GenerateOptions } from "../../index.js";
import { unsupported } from "../http/api-error.js";
import { efforts, samplingMembers, samplingOf, wishesOf } from "../openai/sampling.js";
import type { CallRequest } from "../protocol/call-request.js";
import { ignoredOf, withoutNulls } from "../protocol/members.js";
import { type TextFormat, textFormatOf } from "./text-format.js";
import { choiceOf, type ToolNames, toolsOf } from "./tools.js";
import type { ReasoningForm } from "./output-items.js";
import { turnsOf } from "./turns.js";

/** A request for a response. */
export interface ResponseRequest extends CallRequest {
  readonly names: ToolNames;
  /** The form in which the answer shows reasoning. */
  readonly form: ReasoningForm;
  /** True: later requests may refer to the items of the answer. */
  readonly isKept: boolean;
  /** Its members that the answer repeats. */
  readonly echo: object;
}

type Members = Readonly<Record<string, unknown>>;

/** Members of the sampling that this protocol says in another way. */
const notHere = ["max_tokens", "max_completion_tokens", "reasoning", "reasoning_effort", "logprobs"];

/** The value of `include` that asks for log probabilities; other values ask for data that this server does not have. */
const asksLogprobs = "message.output_text.logprobs";

const known = [
  ...samplingMembers.filter((name) => !notHere.includes(name)),
  "model",
  "input",
  "instructions",
  "stream",
  "store",
  "background",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "metadata",
  "max_output_tokens",
  "reasoning",
  "text",
  "tools",
  "tool_choice",
  "include",
];

/** Members that only a server that keeps responses can honour. */
const needsStore = ["previous_response_id", "conversation", "prompt"];

/** `find`: an item of an earlier answer. Errors: `TypeError` with `param`; 400 for unsupported members. */
export function responseRequestOf(given: Members, find: (id: string) => unknown): ResponseRequest {
  const body = withoutNulls(given);
  for (const name of needsStore)
    if (body[name] !== undefined)
      throw unsupported(`${name} is not supported: this server keeps no responses, so send the whole input`, name);
  if (optionalBoolean(body["background"], "background") === true)
    throw unsupported("background is not supported: this server keeps no responses", "background");
  const isKept = optionalBoolean(body["store"], "store") ?? true;
  const instructions = optionalString(body["instructions"], "instructions");
  const { names, skipped, areStrict, ...all } = toolsOf(body["tools"]);
  const { tools, toolChoice } = choiceOf(body["tool_choice"], all.tools);
  const included = optionalStrings(body["include"], "include") ?? [];
  const asks = included.includes(asksLogprobs);
  const format = textFormatOf(body["text"]);
  const { schema } = format;
  const effort = effortOf(body["reasoning"]);
  return {
    model: optionalName(body["model"], "model"),
    messages: turnsOf(instructions, body["input"], find),
    options: {
      ...samplingIn(body, effort.effort, asks),
      ...(tools.length > 0 && { tools }),
      ...(toolChoice !== undefined && { toolChoice }),
      ...(schema !== undefined && { jsonSchema: schema }),
      ...((schema !== undefined || tools.length > 0) && format.isStrict && areStrict && { strictSchema: true }),
    },
    wishes: wishesOf(effort.effort, body["chat_template_kwargs"], "reasoning.effort"),
    streams: optionalBoolean(body["stream"], "stream") ?? false,
    user: userOf(body),
    ignored: [
      ...(included.some((one) => one !== asksLogprobs) ? ["include"] : []),
      ...ignoredOf(body, known),
      ...(asks || body["top_logprobs"] === undefined ? [] : ["top_logprobs"]),
      ...effort.ignored,
      ...format.ignored,
      ...skipped,
    ],
    names,
    isKept,
    form: effort.summary === undefined ? "reasoning" : "summary",
    echo: echoOf(body, effort, format),
  };
}

/** `top_logprobs` counts only beside what asks for log probabilities. */
function samplingIn(body: Members, effort: string | undefined, logprobs: boolean): GenerateOptions {
  const kept = Object.fromEntries(Object.entries(body).filter(([name]) => !notHere.includes(name)));
  const maxTokens = optionalInteger(body["max_output_tokens"], "max_output_tokens", 1);
  return {
    ...samplingOf({ ...kept, logprobs, ...(effort !== undefined && { reasoning_effort: effort }) }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

interface Effort {
  readonly effort: string | undefined;
  /** The summary that is asked for. */
  readonly summary: string | undefined;
  readonly ignored: readonly string[];
}

const summaries = ["auto", "concise", "detailed"];

function effortOf(value: unknown = {}): Effort {
  if (!isObject(value)) throw wrong("reasoning", "an object", value);
  const given = withoutNulls(value);
  const effort = optionalOneOf(given["effort"], "reasoning.effort", efforts);
  const [summary, former] = ["summary", "generate_summary"].map((name) =>
    optionalOneOf(given[name], `reasoning.${name}`, summaries),
  );
  const ignored = ignoredOf(given, ["effort", "summary", "generate_summary"]).map((name) => `reasoning.${name}`);
  return { effort, summary: summary ?? former, ignored };
}

function userOf(body: Members): string | undefined {
  const users = ["user", "safety_identifier"].map((name) => {
    const user = optionalString(body[name], name);
    if (user !== undefined && Buffer.byteLength(user) > 512)
      throw optionError(name, `${name} must have at most 512 bytes`);
    return user;
  });
  return users.find((user) => user !== undefined);
}

/** Clients have types for these members of an answer. */
function echoOf(body: Members, { effort, summary }: Effort, { format }: TextFormat): object {
  const { metadata = {}, user, safety_identifier: safety, prompt_cache_key: cache } = body;
  if (!isObject(metadata)) throw wrong("metadata", "an object", metadata);
  const key = optionalString(cache, "prompt_cache_key");
  return {
    background: false,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    metadata,
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: null,
    ...(key !== undefined && { prompt_cache_key: key }),
    reasoning: { effort: effort ?? null, summary: summary ?? null },
    ...(safety !== undefined && { safety_identifier: safety }),
    store: false,
    temperature: body["temperature"] ?? null,
    text: { format },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_logprobs: body["top_logprobs"] ?? 0,
    top_p: body["top_p"] ?? null,
    truncation: "disabled",
    ...(user !== undefined && { user }),
  };
}
