// `llama-hooks chat` without a terminal: lines come in through a pipe.
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cli, cliCommand, cliWithInput, type Child, start } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const [node, main] = cliCommand;

/** A chat whose input is written as lines. */
function chat(lines: readonly string[], ...args: string[]): ReturnType<typeof cliWithInput> {
  return cliWithInput(lines.map((line) => `${line}\n`).join(""), "chat", ...args);
}

/** A chat that is typed to. */
function startChat(env: NodeJS.ProcessEnv, ...args: string[]): Child {
  return start(node, [main, "chat", ...args], env, { leaveOpen: true });
}

/** The path of a module of hooks, which these functions add. */
async function hooksFile(...functions: readonly string[]): Promise<string> {
  const file = path.join(await tempDir(), "hooks.mjs");
  await writeFile(file, `export default [${functions.join(",\n")}];`);
  return file;
}

/** A hook that tells what the model is asked, and one that holds the answer at its second token until it is cancelled. */
const printing = `({ hooks }) => hooks.on("preGenerate", ({ messages }) =>
  console.error("asked " + JSON.stringify(messages.map(({ role, content }) => [role, content]))))`;
const holding = `({ hooks }) => hooks.on("streamToken", ({ text, signal }) => {
  if (!text.includes("held")) return undefined;
  console.error("it is held");
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
}, { deadlineMs: 0 })`;

/** The model's prompts, by turn, as the telling hook wrote them. */
function asked(stderr: string): unknown[] {
  return stderr
    .split("\n")
    .flatMap((line) => (line.startsWith("asked ") ? [JSON.parse(line.slice(6)) as unknown] : []));
}

test("each line is a message, the answers are on stdout, and the end of the lines is exit code 0", async () => {
  const call = { toolCalls: [{ name: "calculator", args: { expression: "6 * 7" } }] };
  const model = await scriptModel(["Hello.", call, "It is 42.", "Bye."]);
  const { code, stdout, stderr } = await chat(["hi", "", "6 * 7?", "bye"], "--model", model, "--tools", "demo");
  expect([code, stdout]).toEqual([0, "Hello.\nIt is 42.\nBye.\n"]);
  expect(stderr.split("\n")).toEqual([
    "you    hi",
    "you    6 * 7?",
    'model  → calculator({"expression":"6 * 7"})',
    "tool   ← 42",
    "you    bye",
    "",
  ]);
});

test("a message has the lines that end with a backslash, or those of a block", async () => {
  const model = await scriptModel(["1", "2", "3", "4"]);
  const lines = ["one\\", "two", '"""', "/three", "", 'four"""', '"""five"""', "last\\"];
  const { code, stderr } = await chat(lines, "--model", model, "--hooks", await hooksFile(printing));
  expect(code).toBe(0);
  expect(asked(stderr).map((messages) => (messages as string[][]).at(-1)?.[1])).toEqual([
    "one\ntwo",
    "/three\n\nfour",
    "five",
    "last",
  ]);
});

test("a block that nothing closes is not asked", async () => {
  const { code, stdout, stderr } = await chat(['"""', "one", "two"], "--model", await scriptModel(["no"]));
  const warning = 'llama-hooks: the block that """ opened was not closed: it was not sent\n';
  expect([code, stdout, stderr]).toEqual([1, "", warning]);
});

test("what fails is shown with its code, the chat continues, and the exit code is 1", async () => {
  const model = await scriptModel(["Hello.", "Bye."]);
  const file = path.join(await tempDir(), "bad.json");
  await writeFile(file, "{}");
  const lines = ["hi", `/load ${file}`, "/load /nowhere/at/all", "/model nowhere.gguf", "/save /nowhere/at/all", "bye"];
  const { code, stdout, stderr } = await chat(lines, "--model", model);
  expect([code, stdout]).toEqual([1, "Hello.\nBye.\n"]);
  expect(stderr.match(/\([A-Z_]+\)$/gm)).toEqual([
    "(SESSION_FILE_INVALID)",
    "(NOT_FOUND)",
    "(MODEL_FILE_NOT_FOUND)",
    "(INVALID_ARGUMENT)",
  ]);
});

test("the first failure of each hook is reported once, with its line and the place of the error", async () => {
  const fail = `({ hooks }) => {
    hooks.on("streamToken", () => { throw new Error("no"); }, { name: "fail" });
    hooks.on("loopEnd", () => { throw new Error("nor"); }, { name: "too" });
  }`;
  const model = await scriptModel(["Hello there.", "Bye then."]);
  const { code, stdout, stderr } = await chat(["hi", "bye"], "--model", model, "--hooks", await hooksFile(fail));
  expect([code, stdout]).toEqual([0, "Hello there.\nBye then.\n"]);
  const warning =
    /^llama-hooks: The hook "(fail|too)" at \w+, registered at .*hooks\.mjs:\d, failed: Error: no.*\(HOOK_FAILED\)\n +at .*hooks\.mjs:\d:\d+\)?$/gm;
  expect([...stderr.matchAll(warning)].map(([, name]) => name)).toEqual(["fail", "too"]);
  expect(stderr.match(/HOOK_FAILED/g)).toHaveLength(2);
});

test("a file that fails, or never settles, is named, and it is exit code 1", async () => {
  const file = path.join(await tempDir(), "hooks.mjs");
  for (const [text, message] of [
    ['throw new Error("on purpose");', "on purpose"],
    ["await new Promise(() => {});", "it waits for a promise that never settles"],
    ["export default () => new Promise(() => {});", "it waits for a promise that never settles"],
  ] as const) {
    await writeFile(file, text);
    const { code, stdout, stderr } = await chat(["hi"], "--hooks", file);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`llama-hooks: --hooks ${file}: ${message} (FAILED)\n`);
  }
});

test("nothing is written that a hook then replaces", async () => {
  const masks = `{ name: "mask", handlers: { postGenerate: ({ content }) => ({ content: content.replaceAll("tulip", "####") }) } }`;
  const model = await scriptModel([{ pieces: ["It is", " tulip."] }]);
  const { code, stdout, stderr } = await chat(["hi"], "--model", model, "--hooks", await hooksFile(masks));
  expect([code, stdout]).toEqual([0, "It is ####.\n"]);
  expect(stderr).not.toContain("tulip");
});

test("a run that comes to a limit is exit code 1", async () => {
  const call = { toolCalls: [{ name: "calculator", args: { expression: "1 + 1" } }] };
  const model = await scriptModel({ replies: [call], afterLast: "repeat" });
  const { code, stderr } = await chat(["hi"], "--model", model, "--tools", "demo");
  expect([code, stderr]).toEqual([1, expect.stringContaining("stopped: ")]);
});

describe("commands", () => {
  test("one that there is not, or that lacks or has too much, is a clear message", async () => {
    const lines = ["/nonsense", "/save", "/load", "/exit now"];
    const { code, stderr } = await chat(lines, "--model", await scriptModel(["no"]));
    expect(code).toBe(1);
    expect(stderr.split("\n").filter((line) => !line.startsWith("you"))).toEqual([
      "llama-hooks: unknown command /nonsense; /help lists the commands",
      "llama-hooks: /save takes a file: /save FILE",
      "llama-hooks: /load takes a file: /load FILE",
      "llama-hooks: /exit takes no argument",
      "",
    ]);
  });

  test("/help lists all of them, within 80 columns, and /exit leaves before the end of the input", async () => {
    const { code, stdout, stderr } = await chat(["/help", "/exit", "hi"], "--model", await scriptModel(["no"]));
    expect([code, stdout]).toEqual([0, ""]);
    for (const name of ["/help", "/system", "/model", "/save", "/load", "/clear", "/set", "/hooks", "/retry", "/exit"])
      expect(stderr).toMatch(new RegExp(`^${name} `, "m"));
    expect(Math.max(...stderr.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("/save and /load: another chat continues from the file", async () => {
    const model = await scriptModel(["One.", "Two.", "Three."]);
    const file = path.join(await tempDir(), "a chat.json");
    const first = await chat(["first", "second", `/save ${file}`], "--model", model);
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining(`saved 4 messages to ${file}\n`)]);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ format: "llama-hooks session" });
    const second = await chat([`/load ${file}`, "third"], "--model", model);
    expect([second.code, second.stdout]).toEqual([0, "Three.\n"]);
    expect(second.stderr).toContain(`loaded 4 messages from ${file}\n`);
  });

  test("/retry asks the last message again, without the answer it got", async () => {
    const model = await scriptModel(["One.", "Two."]);
    const hooks = await hooksFile(printing);
    const { code, stdout, stderr } = await chat(
      ["first", "second", "/retry", "/retry"],
      "--model",
      model,
      "--hooks",
      hooks,
    );
    expect([code, stdout]).toEqual([0, "One.\nTwo.\nTwo.\nTwo.\n"]);
    const second = [
      ["user", "first"],
      ["assistant", "One."],
      ["user", "second"],
    ];
    expect(asked(stderr)).toEqual([[["user", "first"]], second, second, second]);
    const early = await chat(["/retry"], "--model", model);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("no message to ask again")]);
  });

  test("/system sets the system prompt, and the conversation continues", async () => {
    const model = await scriptModel(["One.", "Two."]);
    const hooks = await hooksFile(printing);
    const lines = ["/system", "first", "/system Be brief.", "/system", "second"];
    const { code, stderr } = await chat(lines, "--model", model, "--hooks", hooks, "--system", "Be long.");
    expect(code).toBe(0);
    expect(asked(stderr)).toEqual([
      [
        ["system", "Be long."],
        ["user", "first"],
      ],
      [
        ["system", "Be brief."],
        ["user", "first"],
        ["assistant", "One."],
        ["user", "second"],
      ],
    ]);
    expect(stderr).toMatch(/^you {4}\/system\nBe long\.$/m);
    expect(stderr).toMatch(/^you {4}\/system\nBe brief\.$/m);
  });

  test("/system says which tiers keep a prompt of their own", async () => {
    const file = path.join(await tempDir(), "session.mjs");
    await writeFile(
      file,
      'export default { tiers: { lead: { system: "You lead." }, other: { description: "helps" } } };',
    );
    const { stderr } = await chat(["/system x"], "--model", await scriptModel(["no"]), "--session", file);
    expect(stderr).toContain("; of the tiers, these keep their own: lead\n");
  });

  test("/model goes over to another model with all that was said, and the one before is unloaded", async () => {
    const [one, two] = [await scriptModel(["One."]), await scriptModel(["no", "Two, of the other model."])];
    const unloads = `({ hooks }) => hooks.on("modelUnload", ({ model }) => console.error("unloaded " + model))`;
    const hooks = await hooksFile(printing, unloads);
    const lines = ["first", `/model ${two}`, "second", "/model"];
    const { code, stdout, stderr } = await chat(lines, "--model", one, "--hooks", hooks);
    expect([code, stdout]).toEqual([0, "One.\nTwo, of the other model.\n"]);
    expect(asked(stderr).at(-1)).toEqual([
      ["user", "first"],
      ["assistant", "One."],
      ["user", "second"],
    ]);
    expect(stderr).toContain("script.gguf goes on from here, after 2 messages\n");
    expect(stderr.split("\n").filter((line) => line.startsWith("unloaded"))).toHaveLength(2);
    expect(stderr).toContain(`you    /model\n${two}\n`);
  });

  test("/clear begins anew with the system prompt and the model, and there is nothing to ask again", async () => {
    const model = await scriptModel(["1", "2", "3"]);
    const lines = ["one", "/system Be brief.", "two", "/clear", "/retry", "three"];
    const { stdout, stderr } = await chat(lines, "--model", model, "--hooks", await hooksFile(printing));
    expect(stdout).toBe("1\n2\n1\n"); // the script begins anew, too
    expect(asked(stderr)).toEqual([
      [["user", "one"]],
      [
        ["system", "Be brief."],
        ["user", "one"],
        ["assistant", "1"],
        ["user", "two"],
      ],
      [
        ["system", "Be brief."],
        ["user", "three"],
      ],
    ]);
    expect(stderr).toContain("\na new conversation begins\n");
    expect(stderr).toContain("\nllama-hooks: there is no message to ask again since the start, /clear or /load");
  });

  test("/set changes how the next messages are sampled, default takes it back, and without a name it lists", async () => {
    const model = await scriptModel(["1", "2", "3", "4"]);
    const hooks = await hooksFile(
      `({ hooks }) => hooks.on("preGenerate", ({ params }) =>
        void console.error("sampled " + JSON.stringify([params.temperature, params.topK])))`,
    );
    const set = ["/set temperature 0.25", "/set topK 7", "one", "/set temperature default", "/set", "two"];
    const wrong = ["/set temperature -1", "/set temperature hot", "/set nonsense 1", "/set temperature"];
    const args = ["--model", model, "--hooks", hooks, "--temperature", "0.5"];
    const { code, stderr } = await chat(["none", ...set, ...wrong, "three"], ...args);
    expect(code).toBe(1);
    expect(stderr.match(/^sampled .*$/gm)).toEqual([
      expect.stringMatching(/^sampled \[0\.5,\d+\]$/),
      "sampled [0.25,7]",
      "sampled [0.5,7]",
      "sampled [0.5,7]",
    ]);
    expect(stderr).toMatch(/^temperature 0\.5\ntop-k 7\nnot set: max-tokens, .*min-p/m);
    expect(stderr.match(/^llama-hooks: .*$/gm)).toEqual([
      "llama-hooks: temperature: It must be a number of at least 0.",
      "llama-hooks: temperature: It must be a number of at least 0.",
      "llama-hooks: unknown sampling parameter nonsense; /set lists them",
      "llama-hooks: /set takes a name and a value: /set NAME VALUE",
    ]);
  });

  test("/hooks lists the hooks with what they have done", async () => {
    const args = ["--model", await scriptModel(["Hello there."]), "--hooks", "test/fixtures/upper-hooks.mjs"];
    const { code, stderr } = await chat(["hi", "/hooks"], ...args);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^streamToken +upper +\d+ calls, 2 changes, 0 vetoes, 0 failures$/m);
    const none = await chat(["/hooks"], "--model", await scriptModel(["no"]));
    expect(none.stderr).toContain("no hooks");
  });
});

test("options are those of run: tools, session, trace", async () => {
  const folder = await tempDir();
  await writeFile(path.join(folder, "tools.mjs"), 'export const dice = { name: "dice", run: () => 4 };');
  await writeFile(path.join(folder, "session.mjs"), 'export default { system: "You roll." };');
  const model = await scriptModel([{ toolCalls: [{ name: "dice", args: {} }] }, "Four."]);
  const files = ["--tools", path.join(folder, "tools.mjs"), "--session", path.join(folder, "session.mjs")];
  const hooks = await hooksFile(`({ hooks }) => hooks.on("postToolCall", () => ({ result: "5" }), { name: "load" })`);
  const { code, stdout, stderr } = await chat(
    ["/system", "roll"],
    "--model",
    model,
    ...files,
    "--hooks",
    hooks,
    "--trace",
  );
  expect([code, stdout]).toEqual([0, "Four.\n"]);
  expect(stderr).toContain("You roll.\n");
  expect(stderr).toContain("tool   ← 5\n");
  expect(stderr).toMatch(/^│ .*postToolCall +load → changed result/m);
  expect(stderr).toMatch(/^\d+ tokens in 2 model calls, /m);
});

test("a model that is missing is exit code 1 with its code, and a wrong file is wrong usage", async () => {
  const missing = await cli("chat", "--model", "nowhere.gguf");
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("(MODEL_FILE_NOT_FOUND)")]);
  const wrong = await cli("chat", "--tools", "nowhere.mjs");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--tools nowhere.mjs: no such file")]);
});

test("SIGINT stops the answer and not the program, and nothing is left behind", async () => {
  const model = await scriptModel([{ pieces: ["This is ", "held up."] }, "Here I am."]);
  const TMPDIR = await tempDir();
  const child = startChat({ TMPDIR }, "--model", model, "--hooks", await hooksFile(holding));
  child.type("hi\n");
  await child.said("it is held", "stderr");
  child.process.kill("SIGINT");
  await child.said("cancelled by signal", "stderr");
  child.type("still there?\n");
  await child.said("Here I am.");
  child.process.stdin?.end();
  const { code, stdout } = await child.ended;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^This is .*\nHere I am\.\n$/s)]);
  expect(await readdir(TMPDIR)).toEqual([]);
});

test("SIGINT while no answer is being written leaves with 130", async () => {
  const hooks = await hooksFile('() => console.error("it has begun")');
  const child = startChat({}, "--model", await scriptModel(["Hello."]), "--hooks", hooks);
  await child.said("it has begun", "stderr");
  child.process.kill("SIGINT");
  const { code, stdout, stderr } = await child.ended;
  expect([code, stdout, stderr]).toEqual([130, "", "it has begun\ninterrupted\n"]);
});

test.skipIf(process.platform === "win32")("a chat whose terminal goes leaves no file behind", async () => {
  const TMPDIR = await tempDir();
  const child = startChat({ TMPDIR }, "--model", await scriptModel(["Hello."]));
  child.type("hi\n");
  await child.said("Hello.");
  expect(await readdir(TMPDIR)).toHaveLength(1);
  child.process.kill("SIGHUP");
  const { signal } = await child.ended;
  expect(signal).toBe("SIGHUP");
  expect(await readdir(TMPDIR)).toEqual([]);
});
