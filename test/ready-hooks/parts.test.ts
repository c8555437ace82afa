// Parts of results: redact() lets none through that shows what it masks, and cache() keeps no result that has some.
import { expect, test } from "vitest";
import { type RunEvent, tool } from "../../src/index.js";
import { cache, redact } from "../../src/ready-hooks/index.js";
import { openEngine } from "../support/engine.js";
import { calls, runOnce, resultTexts } from "../support/sessions.js";

const gives = (text: string, parts: readonly unknown[]) => tool({ name: "look", run: () => ({ text, parts }) });

test.each([
  ["the text", "hunter2", [{ text: "fine" }], "[redacted]"],
  ["a part", "fine", [{ text: "it is hunter2" }], "fine\n[the parts of this result were removed]"],
  ["a key of a part", "fine", [{ nested: [{ hunter2: 1 }] }], "fine\n[the parts of this result were removed]"],
] as const)("redact() removes parts if %s matches", async (_, text, parts, left) => {
  const engine = await openEngine([calls("look"), "Done."]);
  engine.hooks.use(redact("hunter2"));
  const run = engine.session({ tools: [gives(text, parts)] }).run("Look");
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  const result = await run;
  expect(resultTexts(result)).toEqual([left]);
  expect(JSON.stringify([events, result])).not.toContain("hunter2");
});

test("redact() leaves other parts as they are", async () => {
  const engine = await openEngine([calls("look"), "Done."]);
  engine.hooks.use(redact("hunter2"));
  const result = await runOnce(engine, { tools: [gives("fine", [{ text: "fine" }, null, 1])] });
  expect(result.toolCalls).toMatchObject([{ result: "fine", parts: [{ text: "fine" }, null, 1] }]);
});

test("cache() keeps no result with parts", async () => {
  const engine = await openEngine([calls("look"), calls("look"), "Done."]);
  const store = new Map<string, string>();
  engine.hooks.use(cache(store));
  const result = await runOnce(engine, { tools: [gives("fine", [1])] });
  expect(result.toolCalls).toMatchObject([{ parts: [1] }, { parts: [1] }]);
  expect(store.size).toBe(0);
});
