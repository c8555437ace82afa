import { copyFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cli, type Ended } from "../fixtures/child.js";
import { startOnTerminal } from "../fixtures/terminal.js";
import { scriptModel, tempDir } from "../support/engine.js";

// oxlint-disable-next-line no-control-regex
const escapes = /\u001b\[/;

async function onTerminal(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended | undefined> {
  return startOnTerminal(args, env)?.ended;
}

async function run(env: NodeJS.ProcessEnv = {}): Promise<Ended | undefined> {
  const hooks = ["--hooks", "test/fixtures/upper-hooks.mjs", "--trace"];
  return onTerminal(["run", "--model", await scriptModel(["Hello there."]), "--prompt", "hi", ...hooks], env);
}

test("on a terminal run shows its progress and uses colour", async () => {
  const ended = await run();
  if (ended === undefined) return;
  expect(ended.code).toBe(0);
  expect(ended.stdout).toMatch(/loading script\.gguf: \d+ %/);
  expect(ended.stdout).toContain("\u001b[1myou\u001b[22m");
  expect(ended.stdout).toContain("\u001b[36mchanged text\u001b[39m");
  expect(ended.stdout).toContain("HELLO THERE.");
});

test("on a terminal the progress is wiped away before anything else is shown", async () => {
  const ended = await run();
  if (ended === undefined) return;
  const lines = ended.stdout.split("\r\n").map((line) => line.split("\u001b[K").at(-1) ?? "");
  expect(lines.filter((line) => line.includes("loading"))).toEqual([]);
});

test.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("with %j a terminal gets no colour", async (env) => {
  const ended = await run(env);
  if (ended === undefined) return;
  expect(ended.code).toBe(0);
  // oxlint-disable-next-line no-control-regex
  expect(ended.stdout).not.toMatch(/\u001b\[\d+m/);
});

test("on a terminal --json is as plain as off it", async () => {
  const ended = await onTerminal(["run", "--model", await scriptModel(["Hello."]), "--prompt", "hi", "--json"], {});
  if (ended === undefined) return;
  expect(ended.stdout).not.toMatch(escapes);
  for (const line of ended.stdout.trim().split("\r\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
});

// Sets the title, moves the cursor, hides what follows, turns the direction of text; one begins with a C1 character, and
// one deletes.
const nasty = "\u001b]0;pwned\u0007\u001b[2J\u009b8m\u007f\u061c\u200e\u200f\u202a\u202ex\u2066\u2069\r";
const harmless = "␛]0;pwned␇␛[2J\ufffd8m␡\ufffd\ufffd\ufffd\ufffd\ufffdx\ufffd\ufffd␍";

// oxlint-disable-next-line no-control-regex
const ours = /\r\n|\r\u001b\[K|\u001b\[\d+m/g;
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The control characters in a text, except the colours and erasures that this package writes. */
function obeyed(text: string): string[] {
  return text.replaceAll(ours, "").match(controls) ?? [];
}

test("on a terminal nothing is obeyed that a model, a tool or a hook wrote; off it stdout has what was said", async () => {
  const folder = await tempDir();
  const given = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const tools = await given(
    "tools.mjs",
    `const text = { type: "string" };
export default { name: "evil", parameters: { type: "object", properties: { text } }, run: () => ${JSON.stringify(`from a tool ${nasty}`)} };`,
  );
  const hooks = await given(
    "hooks.mjs",
    `let calls = 0;
export default { name: ${JSON.stringify(`hook ${nasty}`)}, handlers: {
  preToolCall() { throw new Error(${JSON.stringify(`from a failure ${nasty}`)}); },
  preGenerate: () => undefined,
} };`,
  );
  const sayable = nasty.replace("\u007f", ""); // a model's calls are held to a grammar that has no such character
  const call = { toolCalls: [{ name: "evil", args: { text: `from arguments ${sayable}` } }] };
  const model = path.join(folder, "m\u001b[7m.gguf");
  await copyFile(await scriptModel([call, `from the model ${nasty}.`]), model);
  const args = ["run", "--model", model, "--prompt", `hi ${nasty}`, "--tools", tools, "--hooks", hooks];
  for (const more of [["--trace"], []]) {
    const ended = await onTerminal([...args, ...more], {});
    if (ended === undefined) return;
    expect(ended.code).toBe(0);
    expect(obeyed(ended.stdout)).toEqual([]);
    expect(ended.stdout).toContain("loading m␛[7m.gguf");
    expect(ended.stdout).toContain(`from the model ${harmless}.`);
    expect(ended.stdout).toContain(`from a tool ${harmless}`);
    // A trace shows the failure itself; without one, the engine's warning has it, in which the engine escapes it.
    expect(ended.stdout).toMatch(/from a failure (?:␛\]0;pwned␇|\\u001b\]0;pwned\\u0007)/);
  }
  const json = await onTerminal([...args, "--json", "--trace"], {});
  expect(obeyed(json?.stdout ?? "")).toEqual([]);
  const { stdout, stderr } = await cli(...args, "--trace");
  expect(stdout).toBe(`from the model ${nasty}.\n`);
  expect(obeyed(stderr)).toEqual([]);
});

test("on a terminal nothing is obeyed that stands in a message of failure", async () => {
  for (const args of [
    ["run", "--prompt", "hi", "--model", `${nasty}.gguf`],
    ["run", "--prompt", "hi", "--hooks", `${nasty}.mjs`],
    ["run", "--prompt", "hi", `--${nasty}`],
    ["models", "rm", `hf:${nasty}`],
    ["bench", "--model", `${nasty}.gguf`],
  ]) {
    const ended = await onTerminal(args, {});
    if (ended === undefined) return;
    expect(ended.code).not.toBe(0);
    expect(obeyed(ended.stdout), args.join(" ")).toEqual([]);
    // The engine escapes its messages, and the command those of the command. A long path changes where lines end.
    expect(ended.stdout.replaceAll(/\s/g, "")).toMatch(/llama-hooks:.*(?:␛]0;pwned␇|\\u001b]0;pwned\\u0007)/);
  }
});

test("on a terminal a long result of a tool continues below its beginning, and keeps its words and lines", async () => {
  const tools = path.join(await tempDir(), "tools.mjs");
  const text = `${"A line of many words. ".repeat(7)}Its end.\\n  indented\\n${"x".repeat(115)}\\n`;
  await writeFile(
    tools,
    `import { tool } from "llama-hooks";
    export const look = tool({ name: "look", description: "Looks.", run: () => "${text}" });`,
  );
  const model = await scriptModel([{ toolCalls: [{ name: "look", args: {} }] }, "Seen."]);
  const ended = await onTerminal(["run", "--model", model, "--prompt", "hi", "--tools", tools], { NO_COLOR: "1" });
  if (ended === undefined) return;
  const lines = ended.stdout.split("\r\n");
  const begin = lines.findIndex((line) => line.startsWith("tool "));
  const below = " ".repeat(9);
  expect(lines.slice(begin, begin + 6)).toEqual([
    `tool   ← ${"A line of many words. ".repeat(5)}A`,
    `${below}line of many words. A line of many words. Its end.`,
    `${below}  indented`,
    `${below}${"x".repeat(111)}`,
    `${below}${"x".repeat(4)}`,
    "Seen.",
  ]);
});
