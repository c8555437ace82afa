// Saved sessions that somebody has edited: what a restore refuses, and counts that are as high as they can be.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openEngine, tempDir } from "../../support/engine.js";
import { calls } from "../../support/sessions.js";

interface File {
  usage: Record<string, unknown>;
  iterations: number;
  model: object;
  remembered: object[];
  queued: unknown[];
  children: { "coder-1": { tier: string }; "x-1"?: { tier: string } };
  conversation: { compactions: Record<string, unknown> };
}

/** Saves a session that has delegated once; returns its file and a function that restores it from an edited copy. */
async function saved() {
  const engine = await openEngine({
    replies: [calls("delegate", { tier: "coder", task: "Go." }), "Done.", "Again.", "And again."],
    scripts: [{ when: "You are coder.", replies: ["Written."] }],
  });
  const tiers = { lead: {}, coder: { system: "You are coder." } };
  const options = { tier: "lead", tiers, controlTools: ["delegate"], temperature: 0 } as const;
  const session = engine.session(options);
  await session.run("Go");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const text = await readFile(file, "utf8");
  return {
    file,
    async restore(edit: (json: File) => void) {
      const json = JSON.parse(text) as File;
      edit(json);
      await writeFile(file, JSON.stringify(json));
      return engine.restoreSession(file, options);
    },
  };
}

const edits: [string, (json: File) => void, RegExp][] = [
  ["tokens that are a text", (json) => (json.usage["prompt_tokens"] = "x"), /usage\.prompt_tokens/],
  ["fewer tokens than none", (json) => (json.usage["prompt_tokens"] = -5), /usage\.prompt_tokens/],
  ["unknown usage", (json) => (json.usage["hello"] = 1), /usage\.hello/],
  ["an unknown part of compactions", (json) => (json.conversation.compactions["hello"] = 1), /compactions/],
  ["another model's mark", (json) => (json.model = { hello: 1 }), /model/],
  ["a child without a tier", (json) => (json.children["coder-1"].tier = ""), /children\.coder-1/],
  ["a child of a tier that there is not", (json) => (json.children["x-1"] = json.children["coder-1"]), /children\.x-1/],
  [
    "an answer that is none",
    (json) => json.remembered.push({ tier: "lead", tool: "a", permission: "maybe" }),
    /remembered\[0\]\.permission/,
  ],
  ["a queued number", (json) => json.queued.push(1), /queued\[0\]: expected object, got number/],
  ["a queued null", (json) => json.queued.push({ content: "a" }, null), /queued\[1\]: expected object, got null/],
  ["a queued message without its text", (json) => json.queued.push({ items: "More" }), /queued\[0\]: lacks "content"/],
  [
    "a queued message of a wrong text",
    (json) => json.queued.push({ content: 5, context: [] }),
    /queued\[0\]\.content: expected string/,
  ],
  [
    "a queued message whose context is not a list of texts",
    (json) => json.queued.push({ content: "a", context: ["b", {}] }),
    /queued\[0\]\.context\[1\]: expected string/,
  ],
  [
    "a queued message with an unknown field",
    (json) => json.queued.push({ content: "a", context: [], role: "user" }),
    /queued\[0\]\.role/,
  ],
];

test.each(edits)("a file with %s is SESSION_FILE_INVALID, with the place", async (_, edit, where) => {
  const { restore } = await saved();
  await expect(restore(edit)).rejects.toMatchObject({
    code: "SESSION_FILE_INVALID",
    message: expect.stringMatching(where) as string,
  });
});

test("counts that are as high as they can be stay so, and are restored again", async () => {
  const most = 2 ** 31 - 1;
  const { file, restore } = await saved();
  const session = await restore((json) => {
    json.iterations = most;
    json.usage["prompt_tokens"] = most;
  });
  await session.run("Go on");
  await session.save(file);
  const now = JSON.parse(await readFile(file, "utf8")) as File;
  expect([now.iterations, now.usage["prompt_tokens"]]).toEqual([most, most]);
});
