// The lines of --trace beside those of the run: each tool call, then its hooks, then its result.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

/** The lines shown, without times, up to the summary line. */
function shown(stderr: string): string[] {
  const lines = stderr.split("\n").map((line) =>
    line
      .replace(/^│ +\d+\.\d{3}s {2}/, "│ ")
      .replace(/ [\d.]+ (?:µs|ms|s)$/, "")
      .replace(/ {2,}(?=[\w-]+ →)/, " "),
  );
  return lines.slice(
    0,
    lines.findIndex((line) => /^\d+ tokens in /.test(line)),
  );
}

async function file(name: string, text: string): Promise<string> {
  const at = path.join(await tempDir(), name);
  await writeFile(at, text);
  return at;
}

test("the demonstration shows each call before the hooks that judge it, and its result behind them", async () => {
  const { stderr } = await cli("run", "--demo");
  expect(shown(stderr)).toEqual([
    "│ model loaded    default",
    "you    What is 12 * 7, and what does secrets.txt say? Have the scout check the weather in Oslo.",
    'model  → calculator({"expression":"12 * 7"})',
    "│ preToolCall keep-secrets → no change",
    "│ postToolCall always-sunny → no change",
    "tool   ← 84",
    'model  → read_file({"path":"secrets.txt"})',
    "│ preToolCall keep-secrets → cancelled: no secrets",
    "│ postToolCall always-sunny → no change",
    "tool   ← blocked by keep-secrets: no secrets",
    'model  → delegate({"tier":"scout","task":"check the weather in Oslo"})',
    "│ preToolCall keep-secrets → no change",
    "model  ⇒ scout: check the weather in Oslo",
    '  scout  → weather({"city":"Oslo"})',
    "│ preToolCall keep-secrets → no change",
    "│ postToolCall always-sunny → changed result",
    '  tool   ← {"city":"Oslo","temp_c":3,"condition":"sunny"}',
    "  scout  It is 3 °C in Oslo, sunny.",
    "│ postToolCall always-sunny → no change",
    "tool   ← It is 3 °C in Oslo, sunny.",
    "         [conversation scout-1]",
    expect.stringMatching(/^model {2}→ complete\(/),
    "│ preToolCall keep-secrets → no change",
    "│ complete cite-sources → cancelled: name your sources",
    "│ postToolCall always-sunny → no change",
    "tool   ← rejected: name your sources",
    expect.stringMatching(/^model {2}→ complete\(/),
    "│ preToolCall keep-secrets → no change",
    "│ complete cite-sources → no change",
    "│ postToolCall always-sunny → no change",
    "tool   ← completed",
  ]);
});

const hooks = `import { cancel, defineHooks } from "llama-hooks";
export const judge = defineHooks("judge", {
  preToolCall({ toolName, args }) {
    if (toolName === "wipe") return cancel("never");
    if (toolName === "old") return { toolName: "look" };
    return toolName === "look" && args.at === 1 ? { args: { at: 10 } } : undefined;
  },
  permissionCheck({ args }) {
    return { permission: args.at === 3 ? "deny" : "allow" };
  },
  postToolCall({ args }) {
    return args.at === 2 ? { result: "changed" } : undefined;
  },
});
export const keeps = defineHooks("keeps", { toolResultPersist: () => undefined });`;

const tools = `export const tools = ["look", "wipe", "old"].map((name) => ({
  name,
  parameters: { type: "object", properties: { at: { type: "number" } } },
  run: ({ at }) => name + " at " + at,
}));`;

const call = (name: string, at: number): { name: string; args: Record<string, unknown> } => ({ name, args: { at } });

test("calls of one message are shown one after the other, also those that are changed, renamed, refused and denied", async () => {
  const toolCalls = [call("look", 1), call("wipe", 5), call("look", 2), call("old", 4), call("look", 3)];
  const model = await scriptModel([{ toolCalls }, "Done."]);
  const session = await file("session.mjs", 'export default { permissions: [{ ask: "*" }] };');
  const args = ["--hooks", await file("hooks.mjs", hooks), "--tools", await file("tools.mjs", tools)];
  const { stderr } = await cli("run", "go", "--model", model, "--session", session, "--trace", ...args);
  expect(shown(stderr)).toEqual([
    "│ model loaded    default",
    "you    go",
    'model  → look({"at":10})',
    "│ preToolCall judge → changed args",
    "│ permissionCheck judge → changed permission",
    "│ postToolCall judge → no change",
    "│ toolResultPersist keeps → no change",
    "tool   ← look at 10",
    'model  → wipe({"at":5})',
    "│ preToolCall judge → cancelled: never",
    "│ postToolCall judge → no change",
    "│ toolResultPersist keeps → no change",
    "tool   ← blocked by judge: never",
    'model  → look({"at":2})',
    "│ preToolCall judge → no change",
    "│ permissionCheck judge → changed permission",
    "│ postToolCall judge → changed result",
    "│ toolResultPersist keeps → no change",
    "tool   ← changed",
    'model  → look({"at":4})',
    "│ preToolCall judge → changed toolName",
    "│ permissionCheck judge → changed permission",
    "│ postToolCall judge → no change",
    "│ toolResultPersist keeps → no change",
    "tool   ← look at 4",
    'model  → look({"at":3})',
    "│ preToolCall judge → no change",
    "│ permissionCheck judge → changed permission",
    "│ postToolCall judge → no change",
    "│ toolResultPersist keeps → no change",
    expect.stringMatching(/^tool {3}← denied/),
  ]);
});

test("a plan is shown before its steps, and the hooks that the command adds for itself are nowhere", async () => {
  const steps = [
    { name: "one", tool: "look", args: { at: 1 } },
    { name: "two", tool: "look", args: { at: 2 } },
  ];
  const model = await scriptModel([{ toolCalls: [{ name: "plan", args: { flow: "sequence", steps } }] }, "Done."]);
  const session = await file("session.mjs", 'export default { controlTools: ["plan"] };');
  const args = ["--hooks", await file("hooks.mjs", hooks), "--tools", await file("tools.mjs", tools)];
  const ended = await cli("run", "go", "--model", model, "--session", session, "--trace", ...args);
  const signs = shown(ended.stderr).map((line) => line.replace(/[({].*/, ""));
  expect(signs.slice(2, 20)).toEqual([
    "model  → plan",
    "│ preToolCall judge → no change",
    "│ permissionCheck judge → no change",
    "model  → look",
    "│ preToolCall judge → changed args",
    "│ permissionCheck judge → no change",
    "│ postToolCall judge → no change",
    "│ toolResultPersist keeps → no change",
    "tool   ← look at 10",
    "model  → look",
    "│ preToolCall judge → no change",
    "│ permissionCheck judge → no change",
    "│ postToolCall judge → changed result",
    "│ toolResultPersist keeps → no change",
    "tool   ← changed",
    "│ postToolCall judge → no change",
    "│ toolResultPersist keeps → no change",
    "tool   ← plan succeeded: 2 of 2 steps",
  ]);
  expect(ended.stderr).not.toContain("call-tracker");
  expect(ended.stderr).toContain("hooks: 12 calls, 2 changes, 0 vetoes, 0 failures");
});
