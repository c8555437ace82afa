import { expect, test } from "vitest";
import {
  cancel,
  decideMessages,
  decideToolCall,
  decideToolResult,
  defineHooks,
  type HookSet,
  type LlamaHooksError,
  notify,
  tool,
} from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { calls, runOnce } from "../support/sessions.js";

const call = { toolName: "echo", args: { text: "hi" } } as const;

test("sets that say nothing leave the event as it is", () => {
  const decided = decideToolCall([defineHooks("quiet", { preToolCall() {} }), defineHooks("none", {})], call);
  expect(decided).toMatchObject({ outcome: "unchanged", event: call });
  expect(decided.decision.hooks.map(({ name, outcome }) => [name, outcome])).toEqual([["quiet", "proceed"]]);
  expect(decideToolCall([], call)).toMatchObject({ outcome: "unchanged", event: call });
});

test("replacements chain, and those who acted are named in their order; an equal value is not an answer", () => {
  const add = (name: string, more: string): HookSet =>
    defineHooks(name, { postToolCall: ({ result }) => ({ result: result + more }) });
  const decided = decideToolResult([add("one", " +1"), add("same", ""), add("two", " +2")], {
    toolName: "echo",
    result: "orig",
  });
  expect(decided).toMatchObject({ outcome: "changed", by: ["one", "two"] });
  expect(decided.event.result).toBe("orig +1 +2");
  expect(decideToolResult(add("same", ""), { toolName: "echo", result: "orig" })).toMatchObject({
    outcome: "unchanged",
    event: { result: "orig", isError: false },
  });
  const whole = defineHooks("whole", { postToolCall: (event) => ({ ...event }) });
  expect(decideToolResult(whole, { toolName: "echo", result: "orig" }).outcome).toBe("unchanged");
});

test("the first cancel ends it", () => {
  const seen: string[] = [];
  const decided = decideToolCall(
    [
      defineHooks("first", { preToolCall: () => cancel("no") }),
      defineHooks("second", { preToolCall: () => void seen.push("asked") }),
    ],
    call,
  );
  expect(decided).toMatchObject({ outcome: "cancelled", by: "first", reason: "no", event: call });
  expect(seen).toEqual([]);
});

test("a response in the tool's stead is an answer, and no field of the call", () => {
  const decided = decideToolCall(defineHooks("cache", { preToolCall: () => ({ response: "from before" }) }), call);
  expect(decided).toMatchObject({ outcome: "changed", by: ["cache"], answers: { response: "from before" } });
});

test("what throws is skipped, or cancels where it fails closed; its cause is kept", () => {
  const boom = new Error("boom");
  const fails = {
    preToolCall(): undefined {
      throw boom;
    },
  };
  const open = decideToolCall(defineHooks("open", fails), call);
  expect(open.outcome).toBe("unchanged");
  expect(open.decision.hooks[0]?.error).toMatchObject({ code: "HOOK_FAILED", cause: boom });
  const closed = decideToolCall(defineHooks("closed", fails, { failClosed: true }), call);
  expect(closed).toMatchObject({ outcome: "cancelled", by: "closed" });
});

test("messages chain", () => {
  const more = (content: string): HookSet =>
    defineHooks(content, { preGenerate: ({ messages }) => ({ messages: [...messages, { role: "user", content }] }) });
  const decided = decideMessages([more("b"), more("c")], { messages: [{ role: "user", content: "a" }] });
  expect(decided).toMatchObject({ outcome: "changed", by: ["b", "c"] });
  expect(decided.event.messages.map(({ content }) => content)).toEqual(["a", "b", "c"]);
});

test("notify() tells each in order, whatever one of them throws", () => {
  const seen: string[] = [];
  const outcome = notify(
    [
      defineHooks("one", { loopEnd: () => void seen.push("one") }),
      defineHooks("two", {
        loopEnd(): undefined {
          throw new Error("no");
        },
      }),
      defineHooks("three", { loopEnd: ({ reason }) => void seen.push(`three ${reason}`) }),
    ],
    "loopEnd",
    { reason: "limit" },
  );
  expect(seen).toEqual(["one", "three limit"]);
  expect(outcome.hooks.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["one", "observed"],
    ["two", "failed"],
    ["three", "observed"],
  ]);
});

test("no call waits for an observer that answers later, and its failure is a warning", async () => {
  const seen: unknown[] = [];
  const cause = new Error("lost");
  const warned = new Promise<Error>((resolve) => {
    const take = (warning: Error): void => {
      if (!warning.message.includes('"later"')) return; // of another test
      process.off("warning", take);
      resolve(warning);
    };
    process.on("warning", take);
  });
  const later = defineHooks("later", { error: () => Promise.reject(cause) }, { observe: true });
  const fine = defineHooks("fine", { error: ({ code }) => Promise.resolve(void seen.push(code)) }, { observe: true });
  const { hooks } = notify([later, fine], "error", { code: "BUSY" });
  expect(hooks.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["later", "observed"],
    ["fine", "observed"],
  ]);
  expect(seen).toEqual(["BUSY"]);
  expect(await warned).toMatchObject({
    code: "HOOK_FAILED",
    message: expect.stringMatching(/^The hook "later" at error, .*failed: Error: lost\./) as unknown,
    cause,
  });
});

test("a handler that answers with a promise is an error with a code: no call waits for it here", () => {
  const later = defineHooks("later", { preToolCall: () => Promise.reject(new Error("unheard")) });
  const message = /decideToolCall\(\): the handler of "later" at preToolCall answered with a promise/;
  try {
    decideToolCall(later, call);
    expect.unreachable();
  } catch (error) {
    expect((error as LlamaHooksError).code).toBe("HOOK_BAD_ANSWER");
    expect((error as LlamaHooksError).message).toMatch(message);
  }
});

test("misuse says what was got", () => {
  expect(() => decideToolCall([], { toolName: "x" } as never)).toThrow(
    "The event of decideToolCall() must be an object with args, got an object",
  );
  expect(() => decideToolCall([], { ...call, toolname: 1 } as never)).toThrow(
    /no field "toolname"; did you mean "toolName"/,
  );
  for (const [event, why] of [
    [5, "The event of decideToolCall() must be an object, got 5"],
    ["ab", 'The event of decideToolCall() must be an object, got "ab"'],
    [{ ...call, toolName: 5 }, "The event of decideToolCall(): toolName must be string"],
    [{ ...call, args: "x" }, "The event of decideToolCall(): args must be object"],
    [{ ...call, iteration: -1 }, "The event of decideToolCall(): iteration must be >= 0"],
  ] as [never, string][])
    expect(() => decideToolCall([], event)).toThrow(new TypeError(why));
  expect(decideToolCall([], { ...call, iteration: undefined } as never).event.iteration).toBe(1);
  expect(() => decideToolResult([], null as never)).toThrow(
    "The event of decideToolResult() must be an object, got null",
  );
  expect(() => decideToolResult([], { toolName: "x", result: "y", resultKind: "fine" } as never)).toThrow(
    /resultKind must be equal to one of the allowed values: "ok"/,
  );
  expect(() => decideMessages([], { messages: "x" } as never)).toThrow("messages must be array");
  expect(() => decideMessages([], { messages: [{ role: "absent", content: "a" }] } as never)).toThrow(
    /messages\/0\/role must be equal to one of the allowed values/,
  );
  expect(() => notify([], "loopEnd", { iterations: "2" } as never)).toThrow("notify(): iterations must be integer");
  expect(() => decideToolCall([7] as never, call)).toThrow("The sets of decideToolCall()[0] must be an object, got 7");
  expect(() => notify([], "preToolCall" as never)).toThrow(/notify\(\).*preToolCall is a pre point/);
  expect(() => decideToolCall([], { toolName: "x", args: { at: () => 1 } })).toThrow(/event\.args\.at is function/);
});

/** A generator of numbers that gives the same ones each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Sets that change, cancel, throw, answer equal values or say nothing, with some priority. */
function randomSets(seed: number): HookSet[] {
  const next = numbers(seed);
  return Array.from({ length: 2 + next(5) }, (_, index) => {
    const name = `h${index}`;
    const kind = next(7);
    const handler = ({ args }: { readonly args: Readonly<Record<string, unknown>> }) => {
      if (kind === 0) return cancel(`by ${name}`);
      if (kind === 1) throw new Error(name);
      if (kind === 2) return undefined;
      if (kind === 3) return { args: { ...args } };
      if (kind === 4) return { wrong: 1 } as never;
      return { args: { text: `${String(args["text"])} ${name}` } };
    };
    const options = {
      priority: next(3) - 1,
      failClosed: next(4) === 0,
      observe: false,
      originalContext: next(5) === 0,
    };
    return defineHooks(name, { preToolCall: handler }, options);
  });
}

test("the engine decides as the helper does, over many sets", async () => {
  const echo = tool({
    name: "echo",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: ({ text }) => String(text),
  });
  const kinds = new Set<string>();
  const engine = await openEngine({ replies: [calls("echo", { text: "hi" }), "Done."] });
  for (let seed = 1; seed <= 30; seed++) {
    const sets = randomSets(seed);
    const decided = decideToolCall(sets, call);
    kinds.add(decided.outcome);
    const use = engine.hooks.use(sets);
    const result = await runOnce(engine, { tools: [echo] });
    use.dispose();
    const theirs = result.decisions.find(({ point }) => point === "preToolCall");
    const said = result.toolCalls[0];
    const plain = ({ hooks, action, reason }: typeof decided.decision) => ({
      action,
      reason,
      hooks: hooks.map(({ name, outcome, fields }) => [name, outcome, fields]),
    });
    if (theirs !== undefined) expect(plain(decided.decision), `seed ${seed}`).toEqual(plain(theirs));
    if (decided.outcome === "cancelled") expect(said?.decidedBy, `seed ${seed}`).toBe(decided.by);
    else expect(said?.args, `seed ${seed}`).toEqual(decided.event.args);
  }
  expect([...kinds].sort()).toEqual(["cancelled", "changed", "unchanged"].filter((kind) => kinds.has(kind)));
  expect(kinds.size).toBeGreaterThan(1);
});
