// Values that a schema does not allow, made of the schema itself: one for each thing that it asks for, at any depth.
// Must not: know any point.
import type { FieldSchema } from "../support/schema.js";

/** A wrong value, and what a message about it says. */
export interface WrongValue {
  readonly value: unknown;
  /** The place of the error within the value, as in C: "", ".top_p", "[0].role". */
  readonly place: string;
  /** The expected value and the actual one, in words. */
  readonly why: string;
}

const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const typesOf = ({ type = [] }: FieldSchema): readonly string[] => [type].flat();

export function wrongValues(schema: FieldSchema): WrongValue[] {
  return [
    ...ofType(schema),
    ...ofEnum(schema),
    ...ofPattern(schema),
    ...ofRange(schema),
    ...ofObject(schema),
    ...ofItems(schema),
  ];
}

const here = (value: unknown, why: string): WrongValue => ({ value, place: "", why });

function ofType(schema: FieldSchema): WrongValue[] {
  const types = typesOf(schema);
  if (types.length === 0) return [];
  const expected = `expected ${types.join(" or ")}`;
  const wrong: WrongValue[] = [];
  const number = types.includes("integer") || types.includes("number");
  if (!number) wrong.push(here(7, `${expected}, got number`));
  if (!types.includes("string")) wrong.push(here("odd", `${expected}, got string`));
  if (!types.includes("null")) wrong.push(here(null, `${expected}, got null`));
  if (!types.includes("boolean")) wrong.push(here(true, `${expected}, got boolean`));
  if (!types.includes("array")) wrong.push(here([], `${expected}, got array`));
  if (!types.includes("object")) wrong.push(here({}, `${expected}, got object`));
  if (types.includes("integer")) wrong.push(here(1.5, `${expected}, got number`));
  return wrong;
}

function ofEnum({ enum: allowed }: FieldSchema): WrongValue[] {
  if (allowed === undefined) return [];
  const odd = typeof allowed[0] === "number" ? 99 : "odd";
  const known = allowed.map((one) => JSON.stringify(one)).join(", ");
  return [here(odd, `expected one of ${known}, got ${JSON.stringify(odd)}`)];
}

function ofPattern({ pattern }: FieldSchema): WrongValue[] {
  if (pattern === undefined) return [];
  const words = pattern.replace(/^\^\(?|\)?\$$/g, "").split("|");
  return [here("odd", `expected ${words.map((word) => JSON.stringify(word)).join(" or ")}, got "odd"`)];
}

function ofRange({ minimum, exclusiveMinimum, maximum }: FieldSchema): WrongValue[] {
  const wrong: WrongValue[] = [];
  const add = (limit: number | undefined, value: number, expected: string): void => {
    if (limit !== undefined) wrong.push(here(value, `expected ${expected} ${limit}, got ${value}`));
  };
  add(minimum, (minimum ?? 0) - 1, "at least");
  add(exclusiveMinimum, exclusiveMinimum ?? 0, "more than");
  add(maximum, (maximum ?? 0) + 1, "at most");
  return wrong;
}

function ofObject(schema: FieldSchema): WrongValue[] {
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined) return [];
  const whole = allowed({ ...schema, type: "object" }) as Record<string, unknown>;
  const wrong: WrongValue[] = Object.entries(properties).flatMap(([key, member]) =>
    wrongValues(member).map(({ value, place, why }) => ({
      value: { ...whole, [camel(key)]: value },
      place: `.${key}${place}`,
      why,
    })),
  );
  if (additionalProperties === false)
    wrong.push({ value: { ...whole, oddField: 1 }, place: ".oddField", why: "not a known field" });
  for (const key of required) {
    const { [camel(key)]: _, ...rest } = whole;
    wrong.push(here(rest, `lacks "${key}"`));
  }
  return wrong;
}

function ofItems({ items }: FieldSchema): WrongValue[] {
  if (items === undefined) return [];
  return wrongValues(items).map(({ value, place, why }) => ({
    value: [allowed(items), value],
    place: `[1]${place}`,
    why,
  }));
}

/** The least value that the schema allows. */
function allowed(schema: FieldSchema): unknown {
  const [type] = typesOf(schema);
  if (schema.enum !== undefined) return schema.enum[0];
  if (type === "array") return [];
  if (type === "string") return "x";
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return schema.minimum ?? 1;
  if (type !== "object") return null;
  const members = (schema.required ?? []).map((key) => [camel(key), allowed(schema.properties?.[key] ?? {})] as const);
  return Object.fromEntries(members);
}
