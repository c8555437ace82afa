import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { program } from "../../src/cli/program.js";
import { cli, cliCommand, jsonLines, quiet, start } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

test("a model file that is missing exits with 1 and the code in the message", async () => {
  const { code, stdout, stderr } = await cli("run", "--model", "nowhere.gguf", "--prompt", "hi");
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^llama-hooks: .*nowhere\.gguf.*\(MODEL_FILE_NOT_FOUND\)\n$/);
});

test("a file that is not a model exits with 1 and the code in the message", async () => {
  const file = path.join(await tempDir(), "text.gguf");
  await writeFile(file, "this is text, and no model");
  const { code, stdout, stderr } = await cli("run", "--model", file, "--prompt", "hi");
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/\(MODEL_[A-Z_]+\)\n$/);
});

test("with --json an error is a line of stdout as well, and stderr stays empty", async () => {
  const { stdout, ...end } = await cli("run", "--model", "nowhere.gguf", "--prompt", "hi", "--json");
  expect(end).toEqual(quiet(1));
  expect(jsonLines(stdout)).toEqual([
    { type: "error", code: "MODEL_FILE_NOT_FOUND", message: expect.stringContaining("nowhere.gguf") },
  ]);
});

test.each([
  ["an option that there is not", ["run", "--prompt", "hi", "--colour"], /unknown option '--colour'/],
  ["a command that there is not", ["walk"], /unknown command 'walk'/],
  ["an argument too many", ["hooks", "more", "most"], /too many arguments/],
  ["no prompt", ["run"], /no prompt: .*--prompt/],
  ["two prompts", ["run", "hi", "--prompt", "hello"], /given twice: .*--prompt/],
  ["a prompt from stdin where nothing comes", ["run", "-"], /stdin \(-\), but stdin was empty/],
  ["an option without its value", ["run", "--prompt"], /argument missing/],
  ["a number that is none", ["run", "--prompt", "hi", "--max-tokens", "many"], /many/],
  ["a number below the least", ["run", "--prompt", "hi", "--max-tokens", "0"], /at least 1/],
  ["a sampler beyond its range", ["run", "hi", "--top-p", "1.5"], /--top-p.* at least 0 and at most 1\./],
  ["a sampler that takes a number", ["run", "hi", "--min-p", "low"], /--min-p.*number/],
  ["a sampler that takes an integer", ["run", "hi", "--top-k", "1.5"], /--top-k.*integer/],
  ["less than no layers", ["run", "hi", "--gpu-layers", "-2"], /--gpu-layers.*at least -1/],
  ["a level of the log that there is not", ["run", "hi", "--log-level", "loud"], /--log-level.*none, error, warn/],
  ...["--model", "--hooks", "--native", "--tools", "--session", "--trace-file"].map(
    (option): [string, string[], RegExp] => [`an empty ${option}`, ["run", "hi", option, ""], /must not be empty/],
  ),
  ["a device of hooks", ["run", "hi", "--hooks", "/dev/null"], /--hooks \/dev\/null: it is a device/],
  ["a folder of hooks", ["run", "hi", "--hooks", "docs"], /--hooks docs: it is a folder/],
  ["a port that there is not", ["serve", "--port", "70000"], /--port.*at most 65535/],
  ["a port of the RPC server that there is not", ["rpc-server", "--port", "70000"], /--port.*at most 65535/],
  ["more threads than the RPC server takes", ["rpc-server", "--threads", "513"], /--threads.*at most 512/],
  ["a download without a name", ["pull", ""], /It must not be empty/],
  ["a model to remove without a name", ["models", "rm", ""], /It must not be empty/],
  ["an empty host", ["serve", "--host", ""], /--host.*must not be empty/],
  ["a model without a name", ["serve", ".gguf"], /It has no name: give the model an id/],
  ["a backend that there is not", ["run", "--prompt", "hi", "--gpu", "abacus"], /abacus/],
  [
    "a module of hooks that is missing",
    ["run", "--prompt", "hi", "--hooks", "nowhere.mjs"],
    /nowhere\.mjs: no such file/,
  ],
  ["a module without hooks", ["run", "--prompt", "hi", "--hooks", "vitest.config.ts.none"], /no such file/],
  ["--native without a point", ["run", "--prompt", "hi", "--native", "lib.so:symbol"], /library:symbol@point/],
  ["--native without a symbol", ["run", "--prompt", "hi", "--native", "lib.so@postGenerate"], /library:symbol@point/],
  [
    "--native with a point that there is not",
    ["run", "--prompt", "hi", "--native", "lib.so:f@atNoon"],
    /no point atNoon/,
  ],
])("wrong usage exits with 2: %s", async (_, args, message) => {
  const { code, signal, stdout, stderr } = await cli(...args);
  expect([code, signal, stdout]).toEqual([2, null, ""]);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^ +at /m);
});

test("a module that exports no hooks is wrong usage, one that throws fails", async () => {
  const folder = await tempDir();
  const [empty, broken] = [path.join(folder, "empty.mjs"), path.join(folder, "broken.mjs")];
  await writeFile(empty, "export const answer = 42;");
  await writeFile(broken, 'throw new Error("broken on purpose");');
  const args = ["run", "--model", await scriptModel(["Hello."]), "--prompt", "hi", "--hooks"];
  const none = await cli(...args, empty);
  expect([none.code, none.stdout]).toEqual([2, ""]);
  expect(none.stderr).toContain("exports no hook");
  const thrown = await cli(...args, broken);
  expect([thrown.code, thrown.stdout]).toEqual([1, ""]);
  expect(thrown.stderr).toContain("broken on purpose");
});

test.each([
  [["--help"], ["run", "hooks"]],
  [
    ["run", "--help"],
    ["--model", "--prompt", "--trace", "--json", "--hooks", "--native", "--max-tokens", "--seed"],
  ],
  [["hooks", "--help"], ["--json"]],
  [
    ["help", "run"],
    ["--model", "130"],
  ],
])("%j prints what there is to stdout and exits with 0", async (args, words) => {
  const { stdout, ...end } = await cli(...args);
  expect(end).toEqual(quiet(0));
  for (const word of words) expect(stdout).toContain(word);
});

test("--version prints the version of the package, and llama.cpp's release", async () => {
  const { stdout, ...end } = await cli("--version");
  expect(end).toEqual(quiet(0));
  expect(stdout).toMatch(/^\d+\.\d+\.\d+ \(llama\.cpp \S+\)\n$/);
});

test("the help of every command fits into 80 columns", async () => {
  const commands = [...program(() => undefined).commands];
  for (const command of commands) commands.push(...command.commands); // those of commands, too
  expect(commands.length).toBeGreaterThan(5);
  for (const command of commands) {
    let text = "";
    command.configureOutput({ writeOut: (part) => (text += part) });
    command.outputHelp();
    expect(text).toContain(command.name());
    for (const line of text.split("\n")) expect(line.length, `${command.name()}: ${line}`).toBeLessThanOrEqual(80);
  }
});

test("a TypeError of a hooks file is no wrong usage: the command fails, and the message names the file", async () => {
  const folder = await tempDir();
  const [atLoad, atCall] = [path.join(folder, "at-load.mjs"), path.join(folder, "at-call.mjs")];
  await writeFile(atLoad, 'throw new TypeError("on purpose");');
  await writeFile(atCall, "export default (engine) => engine.nothing.at.all;");
  const model = await scriptModel(["Hello."]);
  for (const command of [
    ["run", "hi", "--model", model],
    ["serve", model, "--port", "0"],
  ])
    for (const file of [atLoad, atCall]) {
      const { code, stdout, stderr } = await cli(...command, "--hooks", file);
      expect([code, stdout], `${command[0]} ${file}`).toEqual([1, ""]);
      expect(stderr).toMatch(/^llama-hooks: --hooks \S+at-\w+\.mjs: TypeError: .* \(FAILED\)\n +at .*at-\w+\.mjs:1:/);
    }
});

test("a TypeError of the command itself is a failure that shows its stack", async () => {
  const preload = path.join(await tempDir(), "preload.mjs");
  await writeFile(preload, 'process.stdout.write = () => { throw new TypeError("a defect"); };');
  const [node, command] = cliCommand;
  const { code, stderr } = await start(node, ["--import", pathToFileURL(preload).href, command, "completion", "bash"])
    .ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^llama-hooks: TypeError: a defect \(FAILED\)\n +at .*preload\.mjs/);
});
