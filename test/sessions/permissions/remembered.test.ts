// Answers that a session remembers.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { HookAnswerOf, Session } from "../../../src/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { calls, told, weather } from "../../support/sessions.js";

async function remembered(session: Session): Promise<unknown[]> {
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  return (JSON.parse(await readFile(file, "utf8")) as { remembered: unknown[] }).remembered;
}

test("an answer that is given again and again is remembered once, and another one takes its place", async () => {
  const engine = await openEngine({ replies: [calls("weather", { city: "Oslo" })], afterLast: "repeat" });
  const session = engine.session({
    tools: [weather],
    temperature: 0,
    maxIterations: 1,
    permissions: [{ ask: "*" }],
  }) as Session;
  session.hooks.on("preToolCall", () => ({ permission: "ask" })); // also where an answer is remembered
  let answer: HookAnswerOf<"permissionCheck"> = { permission: "allow", remember: "tool" };
  session.hooks.on("permissionCheck", () => answer);
  for (let i = 0; i < 5; i++) expect(told(await session.run("Go"))).toEqual(["Oslo: 4 degrees"]);
  expect(await remembered(session)).toHaveLength(1);
  answer = { permission: "deny", remember: "tool" };
  for (let i = 0; i < 3; i++) expect(told(await session.run("Go"))[0]).toMatch(/^denied/);
  expect(await remembered(session)).toHaveLength(2);
  answer = { permission: "allow", remember: "call" };
  for (let i = 0; i < 3; i++) expect(told(await session.run("Go"))).toEqual(["Oslo: 4 degrees"]);
  expect(await remembered(session)).toHaveLength(3);
});
