// Agentix.Hook, line by line: hooks before and after a model call, and the transformer of its stream. Must not: judge by what
// an event said where the model can be asked what it received.
import { expect, test } from "vitest";
import { cancel, type Engine, LlamaHooksError } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { lastHeard, listen } from "../support/prompts.js";
import { asks, expectWhole, runOnce, resultTexts, tools, weather } from "../support/sessions.js";

const part = (content: string, durable = false) => ({ inject: [{ content, durable }] });
/** The end of a prompt of one message, with what was injected behind it. */
const asked = (...parts: string[]): string => `user\n${parts.join("\n\n")}<|im_end|>\n<|im_start|>assistant`;

test("pre, sequential: transforms the assembled turn, each hook what the one before it has left", async () => {
  const engine = await openEngine(["One."]);
  const prompts = listen(engine);
  const add = (more: string) =>
    engine.hooks.on("contextAssemble", ({ messages }) => ({
      messages: messages.map(({ content, ...rest }) => ({ ...rest, content: `${content}${more}` })),
    }));
  add(" there");
  add(", you.");
  await runOnce(engine, { tools: [] }, "Hello");
  expect(await lastHeard(prompts)).toContain(asked("Hello there, you."));
});

test("pre, sequential: injects, and the model answers to what was injected", async () => {
  const engine = await openEngine({
    replies: ["I received nothing."],
    scripts: [{ when: "the code is 4711", replies: ["I know the code."] }],
  });
  const prompts = listen(engine);
  engine.hooks.on("contextAssemble", () => part("the code is 4711"));
  expect((await runOnce(engine, { tools: [] }, "Hello")).text).toBe("I know the code.");
  expect(await lastHeard(prompts)).toContain(asked("Hello", "the code is 4711"));
});

test("pre, sequential: a halt skips the rest, the model is never called, and nothing half-done is stored", async () => {
  const engine = await openEngine(["One.", "Two."]);
  const prompts = listen(engine);
  const after: string[] = [];
  const halt = engine.hooks.on("contextAssemble", () => cancel("not now"), { name: "brake" });
  engine.hooks.on("contextAssemble", () => void after.push("behind"));
  const session = engine.session({ temperature: 0 });
  const result = await session.run("First");
  expect(result).toMatchObject({ finishReason: "halted", halt: { by: "brake", reason: "not now" }, messages: [] });
  expect([after, await prompts(), session.history()]).toEqual([[], [], []]);
  halt.dispose();
  // Running again does not repeat the halted turn by itself.
  expect((await session.run("Second")).text).toBe("One.");
  expect(session.history().map(({ content }) => content)).toEqual(["Second", "One."]);
  expect(await lastHeard(prompts)).not.toContain("First");
});

test("pre, parallel: at once, append-only, parts in the order of registration behind the sequential ones", async () => {
  const engine = await openEngine(["One."]);
  const prompts = listen(engine);
  const lastBegan = gate();
  const order: string[] = [];
  engine.hooks.on("contextAssemble", () => part("sequential"));
  // The first ends only when the last has begun: one after another they would wait for ever.
  engine.hooks.on("contextAssemble", () => lastBegan.passed.then(() => (order.push("first ends"), part("first"))), {
    parallel: true,
    deadlineMs: 0,
  });
  engine.hooks.on("contextAssemble", () => (order.push("second ends"), lastBegan.open(), part("second")), {
    parallel: true,
  });
  engine.hooks.on("contextAssemble", () => ({ messages: [] }), { parallel: true, name: "not append-only" });
  await runOnce(engine, { tools: [] }, "Hello");
  expect(order).toEqual(["second ends", "first ends"]);
  expect(await lastHeard(prompts)).toContain(asked("Hello", "sequential", "first", "second"));
});

test("pre, parallel: one that throws or passes its deadline is skipped, and many that hang cost one deadline", async () => {
  const engine = await openEngine(["One."]);
  const prompts = listen(engine);
  const hanging = 8;
  const order: string[] = [];
  engine.hooks.on("contextAssemble", () => part("before"), { parallel: true });
  engine.hooks.on("contextAssemble", () => Promise.reject(new Error("no index")), { parallel: true });
  for (let n = 0; n < hanging; n++)
    engine.hooks.on(
      "contextAssemble",
      ({ signal }) => {
        order.push("begins");
        return new Promise<never>(() =>
          signal.addEventListener("abort", () => order.push((signal.reason as LlamaHooksError).code)),
        );
      },
      { parallel: true, deadlineMs: 1000 },
    );
  engine.hooks.on("contextAssemble", () => part("behind"), { parallel: true });
  const { decisions } = await runOnce(engine, { tools: [] }, "Hello");
  expect(await lastHeard(prompts)).toContain(asked("Hello", "before", "behind"));
  // All have begun before the first is given up: they wait together, not one behind the other.
  const each = (what: string): string[] => Array.from({ length: hanging }, () => what);
  expect(order).toEqual([...each("begins"), ...each("HOOK_TIMEOUT")]);
  const failed = decisions.flatMap(({ hooks }) => hooks.flatMap(({ error }) => (error ? [error.code] : [])));
  expect(failed).toEqual(["HOOK_FAILED", ...each("HOOK_TIMEOUT")]);
});

test("post: on the finished message; a halt refuses each of its tool calls, and the history stays valid", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "It is cold."]);
  const prompts = listen(engine);
  let ran = 0;
  const halt = engine.hooks.on(
    "postGenerate",
    ({ content, toolCalls }) => (content === "One moment." && toolCalls.length === 2 ? { halt: "over budget" } : {}),
    { name: "budget" },
  );
  const session = engine.session({ tools: [{ ...weather, run: () => ++ran }], temperature: 0 });
  const result = await session.run("Hello");
  expect(result).toMatchObject({ finishReason: "halted", halt: { by: "budget", reason: "over budget" } });
  expect([ran, resultTexts(result)]).toEqual([0, ["refused: over budget", "refused: over budget"]]);
  expectWhole(session.history());
  halt.dispose();
  expect((await session.run("Go on")).text).toBe("It is cold.");
  expect((await lastHeard(prompts)).split("<tool_response>\nrefused: over budget\n").length).toBe(3);
});

test("injections stand at the tail, past what the KV cache already holds", async () => {
  const engine = await openEngine(["One.", "Two.", "Three."]);
  const prompts = listen(engine);
  let turn = 0;
  engine.hooks.on("contextAssemble", () => part(`It is ${++turn} o'clock.`));
  const session = engine.session({ system: "You are a clock that says the time. ".repeat(10), temperature: 0 });
  const results = [await session.run("First"), await session.run("Second"), await session.run("Third")];
  for (const [index, prompt] of (await prompts()).entries())
    expect(prompt).toContain(asked(["First", "Second", "Third"][index] ?? "", `It is ${index + 1} o'clock.`));
  // The second and third prompt reuse all tokens up to the place of the previous injection.
  for (const { usage } of results.slice(1)) expect(usage.cachedTokens).toBeGreaterThan(0.6 * usage.promptTokens);
});

test("injections are bounded by a reserve, all together; an overflow is an error that names the hook and the sizes", async () => {
  const engine = await openEngine(["One."]);
  const words = (count: number) => part("word ".repeat(count));
  const first = engine.hooks.on("contextAssemble", () => words(20), { name: "notes" });
  const session = engine.session({ injectionReserve: 150, temperature: 0 });
  expect((await session.run("Hello")).text).toBe("One.");
  const second = engine.hooks.on("contextAssemble", () => words(20), { name: "search" });
  let asked = false;
  const third = engine.hooks.on("contextAssemble", () => void (asked = true), { name: "late" });
  const error = (await rejection(session.run("Again"))) as LlamaHooksError;
  expect(error).toBeInstanceOf(LlamaHooksError);
  expect(error.code).toBe("INJECTION_OVERFLOW");
  const [, own, all] =
    /^what the hook search injected takes (\d+) tokens, with .* (\d+) tokens, and/.exec(error.message) ?? [];
  expect(error.message).toMatch(/injectionReserve is 150$/);
  expect(error.message).not.toContain("notes");
  expect(Number(all)).toBe(2 * Number(own));
  expect(asked).toBe(false);
  third.dispose();
  second.dispose();
  first.dispose();
  expect(session.history().map(({ content }) => content)).toEqual(["Hello", "One."]);
});

test("injections are gone after the call unless they are durable, and durable ones stay", async () => {
  const engine = await openEngine(["One.", "Two."]);
  const prompts = listen(engine);
  const once = engine.hooks.on("contextAssemble", () => ({
    inject: [{ content: "It is noon." }, { content: "I am Ann.", durable: true }],
  }));
  const session = engine.session({ temperature: 0 });
  await session.run("First");
  once.dispose();
  await session.run("Second");
  const [first, second] = await prompts();
  for (const text of ["It is noon.", "I am Ann."]) expect(first).toContain(text);
  expect(second).toContain("I am Ann.");
  expect(second).not.toContain("It is noon.");
  expect(session.history().map(({ content }) => content)).toEqual(["First", "I am Ann.", "One.", "Second", "Two."]);
});

test("the stream's transformers are a chain, each of which may change, hold and drop", async () => {
  const engine = await openEngine([{ pieces: ["se", "cret", " and", " noise", " plain"] }]);
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.toUpperCase() }));
  engine.hooks.on("streamToken", ({ text }) => (text === " NOISE" ? { drop: true } : undefined));
  engine.hooks.on("streamToken", ({ text, final }) =>
    final !== true && text === "SE" ? { hold: true } : { text: text.replace("SECRET", "***") },
  );
  const streamed: string[] = [];
  const generation = engine.generate("hi");
  for await (const event of generation) if (event.type === "token") streamed.push(event.text);
  expect(streamed).toEqual(["***", " AND", " PLAIN"]);
  expect((await generation).text).toBe("*** AND PLAIN");
});

test("construction rejects an unknown point or mode, a parallel hook behind the call, a handler that is not a function", async () => {
  const engine = await openEngine([], { models: {} });
  const handler = (): undefined => undefined;
  const on = engine.hooks.on.bind(engine.hooks) as (point: unknown, handler: unknown, options?: object) => unknown;
  expect(() => on("post", handler)).toThrow(/no hook point "post"/);
  expect(() => on("contextAssemble", handler, { mode: "parallel" })).toThrow(/"mode"/);
  expect(() => on("contextAssemble", handler, { parallel: "yes" })).toThrow(/parallel must be true or false/);
  expect(() => on("postGenerate", handler, { parallel: true })).toThrow(/postGenerate collects none/);
  expect(() => on("contextAssemble", "handler")).toThrow(/must be a function/);
  expect(engine.hooks.list()).toEqual([]);
});

test("theirs fails, ours not: what the transformer makes of the stream is what is stored, and what the model is shown", async () => {
  const engine = await openEngine(["My key is hunter2.", "Yes."]);
  const prompts = listen(engine);
  const mask = ({ text }: { text: string }) => ({ text: text.replace(/hunter\d*|^2$/, "#") });
  engine.hooks.on("streamToken", mask);
  const session = engine.session({ temperature: 0 });
  const { text } = await session.run("Hello");
  expect(text).toContain("My key is #");
  await session.run("Sure?");
  expect(session.history()[1]?.content).toBe(text);
  expect(await lastHeard(prompts)).toContain(`${text}<|im_end|>`);
  expect(JSON.stringify([session.history({ compacted: false }), await lastHeard(prompts)])).not.toContain("hunter");
});

test("theirs fails, ours not: a sequential hook has a deadline, and the turn continues without it", async () => {
  const engine = await openEngine(["One."]);
  const prompts = listen(engine);
  const reasons: unknown[] = [];
  engine.hooks.on(
    "contextAssemble",
    ({ signal }) =>
      new Promise<never>(() =>
        signal.addEventListener("abort", () => reasons.push((signal.reason as LlamaHooksError).code)),
      ),
    { name: "asleep", deadlineMs: 20 },
  );
  engine.hooks.on("contextAssemble", () => part("awake"));
  expect((await runOnce(engine, { tools: [] }, "Hello")).text).toBe("One.");
  expect(await lastHeard(prompts)).toContain(asked("Hello", "awake"));
  expect(reasons).toEqual(["HOOK_TIMEOUT"]);
});

test("theirs fails, ours not: a secret that comes in two chunks is masked, in the stream and in all that is kept", async () => {
  const engine: Engine = await openEngine([{ pieces: ["the key is ab", "cd", "."] }, "Yes."]);
  const prompts = listen(engine);
  engine.hooks.on("streamToken", ({ text, final }) =>
    final === true || !/ab?$/.test(text) ? { text: text.replace("abcd", "####") } : { hold: true },
  );
  const session = engine.session({ temperature: 0 });
  const run = session.run("Hello");
  let streamed = "";
  for await (const event of run) if (event.type === "token") streamed += event.text;
  expect([streamed, (await run).text]).toEqual(["the key is ####.", "the key is ####."]);
  await session.run("Sure?");
  expect(await lastHeard(prompts)).toContain("the key is ####.<|im_end|>");
});

test("theirs fails, ours not: durable has an effect: the part is in the history, in the file and in the next prompt", async () => {
  const engine = await openEngine(["One.", "Two."]);
  const prompts = listen(engine);
  const once = engine.hooks.on("contextAssemble", () => part("I am Ann.", true));
  const session = engine.session({ tools, temperature: 0 });
  await session.run("First");
  once.dispose();
  const fork = session.fork();
  await fork.run("Second");
  expect(await lastHeard(prompts)).toContain("user\nFirst\n\nI am Ann.<|im_end|>");
  expect(fork.history()[1]).toMatchObject({ role: "user", content: "I am Ann." });
});
