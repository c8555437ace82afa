// The memory of open sessions: their messages are kept once.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Engine, MessageInput } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const textLength = 2000;
const messagesOf = (session: number): MessageInput[] =>
  Array.from({ length: 800 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${session}.${index} `.repeat(textLength).slice(0, textLength),
  }));

/** Bytes of memory for each byte of text, of 20 sessions with 800 messages each. */
function growth(engine: Engine): number {
  collectGarbage();
  const before = process.memoryUsage.rss();
  const sessions = Array.from({ length: 20 }, (_, index) => engine.session({ history: messagesOf(index) }));
  collectGarbage();
  return (process.memoryUsage.rss() - before) / (sessions.length * 800 * textLength);
}

test("a session takes at most twice the memory of its text", async () => {
  const engine = await openEngine(["Yes."]);
  growth(engine); // what the process takes once
  expect(Math.min(growth(engine), growth(engine))).toBeLessThan(2);
});
