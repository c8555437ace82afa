// Recordings and sessions are saved in place of a symbolic link that has the name of the file.
import { lstat, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readRecording, recordRun } from "../../src/index.js";
import { openEngine, tempDir } from "../support/engine.js";

test("a recording and a session replace a link that has their name, and leave its target as it is", async () => {
  const engine = await openEngine(["Done."]);
  const session = engine.session();
  const recording = recordRun(session);
  await session.run("Hello");
  for (const save of [(to: string) => recording.save(to), (to: string) => session.save(to)]) {
    const folder = await tempDir();
    const [target, link] = [path.join(folder, "precious"), path.join(folder, "link.json")];
    await writeFile(target, "precious");
    await symlink(target, link);
    await save(link);
    expect((await lstat(link)).isFile()).toBe(true);
    expect((await lstat(link)).mode & 0o777).toBe(0o600);
    expect(await readFile(target, "utf8")).toBe("precious");
    expect(await readFile(link, "utf8")).toContain("Hello");
    if (save.toString().includes("recording")) expect((await readRecording(link)).runs).toHaveLength(1);
  }
});
