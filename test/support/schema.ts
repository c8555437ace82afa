// The table of points, and the schemas that are shipped, as a user of them has them. Must not: use other generated files.
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

interface Table {
  readonly groups: Readonly<Record<string, { readonly fires: boolean }>>;
  readonly points: readonly PointRow[];
}

const read = (file: string): object =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")) as object;

const table = read("native/contract/points.json") as Table;
const ajv = new Ajv2020({ strictTypes: false, allErrors: true });
for (const name of ["points", "parameters", "results"]) ajv.addSchema(read(`schemas/${name}.schema.json`));

/** The points that fire today. */
export const firingRows: readonly PointRow[] = table.points.filter(({ group }) => table.groups[group]?.fires === true);

export function rowOf(number: number): PointRow {
  const row = table.points.find((point) => point.number === number);
  if (row === undefined) throw new Error(`no point has the number ${number}`);
  return row;
}

/** What is wrong with a value, by a definition of a shipped schema; empty if nothing is. */
export function schemaErrors(file: "points" | "parameters" | "results", name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`${file}.schema.json#/$defs/${name}`);
  if (validate === undefined) throw new Error(`${file}.schema.json has no ${name}`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
}

/** The same of a context of a point. */
export function contextErrors(row: PointRow, context: unknown): string[] {
  return schemaErrors("points", `${row.name}.context`, context);
}
