// The first failure of each hook is a process warning, unless a hook at `error` receives it.
import path from "node:path";
import { expect, test } from "vitest";
import { decideToolCall, defineHooks, type LlamaHooksError, notify, remote } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { openaiServer } from "../../support/remote/openai-server.js";
import { asks, runOnce, tools } from "../../support/sessions.js";
import { collectWarnings, here, type Warning } from "./warnings.js";

function fail(): never {
  throw new Error("typo");
}

/** The warning's words without the folder of the file. */
function words({ message }: Warning | undefined = new Error("no warning")): string {
  return message.replace(/\S*\/(?=[\w-]+\.test\.ts:)/gu, "");
}

test("the first failure of a hook is a warning that names hook, point, line and remedy; later ones are counted", async () => {
  const engine = await openEngine(["Hello."]);
  const warnings = collectWarnings();
  engine.hooks.on("preGenerate", fail, { name: "cold" });
  const at = here(-1);
  for (let i = 0; i < 3; i++) expect((await engine.generate("hi")).text).toBe("Hello.");
  const [warning, ...others] = await warnings.settled();
  expect(others).toEqual([]);
  expect(warning).toMatchObject({ name: "LlamaHooksError", code: "HOOK_FAILED", cause: { message: "typo" } });
  expect(words(warning)).toBe(
    `The hook "cold" at preGenerate, registered at ${at}, failed: Error: typo. The engine went on without it. ` +
      "Catch what it may throw, or register it with failClosed if nothing may go on without it. " +
      "Later failures of this hook are only counted, in engine.hooks.stats().",
  );
  expect(engine.hooks.stats()).toMatchObject([{ name: "cold", failures: 3 }]);
  expect(path.basename(engine.hooks.list()[0]?.location ?? "")).toBe(at);
});

for (const [what, handler, code, says] of [
  ["rejects", () => Promise.reject(new Error("later")), "HOOK_FAILED", "Error: later."],
  ["throws null", () => Promise.reject(null), "HOOK_FAILED", "threw null."],
  ["answers a text", () => "no", "HOOK_BAD_ANSWER", 'answered with "no", expected undefined or cancel(reason)'],
  ["answers a field of no point", () => ({ cancel: "no" }), "HOOK_BAD_ANSWER", 'field "cancel": this point takes no'],
  ["answers a value out of range", () => ({ params: { topP: 2 } }), "HOOK_BAD_ANSWER", 'field "params.topP": expected'],
  ["passes its deadline", () => new Promise(() => undefined), "HOOK_TIMEOUT", "no answer within 40 ms."],
] as const) {
  test(`a hook that ${what} is warned about`, async () => {
    const engine = await openEngine(["Hello."]);
    const warnings = collectWarnings();
    engine.hooks.on("preGenerate", handler as never, {
      name: "odd",
      ...(code === "HOOK_TIMEOUT" && { deadlineMs: 40 }),
    });
    await engine.generate("hi");
    const [warning, ...others] = await warnings.settled();
    expect(others).toEqual([]);
    expect(warning?.code).toBe(code);
    expect(words(warning)).toContain(says);
    expect(words(warning)).toMatch(/^The hook "odd" at preGenerate, registered at warning\.test\.ts:\d+, failed: /u);
  });
}

test("a hook at a post point, an info point and a guard are warned about, each with what came of it", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."]);
  const warnings = collectWarnings();
  engine.hooks.on("postGenerate", fail, { name: "post" });
  engine.hooks.on("loopEnd", fail, { name: "info" });
  engine.hooks.guard("preToolCall", fail, { name: "guard" });
  await runOnce(engine, { tools });
  const list = await warnings.settled();
  expect(list.map(words).map((line) => /"(\w+)" at (\w+),.*typo\. ([^.]+)\./u.exec(line)?.slice(1))).toEqual([
    ["post", "postGenerate", "The engine went on without it"],
    ["guard", "preToolCall", "This cancelled, because the hook fails closed"],
    ["info", "loopEnd", "The engine went on without it"],
  ]);
});

test("a hook is warned about in the same words when the model is in another process, or on another machine", async () => {
  const server = await openaiServer(() => "Hello.");
  const provider = remote(server.url, { model: "m", retries: 0 });
  for (const engine of [
    await openEngine(["Hello."], { isolation: "process" }),
    await openEngine([], { models: { far: { provider } } }),
  ]) {
    const warnings = collectWarnings();
    engine.hooks.on("preGenerate", fail, { name: "cold" });
    const at = here(-1);
    for (let i = 0; i < 2; i++) expect((await engine.generate("hi")).text).toBe("Hello.");
    expect((await warnings.settled()).map(words)).toEqual([
      expect.stringContaining(`The hook "cold" at preGenerate, registered at ${at}, failed: Error: typo. The engine`),
    ]);
    await engine.close();
  }
});

test("no warning if a hook listens at error, or if failures are ignored", async () => {
  const listening = await openEngine(["Hello."]);
  const warnings = collectWarnings();
  const heard: string[] = [];
  listening.hooks.on("error", ({ code }) => void heard.push(code));
  listening.hooks.on("preGenerate", fail);
  await listening.generate("hi");
  expect(heard).toEqual(["HOOK_FAILED"]);
  const ignoring = await openEngine(["Hello."], { onHookFailure: "ignore" });
  ignoring.hooks.on("preGenerate", fail);
  ignoring.hooks.on("postGenerate", fail, { observe: true });
  await ignoring.generate("hi");
  expect(await warnings.settled()).toEqual([]);
});

test("a listener at error that fails hears nothing, and neither does one for another session", async () => {
  const engine = await openEngine(["Hello."]);
  const warnings = collectWarnings();
  engine.hooks.on("error", fail, { name: "listener" });
  engine.hooks.on("error", () => undefined, { when: { code: "BUSY" } });
  await using session = engine.session();
  session.hooks.on("error", () => undefined);
  engine.hooks.on("preGenerate", fail, { name: "cold" });
  await engine.generate("hi");
  expect((await warnings.settled()).map((one) => words(one).slice(0, 27))).toEqual([
    'The hook "listener" at erro',
    'The hook "cold" at preGener',
  ]);
});

test("a hook of a call or of a session is warned about once, however often it is registered", async () => {
  const engine = await openEngine(["Hello."]);
  const warnings = collectWarnings();
  for (let i = 0; i < 3; i++) {
    await engine.generate("hi", { hooks: [defineHooks("of call", { preGenerate: () => fail() })] });
    await using session = engine.session();
    session.hooks.on("preGenerate", () => fail(), { name: "of session" });
    await session.run("hi");
  }
  expect((await warnings.settled()).map((one) => /"([^"]+)"/u.exec(one.message)?.[1])).toEqual([
    "of call",
    "of session",
  ]);
});

test("two hooks with one function, and two engines, are warned about by themselves", async () => {
  const warnings = collectWarnings();
  for (let i = 0; i < 2; i++) {
    const engine = await openEngine(["Hello."]);
    for (const name of ["a", "b"]) engine.hooks.on("preGenerate", fail, { name });
    await engine.generate("hi");
  }
  expect((await warnings.settled()).map((one) => /"(\w)"/u.exec(one.message)?.[1])).toEqual(["a", "b", "a", "b"]);
});

test("a set is named with the line at which it was registered, and the line at which it was defined", async () => {
  const set = defineHooks("policy", { preGenerate: fail });
  const defined = here(-1);
  const engine = await openEngine(["Hello."]);
  const warnings = collectWarnings();
  engine.hooks.use(set);
  const used = here(-1);
  await engine.generate("hi");
  expect(words((await warnings.settled())[0])).toContain(`registered at ${used} (defined at ${defined}), failed`);
});

test("a hook that was removed before it failed, and a hook for once, keep their line", async () => {
  const engine = await openEngine(["Hello."]);
  const warnings = collectWarnings();
  const registration = engine.hooks.on("preGenerate", async () => {
    await Promise.resolve();
    registration.dispose();
    fail();
  });
  engine.hooks.on("postGenerate", fail, { once: true });
  await engine.generate("hi");
  const list = await warnings.settled();
  expect(list).toHaveLength(2);
  for (const one of list) expect(words(one)).toMatch(/registered at warning\.test\.ts:\d+, failed: Error: typo/u);
});

test("a veto, a hook that changes something, and a hook that does nothing are no warning", async () => {
  const engine = await openEngine(["Hello."]);
  const warnings = collectWarnings();
  engine.hooks.on("preGenerate", () => ({ params: { topP: 0.5 } }));
  engine.hooks.on("preGenerate", () => undefined);
  engine.hooks.use(defineHooks("no", { postGenerate: ({ content }) => ({ content: `${content}!` }) }));
  await engine.generate("hi");
  expect(await warnings.settled()).toEqual([]);
});

test("a decision by hand warns once of a handler that fails", async () => {
  const warnings = collectWarnings();
  const set = defineHooks("by hand", { preToolCall: () => ({ cancel: "no" }) as never });
  const at = here(-1);
  const noted = defineHooks("warned", { error: fail });
  for (let i = 0; i < 2; i++) {
    expect(decideToolCall(set, { toolName: "t", args: {} }).outcome).toBe("unchanged");
    notify(noted, "error", { code: "BUSY" });
  }
  const list = await warnings.settled();
  expect(list.map(({ code }) => (code as LlamaHooksError["code"]) ?? "")).toEqual(["HOOK_BAD_ANSWER", "HOOK_FAILED"]);
  expect(words(list[0])).toContain(`The hook "by hand" at preToolCall, registered at ${at}, failed: field "cancel"`);
});

test("a tool whose schema cannot be used is a warning, once, unless somebody listens at error", async () => {
  const engine = await openEngine(["Hello.", "Hello."]);
  const warnings = collectWarnings();
  const odd = { name: "odd", description: "", parameters: { type: "no such type" }, run: () => "ok" };
  for (let i = 0; i < 2; i++) await runOnce(engine, { tools: [odd as never] });
  expect(await warnings.settled()).toMatchObject([{ code: "INVALID_SCHEMA" }]);
  expect(warnings.list[0]?.message).toMatch(/odd.*the tool is not offered/u);
  engine.hooks.on("error", () => undefined);
  await runOnce(engine, { tools: [{ ...odd, name: "odder" } as never] });
  expect(await warnings.settled()).toHaveLength(1);
});
