import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cli, cliCommand, cliWithInput, jsonLines, quiet, start, startCli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const hello = { pieces: ["Hello", " there", "."] };
const endless = { text: "la di da ", endless: true };
// oxlint-disable-next-line no-control-regex
const escapes = /\u001b/;

test("run writes the model's text to stdout and everything else to stderr", async () => {
  const { stdout, stderr, code } = await cli("run", "--model", await scriptModel([hello]), "--prompt", "hi");
  expect([code, stdout]).toEqual([0, "Hello there.\n"]);
  expect(stderr.split("\n")).toEqual([
    expect.stringMatching(/^you {4}hi$/),
    expect.stringMatching(
      /^3 tokens in 1 model call, \d+ tokens\/s · hooks: 0 calls, 0 changes, 0 vetoes, 0 failures$/,
    ),
    "",
  ]);
});

test("run with --json writes one JSON object a line to stdout and nothing to stderr", async () => {
  const model = await scriptModel([hello]);
  const { stdout, ...end } = await cli("run", "--model", model, "--prompt", "hi", "--json");
  expect(end).toEqual(quiet(0));
  const lines = jsonLines(stdout).filter(
    ({ type }) => !["promptProgress", "state", "iteration"].includes(String(type)),
  );
  expect(lines.map(({ type }) => type)).toEqual(["start", "token", "token", "token", "end"]);
  expect(lines[0]).toEqual({ type: "start", prompt: "hi", model });
  expect(lines.flatMap(({ type, text }) => (type === "token" ? [text] : []))).toEqual(["Hello", " there", "."]);
  expect(lines.at(-1)).toMatchObject({
    finishReason: "complete",
    text: "Hello there.",
    usage: { completionTokens: 3 },
    tokensPerSecond: expect.any(Number) as number,
    context: { usedTokens: expect.any(Number) as number, size: 4096 },
  });
});

test("run calls the tools that the model asks for, and gives it their results", async () => {
  const call = { text: "Let me see. ", toolCalls: [{ name: "calculator", args: { expression: "6 * 7" } }] };
  const model = await scriptModel([call, "It is 42."]);
  const { stdout, ...end } = await cli("run", "--model", model, "--prompt", "6 * 7?", "--tools", "demo", "--json");
  expect(end).toEqual(quiet(0));
  const lines = jsonLines(stdout);
  expect(lines.find(({ type }) => type === "toolCall")).toMatchObject({
    name: "calculator",
    args: { expression: "6 * 7" },
  });
  expect(lines.find(({ type }) => type === "toolResult")).toMatchObject({ record: { result: "42", isError: false } });
  expect(lines.at(-1)).toMatchObject({ finishReason: "complete", text: "It is 42." });
});

test("the prompt is an argument, an option, or what comes in", async () => {
  const model = await scriptModel([hello]);
  const asked = async (input: string, ...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await cliWithInput(input, "run", "--model", model, "--json", ...args);
    expect([code, stderr]).toEqual([0, ""]);
    return jsonLines(stdout)[0]?.["prompt"];
  };
  expect(await asked("", "one thing")).toBe("one thing");
  expect(await asked("not read", "--prompt", "two things")).toBe("two things");
  expect(await asked("three\nthings\n")).toBe("three\nthings");
  expect(await asked("four things\n", "-")).toBe("four things");
  expect(await asked("five things", "--prompt", "-")).toBe("five things");
});

test("run takes the engine's samplers, and how a model is loaded", async () => {
  const model = await scriptModel([hello]);
  const file = path.join(await tempDir(), "hooks.mjs");
  await writeFile(
    file,
    `export default ({ hooks }) => {
      hooks.on("modelLoad", ({ params }) => console.error(JSON.stringify(params)));
      hooks.on("preGenerate", ({ params }) => console.error(JSON.stringify(params)));
    };`,
  );
  const samplers = ["--top-k", "7", "--top-p", "0.5", "--min-p", "0.25", "--repeat-penalty", "1.5", "--mirostat", "2"];
  const load = ["--threads", "1", "--gpu-layers", "-1", "--context-size", "2048", "--log-level", "error"];
  const { code, stderr } = await cli("run", "hi", "--model", model, "--hooks", file, ...samplers, ...load);
  expect(code).toBe(0);
  const [loaded, sampled] = stderr.split("\n").filter((line) => line.startsWith("{"));
  expect(JSON.parse(loaded ?? "")).toMatchObject({ threads: 1, contextSize: 2048 });
  expect(JSON.parse(sampled ?? "")).toMatchObject({ topK: 7, topP: 0.5, minP: 0.25, repeatPenalty: 1.5, mirostat: 2 });
});

test("~ in the path of a file is the home folder, where the shell has left it", async () => {
  const HOME = path.dirname(await scriptModel([hello]));
  await writeFile(path.join(HOME, "tools.mjs"), 'export const dice = { name: "dice", run: () => 4 };');
  const [node, main] = cliCommand;
  const { code, stdout } = await start(node, [main, "run", "hi", "--model=~/script.gguf", "--tools=~/tools.mjs"], {
    HOME,
    USERPROFILE: HOME,
  }).ended;
  expect([code, stdout]).toEqual([0, "Hello there.\n"]);
});

test("run limits the text with --max-tokens and leaves tools out with --no-tools", async () => {
  const model = await scriptModel([hello]);
  const args = ["--model", model, "--prompt", "hi", "--max-tokens", "2", "--no-tools", "--system", "Be brief."];
  const { stdout, code } = await cli("run", ...args);
  expect([code, stdout]).toEqual([0, "Hello there\n"]);
});

test("run takes tools from files in place of its own, and says what is wrong with a file", async () => {
  const folder = await tempDir();
  const file = path.join(folder, "tools.mjs");
  await writeFile(
    file,
    'export const one = { name: "dice", run: () => 4 };\nexport const more = [{ name: "coin", run: () => "heads" }];\n',
  );
  const model = await scriptModel([{ toolCalls: ["dice", "coin"].map((name) => ({ name, args: {} })) }, "Done."]);
  const { stdout, ...end } = await cli("run", "--model", model, "--prompt", "roll", "--tools", file, "--json");
  expect(end).toEqual(quiet(0));
  const results = jsonLines(stdout).filter(({ type }) => type === "toolResult");
  expect(results.map(({ record }) => (record as { result: string }).result)).toEqual(["4", "heads"]);
  await writeFile(path.join(folder, "empty.mjs"), "export const nothing = 1;\n");
  for (const [name, why] of [
    ["empty.mjs", "it exports no tool"],
    ["none.mjs", "no such file"],
  ] as const) {
    const { code, stderr } = await cli("run", "--model", model, "--prompt", "x", "--tools", path.join(folder, name));
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  }
});

test("run with a model that keeps calling tools gives up and exits with 1", async () => {
  const call = { toolCalls: [{ name: "calculator", args: { expression: "1 + 1" } }] };
  const model = await scriptModel({ replies: [call], afterLast: "repeat" });
  const { stderr, code } = await cli("run", "--model", model, "--prompt", "hi", "--tools", "demo");
  expect(code).toBe(1);
  expect(stderr).toContain("stopped: the model kept calling tools");
});

describe("SIGINT ends a run with 130 and keeps the text so far", () => {
  test("as text", async () => {
    const child = startCli("run", "--model", await scriptModel([endless]), "--prompt", "hi", "--max-tokens", "3000");
    await child.said("la di da");
    child.process.kill("SIGINT");
    const { code, signal, stdout } = await child.ended;
    expect([code, signal]).toEqual([130, null]);
    expect(stdout).toMatch(/^la di da.*\n$/);
  });

  test("as JSON", async () => {
    const model = await scriptModel([endless]);
    const child = startCli("run", "--model", model, "--prompt", "hi", "--max-tokens", "3000", "--json");
    await child.said(`"text":" di"`);
    child.process.kill("SIGINT");
    const { stdout, ...end } = await child.ended;
    expect(end).toEqual(quiet(130));
    const last = jsonLines(stdout).at(-1);
    expect(last).toMatchObject({
      type: "end",
      finishReason: "cancelled",
      cancel: { by: "signal", reason: "interrupted" },
    });
    expect(last?.["text"]).toMatch(/^la di/);
  });
});

test("a second SIGINT ends a run whose hook does not let go", async () => {
  const child = startCli(
    "run",
    "--model",
    await scriptModel([endless]),
    "--prompt",
    "hi",
    "--hooks",
    "test/fixtures/stuck-hook.mjs",
  );
  await child.said("stuck");
  child.process.kill("SIGINT");
  child.process.kill("SIGINT");
  const { code, signal } = await child.ended;
  expect(code === 130 || signal === "SIGINT").toBe(true);
});

test("a reader that closes the pipe ends a run quietly", async () => {
  const child = startCli("run", "--model", await scriptModel([endless]), "--prompt", "hi", "--max-tokens", "3000");
  await child.said("la di da");
  child.process.stdout?.destroy();
  const { code, signal, stderr } = await child.ended;
  expect([code, signal]).toEqual([130, null]);
  expect(stderr).not.toContain("EPIPE");
});

test("without a terminal there is no escape sequence in any output", async () => {
  const model = await scriptModel([hello]);
  for (const args of [["--trace", "--hooks", "test/fixtures/upper-hooks.mjs"], ["--json"], []]) {
    const { stdout, stderr } = await cli("run", "--model", model, "--prompt", "hi", ...args);
    expect(`${stdout}${stderr}`).not.toMatch(escapes);
  }
});

test("a run that waits says which call waits for whom, and ends normally", async () => {
  const file = path.join(await tempDir(), "hooks.mjs");
  await writeFile(
    file,
    `export default ({ hooks }) => {
      hooks.on("permissionCheck", () => ({ defer: true, waitsFor: "Ada", reason: "it costs" }), { name: "office" });
    };`,
  );
  const model = await scriptModel([{ toolCalls: [{ name: "weather", args: { city: "Oslo" } }] }, "Cold."]);
  const { code, stderr } = await cli("run", "hi", "--model", model, "--tools", "demo", "--hooks", file);
  expect(stderr).toContain('weather({"city":"Oslo"}) waits for Ada: it costs');
  expect(code).toBe(0);
});
