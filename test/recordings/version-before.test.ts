// A recording of the version before: of a session with a tool, a hook and a delegated run.
import { expect, test } from "vitest";
import { cancel, defineHooks } from "../../src/index.js";
import { replayRun } from "../../src/testing/index.js";

const file = "test/fixtures/recording-0.1.0.json";

test("a recording of the version before is read and replayed without a difference", async () => {
  const { differences, missing, history } = await replayRun(file);
  expect([differences, missing]).toEqual([[], []]);
  expect(history.map(({ role, content }) => `${role}: ${content}`)).toEqual([
    "user: How is Oslo?",
    "assistant: One moment.",
    "tool: Oslo: 4 degrees (checked)",
    "assistant: It is cold.",
    "user: Write it",
    "assistant: ",
    "tool: It is written.\n[conversation coder-1]",
    "assistant: Done.",
  ]);
});

test("hooks act on it, and what they change is a difference", async () => {
  const strict = defineHooks("strict", {
    preToolCall: ({ toolName }) => (toolName === "weather" ? cancel("no") : undefined),
  });
  const { differences } = await replayRun(file, { hooks: [strict] });
  expect(JSON.stringify(differences)).toContain("blocked by strict: no");
});
