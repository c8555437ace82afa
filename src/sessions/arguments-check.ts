// Checks values that a model wrote, the arguments of tools and answers, against their JSON Schema with Ajv: the
// engine's own check covers only a part of JSON Schema.
import { createRequire } from "node:module";
import type * as draft7 from "ajv";
import type { Ajv, Options, ValidateFunction } from "ajv";
import type * as draft2019 from "ajv/dist/2019.js";
import type * as draft2020 from "ajv/dist/2020.js";
import { isObject } from "../base/check.js";
import { inWords } from "../base/schema-errors.js";
import { messageOf } from "../base/thrown.js";
import { TooLate, within } from "../base/within.js";
import type { JsonSchema } from "../generate/json-schema.js";

/** Says what is wrong with arguments. Undefined: they are valid. */
export type ArgumentsCheck = (args: unknown) => string | undefined;

const options: Options = { strict: false, validateFormats: false, addUsedSchema: false };

/**
 * If Ajv cannot use the schema, the result has a `fault` with the reason, and every value is invalid. `what`: the
 * schema in the words of the fault.
 */
export function argumentsCheck(
  what: string,
  schema: JsonSchema,
): { readonly check: ArgumentsCheck; readonly fault: string | null } {
  let validate: ValidateFunction;
  try {
    validate = validatorOf(schema);
  } catch (cause) {
    const fault = `${what} no JSON Schema: ${messageOf(cause)}`;
    return { check: () => fault, fault };
  }
  const valid = canBeSlow(schema) ? limited(validate) : validate;
  const check: ArgumentsCheck = (args) => {
    try {
      return valid(args) ? undefined : (validate.errors ?? []).map((error) => inWords(error)).join("; ");
    } catch (error) {
      // V8 compiles a regular expression at its first use, and refuses one that is too large only then.
      return `the arguments cannot be checked: ${messageOf(error)}`;
    }
  };
  return { check, fault: null };
}

/** The time for the arguments of one call, and for those of further calls after one that took too long. */
const mostMs = 500;
const mostMsAfter = 50;

/**
 * Stops a check that takes too long: schemas may come from a server and arguments from a model, and a check blocks the
 * event loop. Throws TooLate.
 */
function limited(validate: ValidateFunction): (args: unknown) => boolean {
  let ms = mostMs;
  return (args) => {
    try {
      return within(ms, () => validate(args));
    } catch (error) {
      if (error instanceof TooLate) ms = mostMsAfter;
      throw error;
    }
  };
}

const slowWords = /^(?:pattern|patternProperties|uniqueItems|\$ref|\$recursiveRef|\$dynamicRef)$/;

/** True if a check's time can grow faster than its arguments: regular expressions, comparisons of pairs, recursion. */
function canBeSlow(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(canBeSlow);
  return isObject(value) && Object.entries(value).some(([key, item]) => slowWords.test(key) || canBeSlow(item));
}

/** Ajv is loaded when the first tool is checked, so that programs without sessions do not wait for it. */
const require = createRequire(import.meta.url);
const dialects = {
  "2020-12": () => new (require("ajv/dist/2020.js") as typeof draft2020).Ajv2020(options),
  "2019-09": () => new (require("ajv/dist/2019.js") as typeof draft2019).Ajv2019(options),
  "draft-07": () => new (require("ajv") as typeof draft7).Ajv(options),
} as const;
type Dialect = keyof typeof dialects;

/** One Ajv per dialect: each first compiles the meta-schema, which takes longer than a tool's schema. */
const shared = new Map<Dialect, { readonly ajv: Ajv; left: number }>();
/** An Ajv keeps everything that it compiled, so it is replaced after this many schemas. */
const mostCompiled = 500;

/**
 * Validators by the text of their schema, the one unused for longest first: most sessions have the tools of sessions
 * before, and compiling takes longer than all else that opens a session.
 */
const compiled = new Map<string, ValidateFunction>();
const mostKept = 200;
const longestKept = 65_536;

function validatorOf(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? compile(schema);
  if (text.length > longestKept) return validate;
  compiled.delete(text);
  compiled.set(text, validate);
  for (const [oldest] of compiled) {
    if (compiled.size <= mostKept) break;
    compiled.delete(oldest);
  }
  return validate;
}

function compile(schema: JsonSchema): ValidateFunction {
  const { $schema: dialect, ...rest } = schema;
  if (rest["$async"] !== undefined) throw new TypeError("$async is not supported");
  const given = typeof dialect === "string" ? dialect : usesPrefixItems(rest) ? "2020-12" : "";
  return ajvFor(given, rest).compile(rest);
}

/** Only 2020-12 has this keyword: in draft 7 the `items` beside it would be for all items. */
function usesPrefixItems(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(usesPrefixItems);
  if (!isObject(value)) return false;
  return Array.isArray(value["prefixItems"]) || Object.values(value).some(usesPrefixItems);
}

function ajvFor(address: string, schema: JsonSchema): Ajv {
  const dialect: Dialect = (["2020-12", "2019-09"] as const).find((year) => address.includes(year)) ?? "draft-07";
  // A schema with `$id` or anchors would be visible to other schemas, so it gets a separate Ajv instance.
  if (names(schema)) return dialects[dialect]();
  const known = shared.get(dialect);
  const use = known !== undefined && known.left > 0 ? known : { ajv: dialects[dialect](), left: mostCompiled };
  use.left--;
  shared.set(dialect, use);
  return use.ajv;
}

function names(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(names);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) => /^\$(id|anchor|dynamicAnchor|recursiveAnchor)$/.test(key) || names(item),
  );
}
