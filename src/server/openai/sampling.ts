// Sampling parameters of a request: the engine's own in snake_case, and those of OpenAI that have another form.
import { isObject, optionalBoolean, optionalInteger, optionalStrings, optionError, wrong } from "../../base/check.js";
import { type Check, checkParameters } from "../../base/check-parameters.js";
import { toCamel, toSnake } from "../../base/wire.js";
import { samplingChecks } from "../../generated/parameters.js";
import type { SamplingOptions } from "../../index.js";
import type { CallRequest } from "../protocol/call-request.js";

/**
 * Parameters that this file does not take from requests. Adapters and the reading of control tokens are the server
 * owner's choice; other files read the rest.
 */
const notHere: ReadonlySet<string> = new Set([
  "adapters",
  "specialTokens",
  "ignoreEos",
  "jsonSchema",
  "strictSchema",
  "toolChoice",
  "chatTemplateArgs",
]);

const rows = Object.fromEntries(
  Object.entries(samplingChecks).flatMap(([name, row]) => (notHere.has(name) ? [] : [[toSnake(name), row]])),
);

/** Members of a request that this file reads. */
export const samplingMembers: readonly string[] = [
  ...Object.keys(rows),
  "max_completion_tokens",
  "reasoning_effort",
  "chat_template_kwargs",
];

const special: Readonly<Record<string, Check>> = { stops: checkStop, logit_bias: checkBias };
/** Values of `reasoning_effort`. */
export const efforts: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Reads the sampling parameters of a request whose nulls are gone. Errors: `TypeError` with `param`. */
export function samplingOf(body: Readonly<Record<string, unknown>>): SamplingOptions {
  const checked = checkParameters(rows, body, "", special);
  const options = Object.fromEntries(Object.entries(checked).map(([name, value]) => [toCamel(name), value]));
  const most = optionalInteger(body["max_completion_tokens"], "max_completion_tokens", 1);
  if (most !== undefined) options["maxTokens"] = most;
  if (options["logprobs"] === false) delete options["topLogprobs"];
  return { ...options, ...reasoningOf(body) };
}

/** An effort is a variable of the chat template, except that "none" turns the reasoning off. */
function reasoningOf(body: Readonly<Record<string, unknown>>): SamplingOptions {
  const { reasoning_effort: effort, chat_template_kwargs: given } = body;
  if (given !== undefined && !isObject(given)) throw wrong("chat_template_kwargs", "an object", given);
  if (effort !== undefined && !efforts.includes(effort as string))
    throw wrong("reasoning_effort", `one of ${efforts.join(", ")}`, effort);
  const reasoning = optionalBoolean(body["reasoning"], "reasoning");
  const args = { ...(effort !== undefined && effort !== "none" && { reasoning_effort: effort }), ...given };
  return {
    ...(effort === "none" && reasoning === undefined && { reasoning: false }),
    ...(Object.keys(args).length > 0 && { chatTemplateArgs: args }),
  };
}

/** Options that a remote model may ignore: services take the effort as a hint, and not all support `top_k`. */
export function wishesOf(effort: unknown, templateArgs: unknown, member: string): CallRequest["wishes"] {
  return {
    topK: "top_k",
    ...(effort !== undefined && { reasoning: member }),
    ...(effort !== undefined && templateArgs === undefined && { chatTemplateArgs: member }),
  };
}

function checkStop(value: unknown, what: string): unknown {
  const stop = optionalStrings(typeof value === "string" ? [value] : value, what);
  if (stop?.includes("") === true) throw optionError(what, `${what} must not contain an empty string`);
  return stop;
}

/** `{"50256": -100}`, as OpenAI has it: -100 bans a token there, and null does here. */
function checkBias(value: unknown, what: string): unknown {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw wrong(what, "an object of numbers from -100 to 100 by token", value);
  return Object.entries(value).map(([token, bias]) => {
    if (!/^\d{1,9}$/.test(token))
      throw optionError(what, `${what} has the key ${JSON.stringify(token)}; keys are token numbers`);
    if (typeof bias !== "number" || !(Math.abs(bias) <= 100))
      throw wrong(`${what}.${token}`, "a number from -100 to 100", bias);
    return { token: Number(token), bias: bias === -100 ? null : bias };
  });
}
