// The output of a run whose two streams are no terminal, or end in one place.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cli, cliCommand, type Ended, jsonLines, quiet, start, startCli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const secret = { pieces: ["The code", " is", " tulip."] };

/** As `llama-hooks ... 2>&1 | tee`: both streams in one pipe. */
function together(...args: readonly string[]): Promise<Ended> {
  const words = [...cliCommand, ...args].map((word) => `'${word}'`).join(" ");
  return start("sh", ["-c", `${words} 2>&1`]).ended;
}

async function hooksFile(text: string): Promise<string> {
  const file = path.join(await tempDir(), "hooks.mjs");
  await writeFile(file, text);
  return file;
}

const masks = `export const mask = { name: "mask", handlers: {
  postGenerate: ({ content }) => ({ content: content.replaceAll("tulip", "####") }),
} };`;

test.skipIf(process.platform === "win32")(
  "text and trace in one pipe never share a line, also where a hook interrupts the text",
  async () => {
    // The failure of an observer is reported at once, in the middle of what the model says.
    const hooks =
      await hooksFile(`export default { name: "late", options: { observe: true }, handlers: { streamToken: async () => {
  await null;
  throw new Error("no");
} } };`);
    const args = ["run", "--model", await scriptModel([secret]), "--prompt", "hi", "--trace"];
    const { code, stdout } = await together(...args, "--hooks", hooks);
    expect(code).toBe(0);
    const lines = stdout.split("\n").filter((line) => !line.startsWith("│"));
    for (const line of lines) expect(line).not.toContain("│");
    expect(lines.join("")).toMatch(/^you {4}hiThe code is tulip\.3 tokens in /);
    expect(stdout).toMatch(/^│ .*late → failed: Error: no$/m);
  },
);

test("with --json a warning is a line of stdout as well", async () => {
  const hooks = await hooksFile('export default () => process.emitWarning("careful", "SomeWarning");');
  const args = ["run", "--model", await scriptModel([secret]), "--prompt", "hi", "--json", "--hooks", hooks];
  const { stdout, ...end } = await cli(...args);
  expect(end).toEqual(quiet(0));
  const warning = { type: "warning", message: expect.stringMatching(/SomeWarning: careful$/) };
  expect(jsonLines(stdout)).toContainEqual(warning);
});

test("off a terminal nothing is written that a hook then replaces", async () => {
  const args = ["run", "--model", await scriptModel([secret]), "--prompt", "hi", "--hooks", await hooksFile(masks)];
  for (const more of [[], ["--trace"]]) {
    const { code, stdout, stderr } = await cli(...args, ...more);
    expect([code, stdout]).toEqual([0, "The code is ####.\n"]);
    expect(stderr).not.toContain("tulip");
  }
  const { stdout, ...end } = await cli(...args, "--json");
  expect(end).toEqual(quiet(0));
  expect(stdout).not.toContain("tulip");
  const events = jsonLines(stdout).filter(({ type }) => type === "token" || type === "replaced");
  expect(events).toMatchObject([{ type: "replaced", text: "The code is ####." }]);
});

test("an answer that a hook sends back is not written, the one that it takes is", async () => {
  const hooks = await hooksFile(`export default { name: "again", handlers: {
  postGenerate: ({ content }) => (content.includes("tulip") ? { retry: "No flowers." } : undefined),
} };`);
  const model = await scriptModel([secret, "I keep it."]);
  const { code, stdout, stderr } = await cli("run", "--model", model, "--prompt", "hi", "--hooks", hooks);
  expect([code, stdout]).toEqual([0, "I keep it.\n"]);
  expect(stderr).not.toContain("tulip");
});

test("what a hook replaces of somebody to whom the work was delegated is shown as the hook left it", async () => {
  const folder = await tempDir();
  const session = path.join(folder, "session.mjs");
  await writeFile(
    session,
    'export default { controlTools: ["delegate"], tiers: { coder: { system: "You write code." } }, permissions: [{ allow: "*" }] };',
  );
  const model = await scriptModel({
    replies: [{ toolCalls: [{ name: "delegate", args: { tier: "coder", task: "Say it." } }] }, "Done."],
    scripts: [{ when: "You write code.", replies: [secret] }],
  });
  const args = ["run", "--model", model, "--prompt", "hi", "--session", session, "--hooks", await hooksFile(masks)];
  const { code, stdout, stderr } = await cli(...args);
  expect([code, stdout]).toEqual([0, "Done.\n"]);
  expect(stderr).toContain("  coder  The code is ####.\n");
  expect(stderr).not.toContain("tulip");
});

test("without a hook that could replace it, text is written as it comes", async () => {
  const model = await scriptModel([{ text: "la di da ", endless: true }]);
  const child = startCli("run", "--model", model, "--prompt", "hi", "--max-tokens", "3000");
  await child.said("la di da");
  child.process.kill("SIGINT");
  expect((await child.ended).code).toBe(130);
});
