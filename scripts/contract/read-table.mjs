// Reads a table of native/contract/. In its lists of values, "$strategies" and "$control_tools" stand for the names of
// all rows of that table.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const NAMED = ["strategies", "control_tools"];

export function readTable(root, table) {
  const read = (name, reviver) => JSON.parse(readFileSync(join(root, `native/contract/${name}.json`), "utf8"), reviver);
  const names = Object.fromEntries(NAMED.map((name) => [`$${name}`, read(name)[name].map((row) => row.name)]));
  return read(table, (_, value) => (Array.isArray(value) ? value.flatMap((one) => names[one] ?? [one]) : value));
}
