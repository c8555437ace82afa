import { expect, test } from "vitest";
import type { HookRegistration, LlamaHooksError } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";

const inner = [{ role: "user", content: "inner" }] as const;

test("a hook may run its own generation and use its text", async () => {
  const engine = await openEngine({ replies: ["outer"], scripts: [{ when: "inner", replies: ["from within"] }] });
  engine.hooks.on("preGenerate", async ({ messages }) => {
    if (messages[0]?.content === "inner") return undefined;
    return { response: (await engine.generate(inner)).text };
  });
  expect((await engine.generate("hi")).text).toBe("from within");
});

test("a hook of a token may run its own generation", async () => {
  const engine = await openEngine({
    replies: [{ pieces: ["a", " b"] }],
    scripts: [{ when: "inner", replies: [{ pieces: ["x"] }] }],
  });
  engine.hooks.on("streamToken", async ({ text }) => {
    if (text === "x") return undefined;
    return { text: text + (await engine.generate(inner)).text };
  });
  expect((await engine.generate("hi")).text).toBe("ax bx");
});

test("a hook may load and unload another model", async () => {
  const engine = await openEngine(["Hello."]);
  const path = engine.models.describe("default").path;
  engine.hooks.on("preGenerate", async () => {
    await engine.models.load("other", { path, threads: 1 });
    await engine.models.unload("other");
  });
  expect((await engine.generate("hi")).text).toBe("Hello.");
  expect(engine.models.list().map(({ modelId }) => modelId)).toEqual(["default"]);
});

test("a hook that is added by a hook runs from the next dispatch on", async () => {
  const engine = await openEngine(["Hello."]);
  const names: string[] = [];
  engine.hooks.on("preGenerate", () => {
    names.push("first");
    if (names.length === 1) engine.hooks.on("preGenerate", () => void names.push("added"));
  });
  await engine.generate("hi");
  expect(names).toEqual(["first"]);
  await engine.generate("hi");
  expect(names).toEqual(["first", "first", "added"]);
});

test("a hook that removes itself is done after this call, and its answer counts", async () => {
  const engine = await openEngine(["Hello."]);
  const once: HookRegistration = engine.hooks.on("preGenerate", () => {
    once.dispose();
    return { response: "once" };
  });
  expect((await engine.generate("hi")).text).toBe("once");
  expect((await engine.generate("hi")).text).toBe("Hello.");
  expect(once.removed).toBe(true);
});

test("a hook that is removed by the one before it does not begin", async () => {
  const engine = await openEngine(["Hello."]);
  const names: string[] = [];
  engine.hooks.on("preGenerate", () => {
    names.push("remover");
    removed.dispose();
  });
  const removed = engine.hooks.on("preGenerate", () => void names.push("removed"));
  await engine.generate("hi");
  expect(names).toEqual(["remover"]);
});

test("a hook may clear every hook, and the call it belongs to continues", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => engine.hooks.clear());
  engine.hooks.on("postGenerate", () => ({ content: "not any more" }));
  expect((await engine.generate("hi")).text).toBe("Hello.");
  expect(engine.hooks.list()).toEqual([]);
});

test("a hook may be removed while it waits: its answer is still taken or it is left out, and nothing hangs", async () => {
  const engine = await openEngine(["Hello."]);
  const hook = engine.hooks.on("preGenerate", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    hook.dispose();
    await new Promise((resolve) => setImmediate(resolve));
    return { response: "mine" };
  });
  expect(["mine", "Hello."]).toContain((await engine.generate("hi")).text);
});

test("a hook that waits to unload the model that it runs on is refused with REENTRANT, not deadlocked", async () => {
  const engine = await openEngine(["Hello."]);
  let failure: unknown;
  const unload = async (): Promise<undefined> => {
    failure = await rejection(engine.models.unload("default"));
  };
  engine.hooks.on("preGenerate", unload, { deadlineMs: 500 });
  await engine.generate("hi");
  expect(failure).toMatchObject({ code: "REENTRANT" });
});

test("a hook that closes the engine ends its own generation, and nothing hangs", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => engine.close(), { deadlineMs: 0 });
  const ended = await Promise.resolve(engine.generate("hi")).then(
    ({ finishReason }) => finishReason,
    (error: unknown) => (error as LlamaHooksError).code,
  );
  expect(["cancelled", "CLOSED"]).toContain(ended);
  await engine.close();
});

test("a hook that has answered holds its model no longer: what it left behind may unload it", async () => {
  const engine = await openEngine(["Hello."]);
  const ended = gate();
  let unloading: Promise<unknown> | undefined;
  engine.hooks.on("preGenerate", () => {
    unloading = ended.passed.then(() => engine.models.unload("default"));
  });
  await engine.generate("hi");
  ended.open();
  await unloading;
  expect(engine.models.list()).toEqual([]);
});

test("a hook whose deadline has passed holds its model no longer", async () => {
  const engine = await openEngine(["Hello."]);
  const ended = gate();
  let unloading: Promise<unknown> | undefined;
  const wait = async (): Promise<undefined> => {
    unloading = ended.passed.then(() => engine.models.unload("default"));
    await unloading;
  };
  engine.hooks.on("preGenerate", wait, { deadlineMs: 20 });
  await engine.generate("hi");
  ended.open();
  await unloading;
  expect(engine.models.list()).toEqual([]);
});

test("unloading is REENTRANT also in a generation that the hook runs within its own", async () => {
  const engine = await openEngine({ replies: ["outer"], scripts: [{ when: "inner", replies: ["within"] }] });
  const path = engine.models.describe("default").path;
  await engine.models.load("other", { path, threads: 1 });
  let failure: unknown;
  engine.hooks.on("preGenerate", async ({ messages }) => {
    if (messages[0]?.content !== "inner") return { response: (await engine.generate(inner, { model: "other" })).text };
    failure = await rejection(engine.models.unload("default"));
    return undefined;
  });
  expect((await engine.generate("hi", { model: "default" })).text).toBe("within");
  expect(failure).toMatchObject({ code: "REENTRANT" });
});

test("hooks that generate within hooks are bounded: the call that is too deep has failed", async () => {
  const engine = await openEngine(["deep"]);
  let depth = 0;
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, message }) => void errors.push(`${code} ${message}`));
  const dive = async (): Promise<{ response: string }> => {
    depth++;
    return { response: `${(await engine.generate("again")).text}.` };
  };
  engine.hooks.on("preGenerate", dive, { name: "diver" });
  expect((await engine.generate("hi")).text).toBe(`deep${".".repeat(16)}`);
  expect(depth).toBe(16);
  expect(errors).toEqual([expect.stringMatching(/^HOOK_FAILED .*"diver" at preGenerate.*nested deeper than 16/)]);
});
