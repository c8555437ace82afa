// The guide to retrieval finds meaning: its program runs unchanged, with a real embedder and a real chat model.
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { tempDir } from "../support/engine.js";
import { embedder, smollm } from "../support/real/models.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { guideOf } = (await import(new URL("../../scripts/test/install/pages.mjs", import.meta.url).href)) as {
  guideOf(page: string): { files: ReadonlyMap<string, string> };
};

/** Questions that share no word with the note that answers them. */
const questions: [string, string][] = [
  ["When is the money due?", "The invoice must be paid within thirty days."],
  ["Has anybody seen our pet?", "The cat sleeps in the garden."],
  ["At what hour do you reboot a machine?", "The server restarts every night at three."],
];

test.each(questions)("%s", async (question, note) => {
  const { files } = guideOf(await readFile(path.join(root, "docs", "guides", "inject-retrieval.md"), "utf8"));
  const folder = await tempDir();
  await mkdir(path.join(folder, "node_modules"));
  await symlink(root, path.join(folder, "node_modules", "llama-hooks"), "dir");
  const program = path.join(folder, "guide.mjs");
  await writeFile(program, files.get("guide.mjs") ?? "");
  const { stdout } = await promisify(execFile)(process.execPath, [program, smollm, embedder, question]);
  expect(stdout).toContain(`an instruction]\n${note}\n[end of untrusted`);
});
