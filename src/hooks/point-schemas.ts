// Checks fields of events against the contract's schemas. Reads the schemas only when a check is needed.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Ajv } from "ajv";
import type * as draft2020 from "ajv/dist/2020.js";
import { inWords } from "../base/schema-errors.js";
import { toCamel } from "../base/wire.js";
import type { Point } from "./points.js";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface SchemaFile {
  readonly $defs: Readonly<Record<string, Schema>>;
}

const folder = new URL("../../schemas/", import.meta.url);
const points = "points.schema.json";
const require = createRequire(import.meta.url);
const read = new Map<string, SchemaFile>();
let ajv: Ajv | undefined;

/** The JSON types of a field of the event or of its `meta`. */
export function fieldTypes({ info: { name } }: Point, key: string): readonly string[] {
  const field = fieldOf(definition(points, `${name}.context`), key) ?? fieldOf(definition(points, "hook_meta"), key);
  const [, file = "", named = ""] = /^(.*)#\/\$defs\/(.+)$/.exec(field?.$ref ?? "") ?? [];
  const { type = [] } = (named === "" ? field : definition(file || points, named)) ?? {};
  return typeof type === "string" ? [type] : type;
}

/** Says what is wrong with a field of an event, which has its wire name. Undefined: nothing. */
export function fieldFault({ info: { name } }: Point, wire: string, value: unknown): string | undefined {
  ajv ??= new (require("ajv/dist/2020.js") as typeof draft2020).Ajv2020({
    strict: false,
    schemas: [points, "parameters.schema.json"].map(schemaFile),
  });
  const validate = ajv.getSchema(`${points}#/$defs/${name}.context/properties/${wire}`);
  if (validate === undefined || validate(value) === true) return undefined;
  const named = (validate.errors ?? []).map((error) => ({
    ...error,
    instancePath: `${toCamel(wire)}${error.instancePath}`,
  }));
  return named.map((error) => inWords(error)).join("; ");
}

function fieldOf(schema: Schema | undefined, key: string): Schema | undefined {
  return Object.entries(schema?.properties ?? {}).find(([wire]) => toCamel(wire) === key)?.[1];
}

function definition(file: string, name: string): Schema | undefined {
  return schemaFile(file).$defs[name];
}

function schemaFile(name: string): SchemaFile {
  let known = read.get(name);
  if (known === undefined) {
    known = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as SchemaFile;
    read.set(name, known);
  }
  return known;
}
