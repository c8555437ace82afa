import { expect, test } from "vitest";
import { cli, cliCommand, start } from "./fixtures/child.js";
import { tempDir } from "./support/engine.js";
import { compileLibrary } from "./support/native.js";

const [node, main] = cliCommand;

test("doctor says what there is, tries the bundled model, and ends with 0 when all is well", async () => {
  const { code, stdout, stderr } = await cli("doctor");
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^version {3}llama-hooks \d+\.\d+\.\d+, Node \d+\./);
  for (const about of ["cpu", "memory", "cache", "llama.cpp", "uses", "vulkan", "gpu", "model"])
    expect(lines.some((line) => line.startsWith(about.padEnd(10)))).toBe(true);
  expect(lines.at(-2)).toMatch(/^model {5}the bundled one says "\S.*", \d+ tokens\/s$/);
  expect(lines.at(-1)).toBe("all is well");
  const breakable = lines.filter((line) => !/\S{60}/.test(line)); // paths are not
  expect(Math.max(...breakable.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("what is wrong is named with its code, and the exit code is 1", async () => {
  const env = { LLAMA_HOOKS_GPU_MODULE: "/nowhere/libggml-cuda.so" };
  const { code, stdout } = await start(node, [main, "doctor"], env).ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /\nengine {4}WRONG: LLAMA_HOOKS_GPU_MODULE names .*\(BACKEND_UNAVAILABLE\)\n1 thing is wrong\n$/s,
  );
  const json = await start(node, [main, "doctor", "--json"], env).ended;
  const report = JSON.parse(json.stdout) as { ok: boolean; findings: { about: string; wrong?: boolean }[] };
  expect([json.code, report.ok, report.findings.at(-1)]).toMatchObject([1, false, { about: "engine", wrong: true }]);
});

test("a GPU module whose driver crashes is named, with what to do, and the rest goes on", async () => {
  const crashes = "#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { abort(); }\n";
  const file = await compileLibrary(crashes, { headers: false });
  const env = { LLAMA_HOOKS_GPU_MODULE: file, LLAMA_HOOKS_CACHE: await tempDir() };
  const { code, stdout } = await start(node, [main, "doctor", "--json"], env).ended;
  const { findings } = JSON.parse(stdout) as { findings: { about: string; says: string; wrong?: boolean }[] };
  expect([code, findings.filter(({ wrong }) => wrong)]).toEqual([
    1,
    [
      {
        about: "gpu",
        says: expect.stringMatching(/hook\.so cannot be used: .*crashed.*reinstall or update it/),
        wrong: true,
      },
    ],
  ]);
  expect(findings.at(-1)?.says).toContain("tokens/s");
});
