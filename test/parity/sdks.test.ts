// Features of today's agent SDKs that none of the five systems beside this file has. Must not: judge by an event where
// the model can be asked what it received.
import { expect, test } from "vitest";
import { cancel, defineHooks, type LlamaHooksError, tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { lastHeard, listen } from "../support/prompts.js";
import { asks, calls, clock, runOnce, resultTexts, tools, weather } from "../support/sessions.js";
import { decisionsAt, traced } from "../support/trace.js";

test("a person is asked, and the run waits for the answer", async () => {
  const engine = await openEngine([asks("Oslo", "Rome"), "I see."]);
  const prompts = listen(engine);
  const person = gate();
  const asked: string[] = [];
  engine.hooks.on(
    "permissionCheck",
    async ({ permission, args }) => {
      asked.push(`${permission} ${String(args["city"])}`);
      if (args["city"] === "Oslo") return { permission: "allow" };
      await person.passed;
      return { permission: "deny", reason: "not Rome" };
    },
    { name: "person", deadlineMs: 0 },
  );
  const session = engine.session({ tools, permissions: [{ ask: "*" }], temperature: 0 });
  const run = session.run("Hello");
  const ended = run.then(() => "ended");
  const later = new Promise<string>((resolve) => setTimeout(resolve, 50, "waiting"));
  expect(await Promise.race([ended, later])).toBe("waiting");
  person.open();
  await run;
  expect(asked).toEqual(["ask Oslo", "ask Rome"]);
  expect(await lastHeard(prompts)).toContain(
    "<tool_response>\nOslo: 4 degrees\n</tool_response>\n<tool_response>\ndenied: not Rome\n</tool_response>",
  );
});

test("if no hook answers, the call is denied, and the model learns it", async () => {
  const engine = await openEngine([asks("Oslo"), "I see."]);
  const prompts = listen(engine);
  await runOnce(engine, { permissions: [{ ask: "*" }] });
  expect(await lastHeard(prompts)).toMatch(/<tool_response>\ndenied: /);
});

test("a hook answers instead of the model", async () => {
  const engine = await openEngine(["The model itself.", "Again."]);
  const prompts = listen(engine);
  const cached = engine.hooks.on("preGenerate", () => ({ response: "From the cache." }));
  const session = engine.session({ temperature: 0 });
  expect((await session.run("Hello")).text).toBe("From the cache.");
  expect(await prompts()).toEqual([]);
  cached.dispose();
  await session.run("And?");
  expect(await lastHeard(prompts)).toContain("From the cache.<|im_end|>");
});

test("a hook answers instead of the tool", async () => {
  const engine = await openEngine([calls("clock"), "I see."]);
  const prompts = listen(engine);
  let ran = 0;
  engine.hooks.on("preToolCall", () => ({ response: "ten past, by the cache" }));
  await runOnce(engine, { tools: [tool({ name: "clock", run: () => ++ran })] });
  expect(ran).toBe(0);
  expect(await lastHeard(prompts)).toContain("<tool_response>\nten past, by the cache\n</tool_response>");
});

test("a guard fails closed, and sees the call that will really run, and the answer in its stead", async () => {
  const engine = await openEngine([asks("Oslo"), "I see."]);
  const prompts = listen(engine);
  const seen: unknown[] = [];
  engine.hooks.guard("preToolCall", ({ args, response }) => {
    seen.push([args, response]);
    if (args["city"] === "Rome") throw new Error("the list of cities is gone");
  });
  // Registered behind the guard, and asked before it.
  const change = engine.hooks.on("preToolCall", () => ({ args: { city: "Rome" } }));
  await runOnce(engine);
  expect(await lastHeard(prompts)).toMatch(/<tool_response>\nblocked by .*the list of cities is gone/);
  change.dispose();
  engine.hooks.on("preToolCall", () => ({ response: "cold" }));
  await runOnce(engine);
  expect(await lastHeard(prompts)).toContain("<tool_response>\ncold\n</tool_response>");
  expect(seen).toEqual([
    [{ city: "Rome" }, undefined],
    [{ city: "Oslo" }, "cold"],
  ]);
});

test("a matcher at registration: by tool name and by tier", async () => {
  const engine = await openEngine({
    replies: [
      { toolCalls: [...calls("clock").toolCalls, ...asks("Oslo").toolCalls] },
      calls("delegate", { tier: "coder", task: "Ask the clock." }),
      "Done.",
    ],
    scripts: [{ when: "You code.", replies: [calls("clock"), "It is known."] }],
  });
  const prompts = listen(engine);
  const closed = () => cancel("closed");
  engine.hooks.on("preToolCall", closed, { name: "by name", when: { toolName: /^weat/ } });
  engine.hooks.on("preToolCall", closed, { name: "by tier", when: { tier: "coder" } });
  await runOnce(engine, {
    tools,
    tier: "lead",
    controlTools: ["delegate"],
    tiers: { coder: { system: "You code." }, lead: {} },
  });
  const all = (await prompts()).join("\n");
  expect(all).toContain("<tool_response>\nnoon\n</tool_response>\n<tool_response>\nblocked by by name: closed\n");
  expect(all).toContain("<tool_response>\nblocked by by tier: closed\n</tool_response>");
});

test("every handler has an abort signal, and a deadline: the run does not wait for one that hangs", async () => {
  const engine = await openEngine([asks("Oslo"), "I see."]);
  const reasons: string[] = [];
  const hangs = ({ meta, signal }: { meta: { name: string }; signal: AbortSignal }) =>
    new Promise<never>(() =>
      signal.addEventListener("abort", () => reasons.push(`${meta.name} ${(signal.reason as LlamaHooksError).code}`)),
    );
  for (const point of ["loopStart", "preGenerate", "postGenerate", "preToolCall", "postToolCall", "loopEnd"] as const)
    engine.hooks.on(point, hangs as never, { deadlineMs: 20 });
  expect(await runOnce(engine)).toMatchObject({ finishReason: "complete", text: "I see." });
  const names = ["LOOP_START", "PRE_GENERATE", "POST_GENERATE", "PRE_TOOL_CALL", "POST_TOOL_CALL", "LOOP_END"];
  expect(new Set(reasons)).toEqual(
    new Set(names.map((name) => `${name.startsWith("LOOP") ? "ON_" : ""}${name} HOOK_TIMEOUT`)),
  );
});

test("the signal of a handler fires when the run is aborted, and when the engine is closed", async () => {
  const reasons: string[] = [];
  const ends = async (end: (stop: AbortController, close: () => unknown) => void): Promise<void> => {
    const engine = await openEngine(["One."]);
    const stop = new AbortController();
    engine.hooks.on(
      "contextAssemble",
      ({ signal }) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener("abort", () => {
            reasons.push((signal.reason as LlamaHooksError).code);
            reject(signal.reason as Error);
          });
          setImmediate(() => end(stop, () => engine.close()));
        }),
      { deadlineMs: 0 },
    );
    await engine
      .session({ temperature: 0 })
      .run("Hello", { signal: stop.signal })
      .then(undefined, () => undefined);
  };
  await ends((stop) => stop.abort());
  await ends((_, close) => void close());
  expect(reasons).toEqual(["CANCELLED", "CLOSED"]);
});

test("chunks can be held and dropped: what is dropped is gone, what is held comes with the next", async () => {
  const engine = await openEngine([{ pieces: ["pass", "word", " psst", " ok"] }, "Yes."]);
  const prompts = listen(engine);
  engine.hooks.on("streamToken", ({ text }) => {
    if (text === "pass") return { hold: true };
    return text === " psst" ? { drop: true } : { text: text.replace("password", "[word]") };
  });
  const session = engine.session({ temperature: 0 });
  const streamed: string[] = [];
  for await (const event of session.run("Hello")) if (event.type === "token") streamed.push(event.text);
  expect(streamed).toEqual(["[word]", " ok"]);
  await session.run("And?");
  expect(await lastHeard(prompts)).toContain("[word] ok<|im_end|>");
});

test("every denial names who denied: to the model, in the record, in the decisions and in the trace", async () => {
  const engine = await openEngine([
    { toolCalls: [...calls("clock").toolCalls, ...asks("Oslo").toolCalls, ...asks("Rome").toolCalls] },
    "I see.",
  ]);
  const prompts = listen(engine);
  engine.hooks.use([
    defineHooks("closing-time", {
      preToolCall: ({ toolName }) => (toolName === "clock" ? cancel("too late") : undefined),
    }),
    defineHooks("atlas", {
      permissionCheck: ({ args }) => (args["city"] === "Oslo" ? { permission: "deny", reason: "no north" } : undefined),
    }),
  ]);
  let last = "";
  const events = await traced(engine, async () => {
    const permissions = [{ deny: "weather", when: { "args.city": "Rome" } }, { allow: "*" }];
    const { toolCalls, decisions } = await runOnce(engine, { permissions });
    expect(toolCalls.map(({ decidedBy }) => decidedBy)).toEqual(["closing-time", "atlas", null]);
    expect(decisions.flatMap(({ decidedBy }) => decidedBy?.name ?? [])).toContain("closing-time");
    last = await lastHeard(prompts);
  });
  expect(last).toContain("<tool_response>\nblocked by closing-time: too late\n</tool_response>");
  expect(last).toContain("<tool_response>\ndenied: no north\n</tool_response>");
  expect(last).toMatch(/<tool_response>\ndenied: the rule deny weather/);
  const decision = decisionsAt(events, "preToolCall").find(({ action }) => action === "cancelled");
  expect(decision).toMatchObject({ decidedBy: { name: "closing-time" }, reason: "too late" });
});

test("payloads are copies: changing the event changes nothing", async () => {
  const engine = await openEngine([asks("Oslo"), "I see."]);
  const prompts = listen(engine);
  const scribble = (event: object): void => {
    for (const value of Object.values(event) as unknown[])
      if (Array.isArray(value)) value.length = 0;
      else if (typeof value === "object" && value !== null && !(value instanceof AbortSignal))
        for (const key of Object.keys(value)) delete (value as Record<string, unknown>)[key];
  };
  for (const point of ["contextAssemble", "preGenerate", "preToolCall", "permissionCheck"] as const)
    engine.hooks.on(point, scribble, { priority: -1 });
  await runOnce(engine);
  expect(await lastHeard(prompts)).toContain("user\nHello<|im_end|>");
  expect(await lastHeard(prompts)).toContain("<tool_response>\nOslo: 4 degrees\n</tool_response>");
});

test("only the fields that the point lists can be changed: another is a failure that is said, and changes nothing", async () => {
  const engine = await openEngine([asks("Oslo"), "I see."]);
  const prompts = listen(engine);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, message }) => void errors.push(`${code} ${message}`));
  engine.hooks.on("preToolCall", () => ({ toolCallId: "mine", args: { city: "Rome" } }) as never, { name: "forger" });
  expect(resultTexts(await runOnce(engine, { tools: [weather, clock] }))).toEqual(["Oslo: 4 degrees"]);
  expect(errors).toEqual([expect.stringMatching(/^HOOK_BAD_ANSWER .*forger.*preToolCall.*toolCallId/)]);
  expect(await lastHeard(prompts)).not.toContain("Rome");
});

test("a Stop hook has the run go on, as often as it may", async () => {
  const engine = await openEngine(["Done.", "Done now.", "Done for good."]);
  const prompts = listen(engine);
  engine.hooks.on("iterationEnd", ({ status }) => (status === "success" ? { continue: "Run the tests." } : undefined));
  const result = await engine.session({ maxContinuations: 2 }).run("Go");
  expect([result.text, result.finishReason, result.iterations]).toEqual(["Done for good.", "complete", 3]);
  expect((await lastHeard(prompts)).split("Run the tests.")).toHaveLength(3);
});
