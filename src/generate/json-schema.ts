// JSON Schemas as callers give them: plain objects, or schema objects (zod and others) that can describe themselves.
import { isObject, wrong } from "../base/check.js";
import { messageOf } from "../base/thrown.js";
import { jsonValue } from "./json-value.js";

/** A JSON Schema, as a plain object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The interface that zod, valibot, arktype and others share: https://standardschema.dev. */
export interface StandardSchema<Output = unknown> {
  /** The property that Standard Schema defines. */
  readonly "~standard": {
    /** Version of the standard. */
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    /** For the compiler only. */
    readonly types?:
      | {
          /** The type of the input. */
          readonly input: unknown;
          /** The type of the output: a tool's arguments. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** The type that a schema describes: the output type of a schema object, any object for a plain JSON Schema. */
export type SchemaOutput<S> = S extends StandardSchema<infer Output> ? Output : Record<string, unknown>;

/**
 * Returns the JSON Schema of `value`: a plain object itself, or the description that a schema object gives through
 * `~standard.jsonSchema` or `toJSONSchema()` (zod from 4.2). If that throws, as zod does for transforms, dates and
 * bigints, the error is a TypeError that names `whose` and has the thrown value as its cause.
 */
export function toJsonSchema(value: unknown, what: string, whose = what): JsonSchema {
  if (!isObject(value)) throw wrong(what, "a JSON Schema (an object) or a zod schema", value);
  const description = described(value, whose);
  if (description !== undefined) return checked(description.schema, what);
  if (value["~standard"] !== undefined) {
    throw new TypeError(
      `${what} is a schema object that cannot describe itself as JSON Schema; convert it first, with zod 4: z.toJSONSchema(schema)`,
    );
  }
  return checked(value, what);
}

/** Undefined: the value is not a schema object that describes itself. */
function described(value: Readonly<Record<string, unknown>>, what: string): { schema: unknown } | undefined {
  try {
    const standard = value["~standard"];
    const converter = isObject(standard) ? standard["jsonSchema"] : undefined;
    if (isObject(converter) && typeof converter["input"] === "function") {
      return { schema: converter["input"]({ target: "draft-07" }) as unknown };
    }
    if (typeof value["toJSONSchema"] === "function") return { schema: value["toJSONSchema"]() as unknown };
  } catch (error) {
    throw new TypeError(`${what} cannot be described as JSON Schema: ${messageOf(error)}`, { cause: error });
  }
  return undefined;
}

function checked(schema: unknown, what: string): JsonSchema {
  if (!isObject(schema)) throw wrong(`The JSON Schema of ${what}`, "an object", schema);
  return jsonValue(schema, what) as JsonSchema;
}
