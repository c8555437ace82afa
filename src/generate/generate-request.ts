// What generate() takes, checked and put into the engine's words. Must not: start anything.
import { checkObject, optionalBoolean, optionalOneOf, optionalSignal, optionalString, wrong } from "../base/check.js";
import type { Message } from "../generated/points.js";
import { messagesToWire } from "./messages.js";
import { type SamplingOptions, samplingKeys, samplingToWire } from "./sampling.js";
import { checkTool, type ToolSpec } from "./tool.js";
import { toJson } from "../base/wire.js";

/** Options of one model call. */
export interface GenerateOptions extends SamplingOptions {
  /** Which model [the only one loaded]. */
  readonly model?: string;
  /** Tools the model may call. They are not run: their calls are in the result. */
  readonly tools?: readonly ToolSpec[];
  /** Give a prompt to the model as it is, without its chat template. */
  readonly raw?: boolean;
  /** "held": token events come only after the postGenerate hooks have answered, so that nothing is streamed that they
   * then change ["live"]. */
  readonly stream?: "live" | "held";
  /** Shown to hooks as `tier`. */
  readonly tier?: string;
  /** Ends the call early: it resolves with the text so far, `finishReason` "cancelled" and `cancel.by` "signal". */
  readonly signal?: AbortSignal;
}

export interface GenerateRequest {
  readonly json: string;
  readonly signal: AbortSignal | undefined;
}

const keys = [...samplingKeys, "model", "tools", "raw", "stream", "tier", "signal"] as const;

/**
 * Checks the arguments of generate(). `parentRunId`: the run whose hook asks for it. Errors: `TypeError`, naming what is
 * wrong.
 */
export function generateRequest(
  input: string | readonly Message[],
  options: GenerateOptions | undefined,
  parentRunId?: string,
): GenerateRequest {
  const given = checkObject(options, "generate() options", keys);
  const raw = optionalBoolean(given.raw, "raw") ?? false;
  const request: Record<string, unknown> = { ...inputToWire(input, raw) };
  const model = optionalString(given.model, "model");
  if (model !== undefined) request["model"] = model;
  const tools = toolsToWire(given.tools, "tools");
  if (raw && tools.length > 0) throw new TypeError("A raw prompt has no place for tools: leave out raw or tools");
  if (tools.length > 0) request["tools"] = tools;
  const stream = optionalOneOf(given.stream, "stream", ["live", "held"]);
  if (stream !== undefined) request["stream"] = stream;
  const tier = optionalString(given.tier, "tier");
  if (tier !== undefined) request["tier"] = tier;
  if (parentRunId !== undefined) request["parent_run_id"] = parentRunId;
  request["params"] = samplingToWire(given, "generate() options");
  return { json: toJson(request), signal: optionalSignal(given.signal, "signal") };
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
