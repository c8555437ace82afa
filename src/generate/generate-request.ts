// What generate() takes, checked and put into the engine's words. Must not: start anything.
import { checkObject, isObject, optionalBoolean, optionalSignal, optionalString, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { generateChecks, type RequestOptions } from "../generated/parameters.js";
import { type HookSet, type HookSets, hookSetsOf } from "../hooks/define-hooks.js";
import type { Message } from "../generated/points.js";
import { messagesToWire } from "./messages.js";
import { type SamplingOptions, samplingKeys, samplingToWire } from "./sampling.js";
import { checkTool, type ToolSpec } from "./tool.js";
import { toJson } from "../base/wire.js";

/** Options of one model call. */
export interface GenerateOptions extends SamplingOptions, RequestOptions {
  /** Tools the model may call. They are not run: their calls are in the result. */
  readonly tools?: readonly ToolSpec[];
  /** For this call alone, at the points that it fires (`POINT_NOT_FIRED` for others). They run after the engine's of their priority. */
  readonly hooks?: HookSet | HookSets;
  /** Ends the call early: it resolves with the text so far, `finishReason` "cancelled" and `cancel.by` "signal". */
  readonly signal?: AbortSignal;
}

export interface GenerateRequest {
  readonly json: string;
  readonly signal: AbortSignal | undefined;
  readonly hooks: readonly HookSet[];
}

/** A prompt with a gap, and how it is filled. */
export interface InfillOptions extends Omit<GenerateOptions, "raw" | "tools"> {
  /** What stands before the gap. Default: nothing. */
  readonly prefix?: string;
  /** What stands behind it. Default: nothing. */
  readonly suffix?: string;
  /** What other files have in them, for the model to go by. */
  readonly extra?: readonly {
    /** Name of the file, for the model [none]. */
    readonly filename?: string;
    /** What it has in it. */
    readonly text: string;
  }[];
  /** Whether the suffix comes first in the prompt, for models that were trained so. Default false. */
  readonly suffixFirst?: boolean;
}

const keys = [...samplingKeys, ...parameterKeys(generateChecks), "tools", "hooks", "signal"] as const;
const infillKeys = [
  ...keys.filter((key) => key !== "raw" && key !== "tools"),
  "prefix",
  "suffix",
  "extra",
  "suffixFirst",
] as const;

/** Checks the arguments of generate(). Errors: `TypeError`, naming what is wrong. */
export function generateRequest(
  input: string | readonly Message[],
  options: GenerateOptions | undefined,
): GenerateRequest {
  const given = checkObject(options, "generate() options", keys);
  const { raw = false, ...plain } = checkParameters(generateChecks, given, "");
  const request: Record<string, unknown> = { ...inputToWire(input, raw === true), ...parametersToWire(plain) };
  const tools = toolsToWire(given.tools, "tools");
  if (raw === true && tools.length > 0)
    throw new TypeError("A raw prompt has no place for tools: leave out raw or tools");
  if (tools.length > 0) request["tools"] = tools;
  request["params"] = samplingToWire(given, "generate() options");
  const hooks = given.hooks === undefined ? [] : hookSetsOf(given.hooks, "hooks");
  return { json: toJson(request), signal: optionalSignal(given.signal, "signal"), hooks };
}

/** Checks the argument of infill(). Errors: `TypeError`, naming what is wrong. */
export function infillRequest(options: InfillOptions): GenerateRequest {
  const what = "infill() options";
  const given = checkObject(options, what, infillKeys);
  if (given.prefix === undefined && given.suffix === undefined) {
    throw new TypeError(`${what} must have a prefix, a suffix or both`);
  }
  const infill = {
    prefix: optionalString(given.prefix, "prefix") ?? "",
    suffix: optionalString(given.suffix, "suffix") ?? "",
    extra: extraToWire(given.extra),
    suffix_first: optionalBoolean(given.suffixFirst, "suffixFirst") ?? false,
  };
  const { raw: _, ...checks } = generateChecks;
  const plain = parametersToWire(checkParameters(checks, given, ""));
  const request = { ...plain, infill, params: samplingToWire(given, what) };
  const hooks = given.hooks === undefined ? [] : hookSetsOf(given.hooks, "hooks");
  return { json: toJson(request), signal: optionalSignal(given.signal, "signal"), hooks };
}

function extraToWire(value: unknown): { filename: string; text: string }[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong("extra", "an array of { filename, text }", value);
  return value.map((one: unknown, index) => {
    const at = `extra[${index}]`;
    if (!isObject(one)) throw wrong(at, "an object with filename and text", one);
    const { filename, text } = checkObject(one, at, ["filename", "text"]);
    if (typeof text !== "string") throw wrong(`${at}.text`, "a text", text);
    return { filename: optionalString(filename, `${at}.filename`) ?? "", text };
  });
}

/** Tools as the engine takes them. */
export function toolsToWire(tools: unknown, what: string): unknown[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) throw wrong(what, "an array of tools", tools);
  const names = new Set<string>();
  return tools.map((value: unknown, index) => {
    const spec = checkTool(value, `${what}[${index}]`);
    if (names.has(spec.name)) throw new TypeError(`${what} has two tools named ${JSON.stringify(spec.name)}`);
    names.add(spec.name);
    return { name: spec.name, description: spec.description, parameters: spec.parameters };
  });
}

function inputToWire(input: unknown, raw: boolean): Record<string, unknown> {
  if (typeof input === "string") {
    return raw ? { prompt: input } : { messages: [{ role: "user", content: input }] };
  }
  if (!Array.isArray(input))
    throw wrong("The input of generate()", "a prompt (a string) or an array of messages", input);
  if (raw) throw new TypeError("raw takes a prompt (a string), not messages");
  return { messages: messagesToWire(input, "messages") };
}
