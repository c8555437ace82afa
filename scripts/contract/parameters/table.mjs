// The table of parameters: read, checked, and as JSON Schema. Must not: know an output language.
import { camel, pascal, snake } from "../text.mjs";

/** Arrays of what points.json defines by that name; native/model/ has a file for each, which reads and writes it. */
export const LISTS = ["logit_bias", "adapter_choice"];
/** The same for single values, with the C++ header of each. */
export const VALUE_HEADERS = { tags: "base/json/tags.h", tool_choice: "model/tool_choice.h" };
export const VALUES = Object.keys(VALUE_HEADERS);
const TYPES = [
  "integer",
  "number",
  "boolean",
  "string",
  "name",
  "enum",
  "strings",
  "stops",
  "numbers",
  "integers_by_name",
  "schema",
  "object",
  ...LISTS,
  ...VALUES,
];
const KEYS = new Set([
  "name",
  "type",
  "schema",
  "min",
  "max",
  "values",
  "default",
  "unset",
  "auto",
  "required",
  "expected",
  "only",
  "ts",
  "what",
]);

const list = (names) => names.slice(0, -1).join(", ") + (names.length > 1 ? " or " : "") + names.at(-1);

/** The words for a valid value, as the engine's error says them. */
function expected({ type, min, max, values, auto, expected: given }) {
  if (given) return given;
  if (values) return list(values.map((value) => JSON.stringify(value)));
  if (type === "string") return "a string";
  if (type === "name") return "a string that is not empty";
  if (type === "integers_by_name") return `whole numbers from ${min} to ${max} by name`;
  if (type !== "integer" && type !== "number") return undefined;
  const number = `a ${type === "integer" ? "whole number" : "number"} from ${min}${max === undefined ? " up" : ` to ${max}`}`;
  return auto ? `"auto" or ${number}` : number;
}

function checkRow(row, where) {
  const check = (holds, message) => {
    if (!holds) throw new Error(`parameters.json: ${where}.${row.name} ${message}`);
  };
  for (const key of Object.keys(row)) check(KEYS.has(key), `has the unknown key ${key}`);
  check(snake(camel(row.name)) === row.name, "does not survive camel case");
  check(row.what && !row.what.endsWith("."), "has no line of prose without a full stop");
  check((row.schema === undefined) === TYPES.includes(row.type), "has neither a known type nor a schema");
  check(["c", "ts", undefined].includes(row.only), "is only for an unknown language");
  if (row.type === "integer" || row.type === "number") {
    check(row.min !== undefined || row.values, "has no range");
    check(row.unset !== undefined || row.default >= (row.min ?? row.values[0]), "has no default within its range");
  }
  if (row.type === "integers_by_name") check(row.min !== undefined && row.max !== undefined, "has no range");
  check(!row.auto || (row.type === "integer" && !row.values), "can be no word");
  if (row.type === "boolean") check(row.unset !== undefined || typeof row.default === "boolean", "has no default");
  if (row.type === "enum") check(row.values.includes(row.default), "has no default among its values");
}

/** The groups in order; each row gets tsName, expected and `jsonSchema`. */
export function checkParameters({ groups }) {
  return Object.entries(groups).map(([name, group]) => ({
    ...group,
    name,
    rows: group.rows.map((row) => {
      checkRow(row, name);
      const full = { ...row, tsName: camel(row.name), expected: expected(row) };
      return { ...full, cppEnum: row.type === "enum" ? pascal(row.name) : undefined, jsonSchema: schemaOf(full) };
    }),
  }));
}

/** A row's default as text, or its `unset` text; undefined if the row has neither. */
export function defaultText(row) {
  return row.unset ?? (row.default === undefined ? undefined : JSON.stringify(row.default));
}

// Null resets what may be unset: only where a value can be given at all.
const orNull = (type, row) => (row.unset !== undefined ? [type, "null"].flat() : type);

function schemaOf(row) {
  const description = `${row.what}${row.unset === undefined ? "" : `; unset: ${row.unset}`}.`;
  const { type, min, max, values, auto, default: standard } = row;
  const tail = { ...(standard === undefined ? {} : { default: standard }), description };
  const range = { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
  if (row.schema) return { ...row.schema, ...tail };
  if (auto) return { type: ["integer", "string"], ...range, pattern: "^auto$", ...tail };
  switch (type) {
    case "integer":
    case "number":
      return { type: orNull(type, row), ...(values ? { enum: values } : range), ...tail };
    case "string":
      if (!values) return { type: orNull(type, row), ...tail };
      return { type: orNull(type, row), enum: row.unset === undefined ? values : [...values, null], ...tail };
    case "name":
      return { type: orNull("string", row), ...tail };
    case "boolean":
      return { type: orNull(type, row), ...tail };
    case "enum":
      return { type: "string", enum: values, ...tail };
    case "strings":
    case "stops":
      return { type: orNull("array", row), items: { type: "string" }, ...tail };
    case "numbers":
      return { type: orNull("array", row), items: { type: "number", ...range }, ...tail };
    case "integers_by_name":
      return { type: orNull("object", row), additionalProperties: { type: "integer", ...range }, ...tail };
    case "schema":
      return { type: ["object", "boolean", "null"], ...tail };
    case "object":
      return { type: orNull(type, row), ...tail };
    default:
      if (VALUES.includes(type)) return { $ref: `#/$defs/${type}`, ...tail };
      return { type: "array", items: { $ref: `#/$defs/${type}` }, ...tail };
  }
}

/** A group as the definition of an object. */
export function definition(group) {
  const rows = group.rows.filter(({ only }) => only !== "ts");
  const required = rows.filter((row) => row.required).map(({ name }) => name);
  return {
    type: "object",
    description: group.what,
    properties: Object.fromEntries(rows.map(({ name, jsonSchema }) => [name, jsonSchema])),
    ...(required.length ? { required } : {}),
    additionalProperties: false,
  };
}
