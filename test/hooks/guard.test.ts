import { expect, test } from "vitest";
import { cancel, defineHooks } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";

function fail(): never {
  throw new Error("broken");
}

test("a guard sees what will really happen, however late the change was registered", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: string[] = [];
  engine.hooks.guard("preGenerate", ({ messages }) => void seen.push(messages[0]?.content ?? ""));
  engine.hooks.on("preGenerate", () => ({ messages: [{ role: "user", content: "changed" }] }), { priority: 1000 });
  await engine.generate("hi");
  expect(seen).toEqual(["changed"]);
});

test("it sees the parameters as they will hold, also those that an answer leaves out", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: unknown[] = [];
  engine.hooks.guard("preGenerate", ({ params }) => void seen.push(params));
  engine.hooks.guard("modelLoad", ({ params, estimate }) => void seen.push(params, estimate));
  const usual = await engine.generate("hi").then(() => seen.pop());
  engine.hooks.on("preGenerate", () => ({ params: { topK: 3, grammar: null } as never }));
  await engine.generate("hi", { temperature: 0.1 });
  expect(seen.pop()).toEqual({ ...(usual as object), topK: 3 });
  const path = await scriptModel(["Hello."]);
  await engine.models.load("usual", { path });
  const [loaded, estimate] = seen.splice(0) as [object, { hostBytes: number }];
  engine.hooks.on("modelLoad", () => ({ params: { contextSize: 1024 } }));
  await engine.models.load("small", { path });
  const [small, less] = seen as [object, { hostBytes: number }];
  expect(small).toEqual({ ...loaded, contextSize: 1024 });
  expect(less.hostBytes).toBeLessThan(estimate.hostBytes);
});

test("a guard that cancels says why in the result", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => ({ response: "smuggled" }));
  engine.hooks.guard("preGenerate", () => cancel("not like that"), { name: "keeper" });
  const { text, finishReason, cancel: stopper } = await engine.generate("hi");
  expect([text, finishReason, stopper]).toEqual(["", "cancelled", { by: "keeper", reason: "not like that" }]);
});

test("a guard that lets pass changes nothing", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.guard("preGenerate", async () => undefined);
  expect(await engine.generate("hi")).toMatchObject({ text: "Hello.", finishReason: "stop" });
});

for (const [way, handler, code, options] of [
  [
    "throws",
    () => {
      throw new Error("no key");
    },
    "HOOK_FAILED",
    {},
  ],
  ["rejects", () => Promise.reject(new Error("no key")), "HOOK_FAILED", {}],
  ["answers with a change", () => ({ response: "mine" }), "HOOK_BAD_ANSWER", {}],
  ["answers with nonsense", () => 7, "HOOK_BAD_ANSWER", {}],
  ["never answers", () => new Promise(() => undefined), "HOOK_TIMEOUT", { deadlineMs: 50 }],
] as const) {
  test(`a guard that ${way} cancels`, async () => {
    const engine = await openEngine(["Hello."]);
    engine.hooks.guard("preGenerate", handler as never, { name: "keeper", ...options });
    const { text, finishReason, cancel: stopper, decisions } = await engine.generate("hi");
    expect([text, finishReason, stopper?.by]).toEqual(["", "cancelled", "keeper"]);
    expect(decisions).toMatchObject([{ action: "cancelled", status: code, decidedBy: { name: "keeper" } }]);
    expect(engine.hooks.stats()).toMatchObject([{ name: "keeper", calls: 1, cancels: 1, failures: 1 }]);
  });
}

test("a guard of loads keeps a model out", async () => {
  const engine = await openEngine([], { models: {} });
  const path = await scriptModel(["Hello."]);
  engine.hooks.guard("modelLoad", ({ params }) => (params.parallel === 1 ? undefined : cancel("one at a time")));
  expect(await rejection(engine.models.load("many", { path, threads: 1, parallel: 2 }))).toMatchObject({
    code: "HOOK_CANCELLED",
    decision: { reason: "one at a time" },
  });
  await engine.models.load("one", { path, threads: 1, parallel: 1 });
  expect(engine.models.list().map(({ modelId }) => modelId)).toEqual(["one"]);
});

test("the first guard that cancels decides", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.guard("preGenerate", () => cancel("second"), { name: "b", priority: 2 });
  engine.hooks.guard("preGenerate", () => cancel("first"), { name: "a", priority: 1 });
  expect((await engine.generate("hi")).cancel).toEqual({ by: "a", reason: "first" });
  expect(engine.hooks.stats().map(({ name, calls }) => [name, calls])).toEqual([
    ["a", 1],
    ["b", 0],
  ]);
});

test("a guard with a matcher is asked only where it matches", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.guard("preGenerate", () => cancel("not for guests"), { when: { tier: "guest" } });
  expect((await engine.generate("hi", { tier: "owner" })).finishReason).toBe("stop");
  expect((await engine.generate("hi", { tier: "guest" })).finishReason).toBe("cancelled");
});

test("a guard where nothing can be cancelled is refused at once, with the kind of the point", async () => {
  const engine = await openEngine([], { models: {} });
  expect(() => engine.hooks.guard("postGenerate" as never, () => undefined)).toThrow(/pre point.*postGenerate.*post/);
  expect(() => engine.hooks.guard("error" as never, () => undefined)).toThrow(/info/);
  expect(() => engine.hooks.guard("preGenerate", () => undefined, { failClosed: true } as never)).toThrow(TypeError);
  expect(engine.hooks.list()).toEqual([]);
});

test("a set that fails closed does so at its pre points and is skipped at the others", async () => {
  const engine = await openEngine(["Hello."]);
  const set = engine.hooks.use(defineHooks("frail", { preGenerate: fail, postGenerate: fail }, { failClosed: true }));
  expect((await engine.generate("hi")).cancel?.by).toBe("frail");
  set.dispose();
  engine.hooks.use(defineHooks("frail", { postGenerate: fail }, { failClosed: true }));
  expect(await engine.generate("hi")).toMatchObject({ text: "Hello.", finishReason: "stop" });
});

test("a guard sees the response that an earlier hook put in the model's stead", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: (string | undefined)[] = [];
  engine.hooks.guard("preGenerate", ({ response }) => {
    seen.push(response);
    return response === "smuggled" ? cancel("not that") : undefined;
  });
  expect((await engine.generate("hi")).text).toBe("Hello.");
  const smuggler = engine.hooks.on("preGenerate", () => ({ response: "smuggled" }));
  engine.hooks.on("preGenerate", ({ response }) => void seen.push(`later: ${response}`));
  engine.hooks.on("preGenerate", ({ response }) => void seen.push(`original: ${response}`), { originalContext: true });
  expect((await engine.generate("hi")).cancel?.reason).toBe("not that");
  smuggler.dispose();
  expect(seen).toEqual([undefined, "later: smuggled", "original: undefined", "smuggled"]);
});

for (const way of ["guard", "failClosed hook"] as const) {
  test(`an abort while a ${way} is pending is the caller's, not its veto`, async () => {
    const engine = await openEngine(["Hello."]);
    const abort = new AbortController();
    const pending = (): Promise<undefined> => {
      abort.abort("the user left");
      return new Promise(() => undefined);
    };
    if (way === "guard") engine.hooks.guard("preGenerate", pending, { name: "slow" });
    else engine.hooks.on("preGenerate", pending, { name: "slow", failClosed: true });
    const { finishReason, cancel: stopper, decisions } = await engine.generate("hi", { signal: abort.signal });
    expect([finishReason, stopper]).toEqual(["cancelled", { by: "signal", reason: "the user left" }]);
    expect(decisions).toMatchObject([
      { action: "cancelled", decidedBy: null, reason: "the user left", status: "CANCELLED" },
    ]);
    expect(engine.hooks.stats()).toMatchObject([{ name: "slow", cancels: 0 }]);
  });
}

test("a load that is aborted while a guard is pending was cancelled by the caller, not by the guard", async () => {
  const engine = await openEngine([], { models: {} });
  const path = await scriptModel(["Hello."]);
  const abort = new AbortController();
  engine.hooks.guard("modelLoad", () => {
    abort.abort(new Error("the user left"));
    return new Promise(() => undefined);
  });
  const error = await rejection(engine.models.load("mine", { path, threads: 1 }, { signal: abort.signal }));
  expect(error).toMatchObject({ code: "CANCELLED", decision: { decidedBy: null, status: "CANCELLED" } });
});
