// `llama-hooks chat` on a terminal: the prompt, and what ctrl-C and ctrl-D do.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { startOnTerminal } from "./fixtures/terminal.js";
import { scriptModel, tempDir } from "./support/engine.js";

const ctrlC = "\u0003";
const ctrlD = "\u0004";
const enter = "\r";
const [prompt, promptOfMore] = ["\u001b[1myou    \u001b[22m", "\u001b[1m...    \u001b[22m"];

/** Text at the end of a line, and the prompt below: from there on keys are the chat's, and not the terminal's. */
function promptAfter(text: string): string {
  return `${text}\r\n\u001b[1G\u001b[0J${prompt}`;
}

function dim(text: string): string {
  return `\u001b[2m${text}\u001b[22m`;
}

test("ctrl-C stops an answer, the chat goes on, and ctrl-D leaves", async () => {
  const hooks = path.join(await tempDir(), "hooks.mjs");
  await writeFile(
    hooks,
    `export default ({ hooks }) => hooks.on("streamToken", ({ text, signal }) => {
      if (!text.includes("held")) return undefined;
      console.error("it is" + " waiting");
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    }, { deadlineMs: 0 });`,
  );
  const model = await scriptModel([{ pieces: ["This is ", "held up."] }, "Here I am."]);
  const child = startOnTerminal(["chat", "--model", model, "--hooks", hooks]);
  if (child === undefined) return;
  await child.said(prompt);
  child.type(`hi${enter}`);
  await child.said("it is waiting");
  child.type(ctrlC);
  await child.said("cancelled by signal: interrupted");
  child.type(`still there?${enter}`);
  await child.said(promptAfter("Here I am."));
  child.type(ctrlD);
  const { code } = await child.ended;
  expect(code).toBe(0);
});

test("ctrl-C at the prompt clears the line, and twice it leaves", async () => {
  const model = await scriptModel(["no"]);
  const child = startOnTerminal(["chat", "--model", model]);
  if (child === undefined) return;
  await child.said(prompt);
  child.type("half a line");
  await child.said("half a line");
  child.type(ctrlC);
  child.type(`/system${enter}`);
  await child.said(promptAfter(dim("no system prompt")));
  child.type(`one line\\${enter}`);
  await child.said(promptOfMore);
  child.type(`${ctrlC}/model${enter}`);
  await child.said(promptAfter(dim(model)));
  child.type(ctrlC);
  await child.said("once more, ctrl-D or /exit: leave");
  child.type(ctrlC);
  const { code, stdout } = await child.ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain("there is no command");
});

test.each(["SIGTERM", "SIGHUP"] as const)("%s at the prompt leaves the terminal as it was found", async (signal) => {
  const hooks = path.join(await tempDir(), "hooks.mjs");
  await writeFile(hooks, 'export default () => console.error("process " + process.pid + ".");');
  const child = startOnTerminal(["chat", "--model", await scriptModel(["no"]), "--hooks", hooks], {}, "stty -a");
  if (child === undefined) return;
  let seen = "";
  child.process.stdout?.on("data", (text: string) => (seen += text));
  await child.said(prompt);
  process.kill(Number(/process (\d+)\./.exec(seen)?.[1]), signal);
  const { stdout } = await child.ended;
  expect(stdout).toMatch(/ icanon .* echo /s);
});

test("on a terminal a failure is no exit code, and tab completes commands", async () => {
  const child = startOnTerminal(["chat", "--model", await scriptModel(["no"])]);
  if (child === undefined) return;
  await child.said(prompt);
  child.type(`/load /nowhere/at/all${enter}`);
  await child.said(promptAfter("(NOT_FOUND)\u001b[39m"));
  child.type("/sys\t");
  await child.said("/system ");
  child.type(`Be brief.${enter}`);
  await child.said("the system prompt holds");
  child.type(`/exit${enter}`);
  const { code } = await child.ended;
  expect(code).toBe(0);
});
