// Writes everything that native/contract/points.json decides: C constants, C++ rows, TypeScript types, reference.
// With --check it writes nothing, names each stale file and exits 1. Must not: hold knowledge of a single point.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { headerSection, pointTable } from "./contract/points-cpp.mjs";
import { reference } from "./contract/points-reference.mjs";
import { loadTable } from "./contract/points.mjs";
import { typescript } from "./contract/points-typescript.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const table = loadTable(join(root, "native/contract/points.json"));

/** The file with what stands between two marker lines replaced. */
function between(path, begin, end, section) {
  const text = readFileSync(join(root, path), "utf8");
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${path}: the markers "${begin}" and "${end}" are missing`);
  return `${text.slice(0, from + begin.length)}\n${section}${text.slice(to)}`;
}

const outputs = {
  "native/include/llama_hooks/hooks.h": (path) =>
    between(path, "/* generated: points begin */", "/* generated: points end */", headerSection(table)),
  "native/hooks/point_table.cpp": () => pointTable(table),
  "src/generated/points.ts": () => typescript(table),
  "docs/hooks.md": (path) =>
    between(path, "<!-- generated: points begin -->", "<!-- generated: points end -->", reference(table)),
};

const check = process.argv.includes("--check");
let stale = 0;
for (const [path, make] of Object.entries(outputs)) {
  const file = join(root, path);
  const wanted = make(path);
  if (existsSync(file) && readFileSync(file, "utf8") === wanted) continue;
  if (check) {
    stale += 1;
    console.error(`${path} is not what native/contract/points.json says; run: npm run generate`);
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, wanted);
    console.log(`wrote ${path}`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
