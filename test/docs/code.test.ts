// The code in README.md and docs/: every block compiles; those of docs/getting-started.md that are whole programs run,
// and so does the program at the beginning of the README.
import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cliCommand, start } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = [
  "README.md",
  "docs/getting-started.md",
  "docs/concepts/adapters.md",
  "docs/concepts/agent.md",
  "docs/concepts/compaction.md",
  "docs/concepts/delegation.md",
  "docs/concepts/permissions.md",
  "docs/concepts/sessions.md",
  "docs/concepts/stored-sessions.md",
  "docs/concepts/tools.md",
  "docs/concepts/embeddings.md",
  "docs/concepts/hooks.md",
  "docs/concepts/answers.md",
  "docs/guides/hooks-in-typescript.md",
  "docs/guides/hooks-in-c.md",
  "docs/guides/migrating.md",
  "docs/guides/downloads.md",
  "docs/reference/ready-hooks.md",
  "docs/guides/recordings.md",
  "docs/guides/server.md",
  "docs/guides/tracing.md",
];

interface Block {
  readonly page: string;
  /** The line where the block begins. */
  readonly line: number;
  readonly code: string;
}

async function blocksOf(page: string, language: string): Promise<Block[]> {
  const text = await readFile(path.join(root, page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    code: match[1] ?? "",
  }));
}

const blocks = async (language: string): Promise<Block[]> =>
  (await Promise.all(pages.map((page) => blocksOf(page, language)))).flat();

/** Declarations around a block that is not a whole program. A block that declares one of these names uses its own. */
const context = `
import type * as api from "llama-hooks";
declare global {
  const cancel: typeof api.cancel;
  const defineHooks: typeof api.defineHooks;
  const tool: typeof api.tool;
  const pointNames: typeof api.pointNames;
  type AnyHookEvent = api.AnyHookEvent;
  const decideToolCall: typeof api.decideToolCall;
  const audit: api.HookSet;
  const limits: api.HookSet;
  const engine: api.Engine;
  const session: api.Session;
  const options: api.SessionOptions;
  const search: api.SessionTool;
  const write: api.SessionTool;
  function handler(event: api.PreGenerateEvent): undefined;
  function allowed(path: string): boolean;
  const client: {
    callTool(call: { name: string; arguments: object }): Promise<{ content: { text?: string }[]; isError?: boolean }>;
  };
  function find(words: string, signal: AbortSignal): Promise<string[]>;
  function askSomebody(toolName: string, args: object): Promise<{ yes: boolean; always: boolean }>;
}`;

test("every block of TypeScript compiles", async () => {
  const folder = await tempDir();
  await mkdir(path.join(folder, "node_modules", "@types"), { recursive: true });
  await symlink(root, path.join(folder, "node_modules", "llama-hooks"), "dir");
  await symlink(path.join(root, "node_modules/@types/node"), path.join(folder, "node_modules/@types/node"), "dir");
  const all = await blocks("ts");
  expect(all.length).toBeGreaterThan(10);
  const files = all.map(({ page, line }) => `${path.basename(page, ".md")}-${line}.mts`);
  await Promise.all(all.map(({ code }, i) => writeFile(path.join(folder, files[i] ?? ""), `${code}\nexport {};\n`)));
  await writeFile(path.join(folder, "context.d.mts"), context);
  const usual = { module: "nodenext", target: "es2023", strict: true, noEmit: true, types: ["node"] };
  // scripts/test/install.mjs compiles the declarations of the package.
  const compilerOptions = { ...usual, skipLibCheck: true };
  const config = { compilerOptions, files: ["context.d.mts", ...files] };
  await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
  const said = await run(process.execPath, [tsc, "-p", folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(said).toBe("");
}, 300_000); // a compiler, on a machine that may be busy

test("every block of C compiles", async () => {
  const folder = await tempDir();
  for (const page of pages) {
    const code = (await blocksOf(page, "c")).map(({ code }) => code);
    if (code.length === 0) continue;
    const file = path.join(folder, `${path.basename(page)}.c`);
    await writeFile(file, ["#include <llama_hooks/hooks.h>", "#include <pthread.h>", ...code].join("\n"));
    const flags = ["-std=c99", "-Wall", "-Wextra", "-Wno-unused", "-Wno-unused-parameter", "-Werror", "-fsyntax-only"];
    await run("gcc", [...flags, "-I", path.join(root, "native", "include"), file]);
  }
});

const { firstMinutesOf, firstMinutesSay } = (await import(
  new URL("../../scripts/test/install/pages.mjs", import.meta.url).href
)) as {
  firstMinutesOf(page: string): { files: Map<string, string>; commands: string[] };
  firstMinutesSay: Map<string, string>;
};

test("the program at the beginning of the README prints what it says", async () => {
  const [program] = await blocksOf("README.md", "ts");
  const [prints] = await blocksOf("README.md", "text");
  const folder = await tempDir();
  await mkdir(path.join(folder, "node_modules"));
  await symlink(root, path.join(folder, "node_modules", "llama-hooks"), "dir");
  await writeFile(path.join(folder, "first.mjs"), program?.code ?? "");
  const { stdout } = await run(process.execPath, ["first.mjs"], { cwd: folder });
  expect(stdout).toBe(prints?.code);
}, 60_000); // a process, on a machine that may be busy

test("the commands and programs of docs/getting-started.md, typed as the page has them", async () => {
  const folder = await tempDir();
  const { files, commands } = firstMinutesOf(await readFile(path.join(root, "docs", "getting-started.md"), "utf8"));
  for (const [name, code] of files) await writeFile(path.join(folder, name), code);
  await mkdir(path.join(folder, "node_modules"));
  await symlink(root, path.join(folder, "node_modules", "llama-hooks"), "dir");
  // The reader's own model, in their home.
  await mkdir(path.join(folder, "models"));
  await copyFile(await scriptModel(["I am your own."]), path.join(folder, "models", "own.gguf"));

  const said: [string, string][] = [];
  for (const command of commands) {
    const line = `cd "$0" && ${command.replace("npx llama-hooks", '"$1" "$2"')}`;
    const { code, stdout, stderr } = await start("sh", ["-c", line, folder, ...cliCommand], { HOME: folder }).ended;
    expect([command, code, command.startsWith("npx ") ? "" : stderr]).toEqual([command, 0, ""]);
    said.push([command, stdout.replace(/^TAP[^]*# pass 1$[^]*/m, "pass 1").trimEnd()]);
  }
  expect(said).toEqual([...firstMinutesSay]);
}, 120_000); // each is a process, on a machine that may be busy
