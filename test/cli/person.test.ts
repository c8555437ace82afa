// A person at the terminal: calls for which the rules say ask, and the page that stays after a run.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cli } from "../fixtures/child.js";
import { startOnTerminal } from "../fixtures/terminal.js";
import { scriptModel, tempDir } from "../support/engine.js";

const ctrlC = "\u0003";
const escape = "\u001b";
const question = 'may this call run? weather({"city":"Oslo"}) (rule: ask weather)';

async function options(replies: readonly string[] = ["It is done."]): Promise<string[]> {
  const file = path.join(await tempDir(), "session.mjs");
  await writeFile(file, 'export default { permissions: [{ ask: "weather" }] };');
  const model = await scriptModel([{ toolCalls: [{ name: "weather", args: { city: "Oslo" } }] }, ...replies]);
  return ["--model", model, "--tools", "demo", "--session", file];
}

const answers: [key: string, printed: string][] = [
  ["y", '← {"city":"Oslo"'],
  ["n", "denied: by person at the terminal"],
  [escape, "denied: by person at the terminal"],
];

test.each(answers)("run on a terminal asks, and %j decides", async (key, printed) => {
  const child = startOnTerminal(["run", "--prompt", "hi", ...(await options())]);
  if (child === undefined) return;
  await child.said(question);
  await child.said("y/n    ");
  child.type(key);
  await child.said("It is done.");
  const { code, stdout } = await child.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining(printed)]);
});

test("chat on a terminal asks, continues with the next message, and does not list its own hook", async () => {
  const child = startOnTerminal(["chat", ...(await options())]);
  if (child === undefined) return;
  await child.said("you    ");
  child.type("hi\r");
  await child.said("y/n    ");
  child.type("y");
  await child.said("It is done.");
  child.type("/hooks\r");
  await child.said("no hooks");
  child.type("/exit\r");
  const { code, stdout } = await child.ended;
  expect(code).toBe(0);
  expect(stdout).toContain('← {"city":"Oslo"');
});

test("ctrl-C at the question denies the call and stops the run", async () => {
  const child = startOnTerminal(["run", "--prompt", "hi", ...(await options())]);
  if (child === undefined) return;
  await child.said("y/n    ");
  child.type(ctrlC);
  const { code, stdout } = await child.ended;
  expect(code).toBe(130);
  expect(stdout).not.toContain('← {"city":"Oslo"');
});

test("a hook of a file answers before the person is asked", async () => {
  const hooks = path.join(await tempDir(), "hooks.mjs");
  await writeFile(hooks, 'export default ({ hooks }) => hooks.on("permissionCheck", () => ({ permission: "allow" }));');
  const child = startOnTerminal(["run", "--prompt", "hi", ...(await options()), "--hooks", hooks]);
  if (child === undefined) return;
  const { code, stdout } = await child.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining('← {"city":"Oslo"')]);
  expect(stdout).not.toContain("may this call run?");
});

test("off a terminal, and with --json on one, no question is asked, and the call is denied", async () => {
  const args = ["run", "--prompt", "hi", ...(await options())];
  const { code, stdout, stderr } = await cli(...args);
  expect([code, stdout]).toEqual([0, "It is done.\n"]);
  expect(stderr).toContain("← denied");
  expect(stderr).not.toContain("may this call run?");
  const child = startOnTerminal([...args, "--json"]);
  if (child === undefined) return;
  expect((await child.ended).stdout).not.toContain("may this call run?");
});

test("on a terminal run --inspect stays until ctrl-C and says so, with the exit code of its run", async () => {
  const child = startOnTerminal(["run", "--prompt", "hi", "--model", await scriptModel(["Hello."]), "--inspect"]);
  if (child === undefined) return;
  let seen = "";
  child.process.stdout?.on("data", (text: string) => (seen += text));
  await child.said("the inspector stays open; ctrl-C ends it");
  expect(seen).toContain("Hello.");
  const url = /inspector: (http:\S+)/.exec(seen)?.[1] ?? "";
  expect((await fetch(url)).status).toBeLessThan(400);
  child.type(ctrlC);
  expect((await child.ended).code).toBe(0);
});

test("ctrl-C while the engine closes ends it: it does not stay", async () => {
  const hooks = path.join(await tempDir(), "hooks.mjs");
  const code = `export default ({ hooks }) => hooks.on("modelUnload", async () => {
    const heard = new Promise((resolve) => process.once("SIGINT", resolve));
    process.kill(process.pid, "SIGINT");
    await heard;
  }, { name: "impatient" });`;
  await writeFile(hooks, code);
  const model = await scriptModel(["Hello."]);
  const tooLong = "x".repeat(9000); // so that the page would stay to show the failure
  const child = startOnTerminal(["run", "--prompt", tooLong, "--model", model, "--inspect", "--hooks", hooks]);
  if (child === undefined) return;
  const { code: exit, stdout } = await child.ended;
  expect([exit, stdout]).toEqual([1, expect.stringContaining("(PROMPT_TOO_LONG)")]);
  expect(stdout).not.toContain("the inspector stays open");
});

test("it stays after a failure, too, and not in a pipe", async () => {
  const args = ["run", "--prompt", "x".repeat(9000), "--model", await scriptModel(["Hello."]), "--inspect"];
  expect(await cli(...args)).toMatchObject({ code: 1, stdout: "" });
  const child = startOnTerminal(args);
  if (child === undefined) return;
  await child.said("the inspector stays open");
  child.type(ctrlC);
  const { code, stdout } = await child.ended;
  expect([code, stdout]).toEqual([1, expect.stringContaining("(PROMPT_TOO_LONG)")]);
});
