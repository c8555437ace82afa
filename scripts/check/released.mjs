// Fails if a released number has another name now, or none: numbers are append-only and never reused. Takes the folder
// of the tables, by default native/contract. With --record it records the numbers of this version, which is a step of a
// release.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const record = process.argv.includes("--record");
const folder = process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? join(root, "native/contract");
const read = (...path) => JSON.parse(readFileSync(join(folder, ...path), "utf8"));

const numbered = (rows, number) =>
  Object.fromEntries(rows.filter((row) => row[number] !== null).map((row) => [row[number], row.name]));
const now = {
  points: numbered(read("points.json").points, "number"),
  errors: numbered(read("errors.json").errors, "number"),
  flags: numbered(read("flags.json").flags, "bit"),
  tool_flags: numbered(read("flags.json").tool_flags, "bit"),
};

if (record) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(folder, "released", `${version}.json`), `${JSON.stringify(now, null, 2)}\n`);
}
let broken = 0;
for (const file of readdirSync(join(folder, "released")).toSorted()) {
  for (const [table, released] of Object.entries(read("released", file))) {
    for (const [number, name] of Object.entries(released)) {
      const held = now[table][number];
      if (held === name) continue;
      broken += 1;
      const what = held === undefined ? "is gone" : `is ${held} now`;
      console.error(
        `${table === "tool_flags" ? "flags" : table}.json: ${number} was ${name} in ${file.replace(/\.json$/, "")} and ${what}`,
      );
    }
  }
}
process.exitCode = broken > 0 ? 1 : 0;
