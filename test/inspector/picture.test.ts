import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (file: string): Promise<string> => readFile(new URL(file, root), "utf8");

test("docs/inspector.svg is drawn from the recorded trace: node scripts/inspector-picture.mjs", async () => {
  const script = fileURLToPath(new URL("scripts/inspector-picture.mjs", root));
  const { inspectorPicture } = (await import(script)) as { inspectorPicture(text: string): string };
  expect(await read("docs/inspector.svg")).toBe(inspectorPicture(await read("test/fixtures/inspector-trace.json")));
});
