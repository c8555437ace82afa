import { expect, test } from "vitest";
import { cancel, type Engine, type EngineOptions, tool } from "../../src/index.js";
import { adaptedModel, openAdapted } from "../support/adapters.js";
import { openEngine, rejection } from "../support/engine.js";

const plain = ["I am plain.", "Still plain.", "Plain to the end."];
const pirate = ["Ahoy there!", "Arr, still here.", "Farewell, matey."];
const poet = ["Roses are red.", "Violets are blue."];

/** An engine whose model has two adapters, "pirate" and the fainter "poet". */
async function open(options: EngineOptions = {}): Promise<Engine> {
  const { model, file } = await adaptedModel(plain, { pirate, poet });
  const engine = await openEngine([], { model, ...options });
  await engine.adapters.load("pirate", { path: file("pirate") });
  await engine.adapters.load("poet", { path: file("poet"), scale: 0.9 });
  return engine;
}

test("an adapter is loaded, listed, used and unloaded", async () => {
  const { model, file: fileOf } = await adaptedModel(plain, { pirate });
  const engine = await openEngine([], { model });
  expect(engine.adapters.list()).toEqual([]);
  const file = fileOf("pirate");
  const info = await engine.adapters.load("pirate", { path: file, scale: 0.75 });
  expect(info).toEqual({
    adapterId: "pirate",
    modelId: "default",
    path: file,
    kind: "lora",
    fileBytes: expect.any(Number),
    scale: 0.75,
    rank: expect.any(Number),
    tensors: 1,
  });
  expect(engine.adapters.list()).toEqual([info]);
  expect((await engine.generate("Hello", { adapters: [{ id: "pirate" }] })).text).toBe("Ahoy there!");
  await engine.adapters.unload("pirate");
  expect(engine.adapters.list()).toEqual([]);
  expect((await engine.generate("Hello")).text).toBe("I am plain.");
  const gone = await rejection(engine.generate("Hello", { adapters: [{ id: "pirate" }] }));
  expect(gone).toMatchObject({ code: "NOT_FOUND", message: expect.stringContaining('"pirate"') });
  await engine.adapters.load("pirate", { path: file });
  expect((await engine.generate("Hello", { adapters: [{ id: "pirate" }] })).text).toBe("Ahoy there!");
});

test.each([
  ["none", [], "I am plain."],
  ["one as trained", [{ id: "pirate" }], "Ahoy there!"],
  ["one with the strength it was loaded with", [{ id: "poet" }], "Roses are red."],
  ["one that is too weak", [{ id: "pirate", scale: 0.2 }], "I am plain."],
  ["one at zero", [{ id: "pirate", scale: 0 }], "I am plain."],
  [
    "two, the first stronger",
    [
      { id: "pirate", scale: 0.9 },
      { id: "poet", scale: 0.2 },
    ],
    "Ahoy there!",
  ],
  [
    "two, the second stronger",
    [
      { id: "pirate", scale: 0.2 },
      { id: "poet", scale: 0.9 },
    ],
    "Roses are red.",
  ],
])("a generation runs with its adapters: %s", async (_, adapters, text) => {
  const engine = await open();
  expect((await engine.generate("Hello", { adapters })).text).toBe(text);
});

test("a session runs with its adapters, and a run with its own", async () => {
  const engine = await open();
  const session = engine.session({ adapters: [{ id: "pirate" }] });
  expect((await session.run("Hello")).text).toBe("Ahoy there!");
  expect((await session.run("And now?", { adapters: [] })).text).toBe("Still plain.");
  expect((await session.run("And then?")).text).toBe("Farewell, matey.");
});

test("a swap takes effect at the next model call, in the middle of a conversation and of a run", async () => {
  const engine = await open();
  const session = engine.session();
  expect((await session.run("Hello")).text).toBe("I am plain.");
  const active = await engine.adapters.swap(session, [{ id: "poet" }]);
  expect(active).toMatchObject([{ adapterId: "poet", scale: 0.9 }]);
  const fork = session.fork();
  expect((await session.run("And now?")).text).toBe("Violets are blue.");
  expect((await fork.run("And now?")).text).toBe("Violets are blue.");
  engine.hooks.on("userMessage", async () => void (await engine.adapters.swap(session, [{ id: "pirate" }])));
  expect((await session.run("And then?")).text).toBe("Farewell, matey.");
});

test("a swap that a hook cancels changes nothing, and says who cancelled and why", async () => {
  const engine = await open();
  const session = engine.session({ adapters: [{ id: "pirate" }] });
  expect((await session.run("Hello")).text).toBe("Ahoy there!");
  const hook = engine.hooks.on("adapterSwap", () => cancel("no poetry"), { name: "critic" });
  const refused = {
    code: "HOOK_CANCELLED",
    message: expect.stringContaining("no poetry"),
    decision: { point: "adapterSwap", reason: "no poetry", decidedBy: { name: "critic" } },
  };
  expect(await rejection(engine.adapters.swap(session, [{ id: "poet" }]))).toMatchObject(refused);
  expect(await rejection(engine.generate("Hello", { adapters: [{ id: "poet" }] }))).toMatchObject(refused);
  const failed = await rejection(session.run("And now?", { adapters: [{ id: "poet" }] }));
  expect(failed).toMatchObject(refused);
  expect((await session.run("And now?")).text).toBe("Arr, still here.");
  hook.dispose();
  expect(await engine.adapters.swap(session, [])).toEqual([]);
});

test("a hook changes strength and set, and is asked once for each change", async () => {
  const engine = await open();
  const asked: unknown[] = [];
  engine.hooks.on("adapterSwap", ({ currentAdapter, targetAdapter, scale, adapters }) => {
    asked.push([currentAdapter, targetAdapter, scale, adapters.length]);
    if (targetAdapter === "pirate") return { scale: 0.1 };
    return { adapters: [] };
  });
  const seen: unknown[] = [];
  engine.hooks.on("adapterSwap", ({ scale, adapters }) => void seen.push([scale, adapters.map((one) => one.scale)]));
  const session = engine.session({ adapters: [{ id: "pirate" }] });
  expect((await session.run("Hello")).text).toBe("I am plain.");
  expect((await session.run("And now?")).text).toBe("Still plain.");
  expect(await engine.adapters.swap(session, [{ id: "poet" }])).toEqual([]);
  expect((await session.run("And then?")).text).toBe("Plain to the end.");
  expect(asked).toEqual([
    [null, "pirate", 1, 1],
    ["pirate", "poet", 0.9, 1],
  ]);
  expect(seen).toEqual([
    [0.1, [0.1]],
    [0, []],
  ]);
});

test("a hook that names an adapter which is not loaded makes the change fail", async () => {
  const engine = await open();
  const ghost = { adapterId: "ghost", adapterPath: "", scale: 1 };
  engine.hooks.on("adapterSwap", ({ adapters }) => ({ adapters: [...adapters, ghost] }));
  const failure = await rejection(engine.generate("Hello", { adapters: [{ id: "poet" }] }));
  expect(failure).toMatchObject({ code: "NOT_FOUND", message: expect.stringContaining("ghost") });
});

test("hooks before a model call see its adapters, and may choose others", async () => {
  const engine = await open();
  engine.hooks.on("preGenerate", ({ params }) => {
    if (params.adapters?.[0]?.id === "poet") return { params: { ...params, adapters: [{ id: "pirate" }] } };
    return undefined;
  });
  expect((await engine.generate("Hello", { adapters: [{ id: "poet" }] })).text).toBe("Ahoy there!");
  expect((await engine.generate("Hello")).text).toBe("I am plain.");
});

test("conversations with different adapters run at the same time, each with its own replies, a hundred times", async () => {
  const engine = await open({ parallel: 3 });
  const talks = [
    { adapters: [{ id: "pirate" }], said: pirate[0] },
    { adapters: [{ id: "poet" }], said: poet[0] },
    { adapters: [], said: plain[0] },
  ];
  const speak = async ({ adapters, said }: (typeof talks)[number]): Promise<void> => {
    for (let round = 0; round < 100; round++) {
      const { text } = await engine.generate(`Hello, for the ${round}th time`, { adapters });
      expect(text).toBe(said);
    }
  };
  await Promise.all(talks.map(speak));
});

test("two sessions with different adapters at the same time each get their own reply, a hundred times", async () => {
  const engine = await open({ parallel: 2 });
  const talk = async (id: string, said: string | undefined): Promise<string[]> => {
    const texts: string[] = [];
    for (let round = 0; round < 100; round++) {
      const session = engine.session({ adapters: [{ id }] });
      texts.push((await session.run("Hello")).text);
      await session.close();
    }
    return texts.filter((text) => text !== said);
  };
  expect(await Promise.all([talk("pirate", pirate[0]), talk("poet", poet[0])])).toEqual([[], []]);
});

test("no generation starves: a short one ends while endless ones with other adapters continue", async () => {
  const endless = { text: "on and on ", endless: true };
  const options = { contextSize: 65_536, parallel: 3 };
  const { engine } = await openAdapted([endless], { brief: ["Done."] }, options);
  const stop = new AbortController();
  const going = [engine.generate("Go", { signal: stop.signal }), engine.generate("Go", { signal: stop.signal })];
  for (let round = 0; round < 5; round++) {
    expect((await engine.generate("Say", { adapters: [{ id: "brief" }] })).text).toBe("Done.");
  }
  stop.abort();
  for (const one of await Promise.all(going)) expect(one.finishReason).toBe("cancelled");
});

test("an adapter in use is unloaded when its generations have ended, and a model takes its adapters along", async () => {
  const engine = await open();
  let refused: unknown;
  engine.hooks.on("streamToken", async () => {
    refused ??= await rejection(engine.adapters.unload("poet"));
  });
  await engine.generate("Hello", { adapters: [{ id: "poet" }] });
  expect(refused).toMatchObject({ code: "REENTRANT" });
  engine.hooks.clear();
  const order: string[] = [];
  let unloading: Promise<void> | undefined;
  const talk = engine.generate("Hello", { adapters: [{ id: "poet" }] });
  for await (const event of talk) {
    if (event.type === "token" && event.index === 0) {
      unloading = engine.adapters.unload("poet").then(() => void order.push("unloaded"));
    }
    if (event.type === "end") order.push(event.result.text);
  }
  await unloading;
  expect(order.toSorted()).toEqual(["Roses are red.", "unloaded"]);
  expect(engine.adapters.list().map(({ adapterId }) => adapterId)).toEqual(["pirate"]);
  await engine.models.unload("default");
  expect(engine.adapters.list()).toEqual([]);
});

test("adapters come and go while others speak", async () => {
  const { engine, file } = await openAdapted(plain, { pirate });
  const enough = new AbortController();
  const speak = async (adapters: { id: string }[], said: string | undefined): Promise<void> => {
    while (!enough.signal.aborted) expect((await engine.generate("Hello", { adapters })).text).toBe(said);
  };
  const others = [speak([], plain[0]), speak([{ id: "pirate" }], pirate[0])];
  for (let round = 0; round < 50; round++) {
    await engine.adapters.load("guest", { path: file("pirate") });
    const { text } = await engine.generate("Hello", { adapters: [{ id: "guest" }] });
    expect(text).toBe(pirate[0]);
    await engine.adapters.unload("guest");
  }
  enough.abort();
  await Promise.all(others);
  expect(engine.adapters.list().length).toBe(1);
});

test("a tool swaps and unloads the adapters of the run that called it", async () => {
  const call = { toolCalls: [{ name: "sober", args: {} }] };
  const { engine } = await openAdapted(["Unheard.", "All is well."], { pirate: [call, "Arr, all is well."] });
  const sober = tool({
    name: "sober",
    description: "Ends the masquerade.",
    parameters: { type: "object", properties: {} },
    run: async () => {
      await engine.adapters.swap(session, []);
      await engine.adapters.unload("pirate");
    },
  });
  const session = engine.session({ adapters: [{ id: "pirate" }], tools: [sober] });
  const { text, toolCalls } = await session.run("Behave.");
  expect([text, toolCalls.length, engine.adapters.list()]).toEqual(["All is well.", 1, []]);
});

test("adapters are of one model each", async () => {
  const engine = await open();
  const other = await adaptedModel(["Human."], { robot: ["Beep."] });
  const file = other.file("robot");
  await engine.models.load("other", { path: other.model, threads: 1 });
  expect((await engine.adapters.load("robot", { path: file, model: "other" })).modelId).toBe("other");
  const adapters = [{ id: "robot" }];
  expect((await engine.generate("Hello", { model: "other", adapters })).text).toBe("Beep.");
  expect(await rejection(engine.generate("Hello", { model: "default", adapters }))).toMatchObject({
    code: "NOT_FOUND",
  });
  const unnamed = engine.adapters.load("again", { path: file });
  expect(await rejection(unnamed)).toMatchObject({ code: "MODEL_NOT_LOADED" });
});

test("what a hook answers is held to the rules of a request: the range of a strength, the file of an adapter", async () => {
  const engine = await open();
  const adapters = [{ id: "pirate" }];
  const scales = engine.hooks.on("adapterSwap", () => ({ scale: 1e300 }));
  const { text, decisions } = await engine.generate("Hello", { adapters });
  expect(text).toBe("Ahoy there!");
  expect(decisions[0]?.hooks).toMatchObject([{ error: { code: "HOOK_BAD_ANSWER" } }]);
  scales.dispose();
  engine.hooks.on("adapterSwap", (event) => ({
    adapters: event.adapters.map((one) => ({ ...one, adapterPath: "/else.gguf" })),
  }));
  expect(await rejection(engine.generate("Hello", { adapters }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("adapterPath") as string,
  });
});

test("what a hook put in the place of an adapter is asked for anew once it is unloaded", async () => {
  const engine = await open();
  const hook = engine.hooks.on("adapterSwap", ({ adapters: [one] }) => ({
    adapters: one === undefined ? [] : [{ ...one, adapterId: "poet", adapterPath: pathOf(engine, "poet") }],
  }));
  const session = engine.session({ adapters: [{ id: "pirate" }] });
  expect((await session.run("Hello")).text).toBe("Roses are red.");
  await engine.adapters.unload("poet");
  hook.dispose();
  expect((await session.run("Hello")).text).toBe("Arr, still here.");
  expect(await engine.adapters.swap(session, [{ id: "pirate" }])).toMatchObject([{ adapterId: "pirate" }]);
});

test("a fork has the adapters that its session has, as hooks left them, and none is asked", async () => {
  const engine = await open();
  const asked: unknown[] = [];
  engine.hooks.on("adapterSwap", () => ({ scale: 0.1 }), { once: true });
  engine.hooks.on("adapterSwap", ({ currentAdapter }) => void asked.push(currentAdapter));
  const session = engine.session();
  await engine.adapters.swap(session, [{ id: "pirate" }]);
  expect((await session.run("Hello")).text).toBe("I am plain.");
  expect((await session.fork().run("Hello")).text).toBe("Still plain.");
  expect(asked).toEqual([null]);
});

function pathOf(engine: Engine, id: string): string {
  return engine.adapters.list().find(({ adapterId }) => adapterId === id)?.path ?? "";
}
