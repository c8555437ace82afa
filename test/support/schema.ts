// The table of points and the published schemas, as a user sees them.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

interface PointRow {
  readonly number: number;
  readonly name: string;
  readonly kind: "pre" | "post" | "info";
  readonly group: string;
  readonly context: Readonly<Record<string, object>>;
  readonly optional?: readonly string[];
  readonly mutable: readonly string[];
  readonly answer: Readonly<Record<string, object>>;
}

/** A field's schema with references resolved. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  /** "^word$": exactly that text. */
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: FieldSchema;
}

interface Table {
  readonly points: readonly PointRow[];
}

const read = (file: string): object =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")) as object;

const table = read("native/contract/points.json") as Table;
const ajv = new Ajv2020({ strictTypes: false, allErrors: true });
const shipped = new Map(["points", "parameters", "results"].map((name) => [name, read(`schemas/${name}.schema.json`)]));
for (const schema of shipped.values()) ajv.addSchema(schema);

export const pointRows: readonly PointRow[] = table.points;

export function rowOf(number: number): PointRow {
  const row = table.points.find((point) => point.number === number);
  if (row === undefined) throw new Error(`no point has the number ${number}`);
  return row;
}

/** The faults of a value by a definition of a published schema; empty: none. */
export function schemaErrors(file: "points" | "parameters" | "results", name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`${file}.schema.json#/$defs/${name}`);
  if (validate === undefined) throw new Error(`${file}.schema.json has no ${name}`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
}

/** The same for the context of a point. */
export function contextErrors(row: PointRow, context: unknown): string[] {
  return schemaErrors("points", `${row.name}.context`, context);
}

/** The fields that an answer at a point may have. */
export function answerFields(row: PointRow): Readonly<Record<string, FieldSchema>> {
  return resolved({ $ref: `#/$defs/${row.name}.answer` }, "points").properties ?? {};
}

/** Follows every reference; none is circular. */
function resolved(schema: object, file: string): FieldSchema {
  const { $ref, ...own } = schema as { readonly $ref?: string };
  if ($ref !== undefined) {
    const [where = "", name = ""] = $ref.split("#/$defs/");
    const named = where === "" ? file : where.replace(".schema.json", "");
    const defs = (shipped.get(named) as { readonly $defs: Readonly<Record<string, object>> }).$defs;
    return { ...resolved(defs[name] ?? {}, named), ...own };
  }
  return Object.fromEntries(
    Object.entries(own).map(([key, value]: [string, unknown]) => {
      if (key === "items") return [key, resolved(value as object, file)];
      if (key !== "properties") return [key, value];
      const members = Object.entries(value as Readonly<Record<string, object>>);
      return [key, Object.fromEntries(members.map(([name, member]) => [name, resolved(member, file)]))];
    }),
  ) as FieldSchema;
}
