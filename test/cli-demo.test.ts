// `npm start`, on the bundled model: what a stranger sees first; and runs with a session file.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cli } from "./fixtures/child.js";
import { scriptModel, tempDir } from "./support/engine.js";

test("the demonstration shows a changed stream, tool calls, a veto, and how often each point fired", async () => {
  const { stdout, stderr, code } = await cli("run", "--demo");
  expect([code, stdout]).toEqual([0, "IT IS 3 °C IN OSLO, FOG.\n"]);
  const lines = stderr.split("\n").filter((line) => !line.startsWith("│"));
  expect(lines.slice(0, 10)).toEqual([
    "you    What is the weather in Oslo?",
    'model  → weather({"city":"Oslo"})',
    'tool   ← {"city":"Oslo","temp_c":3,"condition":"fog"}',
    "",
    "you    What is 12 * 7, and what does secrets.txt say?",
    'model  → calculator({"expression":"12 * 7"})',
    "tool   ← 84",
    'model  → read_file({"path":"secrets.txt"})',
    "tool   ← refused: secrets.txt is nobody's business",
    "halted by keep-secrets: secrets.txt is nobody's business",
  ]);
  const trace = stderr.split("\n").filter((line) => line.startsWith("│"));
  expect(Math.max(...trace.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stderr).toMatch(/\n2\d of 37 points fired: preGenerate 4, /);
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
    [empty, `--session ${empty}: its default export is no object of session options`],
    [wrong, "tears"],
    [await write("tools.mjs", "export default { tools: {} };"), "tools must be an array of tools"],
  ] as const) {
    const { stderr, code } = await cli("run", "--demo", "--session", file);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  }
});
