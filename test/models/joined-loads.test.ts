// Loads of one id that are asked for at once are one load, for as long as anyone who asked for it wants it.
import { expect, test } from "vitest";
import { cancel, type Engine, type ModelInfo, type ModelOptions } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";
import { gate } from "../support/gate.js";

const small = { threads: 1, parallel: 1, contextSize: 512 } as const;

async function ready(): Promise<{ engine: Engine; options: ModelOptions; events: string[] }> {
  const engine = await openEngine([], { models: {} });
  const events: string[] = [];
  engine.hooks.on("modelLoad", () => void events.push("load"));
  engine.hooks.on("modelReady", () => void events.push("ready"));
  engine.hooks.on("modelUnload", () => void events.push("unload"));
  engine.hooks.on("error", ({ code }) => void events.push(code));
  return { engine, options: { path: await scriptModel(["Hello."]), ...small }, events };
}

/** Holds up loads until it is opened; `reached` passes when the first is there. */
function holdLoads(engine: Engine) {
  const [reached, go] = [gate(), gate()];
  engine.hooks.on("modelLoad", async () => {
    reached.open();
    await go.passed;
  });
  return { reached, go };
}

test("loads of one id that are asked for at once are one load, and all hear of its progress", async () => {
  const { engine, options, events } = await ready();
  const progress: number[][] = [[], [], []];
  const infos = await Promise.all(
    progress.map((seen) => engine.models.load("mine", options, { onProgress: (share) => void seen.push(share) })),
  );
  expect(events).toEqual(["load", "ready"]);
  expect(infos).toEqual(Array.from({ length: 3 }, () => engine.models.describe("mine")));
  expect(progress.map((seen) => seen.at(-1))).toEqual([1, 1, 1]);
  for (const seen of progress) expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("an id that is loaded, or being loaded with other options, cannot be loaded again", async () => {
  const { engine, options } = await ready();
  const { reached, go } = holdLoads(engine);
  const first = engine.models.load("mine", options);
  await reached.passed;
  const others: ModelOptions[] = [
    { ...options, contextSize: 256 },
    { ...options, pinned: true },
    { ...options, path: await scriptModel(["No."]) },
  ];
  for (const other of others) {
    expect(await rejection(engine.models.load("mine", other))).toMatchObject({
      code: "MODEL_IN_USE",
      message: 'a model named "mine" is being loaded already, with other options',
    });
  }
  go.open();
  await first;
  expect(await rejection(engine.models.load("mine", options))).toMatchObject({
    code: "MODEL_IN_USE",
    message: 'a model named "mine" is loaded, or being loaded, already',
  });
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("a load that fails fails for all who asked, and hooks hear of it once", async () => {
  const { engine, options, events } = await ready();
  const { reached, go } = holdLoads(engine);
  const veto = engine.hooks.on("modelLoad", () => cancel("not today"));
  const loads = [1, 2].map(() => rejection(engine.models.load("mine", options)));
  await reached.passed;
  loads.push(rejection(engine.models.load("mine", options)));
  go.open();
  for (const error of await Promise.all(loads)) {
    expect(error).toMatchObject({ code: "HOOK_CANCELLED", decision: { reason: "not today" } });
  }
  expect(events).toEqual(["load", "HOOK_CANCELLED"]);
  veto.dispose();
  await engine.models.load("mine", options);
});

test("who gives up leaves the load to the others", async () => {
  const { engine, options, events } = await ready();
  const { reached, go } = holdLoads(engine);
  const [leaves, stays] = [new AbortController(), new AbortController()];
  const loads = [leaves, stays, leaves].map(({ signal }) => engine.models.load("mine", options, { signal }));
  const errors = [loads[0], loads[2]].map((load) => rejection(load as Promise<ModelInfo>));
  await reached.passed;
  leaves.abort("enough");
  expect(await Promise.all(errors)).toMatchObject([{ code: "CANCELLED" }, { code: "CANCELLED" }]);
  go.open();
  expect(await loads[1]).toEqual(engine.models.describe("mine"));
  expect(events.filter((event) => event === "CANCELLED")).toHaveLength(2);
  expect(events.filter((event) => event === "ready")).toHaveLength(1);
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("where all give up there is no model, and the id is free", async () => {
  const { engine, options, events } = await ready();
  const { reached, go } = holdLoads(engine);
  const stop = new AbortController();
  const loads = [1, 2, 3].map(() => rejection(engine.models.load("mine", options, { signal: stop.signal })));
  await reached.passed;
  stop.abort("enough");
  for (const error of await Promise.all(loads)) expect(error).toMatchObject({ code: "CANCELLED" });
  go.open();
  expect(engine.models.list()).toEqual([]);
  expect(events).not.toContain("ready");
  await engine.models.load("mine", { ...options, contextSize: 256 });
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("an abort at the very end takes the model back only if no other caller wants it", async () => {
  for (const others of [0, 1]) {
    const { engine, options, events } = await ready();
    const stop = new AbortController();
    engine.hooks.on("modelReady", () => stop.abort("late"));
    const load = rejection(engine.models.load("mine", options, { signal: stop.signal }));
    const other = others > 0 ? engine.models.load("mine", options) : undefined;
    expect(await load).toMatchObject({ code: "CANCELLED" });
    await other;
    expect(engine.models.list()).toHaveLength(others);
    expect(events.filter((event) => event === "unload")).toHaveLength(1 - others);
  }
});

test("a hook of a load cannot ask for that load", async () => {
  const { engine, options } = await ready();
  const inside: unknown[] = [];
  engine.hooks.on("modelLoad", async () => void inside.push(await rejection(engine.models.load("mine", options))));
  await engine.models.load("mine", options);
  expect(inside).toMatchObject([{ code: "MODEL_IN_USE", message: /a hook cannot wait for that load/ }]);
});

test("a closed engine ends all who wait for a load", async () => {
  const { engine, options } = await ready();
  const { reached, go } = holdLoads(engine);
  const loads = [1, 2, 3].map(() => rejection(engine.models.load("mine", options)));
  await reached.passed;
  const closing = engine.close();
  for (const error of await Promise.all(loads)) expect(error).toMatchObject({ code: "CLOSED" });
  go.open();
  await closing;
});

test("whoever asks and gives up, and when: who stays has the model, and without anyone there is none", async () => {
  const { engine, options } = await ready();
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 60; round++) {
    const asked = Array.from({ length: 2 + random(4) }, () => {
      const stop = new AbortController();
      const after = random(2) === 0 ? random(12) : undefined;
      const stopped = (): void => stop.abort("enough");
      if (after !== undefined) setTimeout(stopped, after);
      return engine.models.load("mine", options, { signal: stop.signal });
    });
    const ends = await Promise.allSettled(asked);
    for (const end of ends) {
      if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "CANCELLED" });
    }
    const stayed = ends.some(({ status }) => status === "fulfilled");
    expect(engine.models.list()).toHaveLength(stayed ? 1 : 0);
    if (stayed) await engine.models.unload("mine");
  }
});
