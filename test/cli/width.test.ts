// The output of the command fits the terminal, and 80 columns in a pipe.
import { expect, test } from "vitest";
import { cli } from "../fixtures/child.js";
import { startOnTerminal } from "../fixtures/terminal.js";

const prints: [args: readonly string[], printed: string][] = [
  [["--help"], "completion"],
  [["run", "--help"], "Exit codes:"],
  [["chat", "--help"], "ctrl-C stops an answer"],
  [["serve", "--help"], "LLAMA_HOOKS_API_KEY"],
  [["bench", "--help"], "Leave the machine alone"],
  [["completion", "--help"], "PowerShell"],
  [["hooks"], "payload:"],
  [["doctor", "--gpu", "off"], "all is well"],
];

/** Lines of one unbreakable word: paths, options, commands. */
const isBreakable = (line: string): boolean =>
  !/\S{24}/.test(line) && !/^ *(?:source <|llama-hooks|function )/.test(line);

function check(text: string, columns: number): void {
  for (const line of text.split(/\r?\n/).filter(isBreakable)) expect(line.length, line).toBeLessThanOrEqual(columns);
}

test.each(prints)("%j fits 60 columns, with no word broken", async (args, printed) => {
  const child = startOnTerminal(args, { NO_COLOR: "1", TERM: "dumb" }, undefined, 60);
  if (child === undefined) return;
  const { stdout } = await child.ended;
  check(stdout, 60);
  const piped = (await cli(...args)).stdout;
  expect(piped).toContain(printed);
  check(piped, 80);
  const words = (text: string): string[] =>
    text
      .replaceAll(/\d+(?:\.\d+)?/g, "0")
      .split(/\s+/)
      .toSorted();
  if (args[0] !== "doctor") expect(words(stdout)).toEqual(words(piped));
});

test("the help of completion says how npx llama-hooks is completed", async () => {
  const { stdout } = await cli("completion", "--help");
  for (const line of [
    'llama-hooks() { npx llama-hooks "$@"; }',
    "function llama-hooks; npx llama-hooks $argv; end",
    "function llama-hooks { npx llama-hooks @args }",
  ])
    expect(stdout.split("\n").map((one) => one.trim())).toContain(line);
});
