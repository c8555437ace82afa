// Fails on an #include or import that points up the layers of docs/architecture.md. Takes the root to check, default
// this repository. Must not: know what any file does; the tables below are the whole rule.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";

const root = (process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url))).replaceAll("\\", "/");

// What an #include may name that is not ours. Whatever is none of these and not ours counts as llama.cpp's.
const OUTSIDE = [
  [
    "c",
    /^(assert|ctype|errno|float|inttypes|limits|math|signal|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|time)\.h$/,
  ],
  ["cpp", /^[a-z0-9_]+$/],
  ["os", /^((dlfcn|fcntl|link|malloc|pthread|sched|unistd|windows|psapi|io|process)\.h|(sys|mach|mach-o)\/.*\.h)$/],
  ["unicode", /^nfc_table\.h$/],
  ["json", /^nlohmann\/.*\.hpp$/],
  ["napi", /^(napi|napi-inl|node_api|node_api_types|js_native_api|js_native_api_types)\.h$/],
];

const ABI = ["include/llama_hooks/", "include/entropic/"];
const ENGINE = ["c", "cpp", "os", "json"];
// What the layers above inference see of it: a model, and the conversation that it is given.
const MODEL = ["inference/generator.h", "inference/conversation.h"];

// The first row that fits a file is its own. `ours`: paths under native/; `outside`: names of OUTSIDE, or "llama".
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
  { files: /^base\//, ours: [...ABI, "base/"], outside: ENGINE, rule: "base stands on the C headers only" },
  { files: /^hooks\//, ours: [...ABI, "base/", "hooks/"], outside: ENGINE, rule: "hooks stands on base only" },
  {
    files: /^inference\/llama_[a-z0-9_]*\.(h|cpp)$/,
    ours: [...ABI, "base/", "hooks/", "inference/"],
    outside: [...ENGINE, "llama"],
    rule: "inference stands on base and hooks only",
  },
  {
    files: /^inference\//,
    ours: [...ABI, "base/", "hooks/", "inference/"],
    outside: ENGINE,
    rule: "inference stands on base and hooks only, and only its llama_*.{h,cpp} include llama.cpp",
  },
  {
    files: /^generation\//,
    ours: [...ABI, "base/", "hooks/", ...MODEL, "generation/"],
    outside: ENGINE,
    rule: "generation stands on base, hooks, inference/generator.h and inference/conversation.h only",
  },
  {
    files: /^agent\//,
    ours: [...ABI, "base/", "hooks/", ...MODEL, "generation/", "agent/"],
    outside: [...ENGINE, "unicode"],
    rule: "agent stands on base, hooks, generation, inference/generator.h and inference/conversation.h only",
  },
  {
    files: /^engine\//,
    ours: [...ABI, "base/", "hooks/", "inference/", "generation/", "agent/", "engine/"],
    outside: ENGINE,
    rule: "engine stands on base, hooks, inference, generation and agent only",
  },
  {
    files: /^abi\//,
    ours: [...ABI, "base/", "hooks/", "inference/", "generation/", "agent/", "engine/", "abi/"],
    outside: ENGINE,
    rule: "abi stands on everything but the addon",
  },
  {
    files: /^node\//,
    ours: [...ABI, "base/mutex.h", "node/"],
    outside: ["c", "cpp", "os", "napi"],
    rule: "the addon sees the C headers, the annotated mutex and N-API only",
  },
  { files: /^loader\//, ours: [], outside: ["c", "os", "napi"], rule: "the loader knows nothing of the engine" },
  // Tests look at any layer.
  { files: /^test\//, ours: [""], outside: [...ENGINE, "napi", "llama"], rule: "" },
];

// `allowed`: modules under src/ that the files may import; packages and node: modules always may be.
const SOURCE = [
  {
    files: /^cli\//,
    allowed: /^(index|testing\/index|base\/(thrown|whole-file)|bench\/.*|cli\/.*)\.ts$/,
    rule: "the command line is a user of src/index.ts, src/testing/index.ts and src/bench like any other, beside thrown and whole-file of src/base",
  },
  {
    files: /^bench\//,
    allowed: /^(index|testing\/index|bench\/.*)\.ts$/,
    rule: "benchmarks stand on src/index.ts and src/testing/index.ts only",
  },
  {
    files: /^testing\//,
    allowed: /^(index|base\/(canonical|check|gguf-reader)|recording\/.*|testing\/.*)\.ts$/,
    rule: "testing stands on src/index.ts, src/recording, and canonical, check and gguf-reader of src/base only",
  },
  {
    files: /^ready-hooks\//,
    allowed: /^(index|base\/(canonical|check)|ready-hooks\/.*)\.ts$/,
    rule: "ready hooks are a user of src/index.ts like any other, beside canonical and check of src/base",
  },
  { files: /^generated\//, allowed: /^generated\/.*\.ts$/, rule: "generated modules import nothing of ours" },
  ...rooms("base", "download", "native", "hooks", "generate", "models", "sessions", "recording"),
  { files: /./, allowed: /^(?!cli\/|ready-hooks\/|testing\/|bench\/)/, rule: "the facade does not import its users" },
];

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

function checkNative(file) {
  const inside = relative("native", file);
  const row = NATIVE.find(({ files }) => files.test(inside));
  const text = readFileSync(join(root, file), "utf8");
  for (const match of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]/gm)) {
    const name = match[1];
    const fail = (rule) => report(file, text, match.index, name, rule);
    if (!row) {
      fail("this folder has no layer");
      continue;
    }
    const own = ownHeader(name, dirname(inside));
    if (own) {
      if (!row.ours.some((prefix) => own.startsWith(prefix))) fail(row.rule);
    } else {
      const kind = OUTSIDE.find(([, pattern]) => pattern.test(name))?.[0] ?? "llama";
      if (!row.outside.includes(kind)) fail(row.rule);
    }
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
  }
  const loads = /\bdlopen\s*\(/.exec(text);
  if (loads && inside !== ADDON_LOADER)
    report(file, text, loads.index, loads[0], `only src/${ADDON_LOADER} loads the addon`);
}

filesUnder("native", /\.(h|hpp|c|cpp)$/).forEach(checkNative);
filesUnder("src", /\.(ts|mts|cts)$/).forEach(checkSource);
for (const violation of violations) console.error(violation);
process.exitCode = violations.length > 0 ? 1 : 0;
