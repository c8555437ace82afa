import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { cancel, type Engine } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

const song = { pieces: ["la ", "di "], endless: true };

function fail(): never {
  throw new Error("not to be read");
}

/** The engine is as good as before. */
async function expectUsable(engine: Engine): Promise<void> {
  expect((await engine.generate("Sing", { maxTokens: 4 })).text).toBe("la di la di ");
}

test("a signal that was aborted before gives a cancelled result without text", async () => {
  const engine = await openEngine([song]);
  const result = await engine.generate("Sing", { signal: AbortSignal.abort("changed my mind") });
  expect(result).toMatchObject({ text: "", toolCalls: [], finishReason: "cancelled", messages: [] });
  expect(result.cancel).toEqual({ by: "signal", reason: "changed my mind" });
  await expectUsable(engine);
});

test("a signal aborted while tokens come keeps the text so far", async () => {
  const engine = await openEngine([song]);
  const stop = new AbortController();
  const generation = engine.generate("Sing", { signal: stop.signal });
  let streamed = "";
  for await (const event of generation) {
    if (event.type !== "token") continue;
    streamed += event.text;
    if (event.index === 5) stop.abort(new Error("enough"));
  }
  const { text, finishReason, cancel, usage, messages } = await generation;
  expect([finishReason, cancel]).toEqual(["cancelled", { by: "signal", reason: "enough" }]);
  expect(text).toMatch(/^(la di ){3}/);
  expect(streamed).toBe(text);
  expect(usage.completionTokens).toBeGreaterThanOrEqual(6);
  expect(messages).toEqual([{ role: "assistant", content: text }]);
  await expectUsable(engine);
});

test("cancel() stops a call and says that the caller did", async () => {
  const engine = await openEngine([song]);
  const generation = engine.generate("Sing");
  for await (const event of generation) if (event.type === "token") generation.cancel("no more");
  const { finishReason, cancel } = await generation;
  expect([finishReason, cancel]).toEqual(["cancelled", { by: "caller", reason: "no more" }]);
  await expectUsable(engine);
});

test("cancel() right after generate() stops the call before it began", async () => {
  const engine = await openEngine([song]);
  const generation = engine.generate("Sing");
  generation.cancel("at once");
  expect((await generation).cancel).toEqual({ by: "caller", reason: "at once" });
  await expectUsable(engine);
});

test("a reason of cancel() that is not a string is refused at once, and the call continues", async () => {
  const engine = await openEngine(["One.", "Two."]);
  const session = engine.session();
  for (const generation of [engine.generate("Hi"), session.run("Hi")]) {
    expect(() => generation.cancel(5 as never)).toThrow(/^The reason of cancel\(\) must be a string, got 5$/);
    let last: unknown;
    for await (const { type } of generation) last = type;
    expect([last, (await generation).cancel]).toEqual(["end", undefined]);
  }
  expect((await session.run("Again")).finishReason).toBe("complete");
});

test.each([
  ["an error whose message is not text", Object.assign(new Error("x"), { message: { code: 5 } })],
  ["an error whose message throws", Object.defineProperty(new Error("x"), "message", { get: () => fail() })],
  ["an object", { code: 5 }],
])("a signal may abort for any reason: %s", async (_, reason) => {
  const engine = await openEngine([song]);
  const stop = new AbortController();
  const generation = engine.generate("Sing", { signal: stop.signal });
  for await (const event of generation) if (event.type === "token") stop.abort(reason);
  expect((await generation).cancel).toEqual({ by: "signal", reason: "aborted" });
  await expectUsable(engine);
});

test("leaving the iteration cancels the call, and the text so far is in the result", async () => {
  const engine = await openEngine([song]);
  const generation = engine.generate("Sing");
  for await (const event of generation) if (event.type === "token" && event.index === 3) break;
  const { text, finishReason, cancel } = await generation;
  expect([finishReason, cancel?.by]).toEqual(["cancelled", "caller"]);
  expect(text).toMatch(/^la di la di /);
  await expectUsable(engine);
});

test("an error thrown in the body of the iteration cancels the call too", async () => {
  const engine = await openEngine([song]);
  const generation = engine.generate("Sing");
  const read = async () => {
    for await (const event of generation) if (event.type === "token") throw new Error("mine");
  };
  await expect(read()).rejects.toThrow("mine");
  expect((await generation).finishReason).toBe("cancelled");
  await expectUsable(engine);
});

test("leaving one of two iterations leaves the call running for the other", async () => {
  const engine = await openEngine([song]);
  const generation = engine.generate("Sing", { maxTokens: 50 });
  const read = async (last: number) => {
    let count = 0;
    for await (const event of generation) if (event.type === "token" && ++count === last) break;
    return count;
  };
  expect(await Promise.all([read(3), read(Infinity)])).toEqual([3, 50]);
  expect((await generation).finishReason).toBe("length");
});

test("a call that waits for a free sequence can be cancelled while the other continues", async () => {
  const engine = await openEngine([song], { parallel: 1 });
  const first = engine.generate("Sing");
  const stop = new AbortController();
  for await (const event of first) {
    if (event.type !== "token" || event.index !== 2) continue;
    const second = engine.generate("Sing too", { signal: stop.signal });
    setImmediate(() => stop.abort("waited too long"));
    const { text, cancel } = await second;
    expect([text, cancel]).toEqual(["", { by: "signal", reason: "waited too long" }]);
    break;
  }
  expect((await first).text).toMatch(/^(la di )/);
  await expectUsable(engine);
});

test.each(["contextBudget", "preGenerate", "streamToken"] as const)(
  "a call can be cancelled while a hook at %s waits, and the hook's signal aborts",
  async (point) => {
    const engine = await openEngine([song]);
    const stop = new AbortController();
    const aborted = new Promise<boolean>((resolve) => {
      const wait = (event: { readonly signal: AbortSignal }) =>
        new Promise<undefined>((never) => {
          event.signal.addEventListener("abort", () => {
            resolve(event.signal.aborted);
            never(undefined);
          });
          setImmediate(() => stop.abort("gone"));
        });
      engine.hooks.on(point, wait as never, { name: "waits" });
    });
    const { finishReason, cancel } = await engine.generate("Sing", { signal: stop.signal });
    expect([finishReason, cancel]).toEqual(["cancelled", { by: "signal", reason: "gone" }]);
    expect(await aborted).toBe(true);
    engine.hooks.clear();
    await expectUsable(engine);
  },
);

test("a cancelled text goes through postGenerate like any other", async () => {
  const engine = await openEngine([song]);
  const reasons: string[] = [];
  engine.hooks.on("postGenerate", async ({ finishReason, content }) => {
    await new Promise((resolve) => setImmediate(resolve));
    reasons.push(finishReason);
    return { content: content.replaceAll("la", "[...]") };
  });
  const generation = engine.generate("Sing");
  for await (const event of generation) if (event.type === "token" && event.index === 3) break;
  const { text } = await generation;
  expect(reasons).toEqual(["cancelled"]);
  expect(text).toMatch(/^(\[\.\.\.\] (di )?)+$/);
});

test("a postGenerate hook that is at work when the caller cancels still has its say", async () => {
  const engine = await openEngine(["The password is swordfish."]);
  const stop = new AbortController();
  engine.hooks.on("postGenerate", async ({ content }) => {
    stop.abort("impatient");
    await new Promise((resolve) => setImmediate(resolve));
    return { content: content.replace("swordfish", "[secret]") };
  });
  const { text } = await engine.generate("Password?", { signal: stop.signal });
  expect(text).toBe("The password is [secret].");
});

test("cancelling some of many calls leaves the others as they are", async () => {
  const engine = await openEngine([{ pieces: Array.from({ length: 60 }, (_, index) => ` ${index}`) }]);
  const whole = (await engine.generate("Count")).text;
  const generations = Array.from({ length: 16 }, () => engine.generate("Count"));
  for (const [index, generation] of generations.entries()) if (index % 2 === 0) generation.cancel();
  const results = await Promise.all(generations);
  const untouched = results.filter((_, index) => index % 2 === 1);
  expect(untouched.map(({ text, finishReason }) => [text, finishReason])).toEqual(untouched.map(() => [whole, "stop"]));
  expect(results.filter(({ finishReason }) => finishReason === "cancelled")).toHaveLength(8);
});

test("cancelling after the end, or twice, changes nothing", async () => {
  const engine = await openEngine([song]);
  const stop = new AbortController();
  const generation = engine.generate("Sing", { maxTokens: 2, signal: stop.signal });
  const { finishReason } = await generation;
  stop.abort();
  generation.cancel();
  generation.cancel();
  expect([finishReason, (await generation).finishReason]).toEqual(["length", "length"]);
  await expectUsable(engine);
});

test("a signal that lives on is not held by the calls it was given to", async () => {
  const engine = await openEngine([song]);
  const { signal } = new AbortController();
  for (let call = 0; call < 5; call++) await engine.generate("Sing", { maxTokens: 1, signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a NUL character in a reason is shown as U+FFFD, and cuts nothing off", async () => {
  const engine = await openEngine([song]);
  const reasons: unknown[] = [];
  const stop = new AbortController();
  const aborted = engine.generate("Sing", { signal: stop.signal });
  for await (const event of aborted) if (event.type === "token" && event.index === 1) stop.abort("one\0two");
  reasons.push((await aborted).cancel?.reason);
  const cancelled = engine.generate("Sing");
  for await (const event of cancelled) if (event.type === "token" && event.index === 1) cancelled.cancel("three\0four");
  reasons.push((await cancelled).cancel?.reason);
  const veto = engine.hooks.on("preGenerate", () => cancel("five\0six"));
  reasons.push((await engine.generate("Sing")).cancel?.reason);
  veto.dispose();
  engine.hooks.on("preGenerate", () => {
    throw new Error("seven\0eight");
  });
  const { decisions } = await engine.generate("Sing", { maxTokens: 1 });
  expect(reasons).toEqual(["one\uFFFDtwo", "three\uFFFDfour", "five\uFFFDsix"]);
  expect(decisions[0]?.hooks[0]?.error?.message).toContain("seven\uFFFDeight");
  await engine.models.unload("default", "nine\0ten");
});
