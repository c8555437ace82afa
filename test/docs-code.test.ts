// The code in README.md and docs/: every block compiles, and those of the README that are whole programs run.
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { node, quiet } from "./fixtures/child.js";
import { scriptModel, tempDir } from "./support/engine.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const pages = ["README.md", "docs/adapters.md", "docs/agent.md", "docs/hooks.md", "docs/downloads.md"];

interface Block {
  readonly page: string;
  /** Where it begins. */
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

/** What stands around a block that is no whole program; a block that declares one of these has its own. */
const context = `
import type * as api from "llama-hooks";
declare global {
  const cancel: typeof api.cancel;
  const defineHooks: typeof api.defineHooks;
  const tool: typeof api.tool;
  const engine: api.Engine;
  const session: api.Session;
  const options: api.SessionOptions;
  const search: api.SessionTool;
  const write: api.SessionTool;
  function handler(event: api.PreGenerateEvent): undefined;
  function allowed(path: string): boolean;
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
  const compilerOptions = { module: "nodenext", target: "es2023", strict: true, noEmit: true, types: ["node"] };
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

/** What a program of the README says, with a script model in the place of one that nobody has here. */
async function runProgram(has: string, replies: Parameters<typeof scriptModel>[0] = []): Promise<string[]> {
  const block = (await blocksOf("README.md", "ts")).find(({ code }) => code.includes(has));
  expect(block).toBeDefined();
  const model = await scriptModel(replies);
  const code = (block?.code ?? "")
    .replace('"qwen2.5-0.5b-q4_0.gguf"', JSON.stringify(model))
    .replace('"script.gguf"', JSON.stringify(`${model}.second`));
  const { stdout, ...end } = await node(["--input-type=module", "--eval", code]);
  expect(end).toEqual(quiet(0));
  return stdout.trimEnd().split("\n");
}

test("the README's first program masks digits, and leaves calls of tools alone", async () => {
  expect(await runProgram("mask-digits", ["It is 42."])).toEqual(["It is ##.stop undefined"]);
});

test("the README's session calls its tool with the bundled model", async () => {
  expect(await runProgram("engine.session")).toEqual(["calculator 84", "12 * 7 = 84. 4"]);
});

test("the README's script model is written", async () => {
  expect(await runProgram("writeScriptModel")).toEqual([""]);
});
