// A veto is a veto, however badly its reason is put.
import { expect, test } from "vitest";
import { cancel, decideToolCall, defineHooks, tool, type Tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { asks, notAllowed, resultTexts, runOnce, weather } from "../support/sessions.js";

const given = cancel as (reason?: unknown) => ReturnType<typeof cancel>;
const none = "no reason given";

/** The text that the model receives about a call that such a hook refuses, and the number of times that the tool ran. */
async function refusal(handler: () => unknown, guard = false): Promise<{ said: string[]; ran: number }> {
  const engine = await openEngine([asks("Oslo"), "Well."]);
  let ran = 0;
  if (guard) engine.hooks.guard("preToolCall", handler as never, { name: "keeper" });
  else engine.hooks.on("preToolCall", handler as never, { name: "keeper" });
  const result = await runOnce(engine, { tools: [{ ...weather, run: (): unknown => ++ran } as Tool] });
  expect(result.toolCalls).toMatchObject([{ resultKind: "rejected_hook", decidedBy: "keeper" }]);
  return { said: resultTexts(result), ran };
}

class Odd {
  get reason(): string {
    throw new Error("no");
  }
}

test.each([
  ["an empty text", "", none],
  ["nothing", undefined, none],
  ["null", null, none],
  ["blanks", " \t\n", none],
  ["NUL characters", "\0\0", none],
  ["a number", 42, "the reason of cancel() must be a string, got 42"],
  ["an object", new Odd(), "the reason of cancel() must be a string, got an object (Odd)"],
  ["an Error", new Error("x"), "the reason of cancel() must be a string, got an object (Error)"],
  ["words with a NUL", "a\0b", "a\ufffdb"],
] as const)("cancel() of %s is a veto", async (_, reason, words) => {
  const ways = [
    () => given(reason),
    () => Promise.resolve(given(reason)),
    (): never => {
      throw given(reason); // oxlint-disable-line typescript/only-throw-error
    },
    () => Promise.reject(given(reason)), // oxlint-disable-line typescript/prefer-promise-reject-errors
  ];
  for (const way of ways) expect(await refusal(way)).toEqual({ said: [`blocked by keeper: ${words}`], ran: 0 });
});

test("a guard's veto without a reason is not a failure of the guard", async () => {
  expect(await refusal(() => cancel(), true)).toEqual({ said: [`blocked by keeper: ${none}`], ran: 0 });
});

test("an answer that cancels, of another copy of the package, is a veto though its reason is not text", async () => {
  const other = { [Symbol.for("llama-hooks.cancel")]: true, reason: 7 };
  const words = "the reason of cancel() must be a string, got 7";
  expect(await refusal(() => other)).toEqual({ said: [`blocked by keeper: ${words}`], ran: 0 });
});

test("a thrown cancel() is a failure where nothing can be cancelled", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("postGenerate", () => {
    throw cancel("no"); // oxlint-disable-line typescript/only-throw-error
  });
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("Hello.");
  expect(decisions[0]?.hooks).toMatchObject([{ outcome: "failed", error: { code: "HOOK_BAD_ANSWER" } }]);
});

test("what sets of hooks decide by hand is the same veto", () => {
  const throws = defineHooks("keeper", {
    preToolCall() {
      throw cancel(); // oxlint-disable-line typescript/only-throw-error
    },
  });
  for (const set of [throws, defineHooks("keeper", { preToolCall: () => given("") })])
    expect(decideToolCall(set, { toolName: "weather", args: {} })).toMatchObject({
      outcome: "cancelled",
      by: "keeper",
      reason: none,
    });
});

test("a veto without a reason has the default one at every point of a run", async () => {
  for (const [point, expected] of [
    ["userMessage", { finishReason: "halted", halt: { by: "keeper", reason: none } }],
    ["contextAssemble", { finishReason: "halted", halt: { by: "keeper", reason: none } }],
    ["preGenerate", { finishReason: "halted", halt: { by: "keeper", reason: none } }],
    ["iterationEnd", { finishReason: "halted", halt: { by: "keeper", reason: none } }],
    ["permissionCheck", { toolCalls: [{ resultKind: "rejected_permission", result: `denied: ${none}` }] }],
  ] as const) {
    const engine = await openEngine([asks("Oslo"), "Well."]);
    engine.hooks.on(point as "userMessage", () => cancel(), { name: "keeper" });
    expect(await runOnce(engine)).toMatchObject(expected);
  }
});

test("a completion that is sent back without a reason", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "complete", args: { summary: "done" } }] }, "Well."]);
  engine.hooks.on("complete", () => cancel(), { once: true });
  const result = await runOnce(engine, { controlTools: ["complete"] });
  expect(resultTexts(result)).toEqual([`rejected: ${none}`]);
  expect(result.messages.map(({ content }) => content)).toContain(`[CITATION VALIDATION] ${none}`);
});

test("a denial and a halt without words have a reason, too", async () => {
  const engine = await openEngine([asks("Oslo"), "Well.", asks("Rome")]);
  const denies = engine.hooks.on("permissionCheck", () => ({ permission: "deny", reason: " " }), { name: "keeper" });
  expect(resultTexts(await runOnce(engine))).toEqual(["denied: by keeper"]);
  denies.dispose();
  engine.hooks.on("postGenerate", () => ({ halt: "" }), { name: "keeper" });
  const result = await runOnce(engine);
  expect(resultTexts(result)).toEqual([`refused: ${none}`]);
  expect(result.halt).toEqual({ by: "keeper", reason: none });
});

const odd: readonly (readonly [string, unknown])[] = [
  ["a number", 42],
  ["null", null],
  ["an object", {}],
  ["a list", ["no"]],
  ["an Error", new Error("no")],
  ["a bigint", 7n],
  ["a function", () => "no"],
  ["true", true],
];

/** Runs a call of the weather tool under a hook, and says what became of it. */
async function judged(point: string, answer: () => unknown): Promise<{ ran: number; said: string[]; error: string }> {
  const engine = await openEngine([asks("Oslo"), "Well."]);
  let ran = 0;
  engine.hooks.on(point as "permissionCheck", answer as never, { name: "keeper" });
  const result = await runOnce(engine, { tools: [{ ...weather, run: (): unknown => ++ran } as Tool] });
  const record = result.decisions.flatMap(({ hooks }) => hooks).find(({ error }) => error !== undefined);
  return { ran, said: resultTexts(result), error: record?.error?.code ?? "none" };
}

test.each(odd)("a denial whose reason is %s is a denial, and reported", async (_, reason) => {
  for (const permission of ["deny", "ask"] as const)
    for (const answer of [() => ({ permission, reason }), () => Promise.resolve({ reason, permission })]) {
      const { ran, said, error } = await judged("permissionCheck", answer);
      expect(ran).toBe(0);
      expect(said[0]).toMatch(/^denied: field "reason"/u);
      expect(error).toBe("HOOK_BAD_ANSWER");
    }
});

test.each(odd.filter(([, halt]) => halt !== null))("a halt with %s is a halt, and reported", async (_, halt) => {
  const { ran, said, error } = await judged("postGenerate", () => ({ halt }));
  expect(ran).toBe(0);
  expect(said[0]).toMatch(/^refused: field "halt"/u);
  expect(error).toBe("HOOK_BAD_ANSWER");
});

test("a refusal counts whatever is wrong beside it", async () => {
  const getter = {
    permission: "deny",
    get reason(): string {
      throw new Error("no");
    },
  };
  for (const [point, answer] of [
    ["permissionCheck", { permission: "deny", why: "an unknown field" }],
    ["permissionCheck", { permission: "deny", remember: "forever" }],
    ["permissionCheck", { permission: "deny", args: {} }],
    ["permissionCheck", { permission: "deny", remember: 7n }],
    ["permissionCheck", getter],
    ["postGenerate", { halt: "enough", content: 42 }],
    ["postGenerate", { halt: "enough", reason: "unknown" }],
    ["postGenerate", { halt: "enough", content: 7n }],
  ] as const) {
    const { ran, error } = await judged(point, () => answer);
    expect({ ran, error }, Object.keys(answer).join()).toEqual({ ran: 0, error: "HOOK_BAD_ANSWER" });
  }
});

test("an allow with something wrong beside it allows nothing, and no halt halts", async () => {
  const engine = await openEngine([asks("Oslo"), "Well."]);
  engine.hooks.on("permissionCheck", () => ({ permission: "allow", reason: 42 }) as never);
  expect(resultTexts(await runOnce(engine, { permissions: [{ ask: "*" }] }))).toEqual([notAllowed]);
  for (const halt of [null, false, undefined]) expect((await judged("postGenerate", () => ({ halt }))).ran).toBe(1);
});

test("a tool that stops the run without a reason", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "stops", args: {} }] }, "Well."]);
  const stops = tool({
    name: "stops",
    trusted: true,
    run: (_, { directive }) => directive("stop_processing", { reason: "" }),
  });
  expect((await runOnce(engine, { tools: [stops as Tool] })).halt).toEqual({ by: "stops", reason: "stop_processing" });
});

test("a run that its caller cancels without words", async () => {
  const engine = await openEngine(["Hello."]);
  const run = engine.session().run("hi");
  run.cancel(" ");
  expect((await run).cancel).toEqual({ by: "caller", reason: "cancelled" });
  const stopped = await engine.generate("hi", { signal: AbortSignal.abort("") });
  expect(stopped.cancel).toEqual({ by: "signal", reason: "aborted" });
});
