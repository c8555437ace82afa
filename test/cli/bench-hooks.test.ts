// `llama-hooks bench --hooks` measures the user's own hooks. Must not: judge a time.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { benchPage } from "../../bench/page/page.js";
import type { BenchResults } from "../../src/bench/results/results.js";
import { bundledModel } from "../../src/index.js";
import { cli, quiet } from "../fixtures/child.js";
import { startOnTerminal } from "../fixtures/terminal.js";
import { tempDir } from "../support/engine.js";
import { compileLibrary } from "../support/native.js";

const quick = ["bench", "--rounds", "2", "--tokens", "8", "--threads", "1", "--gpu", "off", "--model", bundledModel];

/** A file of hooks, below the import that it needs. */
async function hooksFile(text: string): Promise<string> {
  const file = path.join(await tempDir(), "my-hooks.mjs");
  await writeFile(file, `import { cancel, defineHooks } from "llama-hooks";\n${text}\n`);
  return file;
}

const several = `
export const redact = defineHooks("redact", {
  streamToken: async ({ text }) => ({ text: text.toUpperCase() }),
  preToolCall() {},
  modelLoad() {},
  error() {},
});
export default (engine) => {
  console.log("this is not a result");
  engine.hooks.on("postGenerate", () => {}, { observe: true });
  engine.hooks.on("streamToken", () => {}, { name: "rare", when: { text: "never written" } });
};`;

test("bench --hooks says what one's own hooks cost, which were called, and why others were not", async () => {
  const hooks = await hooksFile(several);
  const folder = await tempDir();
  const json = path.join(folder, "bench.json");
  const { stdout, ...end } = await cli(...quick, "--hooks", hooks, "--json", json);
  expect(end).toEqual(quiet(0));
  for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  const results = JSON.parse(await readFile(json, "utf8")) as BenchResults;
  const { ownHooks, decode, models } = results;
  expect([decode, models[0]?.tokens, models[0]?.rounds]).toEqual([[], 8, 2]);
  expect(ownHooks).toMatchObject({ files: [`--hooks ${hooks}`], generations: 2 });
  for (const spread of [ownHooks?.without, ownHooks?.with, ownHooks?.ratio]) {
    expect(spread?.runs).toHaveLength(2);
    expect(spread?.lowest).toBeGreaterThan(0);
  }
  const rows = ownHooks?.hooks.map(({ name, point, calls, failures, observe, neverCalled }) => [
    name,
    point,
    calls,
    failures,
    observe,
    neverCalled,
  ]);
  expect(rows?.toSorted((a, b) => `${a[1]} ${a[0]}`.localeCompare(`${b[1]} ${b[0]}`))).toEqual([
    ["redact", "error", 0, 0, false, "its point did not fire"],
    ["redact", "modelLoad", 0, 0, false, expect.stringContaining("when models are loaded")],
    ["", "postGenerate", 2, 0, true, null],
    ["redact", "preToolCall", 0, 0, false, expect.stringContaining("in runs of sessions")],
    ["rare", "streamToken", 0, 0, false, expect.stringMatching(/^its point fired 16 times, but its `when` never/)],
    ["redact", "streamToken", 16, 0, false, null],
  ]);
  for (const { location, calls, callUs } of ownHooks?.hooks ?? []) {
    expect(location).toMatch(/my-hooks\.mjs:\d+/);
    expect(callUs === null).toBe(calls === 0);
  }
  expect(stdout).toMatch(/^redact +streamToken +16 /m);
  expect(stdout).toMatch(/^my-hooks\.mjs:\d+ +postGenerate +2 /m);
  expect(stdout.replaceAll("\n  ", " ")).toContain("never called: redact at preToolCall: its point fires in runs of ");
  expect(stdout).not.toContain("this is no result");
  const page = benchPage(results);
  expect(page).toContain('id="own-hooks"');
  expect(page).not.toContain("<canvas");
});

test("bench --native counts the calls of a function in C", async () => {
  const library = await compileLibrary(
    `#include "llama_hooks/hooks.h"
    int look(int32_t point, const char* context, char** modified, void* data) {
      (void)point, (void)context, (void)modified, (void)data;
      return 0;
    }`,
  );
  const native = `${library}:look@streamToken`;
  const { stdout, ...end } = await cli(...quick, "--native", native, "--json");
  expect(end).toEqual(quiet(0));
  const { ownHooks } = JSON.parse(stdout) as BenchResults;
  expect(ownHooks?.files).toEqual([`--native ${native}`]);
  expect(ownHooks?.hooks).toMatchObject([{ name: "look", point: "streamToken", calls: 16, neverCalled: null }]);
});

test("bench --quick takes fewer and shorter measurements, unless options say otherwise", async () => {
  const idle = await hooksFile(`export const idle = defineHooks("idle", { preToolCall() {} });`);
  const plain = ["bench", "--quick", "--threads", "1", "--gpu", "off", "--model", bundledModel, "--json"];
  const own = JSON.parse((await cli(...plain, "--hooks", idle)).stdout) as BenchResults;
  expect(own.models).toMatchObject([{ tokens: 32, rounds: 3 }]);
  expect(own.ownHooks?.ratio.runs).toHaveLength(3);
  const ours = JSON.parse((await cli(...plain, "--rounds", "1", "--tokens", "8")).stdout) as BenchResults;
  expect(ours.models).toMatchObject([{ tokens: 8, rounds: 1 }]);
  expect(ours.decode.map(({ contender, sequences }) => [contender, sequences])).toEqual([
    ["engine", 1],
    ["engine-observed", 1],
    ["engine-awaited", 1],
    ["engine-async", 1],
    ["engine-all-points", 1],
  ]);
});

test("bench --hooks fits a terminal of 60 columns, and says so if no hook was called", async () => {
  const idle = await hooksFile(`export const idle = defineHooks("idle", { preToolCall() {} });`);
  const env = { NO_COLOR: "1", TERM: "dumb" };
  const child = startOnTerminal([...quick, "--hooks", idle], env, undefined, 60);
  if (child === undefined) return;
  const { code, stdout } = await child.ended;
  expect(code).toBe(0);
  const [table = "", ...bars] = stdout.split("\u001b[K").toReversed(); // each state of the bar ends so
  expect(bars.some((bar) => /^\r[◒◐◓◑] {2}━{10} 1\/\d+ {2}with and without your hooks \[\ds\]$/.test(bar))).toBe(true);
  for (const bar of bars) expect(bar.length, bar).toBeLessThanOrEqual(60); // with the carriage return
  expect(table).toContain("None of your hooks was called.");
  expect(table).toMatch(/^your hooks +\d/m);
  for (const line of table.split(/\r?\n/)) expect(line.length, line).toBeLessThanOrEqual(60);
});

test.each([
  [
    "throws",
    `export const bad = defineHooks("bad", { preGenerate() { throw new TypeError("no config.json"); } });`,
    /^llama-hooks: the hook bad at preGenerate \(.*my-hooks\.mjs:2\) failed in .*: TypeError: no config\.json \(HOOK_FAILED\)\n/,
  ],
  [
    "throws although no call waits for it",
    `export const bad = defineHooks("bad", { streamToken() { throw new Error("gone"); } }, { observe: true });`,
    /the hook bad at streamToken \(.*\) failed in each of its \d+ calls, .*Error: gone.*\(HOOK_FAILED\)\n/,
  ],
  [
    "gives an answer that its point does not take",
    `export const bad = defineHooks("bad", { preGenerate: () => ({ maxTokens: 5 }) });`,
    /the hook bad at preGenerate .*field "maxTokens".*\(HOOK_BAD_ANSWER\)\n/,
  ],
  [
    "does not answer",
    `export const bad = defineHooks("bad", { preGenerate: () => new Promise(() => {}) }, { deadlineMs: 50 });`,
    /the hook bad at preGenerate .*(?:did not answer|failed).*\(HOOK_TIMEOUT\)\n/,
  ],
  [
    "cancels",
    `export const bad = defineHooks("bad", { preGenerate: () => cancel("not today") });`,
    /the hook bad at preGenerate cancelled the generation: not today.*\(HOOK_CANCELLED\)\n/,
  ],
  [
    "makes the text shorter",
    `export const bad = defineHooks("bad", { preGenerate: () => ({ params: { maxTokens: 5 } }) });`,
    /wrote 5 tokens instead of 8.*bad at preGenerate \(params\) \(INVALID_ARGUMENT\)\n/,
  ],
  [
    "is another one each time",
    `let n = 0; export default (engine) => void engine.hooks.on("preGenerate", () => {}, { name: \`hook-\${n++}\` });`,
    /the hooks were hook-0 at preGenerate, and later hook-1 at preGenerate.*\(INVALID_ARGUMENT\)\n/,
  ],
  [
    "is of a file that throws",
    `throw new Error("no hooks today");`,
    /^llama-hooks: --hooks .*my-hooks\.mjs: no hooks today \(FAILED\)\n +at .*my-hooks\.mjs:2:7/,
  ],
  [
    "ends the process",
    `export const bad = defineHooks("bad", { preGenerate: () => process.exit(3) });`,
    /^llama-hooks: --hooks .*my-hooks\.mjs: the process ended before it had measured, exit code 3: .* \(FAILED\)\n/,
  ],
  [
    "forgets a promise that rejects",
    `export const bad = defineHooks("bad", { preGenerate: () => void Promise.reject(new Error("unheard")) });`,
    /my-hooks\.mjs: the process ended before it had measured, exit code 1: Error: unheard \(FAILED\)\n/,
  ],
])("bench gives no figure for a hook that %s, but the reason", async (_, text, message) => {
  const { code, stdout, stderr } = await cli(...quick, "--hooks", await hooksFile(text));
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(message);
});

test.skipIf(process.platform === "win32")(
  "a process that a file of hooks leaves behind does not hold up bench",
  async () => {
    const hooks = await hooksFile(`
    import { spawn } from "node:child_process";
    const left = spawn("sleep", ["600"], { stdio: "inherit", detached: true });
    left.unref();
    export const idle = defineHooks(\`left-\${left.pid}\`, { preGenerate() {} });`);
    const { code, stdout } = await cli(...quick, "--hooks", hooks, "--json");
    const { ownHooks } = JSON.parse(stdout) as BenchResults;
    process.kill(Number(ownHooks?.hooks[0]?.name.split("-")[1])); // it lives until it is ended
    expect(code).toBe(0);
  },
);

test("bench with hooks that cannot be measured is wrong usage and exits with 2", async () => {
  const [empty, some] = await Promise.all([
    hooksFile(`export const empty = defineHooks("empty", {});`),
    hooksFile(`export const idle = defineHooks("idle", { preGenerate() {} });`),
  ]);
  const wrong: [args: string[], message: RegExp][] = [
    [["--hooks", "nowhere.mjs"], /--hooks nowhere\.mjs: no such file/],
    [["--hooks", empty], /exports no hook set .* with a handler/],
    [["--hooks", some, "--compare"], /--compare measures the package's own hooks/],
    [["--native", "libredact.so:redact@nowhere"], /no point nowhere/],
  ];
  for (const [args, message] of wrong) {
    const { code, stdout, stderr } = await cli(...quick, ...args);
    expect([code, stdout], args.join(" ")).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  }
});
