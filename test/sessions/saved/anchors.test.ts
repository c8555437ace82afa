// Anchors of sessions that were saved or forked: which message they are, among others of the same words.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openEngine, tempDir } from "../../support/engine.js";
import { calls, directs } from "../../support/sessions.js";

const anchor = (content: string) =>
  calls("directs", { directives: [{ type: "context_anchor", params: { key: "k", content } }] });

test("a new anchor takes the place of the old one, and leaves what the user said in the same words", async () => {
  const replies = ["Yes.", anchor("Remember me"), "One.", anchor("New"), "Two."];
  const engine = await openEngine({ replies });
  const options = { tools: [directs], temperature: 0 };
  const session = engine.session(options);
  await session.run("Remember me");
  await session.run("Go on");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  for (const later of [session.fork(), engine.restoreSession(file, options), session]) {
    await later.run("Again");
    for (const compacted of [true, false]) {
      const said = later.history({ compacted }).filter(({ role }) => role === "user");
      const replaced = compacted ? [] : ["Remember me"];
      expect(said.map(({ content }) => content)).toEqual(["Remember me", "Go on", ...replaced, "Again", "New"]);
    }
  }
});

test("a file whose anchor is not a place of a message of the user is SESSION_FILE_INVALID", async () => {
  const engine = await openEngine([anchor("Old"), "One.", anchor("New"), "Two."]);
  const options = { tools: [directs], temperature: 0 };
  const session = engine.session(options);
  await session.run("Go");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const saved = JSON.parse(await readFile(file, "utf8"));
  const restore = async (k: unknown) => {
    await writeFile(file, JSON.stringify({ ...saved, conversation: { ...saved.conversation, anchors: { k } } }));
    return engine.restoreSession(file, options);
  };
  for (const wrong of ["Old", 0.5, -1, 99, 1, null])
    await expect(restore(wrong), String(wrong)).rejects.toMatchObject({ code: "SESSION_FILE_INVALID" });
});
