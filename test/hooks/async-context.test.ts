// All functions that the engine calls see the caller's AsyncLocalStorage: hooks at every point, tools, models, stores.
import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineHooks, remote, type Session, tool } from "../../src/index.js";
import { definitions } from "../points/definitions.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { openIsolated, processOf } from "../support/isolated.js";
import { leadAndCoder, ofLead } from "../support/lead-and-coder.js";
import { MemoryStore } from "../support/memory-store.js";
import { hookAt } from "../support/order/orders.js";
import { localProvider } from "../support/remote/local-provider.js";
import { asks, asksUser, calls, clock, tools, weather } from "../support/sessions.js";

const request = new AsyncLocalStorage<string>();
const here = (): string => request.getStore() ?? "none";

/** Records the request in which each function runs. */
class Notes {
  readonly seen = new Map<string, Set<string>>();

  note(part: string): void {
    this.seen.set(part, (this.seen.get(part) ?? new Set()).add(here()));
  }

  get all(): Record<string, string> {
    return Object.fromEntries([...this.seen].map(([part, stores]) => [part, [...stores].join(" and ")]));
  }
}

for (const { point, open, occasion } of Object.values(definitions)) {
  test(`a handler at ${point} sees the request that it is called for, before and after an await`, async () => {
    const engine = await open();
    const notes = new Notes();
    request.run("startup", () => {
      hookAt(engine, point, () => notes.note("handler"));
      hookAt(engine, point, async () => {
        await setImmediate();
        notes.note("async handler");
      });
      hookAt(engine, point, () => notes.note("observer"), { observe: true });
    });
    await request.run("a request", async () => occasion(engine)).catch(() => undefined);
    await engine.close(); // the last observers have run
    const { handler, observer, "async handler": late } = notes.all;
    // Points that the close itself fires belong to no request.
    const own = (stores: string | undefined): string[] => (stores ?? "").split(" and ").filter((one) => one !== "none");
    expect([own(handler), own(late), own(observer)]).toEqual([["a request"], ["a request"], ["a request"]]);
  });
}

test("each of several runs under way has its own request in hooks and tools, and a run that waits its own, too", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold.", asks("Rome"), "Warm."], { parallel: 4 });
  const seen = new Map<string, Set<string>>();
  const note = (session: string | null): void =>
    void seen.set(session ?? "", (seen.get(session ?? "") ?? new Set()).add(here()));
  for (const point of ["loopStart", "preGenerate", "streamToken", "preToolCall", "postToolCall", "loopEnd"] as const)
    hookAt(engine, point, ({ meta }) => note(meta.sessionId));
  const open = (): Session => {
    const session: Session = engine.session({
      temperature: 0,
      tools: [{ ...weather, run: () => note(session.id) }],
    });
    return session;
  };
  const sessions = [open(), open(), open()];
  const talks = sessions.flatMap((session, index) =>
    ["first", "second"].map((name) =>
      request.run(`${name} of ${index}`, async () => session.run("Hello", { whenBusy: "wait" })),
    ),
  );
  await Promise.all(talks);
  expect(sessions.map(({ id }) => [...(seen.get(id) ?? [])])).toEqual([
    ["first of 0", "second of 0"],
    ["first of 1", "second of 1"],
    ["first of 2", "second of 2"],
  ]);
});

test("tools, their checks, questions to the user, approvals and schema objects see the request of the run", async () => {
  const notes = new Notes();
  const checked = tool({
    name: "checked",
    parameters: z.object({ n: z.number().refine(() => (notes.note("schema"), true)) }),
    run: async (_, { signal }) => {
      notes.note("tool");
      await setImmediate();
      notes.note("tool, later");
      return signal.aborted ? "" : "done";
    },
  });
  const script = [calls("checked", { n: 1 }), calls("asks_user"), "Thanks."];
  const engine = await openEngine(script);
  request.run("startup", () => {
    engine.hooks.on("elicitation", () => (notes.note("question"), { action: "accept", content: { city: "Oslo" } }));
    engine.hooks.on("permissionCheck", () => (notes.note("approval"), { permission: "allow" }));
    const mine = (tier: string | null): boolean => (notes.note("when"), tier === null);
    engine.hooks.on("loopStart", () => notes.note("when matched"), { when: { tier: mine } });
  });
  const session = request.run("startup", () =>
    engine.session({ temperature: 0, tools: [checked, asksUser], permissions: [{ ask: "*" }] }),
  );
  const hooks = defineHooks("own", { preGenerate: () => notes.note("hook of the run") });
  await request.run("a request", async () =>
    session.run("Hello", { hooks, stopWhen: () => (notes.note("stopWhen"), false) }),
  );
  expect(notes.all).toEqual(Object.fromEntries(Object.keys(notes.all).map((part) => [part, "a request"])));
  expect(Object.keys(notes.all)).toEqual(
    expect.arrayContaining(["schema", "tool", "tool, later", "question", "approval", "stopWhen", "hook of the run"]),
  );
});

test("delegated runs, several at once, plans, compactions and queued messages belong to the run's request", async () => {
  const notes = new Notes();
  const engine = await openEngine(leadAndCoder([calls("clock"), "Did it."]), { parallel: 4 });
  for (const point of [
    "loopStart",
    "preGenerate",
    "delegate",
    "delegateComplete",
    "preCompact",
    "userMessage",
  ] as const)
    hookAt(engine, point, () => notes.note(point));
  const noting = { ...clock, run: () => notes.note("tool") };
  const session = engine.session({ ...ofLead, tools: [noting], temperature: 0 });
  const step = { tier: "coder", task: "Do it." };
  await request.run("a request", async () => {
    const run = session.run("Hello", { plan: { flow: "parallel", steps: [step, step, step, { tool: "clock" }] } });
    request.run("another", () => session.queue("And this."));
    await run;
  });
  expect(new Set(Object.values(notes.all))).toEqual(new Set(["a request"]));
  expect([...notes.seen.keys()]).toEqual(
    expect.arrayContaining(["delegate", "delegateComplete", "userMessage", "tool"]),
  );
  await request.run("a compaction", () => session.compact());
  expect(notes.all["preCompact"]).toBe("a compaction");
});

test("progress of a load, and hooks at its points, see the request of the load; sessionEnd that of the close", async () => {
  const notes = new Notes();
  const engine = await openEngine(["Hello."]);
  request.run("startup", () => {
    for (const point of ["modelLoad", "modelReady", "sessionEnd", "modelUnload"] as const)
      hookAt(engine, point, () => notes.note(point));
  });
  const file = await scriptModel(["Hi."]);
  const onProgress = (): void => notes.note("onProgress");
  await request.run("a load", () => engine.models.load("other", { path: file, threads: 1 }, { onProgress }));
  const session = engine.session({ model: "default" });
  await session.run("Hello");
  await request.run("a close", () => session.close());
  await request.run("an unload", () => engine.models.unload("other"));
  expect(notes.all).toEqual({
    modelLoad: "a load",
    onProgress: "a load",
    modelReady: "a load",
    sessionEnd: "a close",
    modelUnload: "an unload",
  });
});

test("a hook that belongs to no call of the engine sees the context of on()", async () => {
  const engine = await openIsolated(["Hello."]);
  const reported = gate();
  const notes = new Notes();
  request.run("startup", () =>
    engine.hooks.on("error", ({ code }) => {
      notes.note(code);
      reported.open();
    }),
  );
  await request.run("a request", async () => engine.generate("Hello"));
  process.kill(processOf(engine), "SIGKILL");
  await reported.passed;
  expect(notes.all).toEqual({ ENGINE_CRASHED: "startup" });
});

test("a listener of a handler's or a tool's signal sees the request, too", async () => {
  const notes = new Notes();
  const engine = await openEngine([calls("hangs"), "Never."]);
  const inTool = gate();
  const hangs = tool({
    name: "hangs",
    run: (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => (notes.note("tool"), resolve("")));
        inTool.open();
      }),
  });
  const session = engine.session({ tools: [hangs], temperature: 0 });
  const run = request.run("a request", () => session.run("Hello"));
  const ended = run.then(() => undefined);
  await inTool.passed;
  run.cancel();
  await ended;
  engine.hooks.on(
    "loopStart",
    ({ signal }) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => (notes.note("hook"), resolve()))),
    { deadlineMs: 1 },
  );
  await request.run("a request", async () => session.run("Hello", { toolChoice: "none" }));
  expect(notes.all).toEqual({ tool: "a request", hook: "a request" });
});

test("a remote model is called in the request of the run", async () => {
  const notes = new Notes();
  const inner = await openEngine([asks("Oslo"), "Cold."]);
  const provider = localProvider(inner, "default");
  const model = { ...provider, doStream: (options: never) => (notes.note("model"), provider.doStream(options)) };
  const engine = await openEngine([], { models: { far: { provider: remote(model) } } });
  await request.run("a generation", async () => engine.generate("Hello"));
  await request.run("a run", async () => engine.session({ tools, temperature: 0 }).run("Hello"));
  expect(notes.all).toEqual({ model: "a generation and a run" });
});

test("a store is called in the request of the run that it saves", async () => {
  const store = new MemoryStore();
  const notes = new Notes();
  const engine = await openEngine(["Hello."], { sessionStore: store });
  const session = await engine.sessions.open({ autosave: true });
  store.before = () => notes.note("save");
  await request.run("a run", async () => session.run("Hello"));
  expect(notes.all["save"]).toBe("a run");
});

test("a nested call has the context of the code that made it", async () => {
  const engine = await openEngine(["Hello."], { parallel: 2 });
  const seen: string[] = [];
  let nested: PromiseLike<unknown> | undefined;
  engine.hooks.on("preGenerate", async ({ messages }) => {
    seen.push(`${messages?.at(-1)?.content}: ${here()}`);
    if (nested === undefined) {
      nested = request.run("nested", async () => engine.generate("inner"));
      await nested;
    }
  });
  await request.run("outer", async () => engine.generate("outer"));
  expect(seen).toEqual(["outer: outer", "inner: nested"]);
});

test("a call keeps one async context, however many tokens it has, and forgets it", async () => {
  const engine = await openEngine([{ text: "A long answer of many words, each of which is a separate token." }]);
  let tokens = 0;
  engine.hooks.on("streamToken", () => void tokens++);
  let kept = 0;
  const watch = createHook({ init: (_, type) => void (kept += type === "LlamaHooksCaller" ? 1 : 0) }).enable();
  onTestFinished(() => void watch.disable());
  await engine.generate("Hello");
  expect(tokens).toBeGreaterThan(10);
  expect(kept).toBe(1);
});
