// What the fields of events may hold, by the schemas of the contract. Must not: be read before something is to be checked.
import { readFileSync } from "node:fs";
import { toCamel } from "../base/wire.js";
import type { Point } from "./points.js";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

type Definitions = Readonly<Record<string, Schema>>;

const folder = new URL("../../schemas/", import.meta.url);
const points = "points.schema.json";
const read = new Map<string, Definitions>();

/** The JSON types of a field of the event, or of its `meta`. */
export function fieldTypes({ info: { name } }: Point, key: string): readonly string[] {
  const field = fieldOf(definition(points, `${name}.context`), key) ?? fieldOf(definition(points, "hook_meta"), key);
  const [, file = "", named = ""] = /^(.*)#\/\$defs\/(.+)$/.exec(field?.$ref ?? "") ?? [];
  const { type = [] } = (named === "" ? field : definition(file || points, named)) ?? {};
  return typeof type === "string" ? [type] : type;
}

function fieldOf(schema: Schema | undefined, key: string): Schema | undefined {
  return Object.entries(schema?.properties ?? {}).find(([wire]) => toCamel(wire) === key)?.[1];
}

function definition(file: string, name: string): Schema | undefined {
  let known = read.get(file);
  if (known === undefined) {
    known = (JSON.parse(readFileSync(new URL(file, folder), "utf8")) as { readonly $defs: Definitions }).$defs;
    read.set(file, known);
  }
  return known[name];
}
