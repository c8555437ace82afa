// The table of points, read as what it is: JSON Schema. Must not: use what was generated from it.
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
  readonly $defs: Readonly<Record<string, object>>;
  readonly points: readonly PointRow[];
}

const file = new URL("../../native/contract/points.json", import.meta.url);
const table = JSON.parse(readFileSync(file, "utf8")) as Table;
const ajv = new Ajv2020({ strictTypes: false, allErrors: true });

/** The points that fire today. */
export const firingRows: readonly PointRow[] = table.points.filter(({ group }) => table.groups[group]?.fires === true);

export function rowOf(number: number): PointRow {
  const row = table.points.find((point) => point.number === number);
  if (row === undefined) throw new Error(`no point has the number ${number}`);
  return row;
}

/** What is wrong with a context of a point, by the table; empty if nothing is. */
export function contextErrors(row: PointRow, context: unknown): string[] {
  const optional = row.optional ?? [];
  const validate = ajv.compile({
    $defs: table.$defs,
    type: "object",
    properties: { ...row.context, meta: { $ref: "#/$defs/hook_meta" } },
    required: ["meta", ...Object.keys(row.context).filter((key) => !optional.includes(key))],
    additionalProperties: false,
  });
  if (validate(context)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
}
