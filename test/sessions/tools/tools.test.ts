import { expect, test } from "vitest";
import { type Engine, type RunResult, tool, type Tool } from "../../../src/index.js";
import type { ScriptMessage } from "../../../src/testing/index.js";
import { openEngine, rejection } from "../../support/engine.js";
import { gate } from "../../support/gate.js";
import { asks, runOnce, resultTexts, tools, weather } from "../../support/sessions.js";

const calls = (...names: string[]): ScriptMessage => ({ toolCalls: names.map((name) => ({ name, args: {} })) });
const named = (name: string, run: () => unknown, more = {}): Tool => tool({ name, run, ...more }) as Tool;

/** The result of a run in which the model calls a tool that does this. */
async function runCalling(run: () => unknown, more = {}): Promise<RunResult> {
  const engine = await openEngine([calls("odd"), "Well."], { contextSize: 32_768, parallel: 1 });
  const result = await runOnce(engine, { tools: [named("odd", run, more)] });
  expect(result.finishReason).toBe("complete");
  return result;
}

test.each([
  ["text", (): unknown => "plain", "plain", "ok"],
  ["nothing", (): unknown => undefined, "", "ok_empty"],
  ["an empty text", (): unknown => "", "", "ok_empty"],
  ["an object", (): unknown => ({ a: [1] }), '{"a":[1]}', "ok"],
  ["null", (): unknown => null, "null", "ok"],
  ["a promise", (): unknown => Promise.resolve(7), "7", "ok"],
  ["bytes that are not UTF-8", (): unknown => Uint8Array.of(0x61, 0xff, 0x62), "a\ufffdb", "ok"],
  ["half a surrogate pair", (): unknown => "a\ud800", "a\ufffd", "ok"],
  ["a NUL", (): unknown => "a\0b", "a\ufffdb", "ok"],
] as const)("a tool that gives %s", async (_, run, text, resultKind) => {
  const result = await runCalling(run);
  expect(resultTexts(result)).toEqual([text]);
  expect(result.toolCalls).toMatchObject([{ resultKind, isError: false }]);
});

/** An error with fields that no error should have. */
function rejecting(fields: object): () => unknown {
  return () => Promise.reject(Object.assign(new Error("x"), fields));
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

test.each([
  [
    "throws",
    (): unknown => {
      throw new Error("out of order");
    },
    /^error: out of order$/,
  ],
  ["rejects", (): unknown => Promise.reject(new RangeError("too far")), /^error: too far$/],
  [
    "throws with a NUL",
    (): unknown => {
      throw new Error("a\0b");
    },
    /^error: a\ufffdb$/,
  ],
  [
    "throws a text",
    (): unknown => {
      throw "words";
    },
    /^error: words$/,
  ], // oxlint-disable-line typescript/only-throw-error
  ["gives a cyclic object", (): unknown => cyclic, /^error: .*circular/i],
  ["gives a function", (): unknown => (): unknown => 1, /^error: the result is a function/],
  ["gives a bigint", (): unknown => 1n, /^error: .*BigInt/],
  [
    "throws what cannot be shown",
    (): unknown => {
      throw Object.create(null);
    },
    /^error: an object$/,
  ], // oxlint-disable-line typescript/only-throw-error
  ["rejects with an error whose message is an object", rejecting({ message: { code: 1 } }), /^error: \{"code":1\}$/],
  ["rejects with an error whose message is a symbol", rejecting({ message: Symbol("q") }), /^error: Symbol\(q\)$/],
  ["rejects with an error that has no name", rejecting({ message: "", name: undefined }), /^error: undefined$/],
  ["rejects with a revoked proxy", (): unknown => Promise.reject(revoked()), /^error: a value that cannot be shown$/], // oxlint-disable-line typescript/prefer-promise-reject-errors
] as const)("a tool that %s", async (_, run, text) => {
  const result = await runCalling(run);
  expect(resultTexts(result)[0]).toMatch(text);
  expect(result.toolCalls).toMatchObject([{ resultKind: "error", isError: true }]);
});

test("a result of ten megabytes is cut to what the session takes, in whole characters, and the model learns it", async () => {
  const result = await runCalling((): unknown => "ä".repeat(5_000_000));
  const [text = ""] = resultTexts(result);
  expect(text).toMatch(/^ä+\n\[shortened: 16384 of 10000000 bytes\]$/);
  expect(result.toolCalls).toMatchObject([{ resultKind: "ok" }]);
});

test("a tool that hangs is given up at its deadline, its signal fires, and the run continues", async () => {
  const engine = await openEngine([calls("slow"), "Well."]);
  const errors: unknown[] = [];
  engine.hooks.on("error", ({ code, where, recoverable }) => void errors.push({ code, where, recoverable }));
  const reasons: unknown[] = [];
  const slow = tool({
    name: "slow",
    deadlineMs: 1000, // a busy machine begins the tool before
    run: (_, { signal }) =>
      new Promise(() =>
        signal.addEventListener("abort", (): unknown => reasons.push((signal.reason as { code: string }).code)),
      ),
  });
  const result = await runOnce(engine, { tools: [slow] });
  expect(resultTexts(result)).toEqual(["timed out after 1000 ms"]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "timeout", isError: true }]);
  expect(result.toolCalls[0]?.elapsedMs).toBeGreaterThanOrEqual(999);
  expect(reasons).toEqual(["TOOL_TIMEOUT"]);
  expect(errors).toEqual([{ code: "TOOL_TIMEOUT", where: "tool:slow", recoverable: true }]);
});

test("the calls of a message run at once, their results come in the order of the calls", async () => {
  const engine = await openEngine([calls("first", "second", "third"), "Well."]);
  const [one, two] = [gate(), gate()];
  const ended: string[] = [];
  const run = (name: string, wait: Promise<void>, then: () => void) =>
    named(name, async () => {
      await wait;
      ended.push(name);
      then();
      return name;
    });
  const result = await runOnce(engine, {
    tools: [
      run("first", one.passed, () => {}),
      run("second", two.passed, one.open),
      run("third", Promise.resolve(), two.open),
    ],
  });
  expect(ended).toEqual(["third", "second", "first"]);
  expect(resultTexts(result)).toEqual(["first", "second", "third"]);
});

test("all calls are decided on before one of them runs", async () => {
  const engine = await openEngine([calls("first", "second"), "Well."]);
  const seen: string[] = [];
  engine.hooks.on("preToolCall", ({ toolName }) => void seen.push(`decide ${toolName}`));
  await runOnce(engine, { tools: ["first", "second"].map((name) => named(name, () => void seen.push(`run ${name}`))) });
  expect(seen).toEqual(["decide first", "decide second", "run first", "run second"]);
});

test("an abort while tools run: who runs is cancelled, who has ended keeps its result, and none is without one", async () => {
  const engine = await openEngine([calls("quick", "slow"), "Well."]);
  const stop = new AbortController();
  const signals: AbortSignal[] = [];
  const slow = tool({
    name: "slow",
    run: (_, { signal }) => {
      signals.push(signal);
      setTimeout(() => stop.abort(new Error("home time")), 20);
      return new Promise(() => {});
    },
  });
  const session = engine.session({ tools: [named("quick", (): unknown => "done"), slow] });
  const result = await session.run("Go", { signal: stop.signal });
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "signal", reason: "home time" } });
  expect(resultTexts(result)).toEqual(["done", "cancelled: home time"]);
  expect(signals[0]?.aborted).toBe(true);
  expect(session.history()).toEqual(result.messages);
});

test("an abort before tools run leaves all of them not run", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "Well."]);
  const stop = new AbortController();
  engine.hooks.on("preToolCall", () => stop.abort(new Error("stop")));
  let ran = 0;
  const session = engine.session({ tools: [{ ...weather, run: (): unknown => ++ran }] });
  const result = await session.run("Go", { signal: stop.signal });
  expect(resultTexts(result)).toEqual(["not run: stop", "not run: stop"]);
  expect([ran, result.finishReason]).toEqual([0, "cancelled"]);
});

test("the calls of an answer that a postGenerate hook halts at are refused, with its reason", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "Well."]);
  engine.hooks.on("postGenerate", () => ({ halt: "over budget" }), { name: "budget" });
  const result = await runOnce(engine);
  expect(resultTexts(result)).toEqual(["refused: over budget", "refused: over budget"]);
  expect(result.toolCalls[0]).toMatchObject({ resultKind: "rejected_hook", isError: true, decidedBy: "budget" });
  expect(result).toMatchObject({ finishReason: "halted", halt: { by: "budget", reason: "over budget" } });
});

test("a call of a tool that is not there, which only a hook can make, gets the names of the tools", async () => {
  const engine = await openEngine([asks("Oslo"), "Well."]);
  engine.hooks.on("preToolCall", () => ({ toolName: "thermometer" }));
  const result = await runOnce(engine);
  expect(resultTexts(result)).toEqual(["unknown tool thermometer; there are: weather, clock"]);
  expect(result.toolCalls).toMatchObject([{ name: "thermometer", resultKind: "rejected_schema" }]);
});

test.each([
  [{ city: 7 }, "invalid arguments: /city must be string"],
  [{}, "invalid arguments: must have required property 'city'"],
  [{ city: "Oslo", when: "now" }, "invalid arguments: must NOT have additional properties: when"],
] as const)("arguments %j are refused with the place", async (args, text) => {
  const engine = await openEngine([asks("Oslo"), "Well."]);
  const judged: unknown[] = [];
  engine.hooks.on("toolValidation", ({ allowed, reason }) => void judged.push([allowed, reason]));
  engine.hooks.on("preToolCall", () => ({ args }));
  const result = await runOnce(engine);
  expect(resultTexts(result)).toEqual([text]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "rejected_schema", isError: true }]);
  expect(judged).toEqual([[false, text.replace("invalid arguments: ", "")]]);
});

test("what the whole schema says is checked, not only what a grammar holds", async () => {
  const parameters = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      n: { type: "integer", multipleOf: 5 },
      list: { type: "array", uniqueItems: true, items: { enum: ["Oslo", 1, 2] } },
      of: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
  };
  const engine = await openEngine([calls("count"), "Well."]);
  const count = tool({ name: "count", parameters, run: (): unknown => "counted" });
  for (const [args, text] of [
    [{ n: 7 }, "invalid arguments: /n must be multiple of 5"],
    [{ list: [1, 1] }, /must NOT have duplicate items/],
    [{ list: ["Bonn"] }, 'invalid arguments: /list/0 must be equal to one of the allowed values: "Oslo", 1, 2'],
    [{ of: 7 }, "invalid arguments: /of must be string; /of must be null; /of must match a schema in anyOf"],
    [{ n: 10, list: [1, 2] }, "counted"],
  ] as const) {
    const hook = engine.hooks.on("preToolCall", () => ({ args }));
    const [got] = resultTexts(await runOnce(engine, { tools: [count] }));
    if (typeof text === "string") expect(got).toBe(text);
    else expect(got).toMatch(text);
    hook.dispose();
  }
});

test("two tools of one name are refused, and so is one that cannot be run", async () => {
  const engine = await openEngine(["Hello."]);
  expect(() => engine.session({ tools: [weather, weather] })).toThrow(TypeError);
  expect(() => engine.session({ tools: [{ name: "no run" } as never] })).toThrow(TypeError);
  expect((await runOnce(engine)).text).toBe("Hello.");
});

test("a tool may ask the same engine, but not its own session, nor unload the model that its run uses", async () => {
  const engine: Engine = await openEngine({
    replies: [calls("ask"), "Well."],
    scripts: [{ when: "inner", replies: ["From inside."] }],
  });
  const seen: unknown[] = [];
  const ask = tool({
    name: "ask",
    run: async () => {
      seen.push((await engine.generate("inner")).text);
      seen.push((await runOnce(engine, { tools: [] }, "inner")).text);
      for (const refused of [(): unknown => session.run("again"), (): unknown => engine.models.unload("default")])
        seen.push(await Promise.resolve(refused()).catch(({ code }: { code: string }) => code));
      return "asked";
    },
  });
  const session = engine.session({ tools: [ask] });
  const result = await session.run("outer");
  expect(resultTexts(result)).toEqual(["asked"]);
  expect(seen).toEqual(["From inside.", "From inside.", "SESSION_BUSY", "REENTRANT"]);
});

test("a secret that postToolCall masks is nowhere afterwards", async () => {
  const secret = "hunter2-9f3a";
  const engine = await openEngine([calls("vault"), calls("vault"), calls("vault"), calls("vault"), "Well."]);
  engine.hooks.on("postToolCall", ({ result }) => ({ result: result.replaceAll(secret, "***") }));
  const trace: unknown[] = [];
  const tracing = (async () => {
    for await (const event of engine.trace()) trace.push(event);
  })();
  const later: unknown[] = [];
  const note = (event: object): void => void later.push({ ...event });
  for (const point of ["toolResultPersist", "preGenerate", "loopEnd", "sessionEnd", "iterationEnd"] as const)
    engine.hooks.on(point, note);
  const session = engine.session({ tools: [named("vault", (): unknown => `the key is ${secret}`), ...tools] });
  const run = session.run("Open it");
  const events: unknown[] = [];
  for await (const event of run) events.push(event);
  const result = await run;
  expect(resultTexts(result).at(-1)).toBe("already called with the same arguments; its result was: the key is ***");
  const history = session.history();
  await session.close();
  await engine.close();
  await tracing;
  for (const place of [result, history, events, trace, later]) {
    expect(JSON.stringify(place)).not.toContain(secret);
  }
  expect(JSON.stringify(history)).toContain("***");
});

test("each tool keeps its own deadline, whatever stands before it, and an abort reaches all at once", async () => {
  const engine = await openEngine([calls("slow", "quick"), "Well."]);
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const slow = named("slow", () => pause(400).then(() => "slow"));
  const late = named("quick", () => pause(200).then(() => "late"), { deadlineMs: 50 });
  const result = await runOnce(engine, { tools: [slow, late] });
  expect(resultTexts(result)).toEqual(["slow", "timed out after 50 ms"]);
  const signals: Record<string, boolean> = {};
  const stop = new AbortController();
  const hangs = (name: string): Tool =>
    tool({
      name,
      run: (_, { signal }) => {
        signal.addEventListener("abort", () => (signals[name] = true));
        if (name === "quick") stop.abort(new Error("stop")); // both are under way
        return new Promise(() => {});
      },
    }) as Tool;
  engine.hooks.on("postToolCall", async () => {
    expect(signals).toEqual({ slow: true, quick: true });
    await pause(1);
  });
  const run = engine.session({ tools: [hangs("slow"), hangs("quick")] }).run("Go", { signal: stop.signal });
  expect(resultTexts(await run)).toEqual(["cancelled: stop", "cancelled: stop"]);
});

test("a tool that throws is reported at error, one that refuses arguments is not", async () => {
  const engine = await openEngine([calls("odd"), "Well."]);
  const errors: unknown[] = [];
  engine.hooks.on("error", ({ code, message, where }) => void errors.push([code, message, where]));
  await runOnce(engine, {
    tools: [
      named("odd", () => {
        throw new Error("jam");
      }),
    ],
  });
  expect(errors).toEqual([["TOOL_FAILED", "odd: jam", "tool:odd"]]);
});

test("an error of a run has what the run had come to, with the tools' own keys", async () => {
  const shout = tool({
    name: "odd",
    parameters: { type: "object", properties: { city_name: { type: "string" } } },
    run: () => "x".repeat(3000),
  });
  const reply = { toolCalls: [{ name: "odd", args: { city_name: "Oslo" } }] };
  const engine = await openEngine([reply, "Well."], { contextSize: 512 });
  const error = (await rejection(engine.session({ tools: [shout], compaction: "off" }).run("Go"))) as {
    code: string;
    details: unknown;
  };
  expect(error.code).toBe("PROMPT_TOO_LONG");
  expect(error.details).toMatchObject({
    iterations: 2,
    toolCalls: [{ name: "odd", args: { city_name: "Oslo" }, resultKind: "ok" }],
    messages: [{ role: "user" }, { toolCalls: [{ args: { city_name: "Oslo" } }] }, { role: "tool", toolName: "odd" }],
  });
});

test("toolChoice: none shows the tools and takes no call; required has the model call one", async () => {
  const replies = { replies: [asks("Oslo"), "It is cold."], afterLast: "repeat" } as const;
  const none = await (await openEngine(replies)).session({ tools: [weather], toolChoice: "none" }).run("Go");
  expect(none.toolCalls).toEqual([]);
  expect(none.iterations).toBe(1);
  const engine = await openEngine([{ toolCalls: [{ name: "weather", args: { city: "Oslo" } }] }]);
  const session = engine.session({ tools: [weather], temperature: 0, maxIterations: 1 });
  expect(resultTexts(await session.run("Go", { toolChoice: "required" }))).toEqual(["Oslo: 4 degrees"]);
});

test("a validate() that rejects with an error whose message is not text fails the call, and the run continues", async () => {
  const engine = await openEngine([calls("odd"), "Well."]);
  const validate = (): Promise<never> => Promise.reject(Object.assign(new Error("x"), { message: 7 }));
  const odd = { name: "odd", parameters: { type: "object" }, validate, run: () => "ran" };
  const result = await runOnce(engine, { tools: [odd] });
  expect(result.finishReason).toBe("complete");
  expect(resultTexts(result)).toEqual([expect.stringMatching(/\b7$/)]);
});
