// Cold models and those on their way there or back: what their hooks may do, and who receives what.
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cancel, type Engine, type EngineOptions, type Decision } from "../../src/index.js";
import { adaptedModel } from "../support/adapters.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { leadAndCoder, ofLead } from "../support/lead-and-coder.js";
import { calls, directs } from "../support/sessions.js";

const size = { threads: 1, contextSize: 16_384 } as const; // with it a script model takes 33.3 MiB

const named = (id: string): Promise<string> => scriptModel([`I am ${id}.`, "Still here.", "And still."]);
const states = (engine: Engine): string[] => engine.models.list().map(({ modelId, state }) => `${modelId} ${state}`);

function errorsOf(engine: Engine): string[] {
  const errors: string[] = [];
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  return errors;
}

/** An engine whose model "one" is loaded by who uses it. */
async function withLazy(options: EngineOptions = {}): Promise<Engine> {
  return openEngine([], { models: { one: { path: await named("one"), lazy: true } }, ...options });
}

/** Room for one model at a time, which "a" has. */
async function withRoomForOne(): Promise<{ engine: Engine; loadB: () => Promise<unknown> }> {
  const engine = await openEngine([], { models: {}, memoryBudget: 40 });
  await engine.models.load("a", { path: await named("a"), ...size });
  const b = await named("b");
  return { engine, loadB: () => engine.models.load("b", { path: b, ...size }) };
}

test("a hook of a load that work waits for cannot unload the model, and may once it has answered", async () => {
  const engine = await withLazy();
  const inside: unknown[] = [];
  for (const point of ["modelLoad", "modelReady"] as const) {
    const unload = async (): Promise<void> => void inside.push(await rejection(engine.models.unload("one")));
    engine.hooks.on(point, unload, { deadlineMs: 0 });
  }
  expect((await engine.generate("Who?")).text).toBe("I am one.");
  expect(inside).toMatchObject([{ code: "REENTRANT" }, { code: "REENTRANT" }]);
  await engine.models.unload("one");
  expect(states(engine)).toEqual([]);
});

test("an unload waits for the load that work needs, and for that work; new work is refused from then on", async () => {
  const engine = await withLazy();
  const [reached, go] = [gate(), gate()];
  engine.hooks.on("modelLoad", async () => {
    reached.open();
    await go.passed;
  });
  const first = engine.generate("Who?");
  await reached.passed;
  const unload = engine.models.unload("one");
  expect(states(engine)).toEqual(["one loading"]);
  expect(await rejection(engine.generate("Who?"))).toMatchObject({ code: "MODEL_NOT_LOADED" });
  expect(await rejection(engine.models.unload("one"))).toMatchObject({ code: "MODEL_NOT_LOADED" });
  go.open();
  expect((await first).text).toBe("I am one.");
  expect((await unload).freed.hostBytes).toBeGreaterThan(0);
  expect(states(engine)).toEqual([]);
});

test("an unload that waits for a load that fails ends the cold model", async () => {
  const engine = await withLazy();
  const [reached, go] = [gate(), gate()];
  engine.hooks.on("modelLoad", async () => {
    reached.open();
    await go.passed;
    return cancel("not today");
  });
  const first = rejection(engine.generate("Who?"));
  await reached.passed;
  const unload = engine.models.unload("one");
  go.open();
  expect(await first).toMatchObject({ code: "HOOK_CANCELLED" });
  expect(await unload).toEqual({ modelId: "one", freed: { deviceBytes: 0, hostBytes: 0 } });
  expect(states(engine)).toEqual([]);
});

test("at modelUnload of a model that is given up it can be used, loaded and unloaded", async () => {
  const { engine, loadB } = await withRoomForOne();
  const inside: unknown[] = [];
  const hook = engine.hooks.on(
    "modelUnload",
    async ({ modelId }) => {
      hook.dispose();
      inside.push(states(engine).join(), modelId);
      inside.push((await engine.generate("Who?", { model: "a" })).text);
      inside.push((await engine.models.unload("a")).modelId);
    },
    { deadlineMs: 0 },
  );
  await loadB();
  expect(inside).toEqual(["a cold", "a", "I am a.", "a"]);
  expect(states(engine)).toEqual(["b ready"]);
});

test("at modelUnload of a model that was not used for long it can be used, and others' are not held up", async () => {
  const engine = await withLazy({ keepAlive: 0 });
  const texts: string[] = [];
  const done = gate();
  const hook = engine.hooks.on(
    "modelUnload",
    async () => {
      hook.dispose();
      texts.push((await engine.generate("Who?")).text);
      done.open();
    },
    { deadlineMs: 0 },
  );
  texts.push((await engine.generate("Who?")).text);
  await done.passed;
  expect(texts).toEqual(["I am one.", "I am one."]);
});

test("what low memory has given up goes again, each time that it has come back", async () => {
  const engine = await withLazy({ lowMemory: 2 ** 24 });
  for (let time = 0; time < 3; ++time) {
    const gone = gate();
    const hook = engine.hooks.on("modelUnload", gone.open);
    await engine.generate("Who?");
    await gone.passed;
    hook.dispose();
  }
});

test("what is pinned stays, whatever keepAlive says", async () => {
  const engine = await openEngine([], {
    models: { pinned: await named("pinned"), other: await named("other") },
    keepAlive: 0,
    pinned: false,
  });
  await engine.models.unload("pinned");
  const gone = gate();
  engine.hooks.on("modelUnload", ({ modelId }) => void (modelId === "other" && gone.open()));
  await engine.models.load("pinned", { path: await named("pinned"), pinned: true, keepAlive: 0 });
  await engine.generate("Who?", { model: "other" });
  await gone.passed;
  while (!states(engine).includes("other cold")) await new Promise(setImmediate); // a moment after its hooks
  expect(states(engine)).toEqual(["other cold", "pinned ready"]);
});

test("a load by name of a model that was given up has its adapters again; another model has not", async () => {
  const { model, file } = await adaptedModel(["Plain."], { pirate: ["Arr."] });
  const engine = await openEngine([], { models: {} });
  const options = { path: model, ...size, keepAlive: 0 };
  const cold = async (): Promise<void> => {
    while (states(engine)[0] !== "one cold") await new Promise(setImmediate);
  };
  await engine.models.load("one", { ...options, lazy: true });
  await engine.adapters.load("pirate", { path: file("pirate"), model: "one" });
  await cold();
  await engine.models.load("one", { ...options, contextSize: 512 });
  const adapters = [{ id: "pirate" }];
  expect((await engine.generate("Who?", { adapters })).text).toBe("Arr.");
  await cold();
  await engine.models.load("one", { ...options, lazy: true });
  expect((await engine.generate("Who?", { adapters })).text).toBe("Arr.");
  await cold();
  await engine.models.load("one", { path: await named("two"), ...size });
  expect(engine.adapters.list()).toEqual([]);
});

test.each<[string, (engine: Engine) => PromiseLike<unknown>]>([
  ["generate", (engine) => engine.generate("Who?")],
  ["session.run", (engine) => engine.session().run("Who?")],
  ["session.compact", (engine) => engine.session().compact()],
  ["adapters.load", (engine) => engine.adapters.load("x", { path: path.resolve("none.gguf") })],
  ["adapters.swap", (engine) => engine.adapters.swap(engine.session(), [])],
  ["models.load", async (engine) => engine.models.load("one", { path: await named("one") })],
])("%s tells the decision of a hook that refuses the load, and `error` hears of it once", async (_, call) => {
  const engine = await withLazy();
  const errors = errorsOf(engine);
  engine.hooks.on("modelLoad", () => cancel("not today"), { name: "keeper" });
  const error = (await rejection(call(engine))) as { decision?: Decision };
  expect(error).toMatchObject({ code: "HOOK_CANCELLED", decision: { point: "modelLoad", reason: "not today" } });
  expect(error.decision?.decidedBy).toMatchObject({ name: "keeper" });
  expect(errors).toEqual(["HOOK_CANCELLED"]);
});

test("so does what a hook answers that cannot be", async () => {
  const { engine, loadB } = await withRoomForOne();
  engine.hooks.on("vramPressure", () => ({ plan: ["absent"] }), { name: "planner" });
  expect(await rejection(loadB())).toMatchObject({
    code: "INVALID_ARGUMENT",
    decision: { point: "vramPressure", hooks: [{ name: "planner" }] },
  });
  engine.hooks.on("modelLoad", ({ params }) => ({ params: { ...params, devices: ["none"] } }), { name: "mover" });
  expect(await rejection(loadB())).toMatchObject({
    code: "INVALID_ARGUMENT",
    decision: { point: "modelLoad", hooks: [{ name: "mover" }] },
  });
});

const toCold = {
  tiers: { lead: {}, coder: { model: "cold" } },
  tier: "lead",
  tools: [directs],
} as const;

/** A session whose lead changes to a tier with a cold model, and a hook that holds its load. */
async function changing(): Promise<{ engine: Engine; reached: Promise<void> }> {
  const lead = await scriptModel([
    calls("directs", { directives: [{ type: "tier_change", params: { tier: "coder" } }] }),
    "As before.",
  ]);
  const engine = await openEngine([], { models: { lead, cold: { path: await named("cold"), lazy: true } } });
  const [reached, never] = [gate(), gate()];
  engine.hooks.on("modelLoad", async () => {
    reached.open();
    await never.passed;
  });
  return { engine, reached: reached.passed };
}

test("a run that is aborted while the model of its new tier is loaded resolves as cancelled", async () => {
  const { engine, reached } = await changing();
  const abort = new AbortController();
  const run = engine.session({ ...toCold, model: "lead" }).run("Go", { signal: abort.signal });
  await reached;
  abort.abort(new Error("enough"));
  expect(await run).toMatchObject({ finishReason: "cancelled", cancel: { reason: "enough" } });
});

test("the load of a new tier's model counts for maxRunMs", async () => {
  const { engine } = await changing();
  const run = engine.session({ ...toCold, model: "lead", maxRunMs: 300 }).run("Go");
  expect(await run).toMatchObject({ finishReason: "limit", limit: "maxRunMs" });
});

test("a delegation that is aborted while its model is loaded is reported as cancelled, and one that is refused has the decision", async () => {
  const model = await scriptModel(leadAndCoder(["Coded."]));
  const engine = await openEngine([], { models: { model, cold: { path: await named("cold"), lazy: true } } });
  const tiers = { ...ofLead.tiers, coder: { model: "cold" } };
  const ends: string[] = [];
  engine.hooks.on("delegateComplete", ({ resultKind }) => void ends.push(resultKind));
  const refusal = engine.hooks.on("modelLoad", () => cancel("not today"), { name: "keeper" });
  const refused = await engine.session({ ...ofLead, tiers, model: "model" }).run("Go");
  expect(refused.decisions).toContainEqual(expect.objectContaining({ point: "modelLoad", reason: "not today" }));
  refusal.dispose();
  const abort = new AbortController();
  engine.hooks.on("modelLoad", () => new Promise(() => abort.abort(new Error("enough"))));
  const aborted = await engine.session({ ...ofLead, tiers, model: "model" }).run("Go", { signal: abort.signal });
  expect(aborted).toMatchObject({ finishReason: "cancelled", toolCalls: [{ resultKind: "cancelled" }] });
  expect(ends).toEqual(["delegation_failed", "cancelled"]);
});

test("a closed engine ends what waits for a load with CLOSED", async () => {
  const engine = await withLazy();
  const reached = gate();
  engine.hooks.on("modelLoad", () => new Promise(() => reached.open()));
  const waiting = [engine.embed("text"), engine.adapters.swap(engine.session(), []), engine.session().compact()];
  const errors = Promise.all(waiting.map((one: PromiseLike<unknown>) => rejection(one)));
  await reached.passed;
  await engine.close();
  for (const error of await errors) expect(error).toMatchObject({ code: "CLOSED" });
});

test("paths are those of when they were given, wherever the process is when the model comes back", async () => {
  const { model, file } = await adaptedModel(["Plain."], { pirate: ["Arr."] });
  const engine = await openEngine([], { models: {} });
  const relative = (name: string): string => path.relative(process.cwd(), name);
  const options = { path: relative(model), draftModel: relative(model), keepAlive: 0, lazy: true };
  await engine.models.load("one", options);
  const { path: loadedPath } = await engine.adapters.load("pirate", { path: relative(file("pirate")), model: "one" });
  expect(loadedPath).toBe(file("pirate"));
  while (states(engine)[0] !== "one cold") await new Promise(setImmediate);
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir("/");
  expect((await engine.generate("Who?", { adapters: [{ id: "pirate" }] })).text).toBe("Arr.");
});

test("a load that comes after an unload is not a part of the load that the unload waits for", async () => {
  const engine = await withLazy();
  const options = { path: await named("one"), contextSize: 512 };
  const [reached, go] = [gate(), gate()];
  engine.hooks.on("modelLoad", async () => {
    reached.open();
    await go.passed;
  });
  const first = engine.models.load("one", options);
  await reached.passed;
  const unload = engine.models.unload("one");
  expect(await rejection(engine.models.load("one", options))).toMatchObject({ code: "MODEL_IN_USE" });
  go.open();
  expect((await first).modelId).toBe("one");
  await unload;
  expect(states(engine)).toEqual([]);
});
