import { expect, test } from "vitest";
import { type HookRecord, LlamaHooksError } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

function fail(): never {
  throw new Error("broken");
}

const circular: Record<string, unknown> = {};
circular["self"] = circular;

/** The engine's record of a preGenerate hook that gives that answer. The generation continues without it. */
async function recordOfAnswer(handler: () => unknown): Promise<HookRecord | undefined> {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", handler as never, { name: "odd" });
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("Hello.");
  return decisions[0]?.hooks[0];
}

for (const [what, value, words] of [
  ["an Error", new RangeError("too far"), "RangeError: too far"],
  ["a string", "s", '"s"'],
  ["null", null, "null"],
  ["undefined", undefined, "undefined"],
  [
    "an object whose text throws",
    {
      get message() {
        throw new Error("no");
      },
    },
    "",
  ],
] as const) {
  test(`a hook that throws ${what} has failed, and the very value is the cause`, async () => {
    const record = await recordOfAnswer(() => {
      throw value;
    });
    expect(record).toMatchObject({ outcome: "failed", error: { code: "HOOK_FAILED" } });
    expect(record?.error?.message).toContain(words);
    expect(record?.error).toHaveProperty("cause");
    expect(record?.error?.cause).toBe(value);
  });

  test(`a hook that rejects with ${what} has failed in the same way`, async () => {
    const record = await recordOfAnswer(() => Promise.reject(value));
    expect(record).toMatchObject({ outcome: "failed", error: { code: "HOOK_FAILED" } });
    expect(record?.error).toHaveProperty("cause");
    expect(record?.error?.cause).toBe(value);
  });
}

for (const [what, answer, words] of [
  ["a number", 7, "7"],
  ["a string", "text", '"text"'],
  ["true", true, "true"],
  ["null", null, "null"],
  ["a function", () => undefined, "function"],
  ["an array", [1, 2], "array of 2"],
  ["a Map", new Map(), "Map"],
  ["a key that no point has", { respons: "x" }, '"respons": this point takes no such field; did you mean "response"?'],
  ["a field that is fixed", { tier: "other" }, "tier"],
  ["a field of the wrong type", { response: 7 }, "response"],
  ["a wrong type deep inside", { params: { temperature: "hot" } }, "params.temperature"],
  ["a value out of range", { params: { topP: 2 } }, "params.topP"],
  ["a role that does not exist", { messages: [{ role: "wizard", content: "x" }] }, "messages[0].role"],
  ["an object that contains itself", { params: circular }, '"params.self": contains itself'],
  ["a BigInt", { params: { seed: 7n } }, "params.seed"],
  ["NaN", { params: { temperature: Number.NaN } }, "params.temperature"],
  ["a function inside", { params: { seed: () => 7 } }, "params.seed"],
] as const) {
  test(`an answer with ${what} is a failure that says so`, async () => {
    for (const handler of [() => answer, () => Promise.resolve(answer)]) {
      const record = await recordOfAnswer(handler);
      expect(record).toMatchObject({ outcome: "failed", fields: [], error: { code: "HOOK_BAD_ANSWER" } });
      expect(record?.error?.message).toContain(words);
      expect(record?.error?.message).toContain("odd");
      expect(record?.error?.message.match(/preGenerate/gu)).toHaveLength(1); // named once
    }
  });
}

test("an answer whose getter throws is a failure with the thrown value as cause", async () => {
  const thrown = new Error("lazy");
  for (const wrap of [(value: object) => value, (value: object) => Promise.resolve(value)]) {
    const record = await recordOfAnswer(() =>
      wrap({
        get response() {
          throw thrown;
        },
      }),
    );
    expect(record).toMatchObject({ outcome: "failed", error: { code: "HOOK_FAILED" } });
    expect(record?.error?.cause).toBe(thrown);
  }
});

test("a hook that never answers is given up at its deadline, and its signal says why", async () => {
  const engine = await openEngine(["Hello."]);
  let reason: unknown;
  engine.hooks.on(
    "preGenerate",
    ({ signal }) => {
      signal.addEventListener("abort", () => (reason = signal.reason));
      return new Promise<undefined>(() => undefined);
    },
    { name: "sleeper", deadlineMs: 50 },
  );
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("Hello.");
  expect(decisions[0]?.hooks).toMatchObject([{ name: "sleeper", outcome: "failed", error: { code: "HOOK_TIMEOUT" } }]);
  expect(reason).toBeInstanceOf(LlamaHooksError);
  expect(reason).toMatchObject({ code: "HOOK_TIMEOUT" });
});

test("an answer that comes after the deadline counts for nothing", async () => {
  const engine = await openEngine(["Hello."]);
  let late: ((answer: { response: string }) => void) | undefined;
  engine.hooks.on("preGenerate", () => new Promise((resolve) => (late = resolve)), { deadlineMs: 30 });
  engine.hooks.on("postGenerate", () => late?.({ response: "too late" }));
  expect((await engine.generate("hi")).text).toBe("Hello.");
  expect((await engine.generate("hi")).text).toBe("Hello.");
});

test("aborting a generation ends a hook that waits, and its signal fires with CANCELLED", async () => {
  const engine = await openEngine(["Hello."]);
  const abort = new AbortController();
  let reason: unknown;
  const asked: (event: { signal: AbortSignal }) => Promise<undefined> = ({ signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
        resolve(undefined);
      });
      abort.abort(new Error("the user left"));
    });
  engine.hooks.on("preGenerate", asked, { deadlineMs: 0 });
  const { text, finishReason, cancel } = await engine.generate("hi", { signal: abort.signal });
  expect([text, finishReason, cancel]).toEqual(["", "cancelled", { by: "signal", reason: "the user left" }]);
  expect(reason).toMatchObject({ code: "CANCELLED" });
});

test("closing the engine ends a hook that waits, and its signal fires with CLOSED", async () => {
  const engine = await openEngine(["Hello."]);
  let reason: unknown;
  const waits = new Promise<void>((begun) => {
    const handler = ({ signal }: { signal: AbortSignal }): Promise<undefined> => {
      signal.addEventListener("abort", () => (reason = signal.reason));
      begun();
      return new Promise(() => undefined);
    };
    engine.hooks.on("preGenerate", handler, { deadlineMs: 0 });
  });
  const generation = engine.generate("hi");
  const settled = Promise.resolve(generation).then(
    (result) => result.finishReason,
    (error: unknown) => (error as LlamaHooksError).code,
  );
  await waits;
  await engine.close();
  expect(["cancelled", "CLOSED"]).toContain(await settled);
  expect(reason).toMatchObject({ code: "CLOSED" });
});

test("a hook that fails is skipped, and the hooks behind it still run", async () => {
  const engine = await openEngine(["a"]);
  engine.hooks.on("postGenerate", ({ content }) => ({ content: `${content}b` }));
  engine.hooks.on("postGenerate", fail, { name: "broken" });
  engine.hooks.on("postGenerate", ({ content }) => ({ content: `${content}c` }));
  expect((await engine.generate("hi")).text).toBe("abc");
  expect(engine.hooks.stats().map(({ calls, failures }) => [calls, failures])).toEqual([
    [1, 0],
    [1, 1],
    [1, 0],
  ]);
});

test("what hooks change is checked like the caller's own: a bad grammar is INVALID_GRAMMAR", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => ({ params: { grammar: "root ::= (" } }));
  await expect(engine.generate("hi")).rejects.toMatchObject({ code: "INVALID_GRAMMAR" });
});
