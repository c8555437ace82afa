// A model and an adapter may be given by their path, and hooks as one set.
import { expect, test } from "vitest";
import { createEngine, defineHooks } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";

test("models.load(), estimate() and probe() take a path", async () => {
  const file = await scriptModel(["Hello."]);
  const engine = await openEngine([], { models: {} });
  const info = await engine.models.load("mine", file);
  expect([info.modelId, info.path]).toEqual(["mine", file]);
  expect((await engine.generate("Hi")).text).toBe("Hello.");
  expect((await engine.models.estimate(file)).fileBytes).toBe(info.fileBytes);
  expect(await rejection(engine.models.load("gone", "/nowhere.gguf"))).toMatchObject({ code: "MODEL_FILE_NOT_FOUND" });
});

test("createEngine() takes a path", async () => {
  const engine = await createEngine(await scriptModel(["Hello."]));
  expect(engine.models.list().map(({ modelId }) => modelId)).toEqual(["default"]);
  expect((await engine.generate("Hi")).text).toBe("Hello.");
  await engine.close();
  expect(await rejection(createEngine(""))).toMatchObject({
    name: "TypeError",
    message: expect.stringMatching(/^model must be a string/) as string,
  });
  expect(await rejection(createEngine("/nowhere.gguf"))).toMatchObject({ code: "MODEL_FILE_NOT_FOUND" });
});

test("createEngine() takes one hook set, as generate() and run() do", async () => {
  const loads: string[] = [];
  const hooks = defineHooks("watch", { modelLoad: ({ modelId }) => void loads.push(modelId) });
  const engine = await openEngine(["Hello."], { hooks });
  expect(loads).toEqual(["default"]);
  expect(engine.hooks.list().map(({ name }) => name)).toEqual(["watch"]);
  expect(await rejection(createEngine({ hooks: "watch" as never }))).toMatchObject({ name: "TypeError" });
});

test("a load without a model says how one is given", async () => {
  const engine = await openEngine([], { models: {} });
  expect(await rejection(engine.models.load("x.gguf", undefined as never))).toMatchObject({
    message: 'models.load() takes an id and a model: models.load("default", "x.gguf")',
  });
});

test("an adapter is given by its path, too", async () => {
  const engine = await openEngine(["Hello."]);
  expect(await rejection(engine.adapters.load("style", "/nowhere.gguf"))).toMatchObject({
    code: "MODEL_FILE_NOT_FOUND",
  });
});
