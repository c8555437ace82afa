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
    /** Exists for the compiler only. */
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

/**
 * The type that a schema describes: the output type of a schema object, the values of a JSON Schema that is written as
 * a literal, any object for another JSON Schema.
 */
export type SchemaOutput<S> =
  S extends StandardSchema<infer Output>
    ? Output
    : unknown extends SchemaValue<S>
      ? Record<string, unknown>
      : SchemaValue<S>;

/** The type that a schema accepts: the input type of a schema object, else the type that it describes. */
export type SchemaInput<S> = S extends StandardSchema ? NonNullable<S["~standard"]["types"]>["input"] : SchemaOutput<S>;

/** The values that a literal JSON Schema describes; `unknown` where it says nothing that a type can say. */
type SchemaValue<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer One)[] } | { readonly oneOf: readonly (infer One)[] }
      ? SchemaValue<One>
      : S extends { readonly type: readonly (infer Type)[] }
        ? TypedValue<Type, S>
        : S extends { readonly type: infer Type extends string }
          ? TypedValue<Type, S>
          : unknown;

type TypedValue<Type, S> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? readonly (S extends { readonly items: infer Item } ? SchemaValue<Item> : unknown)[]
          : Type extends "object"
            ? ObjectValue<S>
            : unknown;

type ObjectValue<S> = S extends { readonly properties: infer Properties }
  ? {
      readonly [K in keyof Properties as K extends RequiredKey<S> ? K : never]: SchemaValue<Properties[K]>;
    } & {
      readonly [K in keyof Properties as K extends RequiredKey<S> ? never : K]?: SchemaValue<Properties[K]>;
    }
  : Record<string, unknown>;

type RequiredKey<S> = S extends { readonly required: readonly (infer Key)[] } ? Key : never;

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

/** Checks an option that is a schema. */
export function optionalSchema(value: unknown, what: string): JsonSchema | undefined {
  return value === undefined ? undefined : toJsonSchema(value, what);
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
