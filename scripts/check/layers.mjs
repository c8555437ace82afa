// Fails on an #include or import that points up the layers of docs/architecture.md, on a circle of them within a
// folder, on a folder with too many files, and on an unneeded exception. The argument is the root to check, by default
// this repository. The rows in layers/ and scripts/check/layer-exceptions.json under the root are the whole rule.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { NATIVE, OUTSIDE } from "./layers/native.mjs";
import { SOURCE } from "./layers/source.mjs";
import { layers, nameOf } from "./layers/table.mjs";

const root = (process.argv[2] ?? fileURLToPath(new URL("../..", import.meta.url))).replaceAll("\\", "/");

const MOST_FILES = 30; // in one folder of code or tests
// Folders that are still to be divided, and folders whose files still include each other in a circle.
const exceptionsFile = "scripts/check/layer-exceptions.json";
const { tooFull = [], circles = [] } = existsSync(join(root, exceptionsFile))
  ? JSON.parse(readFileSync(join(root, exceptionsFile), "utf8"))
  : {};

const ADDON_LOADER = "native/addon.ts";

const violations = [];

function report(file, text, index, name, rule) {
  const line = text.slice(0, index).split("\n").length;
  violations.push(`${file}:${line}: ${name}: ${rule}`);
}

function filesUnder(folder, pattern) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join((entry.parentPath ?? entry.path).replaceAll("\\", "/"), entry.name)))
    .toSorted();
}

/** The path under native/ of the file of ours that an include names, looked up as compilers do; else undefined. */
function ownHeader(name, folder) {
  const paths = [join(folder, name), name, `include/${name}`];
  return paths.find((path) => existsSync(join(root, "native", path)));
}

/** Names of systems in conditions; __cplusplus and processors are none. */
const SYSTEM = /^[ \t]*#[ \t]*(?:el)?if.*\b(_WIN(?:32|64)|_MSC_VER|__(?:APPLE|linux|unix|GLIBC|MINGW\d+)__)\b/gm;
/** A thread whose stack is as large as the system pleases: with musl too small for what recurses. */
const THREAD = /\bstd::(?:j?thread\b(?!::)|async\b)|\bpthread_create\b/g;
/** `native/platform`, the C headers' word for an export, and tests may tell systems apart. */
const TELLS_SYSTEMS = /^(?:platform|include|test|fuzz)\//;

function checkNative(file) {
  const inside = relative("native", file);
  const row = NATIVE.find(({ files }) => files.test(inside));
  const text = readFileSync(join(root, file), "utf8");
  if (!TELLS_SYSTEMS.test(inside))
    for (const match of text.matchAll(SYSTEM))
      report(file, text, match.index, match[1], "only native/platform tells systems apart");
  if (!TELLS_SYSTEMS.test(inside))
    for (const match of text.matchAll(THREAD))
      report(file, text, match.index, match[0], "threads are lh::Thread (platform/thread.h), whose stack has a size");
  for (const match of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]/gm)) {
    const name = match[1];
    const fail = (rule) => report(file, text, match.index, name, rule);
    if (!row) {
      fail("this folder has no layer");
      continue;
    }
    const own = ownHeader(name, dirname(inside));
    if (own) {
      noteInclude(file, join("native", own));
      if (row.ours !== "any" && ![own, dirname(own)].some((name) => row.ours.includes(name))) fail(row.rule);
    } else {
      const kind = OUTSIDE.find(([, pattern]) => pattern.test(name))?.[0] ?? "llama";
      if (!row.outside.includes(kind)) fail(row.rule);
    }
  }
}

// The files of the same folder that each file includes or imports. A header and its source count as one file.
const includes = new Map();
const unitOf = (file) => file.replace(/\.[a-z]+$/, "");

function noteInclude(file, included) {
  const [from, to] = [unitOf(file), unitOf(included)];
  if (from === to || dirname(from) !== dirname(to)) return;
  includes.set(from, (includes.get(from) ?? new Set()).add(to));
}

/** The units of one circle of includes or imports in a folder, or undefined. */
function circleIn(folder) {
  const done = new Set();
  const walk = (unit, path) => {
    if (path.includes(unit)) return [...path.slice(path.indexOf(unit)), unit];
    if (done.has(unit)) return undefined;
    for (const next of includes.get(unit) ?? []) {
      const found = walk(next, [...path, unit]);
      if (found) return found;
    }
    done.add(unit);
    return undefined;
  };
  for (const unit of includes.keys()) {
    const found = dirname(unit) === folder ? walk(unit, []) : undefined;
    if (found) return found;
  }
  return undefined;
}

function checkCircles() {
  const folders = [...includes.keys()].map((unit) => dirname(unit));
  for (const folder of new Set([...folders, ...circles])) {
    const circle = circleIn(folder);
    if (circle && !circles.includes(folder))
      violations.push(`these include or import each other in a circle: ${circle.join(" -> ")}`);
    if (!circle && circles.includes(folder))
      violations.push(`${folder}: no circle: take it out of "circles" in ${exceptionsFile}`);
  }
}

/** The rows themselves: each includes rows with a smaller number only. */
function checkRows() {
  for (const { number, path, includes = "" } of layers) {
    const top = path.split("/")[0];
    const names = new Set(includes.split(" ").map((name) => name.split("/")[0]));
    for (const other of layers)
      if (names.has(nameOf(other)) && other.path.startsWith(`${top}/`) && other.number >= number)
        violations.push(`layers/table.mjs: ${path} includes ${other.path}, whose number is not smaller`);
  }
}

function checkFolders(files) {
  const counts = new Map(tooFull.map((folder) => [folder, 0]));
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  for (const [folder, count] of counts) {
    if (count > MOST_FILES && !tooFull.includes(folder))
      violations.push(`${folder}: ${count} files, more than ${MOST_FILES}: divide it by what they do`);
    if (count <= MOST_FILES && tooFull.includes(folder))
      violations.push(`${folder}: ${count} files: take it out of "tooFull" in ${exceptionsFile}`);
  }
}

function checkSource(file) {
  const inside = relative("src", file);
  const row = SOURCE.find(({ files }) => files.test(inside));
  const text = readFileSync(join(root, file), "utf8");
  for (const match of text.matchAll(/\b(?:from|import|require)\s*\(?\s*(["'])([^"'\n]+)\1/g)) {
    const name = match[2];
    const addon = name.endsWith(".node");
    if (addon && inside !== ADDON_LOADER)
      report(file, text, match.index, name, `only src/${ADDON_LOADER} loads the addon`);
    if (addon || !name.startsWith(".")) continue;
    const target = normalize(join(dirname(inside), name)).replace(/\.js$/, ".ts");
    if (target.startsWith("..")) report(file, text, match.index, name, "src imports nothing outside src");
    else if (!row.allowed.test(target)) report(file, text, match.index, name, row.rule);
    noteInclude(file, join("src", target));
  }
  const loads = /\bdlopen\s*\(/.exec(text);
  if (loads && inside !== ADDON_LOADER)
    report(file, text, loads.index, loads[0], `only src/${ADDON_LOADER} loads the addon`);
}

const native = filesUnder("native", /\.(h|hpp|c|cpp)$/);
const source = filesUnder("src", /\.(ts|mts|cts)$/);
native.forEach(checkNative);
source.forEach(checkSource);
checkFolders([...native, ...source, ...filesUnder("test", /\.([cm]?ts|mjs|c)$/)]);
checkCircles();
checkRows();
for (const violation of violations) console.error(violation);
process.exitCode = violations.length > 0 ? 1 : 0;
