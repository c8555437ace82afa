// Hooks and tools may throw any value: the command shows what it can of it, and the answer comes all the same.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cli, cliWithInput, type Ended, jsonLines } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const thrown: readonly [what: string, code: string, inJson: unknown][] = [
  ["a bigint", "10n", "10n"],
  ["an object that holds itself", "(() => { const o = {}; o.o = o; return o; })()", "<ref *1> { o: [Circular *1] }"],
  ["an object whose toJSON throws", '({ toJSON() { throw new Error("no"); } })', expect.stringContaining("toJSON")],
  ["an object whose getter throws", "({ get a() { throw 1; } })", "{ a: [Getter] }"],
  ["an object without a prototype", "Object.create(null)", {}],
  ["a symbol", 'Symbol("s")', "Symbol(s)"],
  [
    "a revoked proxy",
    "(() => { const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy; })()",
    "<Revoked Proxy>",
  ],
  ["an error whose message is an object", 'Object.assign(new Error("x"), { message: { a: 1 } })', expect.anything()],
  [
    "an error that is its own cause",
    '(() => { const e = new Error("x"); e.cause = e; return e; })()',
    expect.anything(),
  ],
];

async function fileOf(text: string): Promise<string> {
  const file = path.join(await tempDir(), "given.mjs");
  await writeFile(file, text);
  return file;
}

const say = { text: "Let me see. ", toolCalls: [{ name: "odd", args: {} }] };

/** A run in which a hook, an observer and a tool throw it. */
async function runThat(code: string, ...more: string[]): Promise<Ended> {
  const fails = `() => { throw ${code}; }`;
  const hooks = await fileOf(`export default (engine) => {
  engine.hooks.on("preGenerate", ${fails}, { name: "odd" });
  engine.hooks.on("preGenerate", ${fails}, { name: "observer", observe: true });
};`);
  const tools = await fileOf(`export const odd = { name: "odd", run: ${fails} };`);
  return cli("run", "--model", await scriptModel([say, "Well."]), "hi", "--hooks", hooks, "--tools", tools, ...more);
}

test.each(thrown)("%s, thrown by a hook, an observer or a tool, costs no answer", async (_, code, inJson) => {
  const plain = await runThat(code);
  expect([plain.code, plain.stdout]).toEqual([0, "Let me see. \nWell.\n"]);
  expect(plain.stderr).toContain("HOOK_FAILED");
  const traced = await runThat(code, "--trace", "--trace-file", path.join(await tempDir(), "trace.json"));
  expect([traced.code, traced.stdout]).toEqual([0, plain.stdout]);
  expect(traced.stderr).toMatch(/observer → failed: /);
  const { stdout, ...end } = await runThat(code, "--json", "--trace");
  expect(end).toMatchObject({ code: 0, stderr: "" });
  const lines = jsonLines(stdout);
  expect(lines.find(({ type }) => type === "end")).toMatchObject({ text: "Well." });
  expect(lines.find(({ event }) => event === "observerFailed")).toMatchObject({ cause: inJson });
  expect(lines.find(({ type }) => type === "toolResult")).toMatchObject({ record: { cause: inJson } });
});

test("a chat continues, too", async () => {
  const hooks = await fileOf(`export default (engine) => {
  const o = {};
  o.o = o;
  engine.hooks.on("preGenerate", () => { throw o; });
};`);
  const args = ["chat", "--model", await scriptModel(["One.", "Two."]), "--no-tools", "--hooks", hooks];
  const { code, stdout } = await cliWithInput("Hi\nAgain\n", ...args);
  expect([code, stdout]).toEqual([0, "One.\nTwo.\n"]);
});
