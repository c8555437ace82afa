// scripts/check/layers.mjs on small trees: it finds each violation, and nothing in a tree without one.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../support/engine.js";

const script = fileURLToPath(new URL("../../scripts/check/layers.mjs", import.meta.url));

type Tree = Readonly<Record<string, string>>;

const clean: Tree = {
  "native/include/llama_hooks/hooks.h": "#include <stdint.h>\n",
  "native/platform/cores.h": "#pragma once\n#include <string>\n",
  "native/platform/windows/cores.cpp": '#include "platform/cores.h"\n#include <windows.h>\n#ifdef _WIN32\n#endif\n',
  "native/base/text/words.h": '#pragma once\n#include <string>\n#include "platform/cores.h"\n',
  "native/base/text/words.cpp": '#include "base/text/words.h"\n#include "llama_hooks/hooks.h"\n',
  "native/gguf/reader.cpp": '#include "base/text/words.h"\n',
  "native/llama/decode/step.cpp": "#include <llama.h>\n",
  "src/index.ts": 'export { on } from "./hooks/on.js";\n',
  "src/hooks/on.ts": 'import { same } from "../base/same.js";\nexport const on = same;\n',
  "src/base/same.ts": 'import { isDeepStrictEqual } from "node:util";\nexport const same = isDeepStrictEqual;\n',
  "src/cli/commands/run.ts": 'import { on } from "../../index.js";\non();\n',
  "test/hooks/on.test.ts": 'import { on } from "../../src/index.js";\non();\n',
};

/** The exit code and the output of the script for a tree. */
async function checked(tree: Tree): Promise<{ code: number; said: string[] }> {
  const root = await tempDir();
  for (const [name, text] of Object.entries(tree)) {
    await mkdir(path.join(root, path.dirname(name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [script, root], (error, _, stderr) => {
      resolve({ code: Number(error?.code ?? 0), said: stderr.split("\n").filter((line) => line !== "") });
    });
  });
}

/** A folder with this many files, and nothing in them. */
function files(folder: string, count: number, extension: string): Tree {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/file-${i}.${extension}`, ""]));
}

const exceptions = (rows: object): Tree => ({ "scripts/check/layer-exceptions.json": JSON.stringify(rows) });
const circle = {
  "native/base/json/reader.h": '#include "base/json/writer.h"\n',
  "native/base/json/writer.cpp": '#include "base/json/reader.h"\n',
  "native/base/json/writer.h": "",
} as const;

test("a tree without a violation passes", async () => {
  expect(await checked(clean)).toEqual({ code: 0, said: [] });
  expect(await checked({ ...clean, ...files("native/base/text", 28, "h"), ...files("test/hooks", 29, "ts") })).toEqual({
    code: 0,
    said: [],
  });
});

test.each<[string, Tree, RegExp]>([
  [
    "a header of a system outside native/platform",
    { "native/base/text/words.cpp": "#include <unistd.h>\n" },
    /^native\/base\/text\/words\.cpp:1: unistd\.h: base\/text includes platform, base only/,
  ],
  [
    "a header of a system in a header of native/platform",
    { "native/platform/cores.h": "#pragma once\n#include <windows.h>\n" },
    /^native\/platform\/cores\.h:2: windows\.h: headers of platform name no system/,
  ],
  [
    "a condition that names a system outside native/platform",
    { "native/gguf/reader.cpp": "#include <string>\n#if defined(__APPLE__) && !defined(__cplusplus)\n#endif\n" },
    /^native\/gguf\/reader\.cpp:2: __APPLE__: only native\/platform tells systems apart/,
  ],
  [
    "an include that points up",
    { "native/base/text/words.cpp": '// Words.\n\n#include "gguf/reader.h"\n', "native/gguf/reader.h": "" },
    /^native\/base\/text\/words\.cpp:3: gguf\/reader\.h: base\/text includes platform, base only; llama\.cpp is seen under llama\/ /,
  ],
  [
    "an include of a later room of the same folder",
    { "native/base/text/words.cpp": '#include "base/json/writer.h"\n', "native/base/json/writer.h": "" },
    /^native\/base\/text\/words\.cpp:1: base\/json\/writer\.h: base\/text includes platform, base only/,
  ],
  [
    "an include of llama.cpp outside native/llama",
    { "native/gguf/reader.cpp": "#include <llama.h>\n" },
    /^native\/gguf\/reader\.cpp:1: llama\.h: .*llama\.cpp is seen under llama\/ only$/,
  ],
  [
    "an include in a folder that no layer has",
    { "native/attic/old.cpp": "#include <string>\n" },
    /^native\/attic\/old\.cpp:1: string: this folder has no layer$/,
  ],
  [
    "a circle of includes, a header and its source being one",
    circle,
    /^these include or import each other in a circle: native\/base\/json\/(reader|writer) -> .* -> native\/base\/json\/\1$/,
  ],
  [
    "a circle of imports",
    {
      "src/base/same.ts": 'import { other } from "./other.js";\n',
      "src/base/other.ts": 'import { same } from "./same.js";\n',
    },
    /^these include or import each other in a circle: src\/base\/other -> src\/base\/same -> src\/base\/other$/,
  ],
  [
    "an import that points up",
    { "src/base/same.ts": 'import { on } from "../hooks/on.js";\n' },
    /^src\/base\/same\.ts:1: \.\.\/hooks\/on\.js: src\/base stands on src\/generated, src\/base only$/,
  ],
  [
    "an import out of src",
    { "src/base/same.ts": 'import { on } from "../../test/hooks/on.js";\n' },
    /^src\/base\/same\.ts:1: \.\.\/\.\.\/test\/hooks\/on\.js: src imports nothing outside src$/,
  ],
  [
    "the addon loaded elsewhere",
    { "src/base/same.ts": 'require("../../llama_hooks.node");\n' },
    /^src\/base\/same\.ts:1: \.\.\/\.\.\/llama_hooks\.node: only src\/native\/addon\.ts loads the addon$/,
  ],
  [
    "a folder of native/ with too many files",
    files("native/base/json", 31, "cpp"),
    /^native\/base\/json: 31 files, more than 30: divide it by what they do$/,
  ],
  ["a folder of src/ with too many files", files("src/models", 31, "ts"), /^src\/models: 31 files, more than 30/],
  ["a folder of test/ with too many files", files("test/models", 31, "ts"), /^test\/models: 31 files, more than 30/],
  [
    "an exception for a folder that is not too full",
    { ...files("src/models", 30, "ts"), ...exceptions({ tooFull: ["src/models"] }) },
    /^src\/models: 30 files: take it out of "tooFull" in scripts\/check\/layer-exceptions\.json$/,
  ],
  [
    "an exception for a folder without a circle",
    { ...circle, "native/base/json/writer.cpp": "", ...exceptions({ circles: ["native/base/json"] }) },
    /^native\/base\/json: no circle: take it out of "circles" in scripts\/check\/layer-exceptions\.json$/,
  ],
  [
    "an exception for a folder that is not there",
    exceptions({ circles: ["native/attic"] }),
    /^native\/attic: no circle: take it out of "circles"/,
  ],
])("%s is found, with its place", async (_, change, line) => {
  expect(await checked({ ...clean, ...change })).toEqual({ code: 1, said: [expect.stringMatching(line)] });
});

test("a folder that is an exception may be too full, or have a circle", async () => {
  const full = files("src/models", 31, "ts");
  const allowed = exceptions({ tooFull: ["src/models"], circles: ["native/base/json"] });
  expect(await checked({ ...clean, ...full, ...circle, ...allowed })).toEqual({ code: 0, said: [] });
});

test("a circle elsewhere is found beside one that is an exception", async () => {
  const other = {
    "native/gguf/reader.h": '#include "gguf/keys.h"\n',
    "native/gguf/keys.h": '#include "gguf/reader.h"\n',
  };
  const allowed = exceptions({ circles: ["native/base/json"] });
  expect((await checked({ ...clean, ...circle, ...other, ...allowed })).said).toEqual([
    expect.stringContaining("circle: native/gguf/keys -> native/gguf/reader -> native/gguf/keys"),
  ]);
});
