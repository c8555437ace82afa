// Checks the arguments of generate() and infill() and converts them to the engine's form.
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
  /** Tools that the model may call. They are not run: the result contains the calls. */
  readonly tools?: readonly ToolSpec[];
  /**
   * Hooks for this call only, at the points that it fires (others: `POINT_NOT_FIRED`). At equal priority they run after
   * the engine's hooks.
   */
  readonly hooks?: HookSet | HookSets;
  /** Cancels the call: it resolves with the text so far, `finishReason` "cancelled" and `cancel.by` "signal". */
  readonly signal?: AbortSignal;
}

export interface GenerateRequest {
  readonly json: string;
  readonly signal: AbortSignal | undefined;
  readonly hooks: readonly HookSet[];
}

/** A prompt with a gap, and how the gap is filled. */
export interface InfillOptions extends Omit<GenerateOptions, "raw" | "tools" | "continueFinalMessage"> {
  /** The text before the gap [none]. */
  readonly prefix?: string;
  /** The text after the gap [none]. */
  readonly suffix?: string;
  /** Contents of other files, as context for the model. */
  readonly extra?: readonly {
    /** Name of the file, as the model sees it [none]. */
    readonly filename?: string;
    /** Content of the file. */
    readonly text: string;
  }[];
  /** True: the prompt begins with the suffix, for models trained that way [false]. */
  readonly suffixFirst?: boolean;
}

const keys = [...samplingKeys, ...parameterKeys(generateChecks), "tools", "hooks", "signal"] as const;
const infillKeys = [
  ...keys.filter((key) => key !== "raw" && key !== "tools" && key !== "continueFinalMessage"),
  "prefix",
  "suffix",
  "extra",
  "suffixFirst",
] as const;

/** Checks the arguments of generate(). Errors: `TypeError`, with the wrong argument. */
export function generateRequest(
  input: string | readonly Message[],
  options: GenerateOptions | undefined,
): GenerateRequest {
  const given = checkObject(options, "generate() options", keys);
  const { raw = false, ...plain } = checkParameters(generateChecks, given, "");
  const request: Record<string, unknown> = { ...inputToWire(input, raw === true), ...parametersToWire(plain) };
  if (raw === true && plain["continueFinalMessage"] === true) {
    throw new TypeError("continueFinalMessage needs messages: a raw prompt has no message that can be continued");
  }
  const tools = toolsToWire(given.tools, "tools");
  if (raw === true && tools.length > 0) throw new TypeError("A raw prompt cannot declare tools: remove raw or tools");
  if (tools.length > 0) request["tools"] = tools;
  request["params"] = samplingToWire(given, "generate() options");
  const hooks = given.hooks === undefined ? [] : hookSetsOf(given.hooks, "hooks");
  return { json: toJson(request), signal: optionalSignal(given.signal, "signal"), hooks };
}

/** Checks the argument of infill(). Errors: `TypeError`, with the wrong option. */
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
  const { raw: _, continueFinalMessage: __, ...checks } = generateChecks;
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

/** Converts tools to the engine's form. */
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
