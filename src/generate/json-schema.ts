// JSON Schemas as callers give them: plain objects, or schema objects that can describe themselves.
// Must not: depend on a schema library, or validate data.
import { isObject, wrong } from "../base/check.js";
import { jsonValue } from "./json-value.js";

/** A JSON Schema, as a plain object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What zod, valibot, arktype and others share: https://standardschema.dev. */
export interface StandardSchema<Output = unknown> {
  /** What Standard Schema asks of a schema object; libraries such as zod have it. */
  readonly "~standard": {
    /** Of that standard. */
    readonly version: 1;
    /** The library that the schema is of. */
    readonly vendor: string;
    /** For the compiler alone. */
    readonly types?:
      | {
          /** What it takes. */
          readonly input: unknown;
          /** What it makes of that: the type of a tool's arguments. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** What a schema describes: the output type of a schema object, an object of anything for a plain JSON Schema. */
export type SchemaOutput<S> = S extends StandardSchema<infer Output> ? Output : Record<string, unknown>;

/**
 * The JSON Schema of `value`: `value` itself, or what a schema object says of itself through `~standard.jsonSchema` or
 * a method `toJSONSchema()` (zod from 4.2).
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
