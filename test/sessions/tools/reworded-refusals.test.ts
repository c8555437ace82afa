// A postToolCall hook may reword the text that the model receives about a call that did not run.
import { expect, test } from "vitest";
import { cancel, type SessionOptions, tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls, runOnce, resultTexts } from "../../support/sessions.js";

const thrower = tool({
  name: "read",
  parameters: { type: "object", properties: { path: { type: "string" } } },
  run: () => {
    throw new Error("gone");
  },
});

test.each<[kind: string, path: unknown, options: SessionOptions]>([
  ["error", "a", {}],
  ["rejected_schema", 1, {}],
  ["rejected_permission", "a", { permissions: [{ deny: "read" }] }],
  ["rejected_limit", "a", { maxToolCalls: 0 }],
  ["rejected_hook", "blocked", {}],
])("%s", async (kind, path, options) => {
  const engine = await openEngine([calls("read"), "Done."]);
  engine.hooks.on("preToolCall", () => (path === "blocked" ? cancel("no") : { args: { path } }));
  engine.hooks.on("postToolCall", ({ resultKind }) => ({ result: `Sorry: ${resultKind}.` }));
  const result = await runOnce(engine, { tools: [thrower], ...options });
  expect(resultTexts(result)).toEqual([`Sorry: ${kind}.`]);
  expect(result.toolCalls.map(({ resultKind }) => resultKind)).toEqual([kind]);
});
