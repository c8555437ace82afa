import { expect, test } from "vitest";
import { openEngine, rejection, scriptModel } from "../support/engine.js";

async function two() {
  const models = { lead: await scriptModel(["I lead."]), coder: await scriptModel(["I code."]) };
  return openEngine([], { models });
}

test("each call goes to the model that it names", async () => {
  const engine = await two();
  const results = await Promise.all(["lead", "coder", "lead"].map((model) => engine.generate("Who?", { model })));
  expect(results.map(({ modelId, text }) => [modelId, text])).toEqual([
    ["lead", "I lead."],
    ["coder", "I code."],
    ["lead", "I lead."],
  ]);
});

test("a call that names no model needs exactly one to be loaded", async () => {
  const engine = await two();
  const unnamed = await rejection(engine.generate("Who?"));
  expect(unnamed).toMatchObject({ code: "MODEL_NOT_LOADED", message: expect.stringContaining("several") as string });
  await engine.models.unload("lead");
  expect((await engine.generate("Who?")).text).toBe("I code.");
  await engine.models.unload("coder");
  expect(await rejection(engine.generate("Who?"))).toMatchObject({ code: "MODEL_NOT_LOADED" });
});

test.each([1, 2])("a model that is not loaded is named in the error, with %i others loaded", async (count) => {
  const engine = await two();
  if (count === 1) await engine.models.unload("lead");
  const named = { code: "MODEL_NOT_LOADED", message: expect.stringContaining("absent") as string };
  expect(await rejection(engine.generate("Who?", { model: "absent" }))).toMatchObject(named);
  expect(await rejection(engine.models.unload("absent"))).toMatchObject(named);
  expect(await rejection(engine.models.tokenize("absent", "Hi"))).toMatchObject(named);
  expect(() => engine.models.describe("absent")).toThrow(expect.objectContaining(named));
  expect((await engine.generate("Who?", { model: "coder" })).text).toBe("I code.");
});

test("two models have caches of their own", async () => {
  const engine = await two();
  await engine.generate("Who are you?", { model: "lead" });
  expect((await engine.generate("Who are you?", { model: "coder" })).usage.cachedTokens).toBe(0);
  expect((await engine.generate("Who are you?", { model: "lead" })).usage.cachedTokens).toBeGreaterThan(0);
});

test("one file can be loaded under two names", async () => {
  const path = await scriptModel(["Hello."]);
  const engine = await openEngine([], { models: { left: path, right: path } });
  await engine.models.unload("left");
  expect((await engine.generate("Hi", { model: "right" })).text).toBe("Hello.");
});

test("memory and devices are reported", async () => {
  const engine = await two();
  const memory = engine.memory();
  expect(memory.length).toBeGreaterThan(0);
  for (const { device, type, totalBytes, freeBytes, usedBytes } of memory) {
    expect([typeof device, typeof type]).toEqual(["string", "string"]);
    expect(freeBytes).toBeLessThanOrEqual(totalBytes);
    expect(usedBytes).toBeGreaterThanOrEqual(0);
  }
  const info = engine.systemInfo();
  expect(info.llamaCpp).not.toBe("");
  expect(info.systemInfo).toContain("CPU");
  expect(info.devices.map(({ type }) => type)).toContain("cpu");
});
