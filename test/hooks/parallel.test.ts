import { expect, test } from "vitest";
import { cancel, type Engine } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { runOnce } from "../support/sessions.js";

const part = (content: string) => ({ inject: [{ content }] });

/** The last message that the model was shown. */
function shownTo(engine: Engine): () => string | undefined {
  let last: string | undefined;
  engine.hooks.on("preGenerate", ({ messages }) => void (last = messages.at(-1)?.content), { observe: true });
  return () => last;
}

test("parallel hooks are asked at once, and their parts joined in the order of the hooks", async () => {
  const engine = await openEngine(["Done."]);
  const shown = shownTo(engine);
  const begun: string[] = [];
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  // The first answers only when the last has been asked: one after another they would wait for ever.
  engine.hooks.on(
    "contextAssemble",
    async () => {
      begun.push("first");
      await opened;
      return part("one");
    },
    { parallel: true, deadlineMs: 0 },
  );
  engine.hooks.on("contextAssemble", () => (begun.push("second"), part("two")), { parallel: true });
  engine.hooks.on("contextAssemble", () => (begun.push("third"), open(), part("three")), { parallel: true });
  const result = await runOnce(engine, {}, "Hello");
  expect(begun).toEqual(["first", "second", "third"]);
  expect(shown()).toBe("Hello\n\none\n\ntwo\n\nthree");
  expect(result.decisions[0]?.hooks.map(({ outcome, fields }) => [outcome, fields])).toEqual([
    ["modified", ["inject"]],
    ["modified", ["inject"]],
    ["modified", ["inject"]],
  ]);
});

test.each([
  ["a `when` that rules it out", { when: { tier: "absent" } }],
  ["a `when` that the context does not fit", { when: { budget: 7 } }],
])("a hook between them that is not asked does not divide them: %s", async (_, options) => {
  const engine = await openEngine(["Done."]);
  const shown = shownTo(engine);
  const gates = [gate(), gate()] as const;
  // Each answers only when the other has been asked.
  const waiting = async (own: 0 | 1) => {
    gates[own].open();
    await gates[own === 0 ? 1 : 0].passed;
    return part(String(own));
  };
  const parallel = { parallel: true, deadlineMs: 0 } as const;
  engine.hooks.on("contextAssemble", () => waiting(0), { ...parallel, priority: -1 });
  engine.hooks.on("contextAssemble", () => cancel("never asked"), options);
  engine.session().hooks.on("contextAssemble", () => cancel("of another session"));
  engine.hooks.on("contextAssemble", () => waiting(1), { ...parallel, priority: 1 });
  await runOnce(engine, {}, "Hello");
  expect(shown()).toBe("Hello\n\n0\n\n1");
});

test("a hook between them that is asked divides them: it sees what the first gave, and the second what it made of that", async () => {
  const engine = await openEngine(["Done."]);
  const order: string[] = [];
  const note = (name: string) => async (): Promise<ReturnType<typeof part>> => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push(name);
    return part(name);
  };
  engine.hooks.on("contextAssemble", note("first"), { parallel: true, priority: -1 });
  engine.hooks.on("contextAssemble", () => void order.push("between"), { when: { budget: 1024 } });
  engine.hooks.on("contextAssemble", note("second"), { parallel: true, priority: 1 });
  await runOnce(engine, {}, "Hello");
  expect(order).toEqual(["first", "between", "second"]);
});

test("they see what came before them, what comes after sees them, and each fails alone", async () => {
  const engine = await openEngine(["Done."]);
  const shown = shownTo(engine);
  const seen: number[] = [];
  const see = (messages: readonly unknown[]): void => void seen.push(messages.length);
  engine.hooks.on("contextAssemble", ({ messages }) => ({ messages: [...messages, ...messages] }), { priority: -1 });
  for (const name of ["a", "b"])
    engine.hooks.on("contextAssemble", ({ messages }) => (see(messages), part(name)), { name, parallel: true });
  engine.hooks.on("contextAssemble", () => Promise.reject(new Error("no index")), { name: "broken", parallel: true });
  engine.hooks.on("contextAssemble", () => new Promise<never>(() => undefined), {
    name: "asleep",
    parallel: true,
    deadlineMs: 20,
  });
  engine.hooks.on("contextAssemble", () => ({ messages: [] }), { name: "writer", parallel: true });
  engine.hooks.on("contextAssemble", () => cancel("stop") as never, { name: "vetoer", parallel: true });
  engine.hooks.on("contextAssemble", ({ messages }) => see(messages), { priority: 1 });
  const { finishReason, decisions } = await runOnce(engine, {}, "Hello");
  expect([finishReason, shown()]).toEqual(["complete", "Hello\n\nHello\n\na\n\nb"]);
  expect(seen).toEqual([2, 2, 2]);
  const failures = decisions[0]?.hooks.flatMap(({ name, error }) => (error ? [[name, error.code, error.message]] : []));
  expect(failures).toEqual([
    ["broken", "HOOK_FAILED", expect.stringContaining("no index")],
    ["asleep", "HOOK_TIMEOUT", expect.stringContaining("no answer within 20 ms")],
    ["writer", "HOOK_BAD_ANSWER", expect.stringContaining('field "messages": a parallel hook returns parts')],
    ["vetoer", "HOOK_BAD_ANSWER", expect.stringContaining("a parallel hook may not cancel")],
  ]);
});

test("a run that is cancelled meanwhile waits for none of them", async () => {
  const engine = await openEngine(["Done."]);
  const stop = new AbortController();
  const aborted: string[] = [];
  for (const name of ["a", "b"])
    engine.hooks.on(
      "contextAssemble",
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => (aborted.push(name), reject(signal.reason as Error)));
          if (name === "b") stop.abort(new Error("enough"));
        }),
      { name, parallel: true, deadlineMs: 0 },
    );
  const session = engine.session({ temperature: 0 });
  const result = await session.run("Hello", { signal: stop.signal });
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { reason: "enough" } });
  expect(aborted.sort()).toEqual(["a", "b"]);
  expect(session.history()).toEqual([]);
});

test("parts of the system prompt can be made at once, too", async () => {
  const engine = await openEngine(["Done."]);
  let system: string | undefined;
  engine.hooks.on("preGenerate", ({ messages }) => void (system = messages[0]?.content));
  for (const name of ["rules", "notes"])
    engine.hooks.on("bootstrap", () => ({ parts: [name] }), { name, parallel: true });
  await runOnce(engine, { system: "Be brief." });
  expect(system).toBe("Be brief.\n\nrules\n\nnotes");
  expect(engine.hooks.list().map(({ name, parallel }) => [name, parallel])).toContainEqual(["notes", true]);
});

test("parallel is refused where nothing is collected, and beside what needs its own answer", async () => {
  const engine = await openEngine(["Done."]);
  const none = (): undefined => undefined;
  const why = "parallel needs a point that collects parts; preGenerate collects none";
  expect(() => engine.hooks.on("preGenerate", none, { parallel: true })).toThrow(new TypeError(why));
  const native = { library: "none.so", symbol: "hook", point: "preGenerate", parallel: true } as const;
  expect(() => engine.hooks.addNative(native)).toThrow(new TypeError(why));
  for (const more of [{ failClosed: true }, { observe: true }] as object[])
    expect(() => engine.hooks.on("contextAssemble", none, { parallel: true, ...more })).toThrow(
      /a parallel hook returns parts, so it cannot be a guard or an observer or fail closed/,
    );
});
