// The program of the guide and the example, as users run them.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../support/engine.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Starts a program in a project that has this package and the packages of MCP. */
async function started(code: string): Promise<ChildProcessWithoutNullStreams> {
  const folder = await tempDir();
  const packages = path.join(folder, "node_modules");
  await mkdir(packages);
  await symlink(root, path.join(packages, "llama-hooks"), "dir");
  for (const name of [".bin", "@modelcontextprotocol"])
    await symlink(path.join(root, "node_modules", name), path.join(packages, name), "dir");
  await writeFile(path.join(folder, "main.mjs"), code);
  return spawn(process.execPath, ["main.mjs"], { cwd: folder });
}

/** The output of a program. `answer` receives each piece of it, with the pieces before it. */
async function printed(code: string, typed: string, answer?: (said: string) => void): Promise<string> {
  const child = await started(code);
  child.stdin.end(typed);
  let said = "";
  if (answer !== undefined) child.stdout.on("data", (piece: Buffer) => answer((said += piece.toString())));
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

test("the example with the inspector writes what is allowed on its page, and nothing else", async () => {
  const example = await readFile(path.join(root, "examples", "inspector.mjs"), "utf8");
  const asked: unknown[] = [];
  let answering: Promise<void> | undefined;
  const printing = printed(example, "", (said) => {
    const url = /http:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}/.exec(said)?.[0];
    if (url !== undefined) answering ??= answerQuestions(new URL(url), asked);
  });
  expect(
    (await printing)
      .replace(/http:\S+/, "URL")
      .trimEnd()
      .split("\n"),
  ).toEqual([
    "Open URL and answer under Questions.",
    "files__read_text_file ok",
    "files__write_file ok",
    "files__write_file rejected_permission",
    "I have tried.",
    "notes.txt: The meeting is at one.",
  ]);
  await answering;
  expect(asked).toEqual(["The meeting is at one.", "It is cancelled."]);
});

/** Allows the first question of an inspector and denies the second, by the requests that its page sends. */
async function answerQuestions({ origin, hash }: URL, asked: unknown[]): Promise<void> {
  const headers = { authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" };
  const { body } = await fetch(`${origin}/events`, { headers });
  // The stream tells that questions have changed; the state has them.
  for await (const _ of body ?? new ReadableStream()) {
    const state = (await (await fetch(`${origin}/state`, { headers })).json()) as {
      readonly questions: readonly { readonly id: string; readonly args: { readonly content: string } }[];
    };
    for (const { id, args } of state.questions) {
      const answer = asked.push(args.content) === 1 ? { allow: true } : { allow: false, reason: "the person said no" };
      await fetch(`${origin}/answers`, { method: "POST", headers, body: JSON.stringify({ id, answer }) });
    }
    if (asked.length === 2) return;
  }
}
