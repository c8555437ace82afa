// Arguments of tool calls against their JSON Schema, by Ajv: the engine's own check knows a part of JSON Schema only.
// Must not: know tools.
import { createRequire } from "node:module";
import type * as draft7 from "ajv";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import type * as draft2019 from "ajv/dist/2019.js";
import type * as draft2020 from "ajv/dist/2020.js";
import { LlamaHooksError } from "../base/errors.js";
import type { JsonSchema } from "../generate/json-schema.js";

/** What is wrong with arguments; nothing when they are right. */
export type ArgumentsCheck = (args: unknown) => string | undefined;

const options: Options = { strict: false, validateFormats: false, addUsedSchema: false };

/** Errors: INVALID_SCHEMA, naming the tool. */
export function argumentsCheck(tool: string, schema: JsonSchema): ArgumentsCheck {
  let validate: ValidateFunction;
  try {
    const { $schema: dialect, ...rest } = schema;
    if (rest["$async"] !== undefined) throw new TypeError("$async is not supported");
    validate = validatorOf(typeof dialect === "string" ? dialect : "").compile(rest);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LlamaHooksError("INVALID_SCHEMA", `The parameters of the tool ${tool} are no JSON Schema: ${why}`, {
      cause,
    });
  }
  return (args) => (validate(args) ? undefined : (validate.errors ?? []).map(inWords).join("; "));
}

/** Loaded when the first tool is checked: who uses no session does not wait for it. */
const require = createRequire(import.meta.url);

function validatorOf(dialect: string): Ajv {
  if (dialect.includes("2020-12")) return new (require("ajv/dist/2020.js") as typeof draft2020).Ajv2020(options);
  if (dialect.includes("2019-09")) return new (require("ajv/dist/2019.js") as typeof draft2019).Ajv2019(options);
  return new (require("ajv") as typeof draft7).Ajv(options);
}

/** "/city must be string"; Ajv's words leave out which property is too many, and which values there are. */
function inWords({ instancePath, message, params }: ErrorObject): string {
  const detail = params as { additionalProperty?: string; allowedValues?: unknown[] };
  const more = detail.additionalProperty ?? detail.allowedValues?.map((value) => JSON.stringify(value)).join(", ");
  return `${instancePath} ${message ?? "is wrong"}${more === undefined ? "" : `: ${more}`}`.trim();
}
