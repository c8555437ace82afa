// The includes that each file under native/ may have: the rows of table.mjs, and the rules for single files.
import { layers, nameOf } from "./table.mjs";

/** Headers of others that an #include may name. A header that is neither here nor ours counts as llama.cpp's. */
export const OUTSIDE = [
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

const ofNative = layers.filter(({ path }) => /^native\/(?!include\/)/.test(path));

/** The folders of a layer in order; a room with `includes` of its own is not among them. */
function foldersOf(layer) {
  const name = nameOf(layer);
  const rooms = Object.entries(layer.rooms ?? {}).filter(([, room]) => typeof room === "string");
  const folders = rooms.map(([room]) => `${name}/${room}`);
  return layer.own === "first" ? [name, ...folders] : layer.own === "last" ? [...folders, name] : folders;
}

/** The folders that the names in an `includes` stand for. */
function named(includes) {
  return includes.split(" ").flatMap((name) => {
    const layer = ofNative.find((layer) => nameOf(layer) === name);
    const folders = layer === undefined ? [] : foldersOf(layer);
    return folders.length > 0 ? folders : [name];
  });
}

/** Folders in order: each includes `below`, itself and those named before it. */
function house(names, below, outside) {
  return names.map((name, index) => {
    const rooms = [...below, ...names.slice(0, index + 1)];
    const others = rooms.filter((room) => room !== name);
    const seen = outside.includes("llama") ? "" : "; llama.cpp is seen under llama/ only";
    return {
      files: new RegExp(`^${name}/[^/]+$`),
      ours: [...ABI, ...rooms],
      outside,
      rule: `${name} includes ${others.length > 0 ? others.join(", ") : "C headers"} only${seen}`,
    };
  });
}

function houses(layer) {
  const outside = layer.sees === undefined ? ENGINE : [...ENGINE, layer.sees];
  const apart = Object.entries(layer.rooms ?? {}).filter(([, room]) => typeof room !== "string");
  return [
    ...house(foldersOf(layer), named(layer.includes), outside),
    ...apart.flatMap(([name, { includes }]) => house([`${nameOf(layer)}/${name}`], named(includes), ENGINE)),
  ];
}

/**
 * The first row that fits a file is its own. `ours`: folders, or single files, under native/ that it may include;
 * `outside`: names of OUTSIDE, or "llama". As every room sees earlier rooms only, no two rooms form a circle.
 */
export const NATIVE = [
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
  // The one file that reads the generated table of Unicode normalization.
  {
    files: /^agent\/(.+\/)?nfc\.cpp$/,
    ours: named("base agent"),
    outside: [...ENGINE, "unicode"],
    rule: "nfc.cpp includes its own header and base only",
  },
  ...ofNative.filter(({ includes }) => includes !== undefined).flatMap(houses),
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
