// Fails on an #include or import that points up the layers of docs/architecture.md, on a circle of them within a
// folder, on a folder with too many files, and on an unneeded exception. The argument is the root to check, by default
// this repository. The tables below and scripts/check/layer-exceptions.json under the root are the whole rule.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";

const root = (process.argv[2] ?? fileURLToPath(new URL("../..", import.meta.url))).replaceAll("\\", "/");

// Headers of others that an #include may name. A header that is neither here nor ours counts as llama.cpp's.
const OUTSIDE = [
  [
    "c",
    /^(assert|ctype|errno|float|inttypes|limits|math|signal|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|time)\.h$/,
  ],
  ["cpp", /^[a-z0-9_]+$/],
  [
    "os",
    /^((dlfcn|fcntl|link|malloc|poll|process|psapi|pthread|sched|shellapi|spawn|unistd|windows|winsock2|xlocale)\.h|(sys|mach|malloc)\/.*\.h)$/,
  ],
  ["node functions", /^node_functions\.h$/],
  ["unicode", /^nfc_table\.h$/],
  ["json", /^nlohmann\/.*\.hpp$/],
  ["napi", /^(napi|napi-inl|node_api|node_api_types|js_native_api|js_native_api_types)\.h$/],
];

const ABI = ["include/llama_hooks", "include/entropic/types"];
const ENGINE = ["c", "cpp", "json"];
const inHouse = (house, names) => names.split(" ").map((name) => `${house}/${name}`);
const BASE = ["base", ...inHouse("base", "text threads system json")];
const GROUND = ["platform", ...BASE];
const HOOKS = inHouse("hooks", "points calls registry dispatch");
const GUARDS = ["guards", "guards/schema"];
const LLAMA = [
  ...inHouse("llama", "base jinja/nodes jinja grammar output prompt/fit prompt/turns prompt decode embed"),
  "llama",
];
const AGENT = inHouse("agent", "permissions setup session run tools compaction delegation controls loop");
const GENERATION = ["generation/output", "generation"];
const BELOW_AGENT = [...GROUND, ...HOOKS, "model", ...GENERATION];
const ISOLATION = ["isolation/wire", "isolation/client"];
const BELOW_ENGINE = [...BELOW_AGENT, "gguf", ...GUARDS, ...LLAMA, "port", ...ISOLATION, ...AGENT];
const ENGINES = ["engine/tasks", "engine/memory", "engine/models", "engine"];

// The first row that fits a file is its own. `ours`: folders, or single files, under native/ that it may include;
// `outside`: names of OUTSIDE, or "llama". As every room sees earlier rooms only, no two rooms form a circle.
const NATIVE = [
  {
    files: /^include\/llama_hooks\/hooks\.h$/,
    ours: [],
    outside: ["c"],
    rule: "hooks.h includes C standard headers only",
  },
  {
    files: /^include\//,
    ours: ["include/llama_hooks/hooks.h"],
    outside: ["c"],
    rule: "public headers include hooks.h and C standard headers only",
  },
  // The differences between systems: everybody sees them through the headers of native/platform, which name none.
  { files: /^platform\/[^/]+$/, ours: ["platform"], outside: ["c", "cpp"], rule: "headers of platform name no system" },
  {
    files: /^platform\/windows\/node\//,
    ours: ["platform/windows"],
    outside: ["c", "cpp", "os", "node functions"],
    rule: "platform knows nothing of the project",
  },
  {
    files: /^platform\//,
    ours: ["platform", "platform/posix", "platform/windows"],
    outside: ["c", "cpp", "os"],
    rule: "platform knows nothing of the project",
  },
  ...house(BASE, ["platform"], ENGINE),
  ...house(HOOKS, GROUND, ENGINE),
  ...house(["model"], GROUND, ENGINE),
  ...house(["gguf"], GROUND, ENGINE),
  ...house(GUARDS, GROUND, ENGINE),
  // The only rooms that see llama.cpp.
  ...house(LLAMA, [...GROUND, "model", "gguf", ...GUARDS], [...ENGINE, "llama"]),
  // The one file that reads the generated table of Unicode normalization.
  {
    files: /^agent\/(.+\/)?nfc\.cpp$/,
    ours: [...BASE, ...AGENT],
    outside: [...ENGINE, "unicode"],
    rule: "nfc.cpp includes its own header and base only",
  },
  ...house(GENERATION, [...GROUND, ...HOOKS, "model"], ENGINE),
  ...house(["port"], [...GROUND, "model", ...GENERATION], ENGINE),
  ...house(ISOLATION, [...GROUND, "model"], ENGINE),
  // The program of the engine's own process: llama.cpp without hooks and without the engine.
  ...house(["isolation/host"], [...GROUND, "model", "gguf", ...GUARDS, ...LLAMA, "isolation/wire"], ENGINE),
  ...house(AGENT, BELOW_AGENT, ENGINE),
  ...house(ENGINES, BELOW_ENGINE, ENGINE),
  ...house(["abi"], [...BELOW_ENGINE, ...ENGINES], ENGINE),
  {
    files: /^node\/js\//,
    ours: [...ABI, "platform", "base/threads/mutex.h", "node/js"],
    outside: ["c", "cpp", "napi"],
    rule: "node/js sees the C headers, platform, the annotated mutex and N-API only",
  },
  {
    files: /^node\//,
    ours: [...ABI, "platform", "base/threads/mutex.h", "base/json/json_member.h", "node", "node/js"],
    outside: ["c", "cpp", "napi"],
    rule: "the addon sees the C headers, platform, the annotated mutex, the search for JSON members and N-API only",
  },
  {
    files: /^loader\//,
    ours: ["platform"],
    outside: ["cpp", "napi"],
    rule: "the loader knows platform, and nothing of the engine",
  },
  // Tests and fuzz targets look at any layer.
  { files: /^(?:test|fuzz)\//, ours: "any", outside: [...ENGINE, "os", "napi", "llama"], rule: "" },
];

/** Rooms in order: each includes `below`, itself and those named before it. */
function house(names, below, outside) {
  return names.map((name, index) => {
    const rooms = [...below, ...names.slice(0, index + 1)];
    const others = rooms.filter((room) => room !== name);
    return {
      files: new RegExp(`^${name}/[^/]+$`),
      ours: [...ABI, ...rooms],
      outside,
      rule: `${name} includes ${others.length > 0 ? others.join(", ") : "C headers"} only${outside.includes("llama") ? "" : "; llama.cpp is seen under llama/ only"}`,
    };
  });
}

const MOST_FILES = 30; // in one folder of code or tests
// Folders that are still to be divided, and folders whose files still include each other in a circle.
const exceptionsFile = "scripts/check/layer-exceptions.json";
const { tooFull = [], circles = [] } = existsSync(join(root, exceptionsFile))
  ? JSON.parse(readFileSync(join(root, exceptionsFile), "utf8"))
  : {};

const BENCH = ["bench/results", "bench/measure", "bench/chart", "bench/page", "bench/text"];
// prettier-ignore
const CLI = ["cli/process", "cli/options", "cli/load", "cli/mcp", "cli/view", "cli/agent", "cli/chat", "cli/completion", "cli/commands"];
// prettier-ignore
const SERVER = ["server/http", "server/protocol", "server/openai", "server/responses", "server/anthropic", "server/sessions", "server/endpoints"];
const INSPECTOR = ["inspector/wire", "inspector/record", "inspector/http"];
// Modules of src/base that users of the package inside this repository share with it.
const SHARED = ["byte-size", "html", "package-json", "paint", "plural", "runtime", "unless-aborted", "wrap"].map(
  (module) => `base/${module}`,
);

// `allowed`: modules under src/ that the files may import; packages and node: modules always may be.
const SOURCE = [
  ...storey(CLI, [
    ...SHARED,
    "base/errors",
    "base/thrown",
    "base/files",
    "base/platform-process",
    "bench",
    "server/index",
    "inspector/index",
    "mcp/index",
    "ready-hooks/index",
    "testing/index",
    "index",
  ]),
  {
    files: /^cli\/[^/]+$/,
    allowed: /^(index|bench\/.*|cli\/.*|base\/package-json)\.ts$/,
    rule: "the top of src/cli joins its rooms, and uses no more of the facade than they do",
  },
  { files: /^page\//, allowed: /^page\//, rule: "what pages share knows nothing of the engine" },
  ...storey(BENCH, [...SHARED, "page", "testing/index", "index"]),
  {
    files: /^testing\//,
    allowed:
      /^(index|base\/(call-site|canonical|check|gguf-reader|platform|files\/.*|names\/tool-name)|recording\/.*|testing\/.*)\.ts$/,
    rule: "testing stands on src/index.ts, src/recording, and call-site, canonical, check, files, gguf-reader, platform and tool-name of src/base only",
  },
  {
    files: /^ready-hooks\//,
    allowed: /^(index|base\/(canonical|check|files\/.*|thrown)|sessions\/arguments-check|ready-hooks\/.*)\.ts$/,
    rule: "ready hooks are a user of src/index.ts like any other, beside canonical, check, files and thrown of src/base and the check by a schema",
  },
  {
    files: /^ai-sdk\//,
    allowed: /^(index|base\/(canonical|check)|ai-sdk\/.*)\.ts$/,
    rule: "the provider for the AI SDK is a user of src/index.ts like any other, beside canonical and check of src/base",
  },
  {
    files: /^mcp\//,
    allowed: /^(index|base\/(call-site|check|names\/tool-name)|generated\/tools|mcp\/.*)\.ts$/,
    rule: "the tools of MCP servers are a user of src/index.ts like any other, beside call-site, check and tool-name of src/base and the names of control tools",
  },
  {
    files: /^otel\//,
    allowed: /^(index|base\/(check|package-json)|otel\/.*)\.ts$/,
    rule: "OpenTelemetry is a user of src/index.ts like any other, beside check and package-json of src/base",
  },
  ...storey(SERVER, [
    ...inHouse("base", "check check-parameters depth names/tool-name plural wire"),
    "generated/parameters",
    "sessions/session-options",
    "ready-hooks/index",
    "index",
  ]),
  {
    files: /^server\/[^/]+$/,
    allowed: /^(index|base\/check|server\/.*)\.ts$/,
    rule: "the top of src/server joins its rooms, and is a user of src/index.ts like any other",
  },
  ...storey(INSPECTOR, [
    "base/check",
    "base/files",
    "generated/points",
    "generated/results",
    "hooks/hook-info",
    "index",
    "page",
    "ready-hooks/index",
    "server/http",
  ]),
  {
    files: /^inspector\/[^/]+$/,
    allowed: /^(index|base\/(call-site|check)|ready-hooks\/index|server\/http\/.*|inspector\/.*)\.ts$/,
    rule: "the top of src/inspector joins its rooms, on src/index.ts, ready hooks and the HTTP of src/server",
  },
  { files: /^generated\//, allowed: /^generated\/.*\.ts$/, rule: "generated modules import nothing of ours" },
  ...rooms("base", "download", "native", "hooks", "generate", "remote", "models", "sessions", "stores", "recording"),
  {
    files: /./,
    allowed: /^(?!cli\/|ready-hooks\/|ai-sdk\/|mcp\/|otel\/|server\/|inspector\/|testing\/|bench\/|page\/)/,
    rule: "the facade does not import its users",
  },
];

/** Rooms in order, as `house()` has them: each imports `below` (folders, or modules), itself and earlier ones. */
function storey(names, below) {
  return names.map((name, index) => {
    const allowed = [...below, ...names.slice(0, index + 1)];
    return {
      files: new RegExp(`^${name}/[^/]+$`),
      allowed: new RegExp(`^(${allowed.join("|")})(/|\\.ts$)`),
      rule: `src/${name} imports ${allowed
        .filter((other) => other !== name)
        .map((other) => `src/${other}`)
        .join(", ")} only`,
    };
  });
}

/** The rooms of the facade: each imports itself, those named before it, and what is generated. */
function rooms(...names) {
  return names.map((name, index) => {
    const allowed = ["generated", ...names.slice(0, index + 1)];
    return {
      files: new RegExp(`^${name}/`),
      allowed: new RegExp(`^(${allowed.join("|")})/`),
      rule: `src/${name} stands on ${allowed.map((room) => `src/${room}`).join(", ")} only`,
    };
  });
}

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
for (const violation of violations) console.error(violation);
process.exitCode = violations.length > 0 ? 1 : 0;
