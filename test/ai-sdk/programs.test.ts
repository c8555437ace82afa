// The program of the guide and the example, as users run them with each version of the AI SDK.
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { node } from "../fixtures/child.js";
import { tempDir } from "../support/engine.js";
import { ai7Folder, testWith } from "../support/integrations/node-22.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folders of the AI SDK. */
const versions = { "AI SDK 6": path.join(root, "node_modules", "ai-v6"), "AI SDK 7": ai7Folder };

/** The output of a program in a project that has this package and the AI SDK. */
async function printed(code: string, ai: string): Promise<string> {
  const folder = await tempDir();
  await mkdir(path.join(folder, "node_modules"));
  await symlink(root, path.join(folder, "node_modules", "llama-hooks"), "dir");
  await symlink(ai, path.join(folder, "node_modules", "ai"), "dir");
  await writeFile(path.join(folder, "main.mjs"), code);
  const { code: status, stdout, stderr } = await node([path.join(folder, "main.mjs")]);
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

for (const [name, ai] of Object.entries(versions)) {
  testWith(name === "AI SDK 7", `the program of the guide prints what the guide says, with ${name}`, async () => {
    const guide = await readFile(path.join(root, "docs", "guides", "ai-sdk.md"), "utf8");
    const [, program = "", prints = ""] = /^```js\n(.*?)^```\n\n```text\n(.*?)^```/ms.exec(guide) ?? [];
    expect(await printed(program, ai)).toBe(prints);
  });

  testWith(name === "AI SDK 7", `the example runs with ${name}`, async () => {
    const example = await readFile(path.join(root, "examples", "ai-sdk.mjs"), "utf8");
    expect(await printed(example, ai)).toBe(
      "What is 12 * 7? -> 12 * 7 = 84.\nMy password is hunter2. -> refused by no-passwords: passwords stay here\n",
    );
  });
}
