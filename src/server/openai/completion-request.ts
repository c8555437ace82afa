// Reads a request for the continuation of a text, or for the text of a gap.
import {
  isObject,
  optionalBoolean,
  optionalName,
  optionalString,
  optionError,
  requiredString,
  wrong,
} from "../../base/check.js";
import { unsupported } from "../http/api-error.js";
import type { CallRequest, TextInput } from "../protocol/call-request.js";
import { ignoredOf, withoutNulls } from "../protocol/members.js";
import { samplingMembers, samplingOf, wishesOf } from "./sampling.js";

type Members = Readonly<Record<string, unknown>>;

/** A request for a completion. */
export interface CompletionRequest extends CallRequest {
  readonly input: TextInput;
  /** The last event of a stream has the usage. */
  readonly includesUsage: boolean;
}

const common = [...samplingMembers, "model", "stream", "stream_options", "user", "n", "best_of"];

/** Errors: `TypeError` with `param`; 400 for what is not supported. */
export function completionRequestOf(given: Members): CompletionRequest {
  const body = withoutNulls(given);
  const prompt = promptOf(body["prompt"]);
  const suffix = optionalString(body["suffix"], "suffix");
  const input = suffix === undefined ? { prompt } : { prefix: prompt, suffix };
  return { ...requestOf(body, input, ["prompt", "suffix", "echo"]), input };
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
  if (input.prefix + input.suffix === "")
    throw optionError("input_prefix", "the request needs input_prefix or input_suffix");
  return { ...requestOf(body, input, ["prompt", "input_prefix", "input_suffix", "input_extra", "n_predict"]), input };
}

function requestOf(body: Members, input: TextInput, known: readonly string[]): Omit<CompletionRequest, "input"> {
  for (const name of ["n", "best_of"])
    if ((body[name] ?? 1) !== 1) throw unsupported(`${name} must be 1: one answer a request`, name);
  if (body["echo"] === true) throw unsupported("echo is not supported: the answer is the continuation alone", "echo");
  const user = optionalString(body["user"], "user");
  if (user !== undefined && Buffer.byteLength(user) > 512)
    throw optionError("user", "user must have at most 512 bytes");
  const streaming = body["stream_options"] ?? {};
  if (!isObject(streaming)) throw wrong("stream_options", "an object", streaming);
  const text = "prompt" in input ? input.prompt : input.prefix + input.suffix;
  const { n_predict: most, ...others } = body;
  return {
    model: optionalName(body["model"], "model"),
    messages: [{ role: "user", content: text }],
    options: samplingOf({
      ...(typeof most === "number" && most >= 0 && { max_tokens: most }),
      ...others,
      // The older form: the number of alternatives.
      ...(typeof body["logprobs"] === "number" && { logprobs: true, top_logprobs: body["logprobs"] }),
    }),
    wishes: wishesOf(undefined, undefined, "reasoning_effort"),
    streams: optionalBoolean(body["stream"], "stream") ?? false,
    includesUsage: optionalBoolean(streaming["include_usage"] ?? undefined, "stream_options.include_usage") ?? false,
    user,
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
