// Numbers that a release gave out stay: the check itself, on copies of the tables. Must not: change the real ones.
import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../support/engine.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Row {
  number?: number | null;
  bit?: number;
  name: string;
}

/** The exit code and the output of the check for a copy of the tables with one table changed. */
async function checked(file: string, change: (rows: Row[]) => Row[]): Promise<{ code: number; said: string[] }> {
  const folder = await tempDir();
  await cp(path.join(root, "native/contract"), folder, { recursive: true });
  const table = path.join(folder, `${file}.json`);
  const json = JSON.parse(await readFile(table, "utf8")) as Record<string, Row[]>;
  await writeFile(table, JSON.stringify({ ...json, [file]: change(json[file] ?? []) }));
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(root, "scripts/check/released.mjs"), folder], (error, _, stderr) => {
      resolve({ code: Number(error?.code ?? 0), said: stderr.split("\n").filter((line) => line !== "") });
    });
  });
}

test("tables that only grew pass", async () => {
  expect(await checked("errors", (rows) => [...rows, { number: 90, name: "NEW" }])).toEqual({ code: 0, said: [] });
});

test.each<[string, string, (rows: Row[]) => Row[], string]>([
  [
    "a number with another name",
    "errors",
    (rows) => rows.map((row) => (row.name === "CLOSED" ? { ...row, name: "SHUT" } : row)),
    "errors.json: 3 was CLOSED in 0.1.0 and is SHUT now",
  ],
  [
    "a number that was dropped",
    "points",
    (rows) => rows.filter(({ number }) => number !== 0),
    "points.json: 0 was PRE_GENERATE in 0.1.0 and is gone",
  ],
  [
    "a number that was given to something else",
    "flags",
    (rows) => rows.map((row) => (row.name === "OBSERVE" ? { ...row, name: "WATCH" } : row)),
    "flags.json: 2 was OBSERVE in 0.1.0 and is WATCH now",
  ],
])("%s is named", async (_, file, change, said) => {
  expect(await checked(file, change)).toEqual({ code: 1, said: [said] });
});
