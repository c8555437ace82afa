import { expect, test } from "vitest";
import type { Engine } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";

const song = { pieces: ["la ", "di "], endless: true };

const calls: Record<string, (engine: Engine) => unknown> = {
  "generate()": (engine) => engine.generate("Hi"),
  "models.load()": ({ models }) => models.load("x", { path: "x.gguf" }),
  "models.unload()": ({ models }) => models.unload("default"),
  "models.list()": ({ models }) => models.list(),
  "models.describe()": ({ models }) => models.describe("default"),
  "models.tokenize()": ({ models }) => models.tokenize("default", "Hi"),
  "models.detokenize()": ({ models }) => models.detokenize("default", [1]),
  "models.renderPrompt()": ({ models }) =>
    models.renderPrompt(undefined, { messages: [{ role: "user", content: "Hi" }] }),
  "memory()": (engine) => engine.memory(),
  "systemInfo()": (engine) => engine.systemInfo(),
  "hooks.on()": ({ hooks }) => hooks.on("preGenerate", () => undefined),
};

test.each(Object.entries(calls))("%s after close fails with CLOSED", async (_, call) => {
  const engine = await openEngine(["Hello."]);
  await engine.close();
  const outcome = rejection(Promise.resolve(engine).then(call));
  expect(await outcome).toMatchObject({ name: "LlamaHooksError", code: "CLOSED" });
});

test("close can be called twice, also at once", async () => {
  const engine = await openEngine(["Hello."]);
  await Promise.all([engine.close(), engine.close()]);
  await engine.close();
  await engine[Symbol.asyncDispose]();
});

test("the trace of a closed engine ends at once", async () => {
  const engine = await openEngine(["Hello."]);
  await engine.close();
  const events: unknown[] = [];
  for await (const event of engine.trace()) events.push(event);
  expect(events).toEqual([]);
});

test("close cancels the generations under way, which keep their text", async () => {
  const engine = await openEngine([song]);
  const generation = engine.generate("Sing");
  let closing: Promise<void> | undefined;
  for await (const event of generation) if (event.type === "token" && event.index === 3) closing = engine.close();
  const result = await generation;
  expect(result.finishReason).toBe("cancelled");
  expect(result.cancel?.reason).toMatch(/closed/);
  expect(result.text).toMatch(/^la di la di /);
  await closing;
});

test("a generation asked for while the engine closes fails with CLOSED", async () => {
  const engine = await openEngine([song]);
  const closing = engine.close();
  expect(await rejection(engine.generate("Sing"))).toMatchObject({ code: "CLOSED" });
  await closing;
});

test("close ends the generations that wait for a sequence too", async () => {
  const engine = await openEngine([song], { parallel: 1 });
  const [decoding, never] = [gate(), gate()];
  engine.hooks.on("streamToken", () => {
    decoding.open();
    return never.passed;
  });
  const generations = [engine.generate("Sing")];
  await decoding.passed;
  for (let waiting = 0; waiting < 5; waiting++) generations.push(engine.generate("Sing"));
  await Promise.resolve();
  await engine.close();
  const results = await Promise.all(generations);
  expect(results.map(({ finishReason }) => finishReason)).toEqual(results.map(() => "cancelled"));
});

test("close ends a hook that waits for ever", async () => {
  const engine = await openEngine(["Hello."]);
  const [called, never] = [gate(), gate()];
  engine.hooks.on("preGenerate", () => {
    called.open();
    return never.passed;
  });
  const generation = engine.generate("Hi");
  await called.passed;
  await engine.close();
  expect((await generation).finishReason).toBe("cancelled");
});

test("close during a load cancels it", async () => {
  const engine = await openEngine([], { models: {} });
  const { randomModel } = await import("../support/models/random-model.js");
  const loading = engine.models.load("big", { path: await randomModel({ layers: 8, embedding: 256 }), threads: 1 });
  const ended = loading.then(
    () => "loaded",
    (error: { code: string }) => error.code,
  );
  await engine.close();
  expect(["loaded", "CANCELLED", "CLOSED"]).toContain(await ended);
});

test("an engine can be opened again after another was closed", async () => {
  for (let round = 0; round < 4; round++) {
    const engine = await openEngine(["Hello."]);
    expect((await engine.generate("Hi")).text).toBe("Hello.");
    await engine.close();
  }
});

test("two engines in one process do not know of each other", async () => {
  const [left, right] = [await openEngine(["Left."]), await openEngine(["Right."])];
  left.hooks.on("postGenerate", () => ({ content: "Changed." }));
  expect([(await left.generate("Hi")).text, (await right.generate("Hi")).text]).toEqual(["Changed.", "Right."]);
  await left.close();
  expect((await right.generate("Hi")).text).toBe("Right.");
});
