// A hook whose `when` has a name that nothing has is reported after its last event; other hooks are not.
import { onTestFinished, expect, test } from "vitest";
import { defineHooks, type Engine, tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { calls, runOnce } from "../support/sessions.js";

const shell = tool({ name: "shell", description: "Runs a command.", run: () => "ok" });
const other = tool({ name: "other", description: "Does something else.", run: () => "ok" });
const tiers = { coder: { system: "You write code." } };
const nothing = (): undefined => undefined;

/** The messages of the warnings that the work causes. */
async function warned(work: () => Promise<unknown>): Promise<string[]> {
  const messages: string[] = [];
  const listen = (warning: Error & { readonly code?: string }): void => {
    if (warning.code === "HOOK_NEVER_MATCHED") messages.push(warning.message);
  };
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  await work();
  await new Promise((resolve) => setImmediate(resolve)); // process warnings come in a later turn
  process.off("warning", listen);
  return messages;
}

const engineOf = (): Promise<Engine> => openEngine([calls("shell"), "Done.", calls("shell"), "Done."]);

test.each([
  [
    "another case",
    { toolName: "Shell" },
    /when\.toolName is "Shell", and no tool has such a name; did you mean "shell"\?/,
  ],
  ["another name", { toolName: "bash" }, /when\.toolName is "bash", and no tool has such a name/],
  ["a RegExp", { toolName: /^fs_/ }, /when\.toolName is \/\^fs_\/, and no tool has such a name/],
  ["a RegExp with a flag", { toolName: /^FS_/i }, /when\.toolName is \/\^FS_\/i/],
  ["a tier", { tier: "codr" }, /when\.tier is "codr", and no tier has such a name; did you mean "coder"\?/],
  ["a second field", { iteration: 1, toolName: "Shell" }, /when\.toolName is "Shell"/],
])("%s that nothing has is a warning at close(), with hook, point, line and remedy", async (_, when, why) => {
  const engine = await engineOf();
  engine.hooks.on("preToolCall", nothing, { name: "mine", when });
  const messages = await warned(async () => {
    await runOnce(engine, { tools: [shell], tiers });
    await engine.close();
    await engine.close();
  });
  expect(messages).toEqual([expect.stringMatching(why)]);
  expect(messages[0]).toMatch(
    /^The hook "mine" at preToolCall, registered at .*never-matched\.test\.ts:\d+, was never called: its point fired once/,
  );
  expect(messages[0]).toMatch(/Correct `when`, or remove the hook\.$/);
});

test.each<[string, object]>([
  ["the tool that was called", { toolName: "shell" }],
  ["a tool that was not called", { toolName: "other" }],
  ["a control tool", { toolName: "complete" }],
  ["a RegExp for one of the tools", { toolName: /^oth/ }],
  ["a function", { toolName: () => false }],
  ["another iteration", { iteration: 99 }],
  ["a tier of the session", { tier: "coder" }],
  ["a tag", { "tags.user": "absent" }],
])("%s is not a mistake", async (_, when) => {
  const engine = await engineOf();
  engine.hooks.on("preToolCall", nothing, { when });
  const messages = await warned(async () => {
    await runOnce(engine, { tools: [shell, other], tiers });
    await engine.close();
  });
  expect(messages).toEqual([]);
});

test("a tier without an entry in `tiers`, which only hooks see, is a name, too: of a session, and of a generation", async () => {
  const engine = await openEngine([calls("shell"), "Done."]);
  engine.hooks.on("preToolCall", nothing, { when: { tier: "support" } });
  engine.hooks.on("preGenerate", nothing, { when: { tier: "summary" } });
  const messages = await warned(async () => {
    engine.session({ tier: "support" });
    await runOnce(engine, { tools: [shell] });
    await engine.generate("Hello", { tier: "summary", signal: AbortSignal.abort() });
    await engine.close();
  });
  expect(messages).toEqual([]);
});

test("hooks of a session are reported when it closes, and hooks without events are not", async () => {
  const engine = await engineOf();
  const session = engine.session({ tools: [shell] });
  session.hooks.guard("preToolCall", nothing, { name: "of the session", when: { toolName: "Shell" } });
  session.hooks.on("delegate", nothing, { name: "without an event", when: { targetTier: "absent" } });
  const messages = await warned(async () => {
    await session.run("Go");
    await session.close();
  });
  expect(messages).toEqual([expect.stringContaining('The hook "of the session" at preToolCall')]);
  expect(await warned(() => engine.close())).toEqual([]);
});

test("a tool that a session gets later counts, and so does one that it had", async () => {
  const engine = await engineOf();
  engine.hooks.on("preToolCall", nothing, { tool: other });
  const session = engine.session({ tools: [shell] });
  const messages = await warned(async () => {
    await session.run("Go");
    session.setTools([shell, other]);
    session.setTools([shell]);
    await engine.close();
  });
  expect(messages).toEqual([]);
});

test("an observer and a hook that was removed", async () => {
  const engine = await engineOf();
  engine.hooks.on("postToolCall", nothing, { name: "observer", observe: true, when: { toolName: /Shel+$/ } });
  engine.hooks.on("postToolCall", nothing, { name: "removed", when: { toolName: "Shell" } }).dispose();
  engine.hooks.use(defineHooks("set", { postToolCall: nothing }));
  const messages = await warned(async () => {
    await runOnce(engine, { tools: [shell] });
    await engine.close();
  });
  expect(messages).toEqual([expect.stringContaining('The hook "observer" at postToolCall')]);
});
