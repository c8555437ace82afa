import { expect, test } from "vitest";
import { openEngine, rejection, scriptModel } from "../support/engine.js";
import { gate } from "../support/gate.js";

const song = { pieces: ["la ", "di "], endless: true };

test("an id whose load failed, or whose model is gone, is free again", async () => {
  const engine = await openEngine([], { models: {} });
  const path = await scriptModel(["Hello."]);
  await rejection(engine.models.load("mine", { path: `${path}.missing` }));
  await engine.models.load("mine", { path });
  await engine.models.unload("mine");
  await engine.models.load("mine", { path });
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("while a second model is being loaded, a call that names none uses the first", async () => {
  const engine = await openEngine(["Hello."]);
  const path = await scriptModel(["Another."]);
  const [started, go] = [gate(), gate()];
  engine.hooks.on("modelLoad", async () => {
    started.open();
    await go.passed;
  });
  const second = engine.models.load("second", { path });
  await started.passed;
  expect(engine.models.list().map(({ modelId }) => modelId)).toEqual(["default"]);
  const answer = await engine.generate("Hi").then(
    ({ text }) => text,
    (error: Error) => error.message,
  );
  const absent = await rejection(engine.generate("Hi", { model: "second" }));
  const early = await rejection(engine.models.unload("second"));
  go.open();
  await second;
  expect(answer).toBe("Hello.");
  expect(absent).toMatchObject({ code: "MODEL_NOT_LOADED" });
  expect(early).toMatchObject({ code: "MODEL_NOT_LOADED" });
});

test("unload waits for the generations under way and refuses new ones", async () => {
  const engine = await openEngine([song]);
  const order: string[] = [];
  const generation = engine.generate("Sing");
  let unloading: Promise<void> | undefined;
  for await (const event of generation) {
    if (event.type !== "token" || event.index !== 3) continue;
    unloading = engine.models.unload("default").then(() => void order.push("unloaded"));
    expect(await rejection(engine.generate("Sing"))).toMatchObject({ code: "MODEL_NOT_LOADED" });
    expect(await rejection(engine.models.unload("default"))).toMatchObject({ code: "MODEL_NOT_LOADED" });
    order.push("left");
    break;
  }
  expect((await generation).text).toMatch(/^la di la di /);
  await unloading;
  expect(order).toEqual(["left", "unloaded"]);
  expect(engine.models.list()).toEqual([]);
});

test("unload lets generations that wait for a sequence finish too", async () => {
  const engine = await openEngine(["Hello."], { parallel: 1 });
  const generations = Array.from({ length: 5 }, () => engine.generate("Hi"));
  await Promise.resolve();
  await Promise.resolve();
  const unloading = engine.models.unload("default");
  const texts = await Promise.all(generations.map((generation) => generation.then(({ text }) => text)));
  expect(texts).toEqual(Array.from({ length: 5 }, () => "Hello."));
  await unloading;
});

test("models are loaded and unloaded many times without harm", async () => {
  const engine = await openEngine([], { models: {} });
  const path = await scriptModel(["Hello."]);
  for (let round = 0; round < 8; round++) {
    const id = `model-${round % 2}`;
    await engine.models.load(id, { path, threads: 1 });
    expect((await engine.generate("Hi", { model: id })).text).toBe("Hello.");
    await engine.models.unload(id, "making room");
  }
});

test("the reason of an unload reaches the modelUnload hook", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: unknown[] = [];
  engine.hooks.on("modelUnload", ({ modelId, reason }) => void seen.push([modelId, reason]));
  await engine.models.unload("default", "making room");
  expect(seen).toEqual([["default", "making room"]]);
});
