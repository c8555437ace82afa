// Checks sampling options that the table of parameters does not cover. The engine sets defaults.
import {
  checkObject,
  isObject,
  optionalNumber,
  optionalOneOf,
  optionalStrings,
  optionError,
  requiredString,
  wrong,
} from "../base/check.js";
import { type Check, checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { samplingChecks, type SamplingParameters } from "../generated/parameters.js";
import { type JsonSchema, optionalSchema, type StandardSchema } from "./json-schema.js";
import { optionalJsonObject } from "./json-value.js";

/** Options that control how a model call samples its text. Defaults are in brackets. */
export interface SamplingOptions extends SamplingParameters<JsonSchema | StandardSchema> {}

const special: Readonly<Record<string, Check>> = {
  stops: checkStop,
  logit_bias: checkLogitBias,
  adapter_choice: checkAdapters,
  tool_choice: checkToolChoice,
  object: optionalJsonObject,
  schema: optionalSchema,
};

export const samplingKeys = parameterKeys(samplingChecks);

/** Builds the `params` of a request from options whose keys are already checked. */
export function samplingToWire(
  options: { [K in keyof SamplingOptions]?: unknown },
  what: string,
): Record<string, unknown> {
  const params = parametersToWire(checkParameters(samplingChecks, options, what, special));
  if (params["grammar"] !== undefined && params["json_schema"] !== undefined) {
    throw optionError("grammar", `${what} takes grammar or jsonSchema, not both`);
  }
  return params;
}

function checkStop(value: unknown, what: string): unknown {
  const stop = optionalStrings(typeof value === "string" ? [value] : value, what);
  if (stop?.includes("") === true)
    throw optionError(what, `${what} has an empty string, which would stop every generation at once: remove it`);
  return stop;
}

/** The engine takes adapters in the form in which callers give them. */
export function checkAdapters(value: unknown, what: string): unknown {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrong(what, "an array of { id, scale }", value);
  const ids = new Set<string>();
  return value.map((item: unknown, index) => {
    const at = `${what}[${index}]`;
    if (!isObject(item)) throw wrong(at, "{ id, scale }", item);
    const given = checkObject(item, at, ["id", "scale"]);
    const id = requiredString(given.id, `${at}.id`);
    if (ids.has(id)) throw optionError(what, `${what} has ${JSON.stringify(id)} twice`);
    ids.add(id);
    const scale = optionalNumber(given.scale, `${at}.scale`, -1000, 1000);
    return scale === undefined ? { id } : { id, scale };
  });
}

/** The engine takes a choice in the form in which callers give it, and knows the tools. */
export function checkToolChoice(value: unknown, what: string): unknown {
  if (!isObject(value)) return optionalOneOf(value, what, ["auto", "none", "required"]);
  const { tool } = checkObject(value, what, ["tool"]);
  return { tool: requiredString(tool, `${what}.tool`) };
}

function checkLogitBias(value: unknown, what: string): unknown {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrong(what, "an array of { token, bias }", value);
  return value.map((item: unknown, index) => {
    const at = `${what}[${index}]`;
    if (!isObject(item)) throw wrong(at, "{ token, bias }", item);
    const { token, bias } = checkObject(item, at, ["token", "bias"]);
    if (!Number.isSafeInteger(token) || (token as number) < 0) throw wrong(`${at}.token`, "a token number", token);
    if (bias !== null && !(typeof bias === "number" && Number.isFinite(bias))) {
      throw wrong(`${at}.bias`, "a number, or null to ban the token", bias);
    }
    return { token, bias };
  });
}
