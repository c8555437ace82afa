// `llama-hooks chat` on a terminal: the prompt, and what ctrl-C and ctrl-D do.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { startOnTerminal } from "../fixtures/terminal.js";
import { scriptModel, tempDir } from "../support/engine.js";

const ctrlC = "\u0003";
const ctrlD = "\u0004";
const enter = "\r";
/** The terminal marks what is pasted, or does so no longer. */
const marks = { on: "\u001b[?2004h", off: "\u001b[?2004l" };
const [prompt, promptOfMore] = ["\u001b[1myou    \u001b[22m", "\u001b[1m...    \u001b[22m"];

/** Text at the end of a line, and the prompt below: from there on keys are the chat's, and not the terminal's. */
function promptAfter(text: string): string {
  return `${text}\r\n${marks.on}\u001b[1G\u001b[0J${prompt}`;
}

/** The same below an answer, which has its figures in between. */
function promptAfterAnswer(text: string): RegExp {
  const figures = String.raw`\r\n\u001b\[2m\d+ tokens/s · context: \d+ of \d+ tokens, \d+ %\u001b\[22m`;
  const [answer, prompted] = [text, promptAfter("")].map((one) => one.replaceAll(/[.[?]/g, String.raw`\$&`));
  return new RegExp(`${answer}${figures}${prompted}`);
}

function dim(text: string): string {
  return `\u001b[2m${text}\u001b[22m`;
}

test("ctrl-C stops an answer, the chat continues, and ctrl-D leaves", async () => {
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
  await child.said(promptAfterAnswer("Here I am."));
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
  await child.said("ctrl-C again, ctrl-D or /exit leaves the chat");
  child.type(ctrlC);
  const { code, stdout } = await child.ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain("unknown command");
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

test("on a terminal a failure is not an exit code, and tab completes commands", async () => {
  const child = startOnTerminal(["chat", "--model", await scriptModel(["no"])]);
  if (child === undefined) return;
  await child.said(prompt);
  child.type(`/load /nowhere/at/all${enter}`);
  await child.said(promptAfter("(NOT_FOUND)\u001b[39m"));
  child.type("/sys\t");
  await child.said("/system ");
  child.type(`Be brief.${enter}`);
  await child.said("the system prompt applies");
  child.type(`/exit${enter}`);
  const { code } = await child.ended;
  expect(code).toBe(0);
});

/** As a terminal hands over what is pasted. */
function paste(text: string): string {
  return `\u001b[200~${text}\u001b[201~`;
}

/** A chat on a terminal that writes what the model is asked, as JSON. Undefined where there is no terminal. */
async function startAsked(replies: number): Promise<ReturnType<typeof startOnTerminal>> {
  const hooks = path.join(await tempDir(), "hooks.mjs");
  await writeFile(
    hooks,
    `export default ({ hooks }) => {
      console.error("process " + process.pid + ".");
      process.once("SIGUSR2", () => process.exit());
      hooks.on("preGenerate", ({ messages }) =>
        void console.error("asked " + JSON.stringify(messages.at(-1).content)));
    };`,
  );
  const answers = Array.from({ length: replies }, (_, i) => `Answer ${i + 1}.`);
  return startOnTerminal(
    ["chat", "--model", await scriptModel(answers), "--hooks", hooks, "--context-size", "8192"],
    {},
    "stty -a",
  );
}

function askedIn(stdout: string): unknown[] {
  return [...stdout.matchAll(/asked (".*")\r\n/g)].map(([, json = ""]) => JSON.parse(json) as unknown);
}

test("pasted lines are one message, without control characters, between what is typed before and behind them", async () => {
  const child = await startAsked(4);
  if (child === undefined) return;
  await child.said(prompt);
  child.type(`${paste("one\rtwo\r\nthree\nfour")}${enter}`);
  await child.said(promptAfterAnswer("Answer 1."));
  child.type(`before ${paste('one\\\r\t"""two\r')}`);
  await child.said(promptOfMore);
  child.type(`behind${enter}`);
  await child.said(promptAfterAnswer("Answer 2."));
  // ctrl-C, ctrl-D, ctrl-U, a colour, backspace, a bell and a NUL: as keys they would leave, clear, or do worse.
  child.type(`${paste("a\u0003\u0004b\r\u0015c\u001b[31md\u007fe\u0007\u0000\u009bf")}${enter}`);
  await child.said(promptAfterAnswer("Answer 3."));
  child.type(`ad\u001b[D${paste("b\rc")}${enter}`); // the cursor is left of the d
  await child.said(promptAfterAnswer("Answer 4."));
  child.type(ctrlD);
  const { stdout } = await child.ended;
  const asked = askedIn(stdout);
  expect(asked).toEqual(["one\ntwo\nthree\nfour", 'before one\\\n\t"""two\nbehind', "ab\ncdef", "ab\ncd"]);
});

test("what is pasted as a whole is not a command, behind a command it is its text, and ctrl-C drops it", async () => {
  const child = await startAsked(3);
  if (child === undefined) return;
  await child.said(prompt);
  child.type(`${paste("/exit\rtwo")}${enter}`);
  await child.said(promptAfterAnswer("Answer 1."));
  child.type(`/system ${paste("Be brief.\rBe kind.")}${enter}`);
  await child.said("the system prompt applies");
  child.type(`/system${enter}`);
  await child.said("Be brief.\r\nBe kind.");
  child.type(`"""${paste("a\r/b\r")}"""${enter}`);
  await child.said(promptAfterAnswer("Answer 2."));
  child.type(paste("dropped\rdropped, too"));
  await child.said("dropped, too");
  child.type(`${ctrlC}last${enter}`);
  await child.said(promptAfterAnswer("Answer 3."));
  child.type(`${paste("/exit\r")}${enter}`);
  const { stdout } = await child.ended;
  const asked = askedIn(stdout);
  expect(asked).toEqual(["/exit\ntwo", "a\n/b", "last"]);
});

test("a paste longer than what a terminal hands over at once is one message", async () => {
  const child = await startAsked(1);
  if (child === undefined) return;
  await child.said(prompt);
  const lines = Array.from({ length: 110 }, (_, i) => `${i}\tsome words of a line that is longer than others`);
  child.type(`${paste(lines.join("\r"))}${enter}`);
  await child.said(promptAfterAnswer("Answer 1."));
  child.type(ctrlD);
  const { stdout } = await child.ended;
  const asked = askedIn(stdout);
  expect(asked).toEqual([lines.join("\n")]);
});

test.each(["ctrl-D", "ctrl-C", "/exit", "SIGTERM", "SIGHUP", "process.exit"] as const)(
  "the terminal marks pastes at the prompt alone, and after %s no longer",
  async (end) => {
    const child = await startAsked(1);
    if (child === undefined) return;
    let seen = "";
    child.process.stdout?.on("data", (text: string) => (seen += text));
    await child.said(prompt);
    child.type(`hi${enter}`);
    await child.said(promptAfterAnswer("Answer 1."));
    expect(seen.slice(seen.indexOf(marks.off), seen.lastIndexOf(marks.on))).toContain("Answer 1.");
    const pid = Number(/process (\d+)\./.exec(seen)?.[1]);
    if (end === "ctrl-D") child.type(ctrlD);
    else if (end === "ctrl-C") {
      child.type(ctrlC);
      await child.said("ctrl-C again");
      child.type(ctrlC);
    } else if (end === "/exit") child.type(`/exit${enter}`);
    else if (end === "process.exit") process.kill(pid, "SIGUSR2");
    else process.kill(pid, end);
    const { stdout } = await child.ended;
    expect(stdout.lastIndexOf(marks.off)).toBeGreaterThan(stdout.lastIndexOf(marks.on));
    expect(stdout).toMatch(/ icanon .* echo /s);
  },
);

test("ctrl-Z gives the terminal back, and the prompt is there again afterwards", async () => {
  const child = await startAsked(1);
  if (child === undefined) return;
  await child.said(prompt);
  child.type("half a ");
  await child.said("half a ");
  child.type("\u001a"); // there is no shell that could go on, so the system does not stop the chat
  await child.said(`${marks.off}${marks.on}`);
  child.type(`line${enter}`);
  await child.said('asked "half a line"');
  await child.said(promptAfterAnswer("Answer 1."));
  child.type(ctrlD);
  await child.ended;
});

test("below each answer is how fast it came, and how full the context is", async () => {
  const child = await startAsked(2);
  if (child === undefined) return;
  await child.said(prompt);
  child.type(`hi${enter}`);
  await child.said(promptAfterAnswer("Answer 1."));
  child.type(`hi${enter}`);
  await child.said(promptAfterAnswer("Answer 2."));
  child.type(`/clear${enter}`);
  await child.said(promptAfter(dim("a new conversation begins")));
  child.type(`hi${enter}`);
  await child.said(new RegExp(`a new conversation begins[^]*${promptAfterAnswer("Answer 1.").source}`));
  child.type(ctrlD);
  const { code, stdout } = await child.ended;
  expect(code).toBe(0);
  const [first = 0, second = 0, ...rest] = [...stdout.matchAll(/context: (\d+) of 8192 tokens, \d+ %/g)].map(
    ([, tokens]) => Number(tokens),
  );
  expect(second).toBeGreaterThan(first);
  expect(rest).toEqual([first]);
});
