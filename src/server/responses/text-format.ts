// The form that the text of an answer must have.
import { isObject, wrong } from "../../base/check.js";
import type { JsonSchema } from "../../index.js";
import { ignoredOf, withoutNulls } from "../protocol/members.js";

/** The form of a text. */
export interface TextFormat {
  /** The schema that the text must follow; undefined: none. */
  readonly schema: JsonSchema | undefined;
  /** True: it must follow the schema in every keyword. */
  readonly isStrict: boolean;
  /** The members that the answer repeats. */
  readonly format: object;
  /** Names of the members that have no effect. */
  readonly ignored: readonly string[];
}

/** Reads `text`. Errors: `TypeError` with `param`. */
export function textFormatOf(value: unknown = {}): TextFormat {
  if (!isObject(value)) throw wrong("text", "an object", value);
  const text = withoutNulls(value);
  const { format = { type: "text" } } = text;
  const ignored = ignoredOf(text, ["format"]).map((name) => `text.${name}`);
  const at = "text.format";
  if (!isObject(format)) throw wrong(at, "an object with a type", format);
  switch (format["type"]) {
    case "text":
      return { schema: undefined, isStrict: true, format, ignored };
    case "json_object":
      return { schema: { type: "object" }, isStrict: true, format, ignored };
    case "json_schema": {
      const { schema } = format;
      if (!isObject(schema)) throw wrong(`${at}.schema`, "a JSON Schema (an object)", schema);
      return { schema, isStrict: format["strict"] === true, format, ignored };
    }
    default:
      throw wrong(`${at}.type`, "one of text, json_object, json_schema", format["type"]);
  }
}
