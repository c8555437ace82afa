// A file of --session beside the options of the command line, which go before what it says.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cli, cliWithInput, type Ended } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const session = `export default {
  system: "You serve.",
  tools: [{ name: "odd", run: () => "ran" }],
  tier: "lead",
  topK: 7,
  tiers: { lead: { temperature: 1.1 }, clerk: { system: "You file." } },
};`;

/** A hooks file that writes each model call's system prompt, tools and parameters to stderr. */
const hooks = `export default ({ hooks }) => hooks.on("preGenerate", ({ messages, tools = [], params }) =>
  console.error(JSON.stringify([messages[0].content, tools.map(({ name }) => name), params.temperature, params.topK])),
{ observe: true });`;

async function withSession(text: string, command: (...args: string[]) => Promise<Ended>, ...more: string[]) {
  const folder = await tempDir();
  const [file, shows] = [path.join(folder, "session.mjs"), path.join(folder, "hooks.mjs")];
  await writeFile(file, text);
  await writeFile(shows, hooks);
  const model = await scriptModel([{ toolCalls: [{ name: "odd", args: {} }] }, "Well."]);
  return command("--model", model, "--session", file, "--hooks", shows, ...more);
}

const run = (...args: string[]): Promise<Ended> => cli("run", "hi", "--json", ...args);
const chat = (...args: string[]): Promise<Ended> => cliWithInput("hi\n", "chat", ...args);

test.each([
  ["run", run],
  ["chat", chat],
])(
  "%s: sampling options go before those of the session and its tier, and --no-tools before its tools",
  async (_, command) => {
    const { code, stderr } = await withSession(session, command, "--temperature", "0.25", "--no-tools");
    expect(code).toBe(0);
    expect(stderr).toContain('["You serve.",[],0.25,7]');
  },
);

test("--system is refused where the session begins as a tier with its own system prompt", async () => {
  expect((await withSession(session, run, "--system", "You wait.")).stderr).toContain('["You wait."');
  const own = session.replace("{ temperature: 1.1 }", '{ system: "You lead." }');
  const { code, stderr } = await withSession(own, run, "--system", "You wait.");
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^llama-hooks: --system: the session of .*session\.mjs begins as lead, which has a system prompt/,
    ),
  ]);
});
