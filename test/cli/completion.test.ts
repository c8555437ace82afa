import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { cli, cliCommand, quiet, start } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";
import { hubServer } from "../support/hub-server.js";

const [node, main] = cliCommand;
const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;
let bashScript = "";

beforeAll(() => {
  bashScript = spawnSync(node, [main, "completion", "bash"], { encoding: "utf8" }).stdout;
});

/** The words that bash offers for the last word of a line, split as bash splits lines. */
async function offered(...words: string[]): Promise<string[]> {
  return offeredWith({}, ...words);
}

async function offeredWith(env: NodeJS.ProcessEnv, ...words: string[]): Promise<string[]> {
  const code = `${bashScript}
    complete -p llama-hooks >&2
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    set -u
    _llama_hooks
    printf '%s\\n' "\${COMPREPLY[@]-}"`;
  const {
    code: status,
    stdout,
    stderr,
  } = await start("bash", ["-c", code, "bash", "llama-hooks", ...words], env).ended;
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
  const commands = await listed(/^ {2}([a-z-]+)(?= )/gm);
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
    expect(await offered("chat", "--trace", "--gpu", "")).toEqual(["auto", "cuda", "metal", "vulkan", "off"]);
    expect(await offered("run", "--gpu", "=", "vu")).toEqual(["vulkan"]);
    expect(await offered("run", "--gpu", "=")).toEqual(["auto", "cuda", "metal", "vulkan", "off"]);
    expect(await offered("bench", "--synthetic", "ti")).toEqual(["tiny"]);
    expect(await offered("bench", "--qui")).toEqual(["--quick"]);
    expect(await offered("completion", "")).toEqual(["bash", "zsh", "fish", "powershell"]);
    expect(await offered("run", "--mirostat", "")).toEqual(["0", "1", "2"]);
    expect(await offered("run", "--gpu-layers", "")).toEqual(["auto"]);
    expect(await offered("chat", "--context-size", "a")).toEqual(["auto"]);
    expect(await offered("help", "ch")).toEqual(["chat"]);
  },
);

test.skipIf(!has("bash"))("where a file may stand, bash is left to offer files", async () => {
  expect(await offered("run", "--model", "")).toEqual([]);
  expect(await offered("run", "--hooks", "--tr")).toEqual([]);
  expect(await offered("run", "")).toEqual([]);
  expect(await offered("bench", "--json", "")).toEqual([]);
});

test("a word that is the value of an option is not a command", async () => {
  if (!has("bash")) return;
  expect(await offered("run", "--prompt", "models", "--js")).toEqual(["--json"]);
});

/** A folder with a file and a folder in it, the command on PATH, and a model in the cache. */
async function project(): Promise<{ folder: string; env: NodeJS.ProcessEnv }> {
  const folder = await tempDir();
  const hub = await hubServer({ "script-Q4_K_M.gguf": await readFile(await scriptModel(["Hello."])) });
  await mkdir(path.join(folder, "bin"));
  await writeFile(path.join(folder, "bin", "llama-hooks"), `#!/bin/sh\nexec "${node}" "${main}" "$@"\n`, {
    mode: 0o755,
  });
  await mkdir(path.join(folder, "here", "models"), { recursive: true });
  await writeFile(path.join(folder, "here", "own.gguf"), "");
  const env = {
    PATH: `${path.join(folder, "bin")}${path.delimiter}${process.env["PATH"]}`,
    HOME: folder,
    LLAMA_HOOKS_CACHE: path.join(folder, "cache"),
    HF_ENDPOINT: hub.endpoint,
  };
  const pulled = await start("llama-hooks", ["pull", "hf:user/repo:Q4_K_M"], env).ended;
  expect(pulled.code).toBe(0);
  return { folder: path.join(folder, "here"), env };
}

test.skipIf(!has("bash"))("bash is offered the models that were fetched, colons and all", async () => {
  const { env } = await project();
  expect(await offeredWith(env, "run", "--model", "")).toEqual(["hf:user/repo:Q4_K_M"]);
  expect(await offeredWith(env, "run", "--model", "hf", ":", "us")).toEqual(["user/repo:Q4_K_M"]);
  expect(await offeredWith(env, "run", "--model", "hf", ":", "user/repo", ":")).toEqual(["Q4_K_M"]);
  expect(await offeredWith(env, "bench", "--model", "=", "hf", ":")).toEqual(["user/repo:Q4_K_M"]);
  expect(await offeredWith(env, "models", "rm", "h")).toEqual(["hf:user/repo:Q4_K_M"]);
  expect(await offeredWith(env, "run", "--model", "own")).toEqual([]);
});

test.skipIf(!has("fish"))("fish completes commands, options, values, files and fetched models", async () => {
  const { folder, env } = await project();
  const complete = async (line: string): Promise<string[]> => {
    const code = `cd $argv[1]; llama-hooks completion fish | source; complete -C $argv[2]`;
    const { stdout, ...end } = await start("fish", ["--no-config", "-c", code, folder, line], env).ended;
    expect(end).toEqual(quiet(0));
    return stdout.split("\n").flatMap((one) => (one === "" ? [] : [one.split("\t")[0] ?? ""]));
  };
  expect(await complete("llama-hooks ru")).toEqual(["run"]);
  expect(await complete("llama-hooks run --gpu-")).toEqual(["--gpu-layers"]);
  expect(await complete("llama-hooks run --gpu v")).toEqual(["vulkan"]);
  expect(await complete("llama-hooks run --gpu=v")).toEqual(["--gpu=vulkan"]);
  expect(await complete("llama-hooks run --hooks ow")).toEqual(["own.gguf"]);
  expect((await complete("llama-hooks run --model ")).sort()).toEqual(["hf:user/repo:Q4_K_M", "models/", "own.gguf"]);
  expect(await complete("llama-hooks run --model hf:us")).toEqual(["hf:user/repo:Q4_K_M"]);
  expect(await complete("llama-hooks models ")).toEqual(["rm"]);
  expect(await complete("llama-hooks models rm ")).toEqual(["hf:user/repo:Q4_K_M"]);
  expect(await complete("llama-hooks completion f")).toEqual(["fish"]);
});

const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux");

test.skipIf(!has("zsh") || !hasTerminal)("zsh completes commands, options, values, files and models", async () => {
  const { folder, env } = await project();
  const child = start("script", ["-qec", "exec zsh -f -i", "/dev/null"], { ...env, TERM: "dumb" }, { leaveOpen: true });
  // Enter shows the line instead of running it.
  child.type(`PS1=; autoload -Uz compinit && compinit -u -D && source <(llama-hooks completion zsh); cd "${folder}"
    shown() { zle -I; print -r -- "<$BUFFER>"; BUFFER=""; }; zle -N shown; bindkey '^M' shown; print ready:$((1))\n`);
  await child.said("ready:1");
  const completed = async (typed: string, line: string): Promise<void> => {
    child.type(`${typed}\t\r`);
    await child.said(`<llama-hooks ${line}>`);
  };
  await completed("llama-hooks ru", "run ");
  await completed("llama-hooks run --gpu-", "run --gpu-layers=");
  await completed("llama-hooks run --gpu v", "run --gpu vulkan ");
  await completed("llama-hooks run --gpu=c", "run --gpu=cuda ");
  await completed("llama-hooks run --hooks ow", "run --hooks own.gguf ");
  await completed("llama-hooks run --model=ow", "run --model=own.gguf ");
  await completed("llama-hooks run --model hf", "run --model hf:user/repo:Q4_K_M ");
  await completed("llama-hooks models ", "models rm ");
  await completed("llama-hooks models rm ", "models rm hf:user/repo:Q4_K_M ");
  await completed("llama-hooks completion z", "completion zsh ");
});

/** The texts of a table's row in the script for PowerShell, in which a quote is written twice. */
function rowOf(script: string, key: string, part: RegExp): string[] {
  const row = script.split("\n").find((line) => line.startsWith(`    '${key}' = `)) ?? "";
  const [found = ""] = part.exec(row) ?? [];
  return [...found.matchAll(/,@\('((?:[^']|'')*)', '(?:[^']|'')+'\)/g)].map(([, text = ""]) => text);
}

test("the tables of PowerShell have the commands, options and values that help lists", async () => {
  const { stdout: script } = await cli("completion", "powershell");
  const commands = await listed(/^ {2}([a-z-]+)(?= )/gm);
  expect(rowOf(script, "", /words = @\(.*?\);? options/).sort()).toEqual(commands.sort());
  for (const command of commands.filter((name) => name !== "help")) {
    const long = rowOf(script, command, /options = .*/).filter((flag) => flag.startsWith("--"));
    expect(long.sort(), command).toEqual((await listed(options, command)).sort());
  }
  expect(rowOf(script, "run --gpu", /.*/)).toEqual(["auto", "cuda", "metal", "vulkan", "off"]);
  expect(rowOf(script, "completion", /words = @\(.*?\); options/)).toEqual(["bash", "zsh", "fish", "powershell"]);
  expect(script).toContain("    'run --model' = $models\n");
  expect(script).toContain("    'models rm' = @{ words = $models; ");
  // Each quote is closed on its line, and each bracket in the script.
  for (const line of script.split("\n").filter((one) => one.startsWith("    '")))
    expect(line.replace(/'(?:[^']|'')*'/g, ""), line).not.toContain("'");
  const code = script.replace(/^#.*$/gm, "").replace(/'(?:[^']|'')*'/g, "''");
  for (const [open, close] of ["()", "{}", "[]"].map((pair) => [...pair]))
    expect(code.split(open ?? "").length, open).toBe(code.split(close ?? "").length);
});

test.each(["zsh", "fish", "powershell"])("there is a script for %s", async (shell) => {
  const { stdout, ...end } = await cli("completion", shell);
  expect(end).toEqual(quiet(0));
  for (const word of ["chat", "gpu-layers", "vulkan", "rm"]) expect(stdout).toContain(word);
});

test("a shell that there is not is wrong usage, and so is none", async () => {
  const wrong = await cli("completion", "tcsh");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish, powershell")]);
  const none = await cli("completion");
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("missing required argument 'shell'")]);
});
