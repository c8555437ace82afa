// The guides in docs/guides that are programs: each runs on the bundled model as it stands there, and prints what the
// guide says. Must not: know what any of them is about.
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../support/engine.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guides = path.join(root, "docs", "guides");

/** The input that a person types when asked. */
const typed: Readonly<Record<string, string>> = { "ask-a-person.md": "y\nn\n" };

interface Guide {
  /** By the name that the text gives last before the block. */
  readonly files: ReadonlyMap<string, string>;
  readonly commands: string;
  readonly prints: string;
}

const { guideOf } = (await import(new URL("../../scripts/test/install/pages.mjs", import.meta.url).href)) as {
  guideOf(page: string): Guide;
};

/** The guides that are no program. */
const prose = [
  "ai-sdk.md", // a program that needs the AI SDK: test/ai-sdk/programs.test.ts runs it
  "downloads.md",
  "hooks-in-c.md",
  "hooks-in-typescript.md",
  "inspector.md",
  "installing.md",
  "mcp.md", // a program that needs the packages of MCP: test/mcp/programs.test.ts runs it
  "migrating.md",
  "recordings.md",
  "isolation.md",
  "opentelemetry.md", // a program that needs OpenTelemetry: test/otel/programs.test.ts runs it
  "other-runtimes.md", // scripts/test/runtimes.mjs runs what it says
  "remote-models.md",
  "rpc.md",
  "server.md",
  "which-model.md",
  "windows.md",
  "server-sessions.md",
  "tracing.md",
];
const names = (await readdir(guides)).filter((name) => name.endsWith(".md") && !prose.includes(name));

test("there is a guide for each job, and docs/README.md links to each", async () => {
  const readme = await readFile(path.join(root, "docs", "README.md"), "utf8");
  expect(names.length).toBeGreaterThanOrEqual(10);
  expect(names.filter((name) => !readme.includes(`(guides/${name})`))).toEqual([]);
});

test.each(names)("%s runs as it stands there, and prints what it says", async (name) => {
  const { files, commands, prints } = guideOf(await readFile(path.join(guides, name), "utf8"));
  expect([files.size > 0, prints !== ""]).toEqual([true, true]);
  const folder = await tempDir();
  await mkdir(path.join(folder, "node_modules"));
  await symlink(root, path.join(folder, "node_modules", "llama-hooks"), "dir");
  for (const [file, code] of files) await writeFile(path.join(folder, file), code);
  const child = spawn("sh", ["-e", "-c", commands], { cwd: folder });
  child.stdin.end(typed[name] ?? "");
  const [out, errors] = [text(child.stdout), text(child.stderr)];
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  expect([code, await errors]).toEqual([0, ""]);
  // The guide does not show CMake's output.
  const said = (await out).split("\n").filter((line) => !/^(?:-- |\[ *\d+%\])/.test(line));
  expect(said.join("\n")).toBe(prints);
});
