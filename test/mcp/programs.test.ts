// The program of the guide and the example, as users run them.
import { spawn } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../support/engine.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The output of a program in a project that has this package and the packages of MCP. */
async function printed(code: string, typed: string): Promise<string> {
  const folder = await tempDir();
  const packages = path.join(folder, "node_modules");
  await mkdir(packages);
  await symlink(root, path.join(packages, "llama-hooks"), "dir");
  for (const name of [".bin", "@modelcontextprotocol"])
    await symlink(path.join(root, "node_modules", name), path.join(packages, name), "dir");
  await writeFile(path.join(folder, "main.mjs"), code);
  const child = spawn(process.execPath, ["main.mjs"], { cwd: folder });
  child.stdin.end(typed);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(
    stderr.split("\n").filter((line) => !/Secure MCP Filesystem|does not support MCP Roots|^$/.test(line)),
  ).toEqual([]);
  return stdout;
}

test("the program of the guide prints what the guide says", async () => {
  const guide = await readFile(path.join(root, "docs", "guides", "mcp.md"), "utf8");
  const [, program = "", prints = ""] = /^```js\n(.*?)^```\n\n```text\n(.*?)^```/ms.exec(guide) ?? [];
  expect(await printed(program, "")).toBe(prints);
});

test("the example writes what a person approves, and nothing else", async () => {
  const example = await readFile(path.join(root, "examples", "mcp.mjs"), "utf8");
  const asks = (content: string): string =>
    `May it call files__write_file for notes.txt: ${JSON.stringify(content)}? [y/n]`;
  expect((await printed(example, "y\nn\n")).trimEnd().split("\n")).toEqual([
    "files__read_text_file ok",
    asks("The meeting is at one."),
    "files__write_file ok",
    asks("It is cancelled."),
    "files__write_file rejected_permission",
    "I have tried.",
    "notes.txt: The meeting is at one.",
  ]);
});
