// Answers that a session remembers.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { HookAnswerOf, Session } from "../../../src/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { calls, resultTexts, weather } from "../../support/sessions.js";

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
  for (let i = 0; i < 5; i++) expect(resultTexts(await session.run("Go"))).toEqual(["Oslo: 4 degrees"]);
  expect(await remembered(session)).toHaveLength(1);
  answer = { permission: "deny", remember: "tool" };
  for (let i = 0; i < 3; i++) expect(resultTexts(await session.run("Go"))[0]).toMatch(/^denied/);
  expect(await remembered(session)).toHaveLength(2);
  answer = { permission: "allow", remember: "call" };
  for (let i = 0; i < 3; i++) expect(resultTexts(await session.run("Go"))).toEqual(["Oslo: 4 degrees"]);
  expect(await remembered(session)).toHaveLength(3);
});

test.each(["deny", "allow"] as const)(
  "an answer for all calls, %s, holds for those that had another one meanwhile",
  async (last) => {
    const engine = await openEngine({
      replies: ["Rome", "Oslo", "Rome", "Oslo"].map((city) => calls("weather", { city })),
      afterLast: "repeat",
    });
    const session = engine.session({ tools: [weather], temperature: 0, maxIterations: 1, permissions: [{ ask: "*" }] });
    const asks = session.hooks.on("preToolCall", () => ({ permission: "ask" })); // also where an answer is remembered
    const other = last === "deny" ? "allow" : "deny";
    const answers = [
      { permission: last, remember: "tool" },
      { permission: other, remember: "call" }, // of Oslo
      { permission: last, remember: "tool" },
    ] as const;
    const remembers = session.hooks.on("permissionCheck", ({ meta }) => answers[runs.indexOf(meta.runId)]);
    const runs: unknown[] = [];
    session.hooks.on("loopStart", ({ meta }) => void runs.push(meta.runId));
    for (let i = 0; i < 3; i++) await session.run("Go");
    asks.dispose();
    remembers.dispose();
    const [oslo] = resultTexts(await session.run("Go"));
    if (last === "allow") expect(oslo).toBe("Oslo: 4 degrees");
    else expect(oslo).toMatch(/^denied/);
  },
);
