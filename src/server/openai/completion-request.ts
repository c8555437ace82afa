// Reads a request for the continuation of a text, or for the text of a gap.
import {
  isObject,
  optionalInteger,
  optionalName,
  optionalString,
  optionError,
  requiredString,
  wrong,
} from "../../base/check.js";
import { unsupported } from "../http/api-error.js";
import type { CallRequest, TextInput } from "../protocol/call-request.js";
import { ignoredOf, withoutNulls } from "../protocol/members.js";
import { userOf } from "../protocol/user.js";
import { streamOf } from "./chat-request.js";
import { samplingMembers, samplingOf, wishesOf } from "./sampling.js";

type Members = Readonly<Record<string, unknown>>;

/** A request for a completion. */
export interface CompletionRequest extends CallRequest {
  readonly input: TextInput;
  /** The last event of a stream has the usage. */
  readonly includesUsage: boolean;
  /** True: the model only reads the text, and the answer is empty. */
  readonly isRead: boolean;
}

/** Members that are for chat templates have no effect on a text. */
const ofTemplates = [
  "reasoning",
  "reasoning_effort",
  "reasoning_budget",
  "preserve_reasoning",
  "chat_template_kwargs",
  "parallel_tool_calls",
];
const sampling = samplingMembers.filter((name) => !ofTemplates.includes(name));
const common = [...sampling, "model", "stream", "stream_options", "user", "n", "best_of", "n_predict"];

/** Errors: `TypeError` with `param`; 400 for unsupported members. */
export function completionRequestOf(given: Members): CompletionRequest {
  const body = withoutNulls(given);
  const prompt = promptOf(body["prompt"]);
  const suffix = optionalString(body["suffix"], "suffix");
  const input = suffix === undefined ? { prompt } : { prefix: prompt, suffix };
  return requestOf(body, input, ["prompt", "suffix", "echo"]);
}

/** The form of llama-server. Errors: the same. */
export function infillRequestOf(given: Members): CompletionRequest {
  const body = withoutNulls(given);
  const before = optionalString(body["prompt"], "prompt") ?? "";
  const input = {
    prefix: (optionalString(body["input_prefix"], "input_prefix") ?? "") + before,
    suffix: optionalString(body["input_suffix"], "input_suffix") ?? "",
    extra: extraOf(body["input_extra"]),
  };
  if (input.prefix + input.suffix === "" && input.extra.length === 0)
    throw optionError("input_prefix", "the request needs input_prefix, input_suffix or input_extra");
  return requestOf(body, input, ["prompt", "input_prefix", "input_suffix", "input_extra"]);
}

function requestOf(body: Members, input: TextInput, known: readonly string[]): CompletionRequest {
  for (const name of ["n", "best_of"])
    if ((body[name] ?? 1) !== 1) throw unsupported(`${name} must be 1: one answer a request`, name);
  if (body["echo"] === true) throw unsupported("echo is not supported: the answer is the continuation alone", "echo");
  const most = optionalInteger(body["n_predict"], "n_predict", -1); // -1: no limit
  const alternatives = body["logprobs"];
  return {
    model: optionalName(body["model"], "model"),
    messages: [],
    input,
    options: samplingOf({
      ...(most !== undefined && most >= 0 && { max_tokens: Math.max(most, 1) }),
      ...Object.fromEntries(Object.entries(body).filter(([name]) => sampling.includes(name))),
      // The older form: the number of alternatives.
      ...(typeof alternatives === "number" && {
        logprobs: true,
        top_logprobs: optionalInteger(alternatives, "logprobs", 0, 20),
      }),
    }),
    wishes: wishesOf(undefined, undefined, "reasoning_effort"),
    ...streamOf(body),
    isRead: most === 0,
    user: userOf(body["user"], "user"),
    ignored: ignoredOf(body, [...common, ...known]),
  };
}

/** One text: a list of several would be several answers. */
function promptOf(prompt: unknown): string {
  const one: unknown = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  if (Array.isArray(one)) throw unsupported("prompt must be one text", "prompt");
  return requiredString(one, "prompt");
}

function extraOf(value: unknown): readonly { readonly filename: string; readonly text: string }[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong("input_extra", "an array of { filename, text }", value);
  return value.map((one: unknown, index) => {
    const at = `input_extra[${index}]`;
    if (!isObject(one)) throw wrong(at, "an object with filename and text", one);
    return {
      filename: optionalString(one["filename"] ?? undefined, `${at}.filename`) ?? "",
      text: requiredString(one["text"], `${at}.text`),
    };
  });
}
