// An engine whose models compute in a separate process, when that process dies.
import { copyFile, truncate } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { bundledModel, type Engine } from "../../src/index.js";
import { writeEmbeddingModel } from "../../src/testing/index.js";
import { openAdapted } from "../support/adapters.js";
import { gate } from "../support/gate.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { isThere, openIsolated, processOf } from "../support/isolated.js";

const crashed = (pattern: RegExp): object => ({
  code: "ENGINE_CRASHED",
  message: expect.stringMatching(pattern) as string,
});
const long = "word ".repeat(200);

/** Begins a generation, kills the process once it writes, and gives the error. */
async function killedWhileWriting(engine: Engine, signal: NodeJS.Signals = "SIGKILL"): Promise<unknown> {
  const written = gate();
  const hook = engine.hooks.on("streamToken", () => written.open());
  const failure = rejection(engine.generate("Hi", { model: "default" }));
  await written.passed;
  process.kill(processOf(engine), signal);
  const error = await failure;
  hook.dispose();
  return error;
}

test.each(["SIGKILL", "SIGSEGV", "SIGABRT", "SIGBUS"] as const)(
  "%s in a generation is ENGINE_CRASHED with signal and model, and the next call starts the process anew",
  async (signal) => {
    const engine = await openIsolated([long]);
    const before = processOf(engine);
    expect(await killedWhileWriting(engine, signal)).toMatchObject(
      crashed(/^the engine's process was ended by signal \d+ \(.+\); it was at work for ".+\.gguf"/),
    );
    expect((await engine.generate("Hi", { maxTokens: 3 })).text).toMatch(/^word/);
    expect(processOf(engine)).not.toBe(before);
    expect(isThere(before)).toBe(false);
  },
);

test("eight runs under way end once each, with one LOOP_END for each LOOP_START, and their sessions go on", async () => {
  const engine = await openIsolated(["Short.", long, long, long], { parallel: 8 });
  const sessions = Array.from({ length: 8 }, () => engine.session({ temperature: 0 }));
  for (const session of sessions) await session.run("First");
  const ends: string[] = [];
  const errors = new Set<string>();
  const all = gate();
  const writing = new Set<string>();
  engine.hooks.on("loopStart", ({ meta }) => void ends.push(`start ${meta.runId}`));
  engine.hooks.on("loopEnd", ({ meta }) => void ends.push(`end ${meta.runId}`));
  engine.hooks.on("error", ({ code, meta }) => void (code === "ENGINE_CRASHED" && errors.add(meta.runId ?? "")));
  engine.hooks.on("streamToken", ({ meta }) => {
    writing.add(meta.runId ?? "");
    if (writing.size === 8) all.open();
    return writing.size === 8 ? undefined : all.passed.then(() => undefined); // none ends before all have begun
  });
  const runs = sessions.map((session) => rejection(session.run("Second")));
  await all.passed;
  process.kill(processOf(engine), "SIGKILL");
  for (const failure of await Promise.all(runs)) expect(failure).toMatchObject(crashed(/signal 9/));
  expect(ends.filter((end) => end.startsWith("start")).length).toBe(8);
  expect(new Set(ends).size).toBe(16);
  expect(ends.length).toBe(16);
  // Each run has one, and the engine, whose own comes from another thread.
  await expect.poll(() => errors.size, { timeout: 30_000 }).toBe(9);
  for (const session of sessions) {
    expect(session.history().slice(0, 2)).toMatchObject([
      { role: "user", content: "First" },
      { role: "assistant", content: "Short." },
    ]);
    expect((await session.run("Third")).text).toMatch(/^word/);
  }
});

test("hooks hear of the death, of each model that was lost, and of its return", async () => {
  const engine = await openIsolated([long]);
  const heard: string[] = [];
  const ready = gate();
  engine.hooks.on("error", ({ code, where }) => void (where === "process" && heard.push(`error ${code}`)));
  engine.hooks.on("modelUnload", ({ modelId, reason }) => {
    if (reason.startsWith("the engine's process was ended by signal 9")) heard.push(`unload ${modelId}`);
  });
  engine.hooks.on("modelReady", ({ modelId, loadMs }) => {
    heard.push(`ready ${modelId}`);
    expect(loadMs).toBeGreaterThan(0);
    ready.open();
  });
  await killedWhileWriting(engine);
  await engine.generate("Hi", { maxTokens: 1 });
  await ready.passed;
  expect(heard).toEqual(["error ENGINE_CRASHED", "unload default", "ready default"]);
});

test("a hook that hears of the death may use the model at once", async () => {
  const engine = await openIsolated([long]);
  const answered = gate();
  let text = "";
  engine.hooks.on("error", async ({ where }) => {
    if (where !== "process") return;
    ({ text } = await engine.generate("Hi", { maxTokens: 2 }));
    answered.open();
  });
  await killedWhileWriting(engine);
  await answered.passed;
  expect(text).toMatch(/^word/);
});

test("a run whose tool is at work when the process dies continues after it", async () => {
  const engine = await openIsolated([{ toolCalls: [{ name: "wait", args: {} }] }, "Done."]);
  const wait = {
    name: "wait",
    parameters: { type: "object" },
    run: async () => {
      const dead = processOf(engine);
      process.kill(dead, "SIGKILL");
      await expect.poll(() => engine.systemInfo().process).not.toBe(dead);
      return "ok";
    },
  };
  expect((await engine.session({ tools: [wait], temperature: 0 }).run("Go")).text).toBe("Done.");
});

test("a model with which the process dies three times within a minute is refused, and others are not", async () => {
  const file = path.join(await tempDir(), "other.gguf");
  await copyFile(bundledModel, file);
  const engine = await openIsolated([long]);
  await engine.models.load("other", { path: file });
  for (let death = 0; death < 3; death++) expect(await killedWhileWriting(engine)).toMatchObject(crashed(/signal 9/));
  const { path: culprit } = engine.models.describe("default");
  expect(await rejection(engine.generate("Hi", { model: "default" }))).toMatchObject(
    crashed(/\.gguf" is refused for \d+ s: .* died 3 times within a minute .* at last: .*signal 9/),
  );
  expect(await rejection(engine.models.load("again", { path: culprit }))).toMatchObject(crashed(/is refused for/));
  expect((await engine.generate("Hi", { model: "other", maxTokens: 3 })).text).not.toBe("");
});

test("a mapped file that is cut while it is used ends the process, and not this one", async () => {
  const file = path.join(await tempDir(), "cut.gguf");
  await copyFile(bundledModel, file);
  const engine = await openIsolated([], { model: file });
  await engine.generate("Hi", { maxTokens: 2 });
  await truncate(file, 4096);
  const failure = await rejection(engine.generate("Hi", { maxTokens: 20 }));
  expect((failure as { code: string }).code).toMatch(/ENGINE_CRASHED|MODEL_FILE_INVALID/);
  expect(await rejection(engine.generate("Hi", { maxTokens: 20 }))).toMatchObject({ code: "MODEL_FILE_INVALID" });
  await copyFile(bundledModel, file);
  expect((await engine.generate("Hi", { maxTokens: 2 })).finishReason).toBe("length");
});

test("a death before the file is read does not fail the load", async () => {
  const engine = await openIsolated([], { models: {} });
  engine.hooks.on("modelLoad", () => void process.kill(processOf(engine), "SIGKILL"));
  expect(await engine.models.load("one", { path: bundledModel })).toMatchObject({ modelId: "one" });
});

test("a dead engine closes at once, and a closed one has no process", async () => {
  const engine = await openEngine([long], { isolation: "process" });
  const first = processOf(engine);
  process.kill(first, "SIGKILL");
  await engine.close();
  const other = await openIsolated([long]);
  const second = processOf(other);
  await other.close();
  expect([isThere(first), isThere(second)]).toEqual([false, false]);
});

/** Kills the process while nothing is computed. */
async function killedIdle(engine: Engine): Promise<void> {
  const dead = processOf(engine);
  process.kill(dead, "SIGKILL");
  await expect.poll(() => engine.systemInfo().process).not.toBe(dead);
}

test.each(["decoder", "encoder"] as const)("an embedding %s has all its contexts again after a death", async (kind) => {
  const file = path.join(await tempDir(), "embedder.gguf");
  await writeEmbeddingModel(file, { kind });
  const engine = await openIsolated([], { model: file });
  const both = (): Promise<unknown> => Promise.all([engine.embed("Hi"), engine.embed("Hi", { pooling: "last" })]);
  const before = await both();
  await killedIdle(engine);
  expect(await both()).toEqual(before);
});

test("an adapter is there again after a death", async () => {
  const { engine } = await openAdapted(["Hello."], { pirate: ["Ahoy."] }, { isolation: "process" });
  const answer = async (): Promise<string> => (await engine.generate("Hi", { adapters: [{ id: "pirate" }] })).text;
  const before = await answer();
  await killedIdle(engine);
  expect(engine.adapters.list().map(({ adapterId }) => adapterId)).toEqual(["pirate"]);
  expect([before, await answer()]).toEqual(["Ahoy.", "Ahoy."]);
});
