import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { benchPage } from "../../bench/page/page.js";
import type { BenchResults } from "../../src/bench/results/results.js";
import { bundledModel } from "../../src/index.js";
import { cli, jsonLines, quiet, start, startCli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const quick = ["bench", "--rounds", "1", "--tokens", "8", "--threads", "1", "--gpu", "off"];
// oxlint-disable-next-line no-control-regex
const escapes = /\u001b/;

test("bench prints a table, and writes the results to the named file", async () => {
  const folder = await tempDir();
  const json = path.join(folder, "bench.json");
  const { stdout, ...end } = await cli(...quick, "--model", bundledModel, "--json", json);
  expect(end).toEqual(quiet(0));
  expect(stdout).not.toMatch(escapes);
  const lines = stdout.split("\n");
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  for (const label of ["no hook", "observing hook", "awaited hook", "async hook", "a hook on every point"])
    expect(lines.filter((line) => line.startsWith(label) && /[█-▏].* \d+/.test(line)).length, label).toBeGreaterThan(0);
  expect(stdout).toContain("8 at once");
  expect(stdout.replaceAll("\n  ", " ")).toMatch(
    /^[^]*\n\nwarning: one round cannot tell whether the machine was too noisy: .*\n\n[^]*tokens\/s/,
  );
  const results = JSON.parse(await readFile(json, "utf8")) as BenchResults;
  expect(results.decode).toHaveLength(7);
  const page = benchPage(results);
  expect(page).toMatch(/^<!doctype html>/i);
  expect(page).toContain("one round cannot tell");
  expect(page).not.toContain('class="lead"');
});

test("bench with --json writes the results to stdout, in their declared form and nothing else", async () => {
  const { stdout, ...end } = await cli(...quick, "--model", bundledModel, "--json");
  expect(end).toEqual(quiet(0));
  expect(stdout.trim().split("\n")).toHaveLength(1);
  const results = JSON.parse(stdout) as BenchResults;
  expect(results).toMatchObject({
    version: 1,
    settings: { threads: 1, gpu: "off" },
    models: [{ name: "tiny-agent.gguf", synthetic: false, tokens: 8, rounds: 1 }],
    skipped: [],
    micro: [],
    instructions: [],
    rows: [],
    warnings: [expect.stringMatching(/^one round cannot tell/)],
  });
  expect(Date.parse(results.date)).toBeGreaterThan(0);
  expect(results.machine.cores).toBeGreaterThan(0);
  expect(results.versions).toMatchObject({ "llama-hooks": expect.any(String), "llama.cpp": expect.any(String) });
  expect(results.decode.map(({ contender, sequences }) => [contender, sequences])).toEqual([
    ["engine", 1],
    ["engine-observed", 1],
    ["engine-awaited", 1],
    ["engine-async", 1],
    ["engine-all-points", 1],
    ["engine", 8],
    ["engine-awaited", 8],
  ]);
  for (const { runs, tokensPerSecond, sequences, toPlain, toNoHook, peakMib } of results.decode) {
    expect(runs).toHaveLength(1);
    expect(tokensPerSecond.median).toBeGreaterThan(0);
    expect(peakMib.median).toBeGreaterThan(1);
    expect([toPlain, toNoHook?.runs.length]).toEqual([null, 1]);
    // With one generation every token after the first is counted; of several, those after the last one's first.
    const tokens = runs[0]?.completionTokens ?? 0;
    if (sequences === 1) expect(tokens).toBe(8);
    else expect(tokens).toBeGreaterThan(0);
  }
});

test("bench on a synthetic model makes it for the run and leaves nothing in the temporary folder", async () => {
  const TMPDIR = await tempDir();
  const { code, stdout } = await start(
    process.execPath,
    ["dist/bundle/command.js", ...quick, "--synthetic", "tiny", "--json"],
    {
      TMPDIR,
    },
  ).ended;
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as BenchResults).models).toMatchObject([{ name: "tiny", synthetic: true }]);
  expect(await readdir(TMPDIR)).toEqual([]);
});

test.each([
  ["a model twice", ["--model", "a.gguf", "--synthetic", "tiny"], /--model or --synthetic/],
  ["a shape that there is not", ["--synthetic", "huge"], /huge.*tiny, 0\.5b, 1\.1b, 8b/],
  ["no tokens", ["--tokens", "0"], /--tokens.*at least 2/],
  ["no rounds", ["--rounds", "0"], /--rounds.*at least 1/],
  ["threads that are no number", ["--threads", "all"], /--threads/],
  ["a backend that there is not", ["--gpu", "abacus"], /abacus.*auto, cuda, metal, vulkan, off/],
  ["a folder that there is not", ["--json", "/nowhere/at/all.json"], /--json .*there is no folder/],
  ["a folder in place of a file", ["--json", "docs"], /--json docs: it is a folder/],
  ["more threads than there can be", ["--threads", "100000"], /--threads.* at most 512/],
])("bench with %s is wrong usage and exits with 2", async (_, args, message) => {
  const { code, stdout, stderr } = await cli("bench", ...args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
});

test("bench with a model that is missing exits with 1 and the code, on stderr or as JSON", async () => {
  const { code, stdout, stderr } = await cli(...quick, "--model", "nowhere.gguf");
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^llama-hooks: .*nowhere\.gguf.*\(MODEL_FILE_NOT_FOUND\)\n$/);
  const { stdout: json, ...end } = await cli(...quick, "--model", "nowhere.gguf", "--json");
  expect(end).toEqual(quiet(1));
  expect(jsonLines(json)).toEqual([
    { type: "error", code: "MODEL_FILE_NOT_FOUND", message: expect.stringContaining("nowhere.gguf") },
  ]);
});

test.skipIf(process.platform !== "linux")(
  "results that cannot be written are an error with the path",
  async () => {
    const model = await scriptModel([{ text: "on and on ", endless: true }]);
    const hooks = path.join(await tempDir(), "hooks.mjs");
    await writeFile(hooks, 'export default (engine) => void engine.hooks.on("streamToken", () => {});');
    // A measurement with --hooks takes a fifth of the time, and the same function writes its results.
    const { code, stderr } = await cli(...quick, "--model", model, "--hooks", hooks, "--json", "/dev/full");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/llama-hooks: \/dev\/full cannot be written: ENOSPC.* \(INVALID_ARGUMENT\)\n$/),
    ]);
  },
  60_000,
);

test.skipIf(process.platform === "win32").each([
  ["a bench", () => []],
  [
    "a bench of one's own hooks",
    async () => {
      const hooks = path.join(await tempDir(), "hooks.mjs");
      await writeFile(hooks, 'export default (engine) => void engine.hooks.on("streamToken", () => {});');
      return ["--hooks", hooks];
    },
  ],
])("SIGINT ends %s with 130 and leaves no process behind", async (_, own) => {
  // Endless: one measurement of it takes longer than the test may.
  const model = await scriptModel([{ text: "on and on ", endless: true }]);
  const child = startCli(
    "bench",
    "--model",
    model,
    "--threads",
    "1",
    "--gpu",
    "off",
    "--tokens",
    "3000",
    "--rounds",
    "99",
    ...(await own()),
  );
  const pid = await childOf(child.process.pid ?? 0);
  child.process.kill("SIGINT");
  const { stdout, ...end } = await child.ended;
  expect([end, stdout]).toEqual([quiet(130), ""]);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

/** The number of each process and of its parent. ps(1) is not on every Linux. */
function processes(): [pid: number, ppid: number][] {
  if (process.platform !== "linux") {
    const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
    return rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)]);
}

/** 0 when the process has ended meanwhile. */
function parentOf(pid: string): number {
  try {
    // The name before the state may hold anything.
    return Number(/.*\) . (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
}

/** The process that a process has started, once it has. */
async function childOf(parent: number): Promise<number> {
  for (;;) {
    const found = processes().find(([, ppid]) => ppid === parent);
    if (found !== undefined) return found[0];
    await new Promise((resolve) => setTimeout(resolve, 10)); // a look at all processes is work
  }
}
