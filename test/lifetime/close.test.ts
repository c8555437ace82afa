import { expect, test } from "vitest";
import { createEngine, type Engine, type GenerateEvent, LlamaHooksError, type PointName } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";

const endless = { text: " la di da", endless: true };
const forever = new Promise<undefined>(() => {});

/** Resolves when the point fires for the first or n-th time. */
function first(engine: Engine, point: PointName, times = 1): Promise<void> {
  let left = times;
  return new Promise((resolve) => {
    engine.hooks.on<PointName>(point, () => void (--left <= 0 && resolve()));
  });
}

test("close() cancels the generations that run, and they resolve with the text so far", async () => {
  const engine = await openEngine([endless]);
  const begun = first(engine, "streamToken", 12);
  const generations = [engine.generate("one"), engine.generate("two"), engine.generate("three")];
  await begun;
  await engine.close();
  const results = await Promise.all(generations);
  expect(results.map(({ finishReason }) => finishReason)).toEqual(["cancelled", "cancelled", "cancelled"]);
  expect(results.some(({ text }) => text.startsWith("la di"))).toBe(true);
});

test("close() ends an iteration with its end event", async () => {
  const engine = await openEngine([endless]);
  const types: GenerateEvent["type"][] = [];
  for await (const { type } of engine.generate("go")) {
    if (types.at(-1) !== type) types.push(type);
    if (type === "token") void engine.close();
  }
  expect(types.at(-1)).toBe("end");
  expect(types).toContain("token");
});

test("close() does not wait for a hook that never answers: its signal fires, and the generation is cancelled", async () => {
  const engine = await openEngine([endless]);
  let reason: unknown;
  const entered = new Promise<void>((resolve) => {
    const hold = ({ signal }: { readonly signal: AbortSignal }): Promise<undefined> => {
      signal.addEventListener("abort", () => (reason = signal.reason));
      resolve();
      return forever;
    };
    engine.hooks.on("preGenerate", hold, { deadlineMs: 0 });
  });
  const generation = engine.generate("go");
  await entered;
  await engine.close();
  expect((await generation).finishReason).toBe("cancelled");
  expect(reason).toBeInstanceOf(LlamaHooksError);
  expect(reason).toMatchObject({ code: "CLOSED" });
});

test("close() waits for modelUnload hooks, which still see the model go", async () => {
  const engine = await openEngine([endless]);
  const steps: string[] = [];
  engine.hooks.on("modelUnload", async ({ modelId }) => {
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(`unloaded ${modelId}`);
  });
  await engine.close();
  steps.push("closed");
  expect(steps).toEqual(["unloaded default", "closed"]);
});

test("close() cancels a load that is held by a hook", async () => {
  const engine = await openEngine([], { models: {} });
  const entered = new Promise<void>((resolve) => {
    engine.hooks.on("modelLoad", () => (resolve(), forever), { deadlineMs: 0 });
  });
  const loading = rejection(engine.models.load("m", { path: await scriptModel(["Hello."]), threads: 1 }));
  await entered;
  await engine.close();
  const error = await loading;
  expect(error).toBeInstanceOf(LlamaHooksError);
  expect(["CANCELLED", "CLOSED"]).toContain((error as LlamaHooksError).code);
});

test("close() while loads, generations and an unload are under way settles them all", async () => {
  const engine = await openEngine([endless]);
  const path = await scriptModel(["Hello."]);
  const begun = first(engine, "streamToken");
  const work: Promise<string>[] = [
    engine.generate("one").then(({ finishReason }) => finishReason),
    engine.generate("two", { stream: "held" }).then(({ finishReason }) => finishReason),
  ];
  await begun;
  work.push(
    ...["a", "b", "c"].map((id) =>
      engine.models.load(id, { path, threads: 1 }).then(
        () => "loaded",
        ({ code }: LlamaHooksError) => code,
      ),
    ),
    engine.models.unload("default").then(
      () => "unloaded",
      ({ code }: LlamaHooksError) => code,
    ),
  );
  await engine.close();
  const [one, two, ...others] = await Promise.all(work);
  expect([one, two]).toEqual(["cancelled", "cancelled"]);
  for (const outcome of others) expect(["loaded", "unloaded", "CANCELLED", "CLOSED"]).toContain(outcome);
});

test("a second close() resolves when the first has, also while it is pending and inside a hook", async () => {
  const engine = await openEngine(["Hello."]);
  const order: string[] = [];
  let inner: Promise<void> | undefined;
  engine.hooks.on("modelUnload", () => {
    order.push("unload");
    inner = engine.close().then(() => void order.push("inner"));
  });
  await Promise.all([
    engine.close().then(() => order.push("first")),
    engine.close().then(() => order.push("second")),
    engine[Symbol.asyncDispose]().then(() => order.push("dispose")),
  ]);
  await inner;
  await engine.close();
  expect(order[0]).toBe("unload");
  expect(order.slice(1).sort()).toEqual(["dispose", "first", "inner", "second"]);
});

test("after close() work is refused with CLOSED, and what only reads still answers", async () => {
  const engine = await openEngine(["Hello."]);
  const hook = engine.hooks.on("preGenerate", () => undefined, { name: "mine" });
  await engine.close();
  const path = await scriptModel(["Hello."]);
  for (const refused of [engine.generate("hi"), engine.models.load("m", { path }), engine.models.unload("default")]) {
    expect(await rejection(refused)).toMatchObject({ name: "LlamaHooksError", code: "CLOSED" });
  }
  expect(() => engine.hooks.on("preGenerate", () => undefined)).toThrow(expect.objectContaining({ code: "CLOSED" }));
  expect(engine.hooks.list().map(({ name }) => name)).toEqual(["mine"]);
  hook.dispose();
  expect(engine.hooks.list()).toEqual([]);
});

test("an engine is disposed of at the end of an await using block", async () => {
  let engine: Engine;
  const names: string[] = [];
  {
    await using used = await createEngine({ model: await scriptModel(["Hello."]), gpu: false, threads: 1 });
    engine = used;
    engine.hooks.on("modelUnload", ({ modelId }) => void names.push(modelId));
    expect((await engine.generate("hi")).text).toBe("Hello.");
  }
  expect(names).toEqual(["default"]);
  expect(await rejection(engine.generate("hi"))).toMatchObject({ code: "CLOSED" });
});

test("engines open and close by turns, each with its own hooks", async () => {
  const model = await scriptModel(["Hello."]);
  const engines = await Promise.all([1, 2, 3].map(() => createEngine({ model, gpu: false, threads: 1 })));
  for (const [index, engine] of engines.entries()) {
    engine.hooks.on("streamToken", ({ text }) => ({ text: `${index}${text}` }));
  }
  const texts: string[] = [];
  for (const engine of engines) {
    texts.push((await engine.generate("hi")).text);
    await engine.close();
  }
  expect(texts).toEqual(["0Hello0.", "1Hello1.", "2Hello2."]);
});

test("close() continues without a modelUnload hook that never answers, after its signal has fired with CLOSED", async () => {
  const engine = await openEngine([endless]);
  const reasons: unknown[] = [];
  const hold = ({ signal }: { readonly signal: AbortSignal }): Promise<undefined> => {
    signal.addEventListener("abort", () => reasons.push((signal.reason as LlamaHooksError).code));
    return forever;
  };
  engine.hooks.on("modelUnload", hold, { deadlineMs: 0 });
  engine.hooks.on("modelUnload", hold, { deadlineMs: 20 });
  await engine.close();
  expect(reasons).toEqual(["CLOSED", "HOOK_TIMEOUT"]);
}, 30_000);

test("close() bounds an unload that a hook holds up already", async () => {
  const engine = await openEngine([endless]);
  const entered = new Promise<void>((resolve) => {
    engine.hooks.on("modelUnload", () => (resolve(), forever), { deadlineMs: 0 });
  });
  const unloading = engine.models.unload("default");
  await entered;
  await engine.close();
  await unloading;
}, 30_000);
