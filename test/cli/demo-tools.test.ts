// The tools of the demonstration: who gets them, and what they reach.
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cli, cliWithInput, type Ended, jsonLines, start } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A file of hooks that write the names of the tools that the model is offered to stderr. */
async function printing(): Promise<string> {
  const file = path.join(await tempDir(), "telling.mjs");
  await writeFile(
    file,
    `export default ({ hooks }) => hooks.on("preGenerate", ({ tools }) =>
      void console.error("offered " + JSON.stringify((tools ?? []).map(({ name }) => name))));`,
  );
  return file;
}

function offered({ stderr }: Ended): string[] {
  return stderr.split("\n").filter((line) => line.startsWith("offered "));
}

test("a model of the user's own is offered no tools unless they are asked for", async () => {
  const model = await scriptModel(["Hello.", "Hello again."]);
  const args = ["--model", model, "--hooks", await printing()];
  const demo = 'offered ["calculator","weather","read_file"]';
  expect(offered(await cli("run", "hi", ...args))).toEqual(["offered []"]);
  expect(offered(await cliWithInput("hi\n", "chat", ...args))).toEqual(["offered []"]);
  expect(offered(await cli("run", "hi", ...args, "--tools", "demo"))).toEqual([demo]);
  const file = path.join(await tempDir(), "tools.mjs");
  await writeFile(file, 'export const dice = { name: "dice", run: () => 4 };');
  expect(offered(await cli("run", "hi", ...args, "--tools", file))).toEqual(['offered ["dice"]']);
  const both = await cli("run", "hi", ...args, "--tools", "demo", "--tools", file);
  expect(offered(both)).toEqual(['offered ["calculator","weather","read_file","dice"]']);
});

test("the bundled model is offered them, and in a chat loses them to a model of the user's own", async () => {
  const hooks = await printing();
  const own = await scriptModel(["Hello."]);
  const demo = 'offered ["calculator","weather","read_file"]';
  expect(offered(await cli("run", "hi", "--hooks", hooks))).toEqual([demo]);
  expect(offered(await cli("run", "hi", "--hooks", hooks, "--no-tools"))).toEqual(["offered []"]);
  const chat = await cliWithInput(`hi\n/model ${own}\nhi\n`, "chat", "--hooks", hooks);
  expect(offered(chat)).toEqual([demo, "offered []"]);
});

/** The results of read_file for each of the paths. */
async function read(paths: readonly string[], main = path.join(root, "dist/bundle/command.js")): Promise<unknown[]> {
  const toolCalls = paths.map((one) => ({ name: "read_file", args: { path: one } }));
  const session = path.join(await tempDir(), "session.mjs");
  await writeFile(session, "export default { maxCallsInARow: 100 };");
  const model = await scriptModel([{ toolCalls }, "Done."]);
  const args = [main, "run", "read", "--model", model, "--tools", "demo", "--session", session, "--json"];
  const { stdout } = await start(process.execPath, args).ended;
  const results = jsonLines(stdout).filter(({ type }) => type === "toolResult");
  return results.map(({ record }) => (record as { result: string }).result);
}

test("read_file reads the folder of examples that comes with the package, and nothing else", async () => {
  const outside = "error: outside the folder of examples";
  const missing = "error: no such file";
  const own = path.join(await tempDir(), "own.txt");
  await writeFile(own, "a key");
  const cases: readonly (readonly [path: string, result: unknown])[] = [
    ["notes.txt", expect.stringContaining("milk")],
    ["./notes.txt", expect.stringContaining("milk")],
    ["package.json", missing], // the current folder is the package's: it has one
    ["..", outside],
    ["../agent.mjs", outside],
    ["../files/notes.txt", outside],
    ["x/../notes.txt", outside],
    ["..\\agent.mjs", outside],
    [own, outside],
    [path.join(root, "examples/files/notes.txt"), outside],
    ["/etc/passwd", outside],
    ["~/.profile", missing],
    ["", missing],
    [".", missing],
    ["notes.txt/", missing],
    ["notes.txt\0", missing],
  ];
  expect(await read(cases.map(([one]) => one))).toEqual(cases.map(([, result]) => result));
});

test.skipIf(process.platform === "win32")("read_file follows no link out of the folder of examples", async () => {
  const copy = await tempDir();
  for (const name of ["dist", "examples", "schemas", "package.json"])
    await cp(path.join(root, name), path.join(copy, name), { recursive: true });
  for (const name of ["build", "models", "node_modules", "native"])
    await symlink(path.join(root, name), path.join(copy, name));
  const files = path.join(copy, "examples/files");
  await symlink(path.join(copy, "package.json"), path.join(files, "file.txt"));
  await symlink(copy, path.join(files, "folder"));
  await mkdir(path.join(copy, "examples/files-too"));
  await writeFile(path.join(copy, "examples/files-too/own.txt"), "a key");
  await symlink(path.join(copy, "examples/files-too"), path.join(files, "beside"));
  await symlink("notes.txt", path.join(files, "inside.txt"));
  const outside = "error: outside the folder of examples";
  const paths = ["file.txt", "folder/package.json", "beside/own.txt", "inside.txt"];
  const said = await read(paths, path.join(copy, "dist/bundle/command.js"));
  expect(said).toEqual([outside, outside, outside, expect.stringContaining("milk")]);
});
