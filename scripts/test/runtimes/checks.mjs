// The checks that each runtime must pass. A check runs in a project with the packed packages, by
// `run(args, { input, code, signal })`, which returns what the process prints and throws if it ends otherwise.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { firstMinutesOf, firstMinutesSay, guideOf } from "../install/pages.mjs";
import { projectDir } from "../../build/llama-paths.mjs";
import { zigEnvironment } from "../../build/zig.mjs";

const hello = "Hello! How can I help you?\n";

/** A check that runs a program, which prints this. */
const prints =
  (program, expected, options = {}) =>
  async ({ run, runtime }) =>
    assert.equal(await run([...runtime.file, program], options), expected);

/** The words of a line of a shell, without its quotes. */
function wordsOf(line, home) {
  const words = line.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', ""));
  return words.map((word) => word.replace(/^~/, home));
}

async function firstMinutes({ run, runtime, folder }) {
  const { files, commands } = firstMinutesOf(readFileSync(join(projectDir, "docs", "getting-started.md"), "utf8"));
  for (const [name, code] of files) writeFileSync(join(folder, name), code);
  await run([...runtime.file, "own-model.mjs"]);
  assert.equal(commands.length, firstMinutesSay.size);
  for (const line of commands) {
    const [program, ...words] = wordsOf(line, folder);
    if (program === "gcc") {
      const [compiler, ...first] = runtime.compiler?.() ?? [program];
      execFileSync(compiler, [...first, ...words, ...(runtime.library ?? [])], { cwd: folder, env: zigEnvironment() });
    } else if (words[0] === "--test") {
      await run([...runtime.test, ...words.slice(1)]); // each runtime reports in its own words
    } else {
      const args = program === "npx" ? [...runtime.command, ...words.slice(1)] : [...runtime.file, ...words];
      assert.equal((await run(args)).trimEnd(), firstMinutesSay.get(line), line);
    }
  }
}

/** The guides that are one program and need no compiler and no other package, with what a person types. */
const guides = {
  "ask-a-person.md": "y\nn\n",
  "audit.md": "",
  "budget.md": "",
  "cache.md": "",
  "guard-a-tool.md": "",
  "inject-retrieval.md": "",
  "keep-sessions.md": "",
  "redact.md": "",
  "two-tiers.md": "",
  "vram-guard.md": "",
};

async function guide(name, input, { run, runtime, folder }) {
  const page = guideOf(readFileSync(join(projectDir, "docs", "guides", name), "utf8"));
  for (const [file, code] of page.files) writeFileSync(join(folder, file), code);
  const [program] = page.files.keys();
  assert.equal(plain(await run([...runtime.file, program], { input })), plain(page.prints));
}

/** The output of console.log() without what differs between runtimes in how it shows objects. */
function plain(text) {
  return text.replaceAll('"', "'").replaceAll(/,?\s+/g, " ");
}

async function command({ run, runtime }) {
  const llamaHooks = (args, options) => run([...runtime.command, ...args, "--gpu", "off"], options);
  assert.equal(await llamaHooks(["run", "What is 12 * 7?"]), "12 * 7 = 84.\n");
  assert.equal(await llamaHooks(["chat"], { input: "Hello!\nWhat is 12 * 7?\n" }), `${hello}12 * 7 = 84.\n`);
  const found = await llamaHooks(["doctor"]);
  assert.match(found, /all is well\n$/);
  assert.match(found, new RegExp(`, ${runtime.name}[ ,]`));
}

async function stored(context) {
  await prints("stored.mjs", "0 2\n0 2\n")(context);
  await prints("stored.mjs", "1 4\n1 4\n")(context);
}

/** Copies the programs of the checks. */
export function writePrograms(folder) {
  cpSync(fileURLToPath(new URL("programs/", import.meta.url)), folder, { recursive: true });
}

/** Checks by name, in order. */
export const checks = {
  "every entry can be imported": prints("imports.mjs", "8 entries\n"),
  "docs/getting-started.md": firstMinutes,
  ...Object.fromEntries(
    Object.entries(guides).map(([name, input]) => [`docs/guides/${name}`, (context) => guide(name, input, context)]),
  ),
  "hooks in TypeScript": prints("hooks.mts", "12 * 7 = 85. true\nblocked by hook 3: no calculator\ncancelled\n"),
  "the command": command,
  "sessions go on in another process": stored,
  "an engine in a process of its own": prints("isolated.mjs", "la di da la\nENGINE_CRASHED\nla di da la\n"),
  server: async ({ run, runtime }) =>
    assert.equal(await run([...runtime.file, "server.mjs"]), hello.repeat(runtime.as === "node" ? 1 : 2)),
  "workers, two of which are terminated while tokens come": prints(
    "workers.mjs",
    `Hello! How can I help you?${" HELLO! HOW CAN I HELP YOU?".repeat(2)}\n0 0\ntokens\ntokens\n${hello}`,
  ),
  "process.exit() while tokens come": prints("exit.mjs", "exit 7\n", { code: 7 }),
  "SIGTERM while tokens come": prints("signal.mjs", "", { signal: "SIGTERM" }),
  "what is under way is published to subscribers": prints("traced.mjs", "start end asyncStart asyncEnd\n"),
  "an error that nobody catches while tokens come": async ({ run, runtime }) =>
    assert.equal(await run([...runtime.file, "throw.mjs"], { code: 1, mayWarn: /error: nobody catches this/i }), ""),
  "a process ends with an engine that is not closed": prints("open.mjs", hello),
  "what is missing is said": prints("missing.mjs", "ADDON_MISSING\n"),
};
