import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { cli, cliCommand, start } from "../fixtures/child.js";
import { isFromSource } from "../support/built.js";
import { tempDir } from "../support/engine.js";
import { installed, platform } from "../support/installed.js";
import { compileLibrary } from "../support/native.js";

const [node, main] = cliCommand;

test("doctor says what there is, tries the bundled model, and ends with 0 when all is well", async () => {
  const { code, stdout, stderr } = await cli("doctor", "--gpu", "off");
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^version {3}llama-hooks \d+\.\d+\.\d+, Node \d+\./);
  for (const about of ["cpu", "memory", "cache", "llama.cpp", "uses", "gpu", "model"])
    expect(lines.some((line) => line.startsWith(about.padEnd(10)))).toBe(true);
  expect(lines.at(-2)).toMatch(/^model {5}the bundled model says "\S.*", \d+ tokens\/s$/);
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

test("a GPU module whose driver crashes is named, with what to do, and the rest continues", async () => {
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

/** True if Linux shows a GPU. */
function hasGpu(): boolean {
  try {
    return readdirSync("/dev/dri").some((name) => name.startsWith("renderD"));
  } catch {
    return false;
  }
}

const skips = isFromSource || platform !== "linux-x64";

test.skipIf(skips)(
  `a GPU module that cannot be used is wrong only where it was asked for, or there is a GPU for it${skips ? " (skipped: no module is for this build)" : ""}`,
  async () => {
    const folder = await installed({ vulkan: "no library" });
    const command = path.join(folder, "node_modules", "llama-hooks", "dist", "bundle", "command.js");
    const diagnose = async (...args: string[]) => {
      const { code, stdout } = await start(node, [command, "doctor", "--json", ...args], {
        LLAMA_HOOKS_CACHE: await tempDir(),
      }).ended;
      const { findings } = JSON.parse(stdout) as { findings: { about: string; says: string; wrong?: boolean }[] };
      return { code, of: (about: string) => findings.find((one) => one.about === about) };
    };
    const unasked = await diagnose();
    expect(unasked.of("vulkan")).toMatchObject({ says: expect.stringContaining("cannot be used"), wrong: hasGpu() });
    expect(unasked.code).toBe(hasGpu() ? 1 : 0);
    const asked = await diagnose("--gpu", "vulkan");
    expect(asked.of("engine")).toMatchObject({ says: expect.stringContaining("BACKEND_UNAVAILABLE"), wrong: true });
    expect(asked.code).toBe(1);
    const off = await diagnose("--gpu", "off");
    expect([off.code, off.of("vulkan")]).toEqual([0, undefined]);
  },
);

test.each([
  ["libvulkan.so.1", "apt-get install libvulkan1"],
  ["libcuda.so.1", "install NVIDIA's driver"],
])("a GPU module that needs %s says what to install where that is missing", async (library, advice) => {
  if (process.platform !== "linux") return console.log("not checked: sonames are of Linux");
  const needed = await compileLibrary("int lh_gone(void);\nint lh_gone(void) { return 1; }\n", {
    headers: false,
    linkFlags: [`-Wl,-soname,${library}`],
  });
  const source = "int lh_gone(void);\nint lh_use(void);\nint lh_use(void) { return lh_gone(); }\n";
  const module = await compileLibrary(source, { headers: false, linkFlags: ["-Wl,--no-as-needed", needed] });
  const env = { LLAMA_HOOKS_GPU_MODULE: module, LLAMA_HOOKS_CACHE: await tempDir() };
  const { code, stdout } = await start(node, [main, "doctor", "--json"], env).ended;
  const { findings } = JSON.parse(stdout) as { findings: { about: string; says: string; wrong?: boolean }[] };
  const gpu = findings.find(({ wrong }) => wrong);
  expect([code, gpu]).toMatchObject([1, { about: "gpu", says: expect.stringContaining("cannot be used") }]);
  if (!gpu?.says.includes(`${library}: cannot open`)) return console.log(`not checked: ${library} is there`);
  expect(gpu.says).toContain(advice);
});
