import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { quiet, script, start } from "../fixtures/child.js";
import { openEngine, scriptModel } from "../support/engine.js";

const cores = availableParallelism();

test("more threads than there are cores are capped to those, and the hooks of the load see it", async () => {
  const engine = await openEngine([], { models: {} });
  const asked: (number | undefined)[] = [];
  engine.hooks.on("modelLoad", ({ params }) => void asked.push(params.threads));
  const info = await engine.models.load("m", { path: await scriptModel(["Hello."]), threads: 512 });
  expect(info.threads).toBe(cores);
  expect(engine.models.describe("m").threads).toBe(cores);
  expect(asked).toEqual([cores]);
});

test("threads that a hook asks for are capped like the caller's own", async () => {
  const engine = await openEngine([], { models: {} });
  engine.hooks.on("modelLoad", ({ params }) => ({ params: { ...params, threads: 512 } }));
  const info = await engine.models.load("m", { path: await scriptModel(["Hello."]), threads: 1 });
  expect(info.threads).toBe(cores);
});

test("capping threads is said in the log, with both numbers", async () => {
  const code = `
    const engine = await createEngine({ gpu: false, model, threads: 512, logLevel: "warn" });
    console.log(engine.models.describe("default").threads);`;
  const ended = await script(code, await scriptModel(["Hello."]));
  expect([ended.code, ended.stdout]).toEqual([0, `${cores}\n`]);
  expect(ended.stderr).toMatch(new RegExp(`"default".* 512.* ${cores} cores`));
});

const hasTaskset = spawnSync("taskset", ["--version"]).status === 0;

test.skipIf(!hasTaskset)("only cores that the process may run on count", async () => {
  const allowed = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  const code = `
    import { createEngine } from "llama-hooks";
    const engine = await createEngine({ gpu: false, model: process.argv[1], threads: 2 });
    console.log(engine.models.describe("default").threads);`;
  const node = [process.execPath, "--input-type=module", "--eval", code, "--", await scriptModel(["Hello."])];
  const ended = await start("taskset", ["-c", allowed, ...node]).ended;
  expect(ended).toEqual({ ...quiet(0), stdout: "1\n" });
});
