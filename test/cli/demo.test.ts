// `npm start`, on the bundled model: what a stranger sees first.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { pointNames } from "../../src/index.js";
import { cli, jsonLines, quiet } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

/** The weather is invented, but always the same. */
const answer = [
  "12 * 7 = 84. (calculator)",
  "I was not allowed to read secrets.txt: no secrets. (read_file)",
  "The scout says: It is 3 °C in Oslo, sunny. (scout)",
];

test("the demonstration calls two tools, delegates, changes a result, vetoes, sends back and completes", async () => {
  const { stdout, stderr, code } = await cli("run", "--demo");
  expect([code, stdout.split("\n")]).toEqual([0, [...answer, ""]]);
  const lines = stderr.split("\n").filter((line) => !line.startsWith("│"));
  expect(lines.slice(0, 15)).toEqual([
    "you    What is 12 * 7, and what does secrets.txt say? Have the scout check the weather in Oslo.",
    'model  → calculator({"expression":"12 * 7"})',
    "tool   ← 84",
    'model  → read_file({"path":"secrets.txt"})',
    "tool   ← blocked by keep-secrets: no secrets",
    'model  → delegate({"tier":"scout","task":"check the weather in Oslo"})',
    "model  ⇒ scout: check the weather in Oslo",
    '  scout  → weather({"city":"Oslo"})',
    '  tool   ← {"city":"Oslo","temp_c":3,"condition":"sunny"}',
    "  scout  It is 3 °C in Oslo, sunny.",
    "tool   ← It is 3 °C in Oslo, sunny.",
    "         [conversation scout-1]",
    expect.stringMatching(/^model {2}→ complete\(\{"summary":"12 \* 7 = 84\./),
    "tool   ← rejected: name your sources",
    expect.stringMatching(/^model {2}→ complete\(\{"summary":"12 \* 7 = 84\. \(calculator\)/),
  ]);
  const trace = stderr.split("\n").filter((line) => line.startsWith("│"));
  expect(trace.filter((line) => /cancelled|changed/.test(line)).map((line) => line.slice(12))).toEqual([
    expect.stringMatching(/^preToolCall +keep-secrets → cancelled: no secrets/),
    expect.stringMatching(/^postToolCall +always-sunny → changed result/),
    expect.stringMatching(/^complete +cite-sources → cancelled: name your sources/),
  ]);
  expect(Math.max(...trace.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stderr).toMatch(new RegExp(`\n2\\d of ${pointNames.length} points fired: preGenerate \\d+, `));
});

test("as JSON it is one object a line, with the events of the delegated run one level deeper", async () => {
  const { stdout, ...end } = await cli("run", "--demo", "--json");
  expect(end).toEqual(quiet(0));
  const lines = jsonLines(stdout);
  expect(lines.find(({ type }) => type === "delegation")).toMatchObject({ tier: "scout", depth: 0 });
  expect(lines.filter(({ type }) => type === "toolCall").map(({ name, depth }) => [name, depth])).toEqual([
    ["calculator", 0],
    ["delegate", 0],
    ["weather", 1],
    ["complete", 0],
    ["complete", 0],
  ]);
  expect(lines.findLast(({ type }) => type === "end")).toMatchObject({
    finishReason: "complete",
    text: answer.join("\n"),
  });
});

test("--session gives a run what the file says: tiers, rules, control tools", async () => {
  const delegates = { toolCalls: [{ name: "delegate", args: { tier: "coder", task: "Write it." } }] };
  const model = await scriptModel({
    replies: [delegates, "The coder is done."],
    scripts: [{ when: "You write code.", replies: ["It is written."] }],
  });
  const file = path.join(await tempDir(), "session.mjs");
  await writeFile(
    file,
    'export default { controlTools: ["delegate"], tiers: { coder: { system: "You write code." } }, permissions: [{ allow: "*" }] };',
  );
  const { stdout, stderr, code } = await cli("run", "--model", model, "--prompt", "hi", "--session", file);
  expect([code, stdout]).toEqual([0, "The coder is done.\n"]);
  expect(stderr).toContain("model  ⇒ coder: Write it.\n  coder  It is written.\n");
});

test("a session file that is missing, or has nothing or something wrong in it, is wrong usage", async () => {
  const folder = await tempDir();
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const empty = await write("empty.mjs", "export const a = 1;");
  const wrong = await write("wrong.mjs", "export default { tears: {} };");
  for (const [file, why] of [
    ["nowhere.mjs", "--session nowhere.mjs: no such file"],
    [empty, `--session ${empty}: its default export must be an object of session options`],
    [wrong, "tears"],
    [await write("tools.mjs", "export default { tools: {} };"), "tools must be an array of tools"],
    [await write("list.mjs", "export default [];"), "its default export must be an object of session options"],
    [await write("later.mjs", "export default Promise.resolve({});"), "must be an object of session options"],
    [await write("model.mjs", 'export default { model: "other" };'), "it must not name a model: use --model"],
  ] as const) {
    const { stderr, code } = await cli("run", "--demo", "--session", file);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  }
});
