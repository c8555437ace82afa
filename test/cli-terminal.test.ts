import { expect, test } from "vitest";
import type { Ended } from "./fixtures/child.js";
import { startOnTerminal } from "./fixtures/terminal.js";
import { scriptModel } from "./support/engine.js";

// oxlint-disable-next-line no-control-regex
const escapes = /\u001b\[/;

async function onTerminal(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended | undefined> {
  return startOnTerminal(args, env)?.ended;
}

async function run(env: NodeJS.ProcessEnv = {}): Promise<Ended | undefined> {
  const hooks = ["--hooks", "test/fixtures/upper-hooks.mjs", "--trace"];
  return onTerminal(["run", "--model", await scriptModel(["Hello there."]), "--prompt", "hi", ...hooks], env);
}

test("on a terminal run shows its progress and uses colour", async () => {
  const ended = await run();
  if (ended === undefined) return;
  expect(ended.code).toBe(0);
  expect(ended.stdout).toMatch(/loading script\.gguf: \d+ %/);
  expect(ended.stdout).toContain("\u001b[1myou\u001b[22m");
  expect(ended.stdout).toContain("\u001b[36mchanged text\u001b[39m");
  expect(ended.stdout).toContain("HELLO THERE.");
});

test("on a terminal the progress is wiped away before anything else is shown", async () => {
  const ended = await run();
  if (ended === undefined) return;
  const lines = ended.stdout.split("\r\n").map((line) => line.split("\u001b[K").at(-1) ?? "");
  expect(lines.filter((line) => line.includes("loading"))).toEqual([]);
});

test.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("with %j a terminal gets no colour", async (env) => {
  const ended = await run(env);
  if (ended === undefined) return;
  expect(ended.code).toBe(0);
  // oxlint-disable-next-line no-control-regex
  expect(ended.stdout).not.toMatch(/\u001b\[\d+m/);
});

test("on a terminal --json is as plain as off it", async () => {
  const ended = await onTerminal(["run", "--model", await scriptModel(["Hello."]), "--prompt", "hi", "--json"], {});
  if (ended === undefined) return;
  expect(ended.stdout).not.toMatch(escapes);
  for (const line of ended.stdout.trim().split("\r\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
});
