import { expect, test } from "vitest";
import { cancel, createEngine, defineHooks, type Engine } from "../../src/index.js";
import { recordHooks } from "../../src/testing/index.js";
import { openEngine, scriptModel } from "../support/engine.js";

/** A handler that notes its name. */
function noting(names: string[], name: string): () => undefined {
  return () => void names.push(name);
}

test("hooks run by ascending priority, and equal priorities in the order of registration", async () => {
  const engine = await openEngine(["Hello."]);
  const names: string[] = [];
  const add = (name: string, priority?: number): unknown =>
    engine.hooks.on("preGenerate", noting(names, name), priority === undefined ? {} : { priority });
  for (const [name, priority] of [
    ["late", 5],
    ["first default"],
    ["early", -5],
    ["second default"],
    ["late too", 5],
  ] as const)
    add(name, priority);
  await engine.generate("hi");
  expect(names).toEqual(["early", "first default", "second default", "late", "late too"]);
});

test("guards run after every hook that is none, whatever the priorities", async () => {
  const engine = await openEngine(["Hello."]);
  const names: string[] = [];
  engine.hooks.guard("preGenerate", noting(names, "guard of 10"), { priority: 10 });
  engine.hooks.guard("preGenerate", noting(names, "guard of -1000"), { priority: -1000 });
  engine.hooks.on("preGenerate", noting(names, "hook of 1000"), { priority: 1000 });
  engine.hooks.on("preGenerate", noting(names, "hook"));
  await engine.generate("hi");
  expect(names).toEqual(["hook", "hook of 1000", "guard of -1000", "guard of 10"]);
});

test("the first cancel ends the dispatch: no hook behind it is asked, guards neither", async () => {
  const engine = await openEngine(["Hello."]);
  const names: string[] = [];
  engine.hooks.on("preGenerate", noting(names, "before"));
  engine.hooks.on("preGenerate", () => cancel("enough"), { name: "veto" });
  engine.hooks.on("preGenerate", () => ({ response: "overturned" }), { name: "after" });
  engine.hooks.guard("preGenerate", noting(names, "guard"));
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("");
  expect(names).toEqual(["before"]);
  expect(decisions[0]?.hooks.map(({ name, outcome }) => [name, outcome])).toEqual([
    [expect.stringMatching(/^hook \d+$/), "proceed"],
    ["veto", "cancelled"],
  ]);
});

test("sets run in the order of the list, each hook under the name of its set", async () => {
  const engine = await openEngine(["Hello."]);
  const names: string[] = [];
  const set = (name: string): ReturnType<typeof defineHooks> => defineHooks(name, { preGenerate: noting(names, name) });
  engine.hooks.use([set("outer"), set("inner")]);
  const { decisions } = await engine.generate("hi");
  expect(names).toEqual(["outer", "inner"]);
  expect(decisions[0]?.hooks.map(({ name }) => name)).toEqual(["outer", "inner"]);
});

test("slow hooks keep their place: each is waited for before the next begins", async () => {
  const engine = await openEngine(["Hello."]);
  const steps: string[] = [];
  for (const name of ["a", "b", "c"]) {
    engine.hooks.on("preGenerate", async () => {
      steps.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} ends`);
    });
  }
  await engine.generate("hi");
  expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("an engine fires its points from load to close in the documented order", async () => {
  const engine = await openEngine([], { models: {} });
  const recording = recordHooks(engine);
  await engine.models.load("m", { path: await scriptModel([{ pieces: ["One", " two"] }]), threads: 1 });
  await engine.generate("hi");
  await engine.close();
  expect(recording.names()).toEqual([
    "modelLoad",
    "modelReady",
    "contextBudget",
    "preGenerate",
    "streamToken",
    "streamToken",
    "postGenerate",
    "modelUnload",
  ]);
});

test("hooks given to createEngine see the first model being loaded", async () => {
  const names: string[] = [];
  const hooks = [
    defineHooks("watch", { modelLoad: () => void names.push("load"), modelReady: () => void names.push("ready") }),
  ];
  const engine: Engine = await createEngine({ model: await scriptModel(["Hello."]), gpu: false, threads: 1, hooks });
  await engine.close();
  expect(names).toEqual(["load", "ready"]);
});

test("every dispatch has a higher number than the one before, and all of one call have its run id", async () => {
  const engine = await openEngine(["Hello there, you."]);
  const recording = recordHooks(engine);
  const { runId } = await engine.generate("hi");
  const numbers = recording.events.map(({ event }) => event.meta.seq);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(new Set(recording.events.map(({ event }) => event.meta.runId))).toEqual(new Set([runId]));
});
