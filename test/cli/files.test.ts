// Files that options name: what of them counts, and what is said of one that fails.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cli, type Ended, jsonLines, quiet, startCli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

/** Runs with a file of hooks that lies where no node_modules is above it. */
async function withFile(option: string, text: string, ...more: string[]): Promise<Ended & { file: string }> {
  const file = path.join(await tempDir(), "given.mjs");
  await writeFile(file, text);
  const model = await scriptModel(["Hello."]);
  return { file, ...(await cli("run", "--model", model, "--prompt", "hi", option, file, ...more)) };
}

test.each(["--hooks", "--tools", "--session"])(
  "a file of %s that never settles is named, and exits with 1",
  async (option) => {
    const text = "export default {};\nawait new Promise(() => {});\n";
    const { code, stdout, stderr, file } = await withFile(option, text);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(`llama-hooks: ${option} ${file}: it waits for a promise that never settles (FAILED)\n`);
  },
);

test("a function that adds hooks and never settles is named, too", async () => {
  const { code, stdout, stderr, file } = await withFile("--hooks", "export default () => new Promise(() => {});");
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`--hooks ${file}: it waits for a promise that never settles`);
});

test.skipIf(process.platform === "win32")("SIGINT ends the wait for a function that adds hooks", async () => {
  const file = path.join(await tempDir(), "slow.mjs");
  await writeFile(
    file,
    `export default () => {
  const timer = setTimeout(() => {}, 2 ** 30);
  process.once("SIGINT", () => clearTimeout(timer));
  process.stdout.write("slow");
  return new Promise(() => {});
};`,
  );
  const child = startCli("run", "--prompt", "hi", "--hooks", file);
  await child.said("slow");
  child.process.kill("SIGINT");
  const { code, stderr } = await child.ended;
  expect([code, stderr]).toEqual([130, "interrupted\n"]);
});

const failing: readonly [what: string, text: string, message: string, where: RegExp][] = [
  [
    "does not parse",
    "export const a = 1;\nexport const b = {;\n",
    "SyntaxError: Unexpected token ';'",
    /given\.mjs:2\n *export const b = \{;\n +\^$/,
  ],
  [
    "imports a file that there is not",
    '\nimport "./nowhere.mjs";\n',
    "Cannot find module",
    /given\.mjs:2\n *import "\.\/nowhere\.mjs";$/,
  ],
  [
    "imports a name that there is not",
    'import { nothing } from "node:fs";\n',
    "does not provide an export named 'nothing'",
    /given\.mjs:1\n *import \{ nothing \}/,
  ],
  ["throws", '\nthrow new TypeError("on purpose");\n', "TypeError: on purpose", /^ *at file:.*given\.mjs:2:7$/],
  ["throws what is not an error", 'throw "on purpose";\n', "it threw on purpose", /^$/],
  ["throws an object without a prototype", "throw Object.create(null);\n", "it threw an object", /^$/],
  [
    "has a function that throws what cannot even be looked at",
    "export default () => {\n  const { proxy, revoke } = Proxy.revocable({}, {});\n  revoke();\n  throw proxy;\n};\n",
    "it threw a value that cannot be shown",
    /^$/,
  ],
  [
    "has a function that throws",
    'export default function add() {\n  throw new Error("on purpose");\n}\n',
    "on purpose",
    /^ *at add \(file:.*given\.mjs:2:9\)$/,
  ],
  [
    "names a point that there is not",
    'export default (engine) =>\n  engine.hooks.on("preGenrate", () => {});\n',
    'no hook point "preGenrate"',
    /given\.mjs:2:16\)$/,
  ],
];

test.each(failing)("a file that %s: the message names it, and where", async (_, text, message, where) => {
  const { code, stdout, stderr, file } = await withFile("--hooks", text);
  expect([code, stdout]).toEqual([1, ""]);
  const [head = "", ...rest] = stderr.trimEnd().split("\n");
  expect(head.startsWith(`llama-hooks: --hooks ${file}: `)).toBe(true);
  expect(head).toContain(message);
  expect(rest.join("\n")).toMatch(where);
  const json = await withFile("--hooks", text, "--json");
  expect([json.code, json.stderr]).toEqual([1, ""]);
  const lines = jsonLines(json.stdout);
  expect(lines).toMatchObject([{ type: "error", code: "FAILED", message: expect.stringContaining(message) }]);
  expect(lines[0]?.["where"] ?? "").toMatch(where);
});

test("llama-hooks is the command's own copy where a file finds no other, its subpaths too", async () => {
  const text = `import { defineHooks } from "llama-hooks";
import { writeScriptModel } from "llama-hooks/testing";
export default defineHooks("shout", { streamToken: ({ text }) => ({ text: text.toUpperCase() + typeof writeScriptModel }) });`;
  const { code, stdout } = await withFile("--hooks", text);
  expect([code, stdout.startsWith("HELLO")]).toEqual([0, true]);
  const tools = `import { tool } from "llama-hooks";
export default tool({ name: "dice", description: "Throws.", parameters: { type: "object", properties: {} }, run: () => "4" });`;
  expect(await withFile("--tools", tools, "--json")).toMatchObject(quiet(0));
});

test("a copy that a file finds itself is left alone", async () => {
  const text = 'import { whose } from "llama-hooks";\nexport default () => console.log(whose);';
  const file = path.join(await tempDir(), "given.mjs");
  await writeFile(file, text);
  const own = path.join(path.dirname(file), "node_modules/llama-hooks");
  await mkdir(own, { recursive: true });
  await writeFile(
    path.join(own, "package.json"),
    '{ "name": "llama-hooks", "type": "module", "exports": "./index.js" }',
  );
  await writeFile(path.join(own, "index.js"), 'export const whose = "the file\'s";');
  const { stdout } = await cli("run", "--model", await scriptModel(["Hello."]), "--prompt", "hi", "--hooks", file);
  expect(stdout).toBe("the file's\nHello.\n");
});

test("a function under another name is a helper: it is not called, and a file of nothing else is wrong usage", async () => {
  const helper = "export function shout(text) {\n  return text.toUpperCase();\n}\n";
  const set = `${helper}export const hooks = { name: "h", handlers: { streamToken: ({ text }) => ({ text: shout(text) }) } };`;
  expect(await withFile("--hooks", set)).toMatchObject({ code: 0, stdout: "HELLO.\n" });
  expect(await withFile("--hooks", 'export default { name: "x", handlers: {} };')).toMatchObject({ code: 2 });
  const { code, stderr } = await withFile("--hooks", helper);
  expect(code).toBe(2);
  expect(stderr).toContain(
    "exports no hook set (defineHooks) with a handler, and no function (engine) => void as default",
  );
  expect(stderr).toContain("a function has to be the default export, and shout is not");
});

test("the first failure of a hook is shown without --trace, with where it was thrown; as JSON it is a line", async () => {
  const text = `export default { name: "broken", handlers: {
  streamToken() {
    throw new TypeError("no such thing");
  },
} };`;
  const { code, stdout, stderr } = await withFile("--hooks", text);
  expect([code, stdout]).toEqual([0, "Hello.\n"]);
  const failure = 'The hook "broken" at streamToken, failed: ';
  expect(stderr).toContain(`llama-hooks: ${failure}`);
  expect(stderr).toMatch(/ TypeError: no such thing\. .*\(HOOK_FAILED\)$/m);
  expect(stderr).toMatch(/given\.mjs:3:11\)$/m);
  expect(stderr.match(/no such thing/g)).toHaveLength(1);
  const json = await withFile("--hooks", text, "--json");
  expect(json).toMatchObject(quiet(0));
  expect(jsonLines(json.stdout).filter(({ type }) => type === "warning")).toMatchObject([
    {
      code: "HOOK_FAILED",
      message: expect.stringContaining(failure),
      where: expect.stringContaining("given.mjs:3:11"),
    },
  ]);
  const traced = await withFile("--hooks", text, "--trace");
  expect(traced.stderr).toMatch(/broken → failed/);
  expect(traced.stderr).not.toContain("The hook");
});

test("of several hooks that fail each is shown, and a hook at error receives the failures instead", async () => {
  const throwing = (name: string): string => `${name}() { throw new Error("in ${name}"); }`;
  const text = `export const a = { name: "a", handlers: { ${throwing("preGenerate")} } };
export const b = { name: "b", handlers: { ${throwing("postGenerate")} } };`;
  const { stderr } = await withFile("--hooks", text);
  expect([...stderr.matchAll(/^llama-hooks: The hook "(\w)"/gm)].map(([, name]) => name)).toEqual(["a", "b"]);
  const heard = await withFile("--hooks", `${text}\nexport const c = { name: "c", handlers: { error() {} } };`);
  expect(heard).toMatchObject({ code: 0, stderr: expect.not.stringContaining("The hook") });
});

test("the failure of an observer is shown in the same way, once", async () => {
  const text = `export default (engine) => {
  engine.hooks.on("preGenerate", () => { throw new Error("not awaited"); }, { observe: true, name: "watch" });
};`;
  const { code, stderr } = await withFile("--hooks", text);
  expect(code).toBe(0);
  expect(stderr).toContain('llama-hooks: The hook "watch" at preGenerate, registered at ');
  expect(stderr).toContain("failed: Error: not awaited. ");
  expect(stderr.match(/not awaited/g)).toHaveLength(1);
});

const left = "ended, although a file of hooks or tools left something open: a timer, a server, a connection\n";

test("a timer or a server that a file leaves open does not keep the command, which says so", async () => {
  const text = `import { createServer } from "node:net";
    setInterval(() => {}, 1000);
    createServer().listen(0);
    export default () => {};`;
  const { code, stdout, stderr } = await withFile("--hooks", text);
  expect([code, stdout]).toEqual([0, "Hello.\n"]);
  expect(stderr.endsWith(left)).toBe(true);
  const failed = await withFile("--hooks", `${text}\nthrow new Error("no");`);
  expect([failed.code, failed.stdout, failed.stderr.endsWith(left)]).toEqual([1, "", true]);
});

test("what a hook has begun at the end of a run is given a moment", async () => {
  const text = `export default ({ hooks }) =>
    hooks.on("loopEnd", () => { setTimeout(() => console.error("sent"), 100); });`;
  const { code, stderr } = await withFile("--hooks", text);
  expect([code, stderr]).toEqual([0, expect.stringContaining("\nsent\n")]);
});

test("a tool that is none is wrong usage of --tools, and two files that do not go together are both named", async () => {
  const tools = "export const one = [[{ name: 'one', run: () => 1 }]];\nexport const helper = { name: 'helper' };";
  expect(await withFile("--tools", tools, "--json")).toMatchObject(quiet(0));
  const bad = await withFile("--tools", "export const one = { name: 'one', run: 5 };");
  expect([bad.code, bad.stderr]).toEqual([
    2,
    `llama-hooks: --tools ${bad.file}: tools[0].run must be a function, got 5\n`,
  ]);
  const session = path.join(await tempDir(), "session.mjs");
  await writeFile(session, "export default { tools: [{ name: 'one', run: () => 2 }] };");
  const both = await withFile("--tools", tools, "--session", session);
  expect([both.code, both.stderr]).toEqual([
    2,
    `llama-hooks: --tools ${both.file}, --session ${session}: tools has two tools named "one"\n`,
  ]);
});
