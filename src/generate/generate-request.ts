// Checks the arguments of generate() and infill() and converts them to the engine's form.
import {
  checkObject,
  isObject,
  optionalBoolean,
  optionalSignal,
  optionalString,
  optionError,
  wrong,
} from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { generateChecks, type RequestOptions } from "../generated/parameters.js";
import { type HookSet, type HookSets, hookSetsOf } from "../hooks/define-hooks.js";
import { type JsonSchema, optionalSchema, type StandardSchema } from "./json-schema.js";
import { type Input, inputKinds, isParts, messagesToWire, textOfParts } from "./messages.js";
import { type SamplingOptions, samplingKeys, samplingToWire } from "./sampling.js";
import { checkTool, type ToolSpec } from "./tool.js";
import { toJson } from "../base/wire.js";

/** Options of one model call. */
export interface GenerateOptions extends SamplingOptions, RequestOptions<JsonSchema | StandardSchema> {
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
  /** The schema of the answer as JSON Schema; undefined: none. */
  readonly answer?: JsonSchema | undefined;
  readonly signal: AbortSignal | undefined;
  readonly hooks: readonly HookSet[];
}

/** A prompt with a gap, and how the gap is filled. */
export interface InfillOptions extends Omit<GenerateOptions, (typeof notInfill)[number]> {
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
const notInfill = ["raw", "system", "answer", "tools", "continueFinalMessage"] as const;
const infillKeys = [
  ...keys.filter((key): key is Exclude<typeof key, (typeof notInfill)[number]> => !notInfill.includes(key as never)),
  "prefix",
  "suffix",
  "extra",
  "suffixFirst",
] as const;

/** Checks the arguments of generate(). Errors: `TypeError`, with the wrong argument. */
export function generateRequest(input: Input, options: GenerateOptions | undefined): GenerateRequest {
  const what = "generate() options";
  const given = checkObject(options, what, keys);
  const {
    raw = false,
    system,
    answer,
    ...plain
  } = checkParameters(generateChecks, given, "", { schema: optionalSchema });
  const request: Record<string, unknown> = {
    ...inputToWire(input, { raw: raw === true, system: system as string | undefined }),
    ...parametersToWire(plain),
  };
  if (raw === true && plain["continueFinalMessage"] === true) {
    throw new TypeError("continueFinalMessage needs messages: a raw prompt has no message that can be continued");
  }
  const tools = toolsToWire(given.tools, "tools");
  if (raw === true && tools.length > 0) throw new TypeError("A raw prompt cannot declare tools: remove raw or tools");
  if (tools.length > 0) request["tools"] = tools;
  request["params"] = samplingToWire(withAnswer(given, answer), what);
  const hooks = given.hooks === undefined ? [] : hookSetsOf(given.hooks, "hooks");
  const signal = optionalSignal(given.signal, "signal");
  return { json: toJson(request), answer: answer as JsonSchema | undefined, signal, hooks };
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
  const { raw: _, system: __, answer: ___, continueFinalMessage: ____, ...checks } = generateChecks;
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

/** The option `answer` constrains the text as `jsonSchema` does. */
function withAnswer(
  given: { readonly [K in keyof SamplingOptions]?: unknown },
  answer: unknown,
): { readonly [K in keyof SamplingOptions]?: unknown } {
  if (answer === undefined) return given;
  for (const key of ["grammar", "jsonSchema"] as const)
    if (given[key] !== undefined) throw optionError(key, `generate() options take answer or ${key}, not both`);
  return { ...given, jsonSchema: answer };
}

function inputToWire(
  input: unknown,
  { raw, system }: { readonly raw: boolean; readonly system: string | undefined },
): Record<string, unknown> {
  if (raw) {
    if (typeof input !== "string") throw new TypeError("raw takes a prompt (a string), not messages");
    if (system !== undefined) throw optionError("system", "A raw prompt has no system prompt: remove raw or system");
    return { prompt: input };
  }
  const messages = conversationToWire(input);
  if (system === undefined || system === "") return { messages };
  const other = messages.findIndex(({ role }) => role === "system");
  if (other >= 0) throw optionError("system", `generate() takes the option system or messages[${other}], not both`);
  return { messages: [{ role: "system", content: system }, ...messages] };
}

function conversationToWire(input: unknown): Record<string, unknown>[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  if (!Array.isArray(input)) throw wrong("The input of generate()", inputKinds, input);
  if (isParts(input)) return [{ role: "user", content: textOfParts(input, "The input of generate()") }];
  return messagesToWire(input, "messages");
}
