import { expect, test } from "vitest";
import { cancel, type Engine, type EngineOptions } from "../../src/index.js";
import { script } from "../fixtures/child.js";
import { adaptedModel } from "../support/adapters.js";
import { amount } from "../support/amount.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";

/** A script model that says its name; with `contextSize` 16,384 it takes 33.3 MiB, of which 0.1 are weights. */
function named(id: string): Promise<string> {
  return scriptModel([`I am ${id}.`, "Still here.", "And still."]);
}

const size = { threads: 1, contextSize: 16_384 } as const;

async function load(engine: Engine, ...ids: string[]): Promise<void> {
  for (const id of ids) await engine.models.load(id, { path: await named(id), ...size });
}

function states(engine: Engine): string[] {
  return engine.models.list().map(({ modelId, state }) => `${modelId} ${state}`);
}

function unloads(engine: Engine): string[] {
  const seen: string[] = [];
  engine.hooks.on("modelUnload", ({ modelId, reason }) => void seen.push(`${modelId}: ${reason}`));
  return seen;
}

test("what a load takes is known before, and what it took after, by device", async () => {
  const engine = await openEngine([], { models: {} });
  const estimates: number[] = [];
  engine.hooks.on("modelLoad", ({ estimate }) => void estimates.push(estimate.hostBytes));
  for (const [contextSize, parallel] of [
    [512, 1],
    [4096, 4],
    [16_384, 2],
    [32_768, 1],
  ] as const) {
    const before = engine.memory()[0]?.usedBytes ?? NaN;
    const info = await engine.models.load("one", { path: await named("one"), threads: 1, contextSize, parallel });
    const estimated = estimates.at(-1) ?? NaN;
    const { deviceBytes, hostBytes } = info.measured;
    console.log(`${contextSize} x ${parallel}: ${estimated} bytes expected, ${hostBytes} taken`);
    expect(deviceBytes).toBe(0);
    expect(Math.abs(estimated - hostBytes)).toBeLessThan(0.05 * hostBytes);
    const [main] = info.memory;
    expect(info.memory).toHaveLength(1);
    expect((main?.modelBytes ?? 0) + (main?.contextBytes ?? 0) + (main?.computeBytes ?? 0)).toBe(hostBytes);
    expect(engine.memory()[0]?.usedBytes).toBe(before + hostBytes);
    await engine.models.unload("one");
    expect(engine.memory()[0]?.usedBytes).toBe(before);
  }
});

test("unloading says what is free then: all of a model, its context of one that shares weights, nothing of a cold one", async () => {
  const engine = await openEngine([], { models: {} });
  const path = await named("one");
  const unloads: unknown[] = [];
  engine.hooks.on("modelUnload", ({ modelId, freed }) => void unloads.push([modelId, freed.hostBytes]));
  const first = await engine.models.load("first", { path, ...size });
  const second = await engine.models.load("second", { path, ...size });
  const before = engine.memory()[0]?.usedBytes ?? NaN;
  const shared = await engine.models.unload("second");
  expect(shared).toEqual({ modelId: "second", freed: { deviceBytes: 0, hostBytes: second.measured.hostBytes } });
  expect(before - (engine.memory()[0]?.usedBytes ?? NaN)).toBe(shared.freed.hostBytes);
  const last = await engine.models.unload("first");
  expect(last).toEqual({ modelId: "first", freed: { deviceBytes: 0, hostBytes: first.measured.hostBytes } });
  expect(last.freed.hostBytes).toBeGreaterThan(shared.freed.hostBytes);
  expect(unloads).toEqual([
    ["second", shared.freed.hostBytes],
    ["first", last.freed.hostBytes],
  ]);
});

test("estimate() says what a load takes, and whether there is room for it, and loads nothing", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  let asked = 0;
  engine.hooks.on("modelLoad", () => void asked++);
  const options = { path: await named("left"), ...size };
  const before = await engine.models.estimate(options);
  expect(before).toMatchObject({ path: options.path, contextSize: 16_384, fits: true, estimate: { deviceBytes: 0 } });
  expect([engine.models.list(), asked]).toEqual([[], 0]);
  const { measured, architecture, layers } = await engine.models.load("left", options);
  expect(before).toMatchObject({ architecture, layers });
  expect(Math.abs(before.estimate.hostBytes - measured.hostBytes)).toBeLessThan(0.01 * measured.hostBytes);
  expect((await engine.models.estimate(options)).fits).toBe(false);
  const wrong = await rejection(engine.models.estimate({ path: "/nowhere.gguf" }));
  expect(wrong).toMatchObject({ code: "MODEL_FILE_NOT_FOUND" });
  expect(await rejection(engine.models.estimate({} as never))).toBeInstanceOf(TypeError);
});

test("two loads at once are each counted for what they take", async () => {
  const engine = await openEngine([], { models: {} });
  await Promise.all([load(engine, "left"), load(engine, "right")]);
  const [left, right] = engine.models.list().map(({ measured }) => measured.hostBytes);
  expect(left).toBe(right);
  expect(engine.memory()[0]?.usedBytes).toBe((left ?? 0) + (right ?? 0));
});

test("a model that does not fit beside another one takes its place, and who uses that has it loaded again", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  const gone = unloads(engine);
  await load(engine, "left", "right");
  expect(states(engine)).toEqual(["left cold", "right ready"]);
  expect(engine.models.describe("left").state).toBe("cold");
  expect((await engine.generate("Who?", { model: "left" })).text).toBe("I am left.");
  expect(states(engine)).toEqual(["left ready", "right cold"]);
  expect(gone).toEqual(["left: memory pressure", "right: memory pressure"]);
  expect(engine.memory()[0]?.budgetBytes).toBe(40 * 2 ** 20);
});

test.each<EngineOptions>([
  { deviceBudgets: { CPU: 40 } },
  { deviceBudgets: { CPU: 40 }, memoryBudget: 4096 },
  { deviceBudgets: {}, memoryBudget: 40 },
])("the budget of a device is its own, else that of all: %j", async (options) => {
  const engine = await openEngine([], { models: {}, ...options });
  expect(engine.memory()[0]?.budgetBytes).toBe(40 * 2 ** 20);
  await load(engine, "left", "right");
  expect(states(engine)).toEqual(["left cold", "right ready"]);
});

test("a budget for a device that is not there is refused, and says which there are", async () => {
  const failure = await rejection(openEngine([], { models: {}, deviceBudgets: { CPU: 40, CUDA7: 40 } }));
  expect(failure).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect((failure as Error).message).toMatch(/deviceBudgets names "CUDA7".*"CPU"/);
});

test("a session continues with a model that was given up between its runs", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await load(engine, "left");
  const session = engine.session({ model: "left" });
  expect((await session.run("Who?")).text).toBe("I am left.");
  await load(engine, "right");
  expect(states(engine)).toEqual(["left cold", "right ready"]);
  expect((await session.run("And now?")).text).toBe("Still here.");
  expect(states(engine)).toEqual(["left ready", "right cold"]);
});

test("a hook that changes the plan decides who goes; of itself it is who was used least recently", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 80 });
  await load(engine, "first", "second");
  await engine.generate("Who?", { model: "first" });
  const plans: (readonly string[])[] = [];
  const hook = engine.hooks.on("vramPressure", ({ plan }) => (plans.push(plan), { plan: ["first"] }));
  await load(engine, "third");
  hook.dispose();
  expect(plans).toEqual([["second"]]);
  expect(states(engine)).toEqual(["first cold", "second ready", "third ready"]);
});

test("a plan with what cannot go is refused by name, and nothing goes", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await engine.models.load("rock", { path: await named("rock"), ...size, pinned: true });
  for (const name of ["rock", "absent"]) {
    const hook = engine.hooks.on("vramPressure", () => ({ plan: [name] }));
    const failure = await rejection(load(engine, "other"));
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining(name) });
    hook.dispose();
  }
  expect(states(engine)).toEqual(["rock ready"]);
});

test("models that are pinned or in use stay, and who holds what is in the error", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 80 });
  await engine.models.load("rock", { path: await named("rock"), ...size, pinned: true });
  await load(engine, "busy");
  const events: object[] = [];
  engine.hooks.on("vramPressure", ({ candidates, plan }) => void events.push({ candidates, plan }));
  let failure: unknown;
  const hook = engine.hooks.on("postGenerate", async () => {
    failure = await rejection(load(engine, "other"));
    return undefined;
  });
  await engine.generate("Who?", { model: "busy" });
  hook.dispose();
  expect(failure).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
  const { message } = failure as Error;
  expect(message).toMatch(/^"other" needs 33\.3 MiB on CPU, and 13\.5 MiB are free of a budget of 80\.0 MiB; /);
  expect(message).toContain('held by "busy" 33.3 MiB, in use, "rock" 33.3 MiB, pinned');
  expect(events).toEqual([{ candidates: [expect.objectContaining({ modelId: "rock", pinned: true })], plan: [] }]);
  expect(states(engine)).toEqual(["busy ready", "rock ready"]);
  expect((await engine.generate("Who?", { model: "busy" })).text).toBe("I am busy.");
});

test("what would not fit on an empty machine is refused, and nothing is given up for it", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  const gone = unloads(engine);
  await load(engine, "left");
  const large = engine.models.load("large", { path: await named("large"), threads: 1, contextSize: 65_536 });
  expect(await rejection(large)).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
  expect([states(engine), gone]).toEqual([["left ready"], []]);
});

test("a veto on loading a model again is the error of who wanted it, and the model can be used later", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await load(engine, "left", "right");
  const hook = engine.hooks.on("modelLoad", () => cancel("not now"));
  const veto = {
    code: "HOOK_CANCELLED",
    decision: expect.objectContaining({ point: "modelLoad", reason: "not now" }) as object,
  };
  expect(await rejection(engine.generate("Who?", { model: "left" }))).toMatchObject(veto);
  const session = engine.session({ model: "left" });
  expect(await rejection(session.run("Who?"))).toMatchObject(veto);
  hook.dispose();
  expect((await session.run("Who?")).text).toBe("I am left.");
});

test("of many that want a model back one loads it, and all have it", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await load(engine, "left", "right");
  let loads = 0;
  engine.hooks.on("modelLoad", () => void loads++);
  const results = await Promise.all(Array.from({ length: 12 }, () => engine.generate("Who?", { model: "left" })));
  expect(new Set(results.map(({ text }) => text))).toEqual(new Set(["I am left."]));
  expect(loads).toBe(1);
});

test("a hook of the load that somebody waits for cannot wait for the model", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await load(engine, "left", "right");
  let failure: unknown;
  engine.hooks.on("modelLoad", async () => {
    failure = await rejection(engine.generate("Who?", { model: "left" }));
    return undefined;
  });
  expect((await engine.generate("Who?", { model: "left" })).text).toBe("I am left.");
  expect(failure).toMatchObject({ code: "REENTRANT" });
});

test("who wants a model back may stop waiting; the next one has it", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await load(engine, "left", "right");
  let stop = new AbortController();
  const hook = engine.hooks.on("modelLoad", () => {
    stop.abort("enough");
    return new Promise<undefined>(() => undefined);
  });
  const stopped = await engine.generate("Who?", { model: "left", signal: stop.signal });
  expect(stopped).toMatchObject({ finishReason: "cancelled", text: "", messages: [], modelId: "left" });
  expect(stopped.cancel).toMatchObject({ by: "signal", reason: "enough" });
  stop = new AbortController();
  const session = engine.session({ model: "left" });
  const run = await session.run("Who?", { signal: stop.signal });
  expect(run).toMatchObject({ finishReason: "cancelled", text: "", messages: [], iterations: 0 });
  expect(run.cancel).toMatchObject({ by: "signal", reason: "enough" });
  hook.dispose();
  expect(states(engine)).toEqual(["left cold", "right ready"]);
  expect((await session.run("Who?")).text).toBe("I am left.");
});

test("a model that was given up can be unloaded for good", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await load(engine, "left", "right");
  const gone = unloads(engine);
  await engine.models.unload("left");
  expect([states(engine), gone]).toEqual([["right ready"], []]);
  expect(await rejection(engine.generate("Who?", { model: "left" }))).toMatchObject({ code: "MODEL_NOT_LOADED" });
  await load(engine, "left");
});

test("a model that was given up can be loaded otherwise, under its name", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await load(engine, "left", "right");
  const path = await scriptModel(["I am another."]);
  await engine.models.load("left", { path, threads: 1, contextSize: 512 });
  expect(states(engine)).toEqual(["left ready", "right ready"]);
  expect((await engine.generate("Who?", { model: "left" })).text).toBe("I am another.");
});

test("a model that was given up has its adapters again, but for those that were unloaded meanwhile", async () => {
  const { model, file } = await adaptedModel(["I am plain."], { pirate: ["Ahoy there!"], poet: ["Roses are red."] });
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await engine.models.load("left", { path: model, ...size });
  for (const id of ["pirate", "poet"]) await engine.adapters.load(id, { path: file(id), model: "left" });
  const session = engine.session({ model: "left", adapters: [{ id: "pirate" }] });
  expect((await session.run("Who?")).text).toBe("Ahoy there!");
  await load(engine, "right");
  expect(states(engine)).toEqual(["left cold", "right ready"]);
  const listed = (): string[] => engine.adapters.list().map(({ adapterId, modelId }) => `${adapterId} of ${modelId}`);
  expect(listed()).toEqual(["pirate of left", "poet of left"]);
  const again = engine.adapters.load("poet", { path: file("poet"), model: "right" });
  expect(await rejection(again)).toMatchObject({ code: "ADAPTER_IN_USE" });
  await engine.adapters.unload("poet");
  expect(listed()).toEqual(["pirate of left"]);
  const pirate = { model: "left", adapters: [{ id: "pirate" }] };
  expect((await engine.generate("Who?", pirate)).text).toBe("Ahoy there!");
  expect(states(engine)).toEqual(["left ready", "right cold"]);
  expect(listed()).toEqual(["pirate of left"]);
});

test("keepAlive: a model without use is unloaded, and comes back", async () => {
  const engine = await openEngine([], { models: {} });
  const gone = new Promise<string>((resolve) => engine.hooks.on("modelUnload", ({ reason }) => resolve(reason)));
  await engine.models.load("left", { path: await named("left"), ...size, keepAlive: 0 });
  expect(await gone).toContain("keepAlive");
  expect((await engine.generate("Who?", { model: "left" })).text).toBe("I am left.");
});

test("low memory: what is idle is given up once less is left, unless a hook refuses; pinned models stay", async () => {
  const engine = await openEngine([], { models: {}, memoryBudget: 80, lowMemory: 20 });
  await engine.models.load("rock", { path: await named("rock"), ...size, pinned: true });
  let occasions = 0;
  const seen = new Promise<object>((resolve) =>
    engine.hooks.on("vramPressure", (event) => {
      occasions++;
      resolve(event);
      return cancel("not today");
    }),
  );
  await load(engine, "left");
  expect(await seen).toMatchObject({ cause: "low_memory", pressureLevel: "warning", plan: ["left"], device: "CPU" });
  expect(states(engine)).toEqual(["left ready", "rock ready"]);
  engine.hooks.clear();
  const gone = new Promise<string>((resolve) => engine.hooks.on("modelUnload", ({ modelId }) => resolve(modelId)));
  await engine.models.unload("left");
  expect(await gone).toBe("left");
  const again = new Promise<string>((resolve) => engine.hooks.on("modelUnload", ({ modelId }) => resolve(modelId)));
  await load(engine, "right");
  expect(await again).toBe("right");
  expect(states(engine)).toEqual(["right cold", "rock ready"]);
  expect(occasions).toBe(1);
});

test.each([
  [{ memoryBudget: 0 }, "memoryBudget"],
  [{ memoryBudget: 1.5 }, "memoryBudget"],
  [{ memoryBudget: "1 GB" }, "memoryBudget"],
  [{ deviceBudgets: 40 }, "deviceBudgets"],
  [{ deviceBudgets: { CPU: 0 } }, "deviceBudgets.CPU"],
  [{ deviceBudgets: { CPU: "1 GB" } }, "deviceBudgets.CPU"],
  [{ lowMemory: -1 }, "lowMemory"],
  [{ keepAlive: -1 }, "keepAlive"],
  [{ pinned: "yes" }, "pinned"],
])("%j is refused by name", async (options, name) => {
  const failure = await rejection(openEngine([], { models: {}, ...(options as object) }));
  expect(failure).toBeInstanceOf(TypeError);
  expect((failure as Error).message).toContain(name);
});

const manySwaps = amount(40, 200);
const swaps = `
  const engine = await createEngine({ models: {}, ...onCpu, memoryBudget: 40 });
  const size = { path: model, contextSize: 16384 };
  for (const id of ["left", "right"]) await engine.models.load(id, size);
  // The touched pages of a buffer vary by a few megabytes from load to load, so this takes the median of the last 20.
  const swap = async (times) => {
    const sizes = [];
    for (let i = 0; i < times; i++) {
      await engine.generate("Who?", { model: i % 2 === 0 ? "left" : "right" });
      gc();
      sizes.push(ownBytes());
    }
    return sizes.slice(-20).sort((a, b) => a - b)[10];
  };
  const before = await swap(${amount(30, 50)});
  const resident = process.memoryUsage.rss();
  console.log(JSON.stringify({ resident, before, after: await swap(${manySwaps}) }));
  await engine.close();
`;

/**
 * glibc soon takes buffers of some megabytes from its heap, where one that takes the place of another has the pages that the other has
 * touched: 17 MB more or less, by chance, for as long as the process lives. So each has its own pages, as at first.
 */
const ownPages = { MALLOC_MMAP_THRESHOLD_: "131072" };

/** A loaded machine takes its time. */
const swapsLimitMs = 300_000;

test(
  `${manySwaps} swaps under a budget leave the process as large as it was`,
  async () => {
    const { code, stdout, stderr } = await script(swaps, await named("me"), ["--expose-gc"], ownPages, swapsLimitMs);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { resident, before, after } = JSON.parse(stdout) as { resident: number; before: number; after: number };
    console.log(`${resident} bytes resident, ${before} its own before ${manySwaps} swaps, ${after} after`);
    // The sample has fewer swaps before to settle in: it finds a context that stays, the long run a part of one.
    expect(after - before).toBeLessThan(amount(0.1, 0.03) * resident);
  },
  swapsLimitMs,
);
