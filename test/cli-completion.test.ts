import { spawnSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { cli, cliCommand, quiet, start } from "./fixtures/child.js";

const [node, main] = cliCommand;
const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;
let bashScript = "";

beforeAll(() => {
  bashScript = spawnSync(node, [main, "completion", "bash"], { encoding: "utf8" }).stdout;
});

/** What bash offers for the last word of a line, as it takes lines apart. */
async function offered(...words: string[]): Promise<string[]> {
  const code = `${bashScript}
    complete -p llama-hooks >&2
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    set -u
    _llama_hooks
    printf '%s\\n' "\${COMPREPLY[@]-}"`;
  const { code: status, stdout, stderr } = await start("bash", ["-c", code, "bash", "llama-hooks", ...words]).ended;
  expect([status, stderr]).toEqual([0, "complete -o default -F _llama_hooks llama-hooks\n"]);
  return stdout.split("\n").filter((line) => line !== "");
}

/** The commands or options that help lists. */
async function listed(pattern: RegExp, ...args: string[]): Promise<string[]> {
  const { stdout } = await cli(...args, "--help");
  return [...stdout.matchAll(pattern)].map(([, name = ""]) => name);
}

const options = /^ {2}(?:-\w, )?(--[\w-]+)/gm;

test.skipIf(!has("bash"))("bash is offered the commands, and the options of each, that help lists", async () => {
  const commands = await listed(/^ {2}([a-z]+)(?= )/gm);
  expect(commands.length).toBeGreaterThan(5);
  expect((await offered("")).sort()).toEqual(commands.sort());
  for (const command of commands.filter((name) => name !== "help")) {
    const found = await offered(command, "--");
    expect(found.sort(), command).toEqual((await listed(options, command)).sort());
  }
  expect(await offered("models", "")).toEqual(["rm"]);
  expect(await offered("models", "rm", "--")).toEqual(["--help"]);
});

test.skipIf(!has("bash"))(
  "bash is offered what begins as the word does, and the values that an option takes",
  async () => {
    expect(await offered("ru")).toEqual(["run"]);
    expect(await offered("run", "--mirostat-")).toEqual(["--mirostat-tau", "--mirostat-eta"]);
    expect(await offered("chat", "--trace", "--gpu", "")).toEqual(["auto", "cuda", "vulkan", "off"]);
    expect(await offered("run", "--gpu", "=", "vu")).toEqual(["vulkan"]);
    expect(await offered("run", "--gpu", "=")).toEqual(["auto", "cuda", "vulkan", "off"]);
    expect(await offered("bench", "--synthetic", "ti")).toEqual(["tiny"]);
    expect(await offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
  },
);

test.skipIf(!has("bash"))("where a file may stand, bash is left to offer files", async () => {
  expect(await offered("run", "--model", "")).toEqual([]);
  expect(await offered("run", "--hooks", "--tr")).toEqual([]);
  expect(await offered("run", "")).toEqual([]);
  expect(await offered("bench", "--json", "")).toEqual([]);
});

test("a word that is the value of an option is no command", async () => {
  if (!has("bash")) return;
  expect(await offered("run", "--prompt", "models", "--js")).toEqual(["--json"]);
});

test.each(["zsh", "fish"])("%s takes the script", async (shell) => {
  const { stdout, ...end } = await cli("completion", shell);
  expect(end).toEqual(quiet(0));
  for (const word of ["chat", "gpu-layers", "auto cuda vulkan off", "rm"]) expect(stdout).toContain(word);
  if (!has(shell)) return console.log(`not checked further: there is no ${shell} here`);
  expect(spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});

test("a shell that there is not is wrong usage, and so is none", async () => {
  const wrong = await cli("completion", "tcsh");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
  const none = await cli("completion");
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("missing required argument 'shell'")]);
});
