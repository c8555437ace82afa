// JSON Schemas as callers give them: plain objects, or schema objects (zod and others) that can describe themselves.
import { isObject, wrong } from "../base/check.js";
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
 * `~standard.jsonSchema` or `toJSONSchema()` (zod from 4.2).
 */
export function toJsonSchema(value: unknown, what: string): JsonSchema {
  if (!isObject(value)) throw wrong(what, "a JSON Schema (an object) or a zod schema", value);
  const standard = value["~standard"];
  const described = isObject(standard) ? standard["jsonSchema"] : undefined;
  if (isObject(described) && typeof described["input"] === "function") {
    return checked(described["input"]({ target: "draft-07" }), what);
  }
  if (typeof value["toJSONSchema"] === "function") return checked(value["toJSONSchema"](), what);
  if (standard !== undefined) {
    throw new TypeError(
      `${what} is a schema object that cannot describe itself as JSON Schema; convert it first, with zod 4: z.toJSONSchema(schema)`,
    );
  }
  return checked(value, what);
}

function checked(schema: unknown, what: string): JsonSchema {
  if (!isObject(schema)) throw wrong(`The JSON Schema of ${what}`, "an object", schema);
  return jsonValue(schema, what) as JsonSchema;
}
