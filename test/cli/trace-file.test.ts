import { execFileSync } from "node:child_process";
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { ChromeTrace } from "../../src/index.js";
import { cli, cliWithInput, startCli } from "../fixtures/child.js";
import { completes, nesting, titles } from "../support/chrome-trace.js";
import { scriptModel, tempDir } from "../support/engine.js";

const sum = { text: "Let me see. ", toolCalls: [{ name: "calculator", args: { expression: "6 * 7" } }] };

async function read(file: string): Promise<ChromeTrace> {
  const chrome = JSON.parse(await readFile(file, "utf8")) as ChromeTrace;
  nesting(chrome); // no two overlap in part
  return chrome;
}

const drawn = (chrome: ChromeTrace): string[] => completes(chrome).map(({ cat, name }) => `${cat} ${name}`);

test("run --trace-file writes what happened, and says no more than without it", async () => {
  const folder = await tempDir();
  const file = path.join(folder, "out.json");
  const model = await scriptModel([sum, "It is 42."]);
  const hooks = path.join(folder, "hooks.mjs");
  await writeFile(hooks, 'export default ({ hooks }) => hooks.on("preToolCall", () => undefined, { name: "look" });');
  const args = ["run", "6 * 7?", "--model", model, "--tools", "demo", "--hooks", hooks];
  const { stdout, stderr, code } = await cli(...args, "--trace-file", file);
  const without = await cli(...args);
  const timeless = (text: string): string => text.replace(/\d+ tokens\/s/, "tokens/s");
  expect({ stdout, stderr: timeless(stderr), code }).toEqual({
    stdout: without.stdout,
    stderr: timeless(without.stderr),
    code: 0,
  });
  const chrome = await read(file);
  expect(drawn(chrome)).toEqual([
    "modelLoad load default",
    "run run",
    "modelCall model call",
    "decision preToolCall",
    "hook look",
    "toolCall calculator",
    "modelCall model call",
  ]);
  expect(chrome.otherData.dropped).toBe(0);
  expect((await readdir(folder)).toSorted()).toEqual(["hooks.mjs", "out.json"]); // and nothing beside it
});

test("a file that is there is replaced, and the demonstration's counting is left out of it", async () => {
  const file = path.join(await tempDir(), "out.json");
  await writeFile(file, "before");
  const { code } = await cli("run", "--demo", "--trace-file", file);
  expect(code).toBe(0);
  const names = new Set(completes(await read(file)).map(({ name }) => name));
  expect(names.has("point-count")).toBe(false);
  expect(names.has("delegate") && names.has("postToolCall")).toBe(true);
});

test("the trace of a run that fails is written as well", async () => {
  const file = path.join(await tempDir(), "out.json");
  const { code, stderr } = await cli("run", "hi", "--model", "/nowhere.gguf", "--trace-file", file);
  expect([code, stderr]).toEqual([1, expect.stringContaining("(MODEL_FILE_NOT_FOUND)")]);
  const [load] = completes(await read(file));
  expect(load).toMatchObject({ name: "load default", args: { code: "MODEL_FILE_NOT_FOUND" } });
});

test("so is that of a run that is interrupted", async () => {
  const file = path.join(await tempDir(), "out.json");
  const model = await scriptModel([{ text: "la di da ", endless: true }]);
  const child = startCli("run", "sing", "--model", model, "--trace-file", file);
  await child.said("la di da");
  child.process.kill("SIGINT");
  expect((await child.ended).code).toBe(130);
  const run = completes(await read(file)).find(({ cat }) => cat === "run");
  expect(run?.args).toMatchObject({ finishReason: "cancelled" });
});

test("chat --trace-file has every message's run, each on a separate line", async () => {
  const file = path.join(await tempDir(), "out.json");
  const model = await scriptModel(["One.", "Two."]);
  const { code } = await cliWithInput("first\nsecond\n", "chat", "--model", model, "--trace-file", file);
  expect(code).toBe(0);
  const chrome = await read(file);
  const lines = completes(chrome).flatMap(({ cat, tid }) => (cat === "run" ? [titles(chrome).get(tid)] : []));
  expect(new Set(lines).size).toBe(2);
});

test("a file that cannot be written is an error with a code, before anything is loaded", async () => {
  const folder = await tempDir();
  const model = await scriptModel(["Hello."]);
  for (const [file, why] of [
    [path.join(folder, "no", "out.json"), "ENOENT"],
    [folder, "it is a folder"],
  ] as const) {
    const { code, stdout, stderr } = await cli("run", "hi", "--model", model, "--trace-file", file);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^llama-hooks: .* cannot be written: .*\(INVALID_ARGUMENT\)\n$/);
    expect(stderr).toContain(`${file} cannot be written: ${why}`);
  }
});

test("one that cannot be written any more at the end is, too, and the answer is there all the same", async () => {
  const folder = await tempDir();
  const file = path.join(folder, "sub", "out.json");
  await mkdir(path.dirname(file));
  const hooks = path.join(folder, "hooks.mjs");
  await writeFile(
    hooks,
    `import { rmdirSync } from "node:fs";
    export default ({ hooks }) => hooks.on("preGenerate", () => rmdirSync(${JSON.stringify(path.dirname(file))}));`,
  );
  const model = await scriptModel(["Hello."]);
  const { code, stdout, stderr } = await cli("run", "hi", "--model", model, "--hooks", hooks, "--trace-file", file);
  expect([code, stdout]).toEqual([1, "Hello.\n"]);
  expect(stderr).toMatch(/cannot be written: ENOENT.*\(INVALID_ARGUMENT\)\n$/);
});

test("what is not a file is refused before anything is done, and stays what it is", async () => {
  const folder = await tempDir();
  const file = path.join(folder, "plain");
  await writeFile(file, "mine");
  const pipe = path.join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const target of [folder, pipe, path.join(file, "out.json"), path.join(folder, "none", "out.json")]) {
    const { code, stdout, stderr } = await cli("run", "hi", "--trace-file", target);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${target} cannot be written`);
    expect(stderr).toContain("INVALID_ARGUMENT");
  }
  expect((await stat(pipe)).isFIFO()).toBe(true);
  expect(await readFile(file, "utf8")).toBe("mine");
});

test("a file without a name is wrong usage", async () => {
  const { code, stdout, stderr } = await cli(
    "run",
    "--model",
    await scriptModel(["Hi."]),
    "--prompt",
    "hi",
    "--trace-file",
    "",
  );
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/--trace-file.*It must not be empty/);
});

test("of a link the file is replaced that it leads to", async () => {
  const folder = await tempDir();
  const [file, link] = [path.join(folder, "out.json"), path.join(folder, "link.json")];
  await writeFile(file, "before");
  await symlink(file, link);
  const { code } = await cli("run", "hi", "--model", await scriptModel(["Hello."]), "--trace-file", link);
  expect(code).toBe(0);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(drawn(await read(file))).toContain("run run");
});

test("what a hooks file does is in the trace, also when it fails", async () => {
  const folder = await tempDir();
  const [file, hooks] = [path.join(folder, "out.json"), path.join(folder, "hooks.mjs")];
  const model = await scriptModel(["Hello."]);
  await writeFile(
    hooks,
    `export default async ({ models }) => { await models.load("mine", { path: ${JSON.stringify(model)} }); throw new Error("bad day"); };`,
  );
  const { code, stderr } = await cli("run", "hi", "--hooks", hooks, "--trace-file", file);
  expect(code).toBe(1);
  expect(stderr).toContain("bad day");
  expect(drawn(await read(file))).toEqual(["modelLoad load mine"]);
});
