// Checks arguments of tool calls against their JSON Schema with Ajv: the engine's own check covers only a part of JSON
// Schema.
import { createRequire } from "node:module";
import type * as draft7 from "ajv";
import type { Ajv, Options, ValidateFunction } from "ajv";
import type * as draft2019 from "ajv/dist/2019.js";
import type * as draft2020 from "ajv/dist/2020.js";
import { isObject } from "../base/check.js";
import { inWords } from "../base/schema-errors.js";
import { messageOf } from "../base/thrown.js";
import type { JsonSchema } from "../generate/json-schema.js";

/** Says what is wrong with arguments. Undefined: they are valid. */
export type ArgumentsCheck = (args: unknown) => string | undefined;

const options: Options = { strict: false, validateFormats: false, addUsedSchema: false };

/** If Ajv cannot use the schema, the result has a `fault` with the reason, and every call's arguments are invalid. */
export function argumentsCheck(
  tool: string,
  schema: JsonSchema,
): { readonly check: ArgumentsCheck; readonly fault: string | null } {
  let validate: ValidateFunction;
  try {
    const { $schema: dialect, ...rest } = schema;
    if (rest["$async"] !== undefined) throw new TypeError("$async is not supported");
    validate = validatorOf(typeof dialect === "string" ? dialect : "", rest).compile(rest);
  } catch (cause) {
    const fault = `the parameters of the tool ${JSON.stringify(tool)} are no JSON Schema: ${messageOf(cause)}`;
    return { check: () => fault, fault };
  }
  const check: ArgumentsCheck = (args) =>
    validate(args) ? undefined : (validate.errors ?? []).map((error) => inWords(error)).join("; ");
  return { check, fault: null };
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

function validatorOf(address: string, schema: JsonSchema): Ajv {
  const dialect: Dialect = (["2020-12", "2019-09"] as const).find((year) => address.includes(year)) ?? "draft-07";
  // A schema with `$id` or anchors would be visible to other schemas, so it gets an Ajv of its own.
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
