// The options that shape what a model writes, and their checks. Must not: set defaults; the engine has them.
import {
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalOneOf,
  optionalString,
  optionalStrings,
  wrong,
  isObject,
} from "../base/check.js";
import { type JsonSchema, type StandardSchema, toJsonSchema } from "./json-schema.js";
import { toSnake } from "../base/wire.js";

/** How likely one token is made: `bias` is added to its logit; `null` bans it. */
export interface LogitBias {
  readonly token: number;
  readonly bias: number | null;
}

/** What shapes the text of one model call. Defaults are the engine's and are given in brackets. */
export interface SamplingOptions {
  /** Tokens to write at most [what the context leaves]. */
  readonly maxTokens?: number;
  /** 0 always takes the likeliest token [0.8]. */
  readonly temperature?: number;
  /** Sample from the k likeliest tokens only; 0 is off [40]. */
  readonly topK?: number;
  /** Sample from the likeliest tokens that make up this probability [0.95]. */
  readonly topP?: number;
  /** Leave out tokens less likely than this share of the likeliest [0.05]. */
  readonly minP?: number;
  readonly typicalP?: number;
  readonly topNSigma?: number;
  /** 0 to 4294967294; the same seed gives the same text [random]. */
  readonly seed?: number;
  /** Texts that end the output; they are not part of it. */
  readonly stop?: string | readonly string[];
  readonly repeatPenalty?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  /** How many of the last tokens the penalties look at. */
  readonly penaltyLastN?: number;
  readonly dryMultiplier?: number;
  readonly dryBase?: number;
  readonly dryAllowedLength?: number;
  readonly dryPenaltyLastN?: number;
  readonly drySequenceBreakers?: readonly string[];
  readonly xtcProbability?: number;
  readonly xtcThreshold?: number;
  /** 0 is off [0]. */
  readonly mirostat?: 0 | 1 | 2;
  readonly mirostatTau?: number;
  readonly mirostatEta?: number;
  readonly logitBias?: readonly LogitBias[];
  /** A GBNF grammar that the output follows. Not together with `jsonSchema`. */
  readonly grammar?: string;
  /** A JSON Schema, or a zod schema, that the output follows, as far as docs/schemas.md says. */
  readonly jsonSchema?: JsonSchema | StandardSchema;
  /**
   * Refuse a `jsonSchema`, or a tool's parameters, with a keyword that the grammar made of it cannot hold [false]:
   * INVALID_SCHEMA names it and its place. Without, such keywords have no effect.
   */
  readonly strictSchema?: boolean;
  /** Whether the model may, must not or must call a tool ["auto"]. */
  readonly toolChoice?: "auto" | "none" | "required";
  /**
   * Write on past the model's end token, until `maxTokens`. For measuring. With a grammar or `jsonSchema` that allows
   * nothing more, the text ends all the same, with `finishReason: "stop"`.
   */
  readonly ignoreEos?: boolean;
  /** Give each token's log probability in its event. */
  readonly logprobs?: boolean;
}

type Check = (value: unknown, what: string) => unknown;
const number =
  (min?: number, max?: number): Check =>
  (value, what) =>
    optionalNumber(value, what, min, max);
const integer =
  (min: number, max?: number): Check =>
  (value, what) =>
    optionalInteger(value, what, min, max);

const checks: { readonly [K in keyof SamplingOptions]-?: Check } = {
  maxTokens: integer(1),
  temperature: number(0),
  topK: integer(0),
  topP: number(0, 1),
  minP: number(0, 1),
  typicalP: number(0, 1),
  topNSigma: number(-1),
  seed: integer(0, 2 ** 32 - 2),
  stop: checkStop,
  repeatPenalty: number(0.01, 100),
  presencePenalty: number(-100, 100),
  frequencyPenalty: number(-100, 100),
  penaltyLastN: integer(0, 2 ** 20),
  dryMultiplier: number(0, 100),
  dryBase: number(1, 100),
  dryAllowedLength: integer(0, 2 ** 20),
  dryPenaltyLastN: integer(0, 2 ** 20),
  drySequenceBreakers: optionalStrings,
  xtcProbability: number(0, 1),
  xtcThreshold: number(0, 1),
  mirostat: integer(0, 2),
  mirostatTau: number(0, 1000),
  mirostatEta: number(0, 1),
  logitBias: checkLogitBias,
  grammar: optionalString,
  jsonSchema: (value, what) => (value === undefined ? undefined : toJsonSchema(value, what)),
  strictSchema: optionalBoolean,
  toolChoice: (value, what) => optionalOneOf(value, what, ["auto", "none", "required"]),
  ignoreEos: optionalBoolean,
  logprobs: optionalBoolean,
};

export const samplingKeys = Object.keys(checks) as (keyof SamplingOptions)[];

/** The `params` of a request, from options whose keys are known to be good. */
export function samplingToWire(
  options: { [K in keyof SamplingOptions]?: unknown },
  what: string,
): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const key of samplingKeys) {
    const value = checks[key](options[key], `${what}.${key}`);
    if (value !== undefined) params[toSnake(key)] = value;
  }
  if (params["grammar"] !== undefined && params["json_schema"] !== undefined) {
    throw new TypeError(`${what} takes grammar or jsonSchema, not both`);
  }
  return params;
}

function checkStop(value: unknown, what: string): unknown {
  const stop = optionalStrings(typeof value === "string" ? [value] : value, what);
  if (stop?.includes("") === true) throw new TypeError(`${what} has an empty string, which would end every text`);
  return stop;
}

function checkLogitBias(value: unknown, what: string): unknown {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrong(what, "an array of { token, bias }", value);
  return value.map((item: unknown, index) => {
    const at = `${what}[${index}]`;
    if (!isObject(item)) throw wrong(at, "{ token, bias }", item);
    const { token, bias } = item;
    if (!Number.isSafeInteger(token) || (token as number) < 0) throw wrong(`${at}.token`, "a token number", token);
    if (bias !== null && !(typeof bias === "number" && Number.isFinite(bias))) {
      throw wrong(`${at}.bias`, "a number, or null to ban the token", bias);
    }
    return { token, bias };
  });
}
