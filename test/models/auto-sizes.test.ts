// "auto" for the size of a context and for the layers on a GPU, and where a model's weights may go. On the CPU; gpu/vulkan.test.ts
// has the same for a device.
import { expect, test } from "vitest";
import type { ModelOptions } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";

const mib = 2 ** 20;
const longest = 65_536;
const model = (): Promise<string> => scriptModel({ replies: ["Here."], contextLength: longest });
const auto = { threads: 1, parallel: 1, contextSize: "auto" } as const;

test("a context is as large as the budget allows: one step more would not fit", async () => {
  const path = await model();
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  const { fits, contextSize: foreseen } = await engine.models.estimate({ path, ...auto });
  const larger = await engine.models.estimate({ path, ...auto, contextSize: foreseen + 256 });
  expect([fits, larger.fits]).toEqual([true, false]);
  const { contextSize, measured } = await engine.models.load("one", { path, ...auto });
  expect(contextSize).toBe(foreseen);
  expect(contextSize).toBeGreaterThan(4096);
  expect(measured.hostBytes).toBeLessThanOrEqual(40 * mib);
  expect(engine.models.describe("one").contextSize).toBe(contextSize);
  expect((await engine.generate("Where?")).text).toBe("Here.");
});

test("where there is plenty, a context is as large as the model was trained for", async () => {
  const engine = await openEngine([], { models: {} });
  expect((await engine.models.load("one", { path: await model(), ...auto })).contextSize).toBe(longest);
  const short = await scriptModel({ replies: ["Here."], contextLength: 300 });
  expect((await engine.models.load("two", { path: short, ...auto })).contextSize).toBe(300);
});

test("modelLoad sees the numbers that were chosen, and may change them", async () => {
  const engine = await openEngine([], { models: {} });
  const seen: unknown[] = [];
  const path = await model();
  const options = { path, ...auto, gpuLayers: "auto" } satisfies ModelOptions;
  const watch = engine.hooks.on("modelLoad", ({ params }) => {
    seen.push([params.contextSize, params.gpuLayers]);
    return { params: { ...params, contextSize: 512 } };
  });
  const { contextSize, gpuLayers, memory } = await engine.models.load("one", options);
  expect([seen, contextSize, gpuLayers]).toEqual([[[longest, 0]], 512, 0]);
  expect(memory.map(({ device, layers }) => [device, layers])).toEqual([["CPU", engine.models.describe("one").layers]]);
  watch.dispose();
  engine.hooks.on("modelLoad", ({ params }) => ({ params: { ...params, contextSize: "auto" } }));
  expect((await engine.models.load("two", { path, threads: 1, parallel: 1, contextSize: 256 })).contextSize).toBe(
    longest,
  );
});

test("where nothing fits, what is needed and what is free is said", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 1 });
  const load = engine.models.load("one", { path: await model(), ...auto, gpuLayers: "auto", parallel: 64 });
  const { code, message } = (await rejection(load)) as { code: string; message: string };
  expect(code).toBe("INSUFFICIENT_MEMORY");
  expect(message).toMatch(
    /^"one" needs [\d.]+ MiB on CPU, and 1\.0 MiB are free of a budget of 1\.0 MiB; no other model/,
  );
  expect(engine.models.list()).toEqual([]);
});

test("a smaller context comes before giving up a model; where even the smallest does not fit, one goes", async () => {
  const path = await model();
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await engine.models.load("left", { path, threads: 1, parallel: 1, contextSize: 8192 });
  const beside = await engine.models.load("right", { path, ...auto });
  expect(beside.contextSize).toBeLessThan(longest);
  expect(engine.models.list().map(({ state }) => state)).toEqual(["ready", "ready"]);
  const third = await engine.models.load("third", { path, ...auto });
  expect(third.contextSize).toBe(4096);
  expect(engine.models.list().filter(({ state }) => state === "cold")).toHaveLength(1);
});

test("a model that was given up is sized anew when it comes back", async () => {
  const path = await model();
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  const alone = await engine.models.load("left", { path, ...auto });
  await engine.models.load("right", { path, threads: 1, parallel: 1, contextSize: 8192, pinned: true });
  expect(engine.models.describe("left").state).toBe("cold");
  expect((await engine.generate("Where?", { model: "left" })).text).toBe("Here.");
  expect(engine.models.describe("left").contextSize).toBeLessThan(alone.contextSize);
});

test("estimate() describes a file that is not loaded as describe() does one that is", async () => {
  const engine = await openEngine([], { models: {} });
  const options = { path: await model(), threads: 1, parallel: 2, contextSize: 512 } as const;
  const { estimate, fits, ...sizes } = await engine.models.estimate(options);
  const { measured, ...info } = await engine.models.load("one", options);
  expect(info).toMatchObject({ ...sizes, memory: info.memory });
  expect([fits, estimate.deviceBytes]).toEqual([true, measured.deviceBytes]);
});

test.each([
  [{ devices: ["Vulkan9"] }, /"Vulkan9".*stay on the CPU/],
  [{ mainDevice: "Vulkan0" }, /mainDevice is for splitMode "none"/],
])("%j names what is not there", async (options, message) => {
  const engine = await openEngine([], { models: {} });
  const path = await model();
  const attempts = [
    () => engine.models.load("one", { path, ...options }),
    () => engine.models.estimate({ path, ...options }),
  ];
  for (const attempt of attempts)
    expect(await rejection(attempt())).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(message),
    });
  expect(engine.models.list()).toEqual([]);
});

test("what says how GPUs share a model has no effect where there is none", async () => {
  const engine = await openEngine([], { models: {} });
  const sharing = { splitMode: "none", mainDevice: "CUDA0", tensorSplit: [3, 1], cpuMoe: -1, devices: [] } as const;
  const { devices, gpuLayers } = await engine.models.load("one", { path: await model(), threads: 1, ...sharing });
  expect([devices, gpuLayers]).toEqual([["CPU"], 0]);
  expect((await engine.generate("Where?")).text).toBe("Here.");
});
