// The example and the program of the guide, as users run them.
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { node } from "../fixtures/child.js";
import { tempDir } from "../support/engine.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The output of a program in a project that has this package and OpenTelemetry. */
async function printed(code: string): Promise<string> {
  const folder = await tempDir();
  await mkdir(path.join(folder, "node_modules"));
  await symlink(root, path.join(folder, "node_modules", "llama-hooks"), "dir");
  const packages = path.join("node_modules", "@opentelemetry");
  await symlink(path.join(root, packages), path.join(folder, packages), "dir");
  await writeFile(path.join(folder, "main.mjs"), code);
  const { code: status, stdout, stderr } = await node([path.join(folder, "main.mjs")]);
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

test("the example prints the spans of its runs, with the veto", async () => {
  const spans = await printed(await readFile(path.join(root, "examples", "opentelemetry.mjs"), "utf8"));
  const names = [...spans.matchAll(/^ {2}name: '(.*)',$/gm)].map(([, name]) => name);
  expect(names).toEqual([
    "load_model default",
    "chat default",
    "execute_tool calculator",
    "chat default",
    "invoke_agent",
    "chat default",
    "chat default",
    "invoke_agent",
    "request",
  ]);
  expect(spans).toContain("'llama_hooks.hook.reason': 'no more sums'");
});

test("the program of the guide prints what the guide says", async () => {
  const guide = await readFile(path.join(root, "docs", "guides", "opentelemetry.md"), "utf8");
  const [, program = "", prints = ""] = /^```js\n(.*?)^```\n\n```text\n(.*?)^```/ms.exec(guide) ?? [];
  expect(await printed(program)).toBe(prints);
});
