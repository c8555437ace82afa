// The messages of `npm run build` about a build. A program replaces CMake, because compiling takes minutes.
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { start } from "../fixtures/child.js";
import { tempDir } from "../support/engine.js";

const warning = `../native/agent/controls/controls.cpp: In member function 'lh::Controls::carry_out()':
../native/agent/controls/controls.cpp:12:7: warning: unused variable 'x' [-Wunused-variable]
   12 |   int x;
      |       ^`;

const ninja = `[0/2] Re-checking globbed directories...
[1/3] Building CXX object CMakeFiles/lh_engine.dir/native/agent/run/side_question.cpp.o
[2/3] Building CXX object CMakeFiles/lh_engine.dir/native/agent/controls/controls.cpp.o
${warning}
[3/3] Linking CXX shared module Release/llama_hooks.node
`;
const make = `-- Configuring done
[  3%] Building CXX object CMakeFiles/lh_engine.dir/native/agent/controls/controls.cpp.o
[100%] Built target llama_hooks
make[1]: Nothing to be done for 'all'.
`;

async function build(
  out: string,
  err: string,
  code = 0,
): Promise<{ code: number | null; said: string; stdout: string }> {
  const folder = await tempDir();
  await writeFile(path.join(folder, "out"), out);
  await writeFile(path.join(folder, "err"), err);
  const cmake = `#!/bin/sh
case "$1" in
  --version) echo "cmake version 3.25.1" ;;
  --build) cat "${folder}/out"; cat "${folder}/err" >&2; exit ${code} ;;
esac
`;
  await writeFile(path.join(folder, "cmake"), cmake);
  await chmod(path.join(folder, "cmake"), 0o755);
  const env = { PATH: `${folder}${path.delimiter}${process.env["PATH"]}`, npm_config_loglevel: undefined };
  const args = ["scripts/build/addon.mjs", "--out", path.join(folder, "build")];
  const { code: ended, stdout, stderr } = await start(process.execPath, args, env).ended;
  return { code: ended, said: stderr, stdout };
}

test.each([
  ["ninja", ninja, ""],
  ["make", make, `${warning}\n`],
])("a build that succeeds shows what the compiler has warned of, and nothing else: %s", async (_, out, err) => {
  expect(await build(out, err)).toEqual({ code: 0, said: `${warning}\n`, stdout: "" });
});

test("a build without a warning says nothing, and one that fails says all", async () => {
  expect(await build(ninja.replace(`${warning}\n`, ""), "")).toEqual({ code: 0, said: "", stdout: "" });
  const failed = await build(ninja, "", 1);
  expect([failed.code, failed.said]).toEqual([1, expect.stringContaining(ninja)]);
});
