// Entropic's rules, and what goes wrong there. What each of its points does: entropic-points.test.ts.
// Must not: judge by what an event said where the model can be asked what it received.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cancel, type Engine, pointNames, POINTS, type RunEvent, tool } from "../../src/index.js";
import { nativeAddon } from "../../src/native/addon.js";
import { recordHooks } from "../../src/testing/index.js";
import { openAdapted } from "../support/adapters.js";
import { openEngine, rejection, scriptModel, tempDir } from "../support/engine.js";
import { compileLibrary, recordRaw } from "../support/native.js";
import { lastHeard, listen } from "../support/prompts.js";
import { calls, clock, directs, fails, runOnce, tools } from "../support/sessions.js";

const prelude = `#include <entropic/types/hooks.h>
#include <stdlib.h>
#include <string.h>
static int give(char **modified, const char *text, int result) {
  *modified = (char *)entropic_alloc(strlen(text) + 1);
  if (*modified != NULL) strcpy(*modified, text);
  return result;
}
`;

/** A hook in Entropic's names, of its body. */
const hook = (name: string, body: string): string => `
int ${name}(entropic_hook_point_t point, const char *context, char **modified, void *data);
int ${name}(entropic_hook_point_t point, const char *context, char **modified, void *data) {
  (void)point, (void)context, (void)modified, (void)data, (void)give;
  ${body}
}
`;
const library = (...hooks: string[]): Promise<string> => compileLibrary(prelude + hooks.join(""));
const noon = (): Promise<Engine> => openEngine([calls("clock"), "I see."]);

test("the callback: the context is the engine's, the answer the hook's, and 0 without one changes nothing", async () => {
  const engine = await noon();
  const prompts = listen(engine);
  engine.hooks.addNative({ library: await library(hook("idle", "return 0;")), symbol: "idle", point: "postToolCall" });
  await runOnce(engine, { tools: [clock] });
  expect(await lastHeard(prompts)).toContain("<tool_response>\nnoon\n</tool_response>");
  expect(engine.hooks.stats()).toMatchObject([{ calls: 2 }, {}, { calls: 1, modifications: 0, failures: 0 }]);
});

test("the allocator: what comes from entropic_alloc is freed on every path, and what does not is refused", async () => {
  const before = nativeAddon().allocBalance();
  const engine = await noon();
  const prompts = listen(engine);
  const file = await library(
    hook("own", 'return give(modified, "changed", 0);'),
    hook("unwanted", 'return give(modified, "not wanted", 1);'),
    hook("broken", 'return give(modified, "\\xff", 0);'),
    hook("foreign", '*modified = strcpy((char *)malloc(8), "foreign"); return 0;'),
  );
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  for (const symbol of ["own", "broken", "foreign"])
    engine.hooks.addNative({ library: file, symbol, point: "postToolCall" });
  engine.hooks.addNative({ library: file, symbol: "unwanted", point: "loopStart" });
  await runOnce(engine, { tools: [clock] });
  expect(await lastHeard(prompts)).toContain("<tool_response>\nchanged\n</tool_response>");
  expect(errors.filter((one) => one.includes("foreign"))).toEqual([expect.stringContaining("lh_alloc")]);
  await engine.close();
  expect(nativeAddon().allocBalance()).toBe(before);
});

test("pre, post and info: a pre hook cancels by what it returns, and no other hook does", async () => {
  const file = await library(hook("no", "return 1;"));
  const refused = await noon();
  const prompts = listen(refused);
  refused.hooks.addNative({ library: file, symbol: "no", point: "preToolCall", name: "door" });
  await runOnce(refused, { tools: [clock] });
  expect(await lastHeard(prompts)).toContain("blocked by door: ");
  const engine = await noon();
  const heard = listen(engine);
  for (const point of pointNames)
    if (POINTS[point].kind !== "pre") engine.hooks.addNative({ library: file, symbol: "no", point });
  expect((await runOnce(engine, { tools: [clock] })).text).toBe("I see.");
  expect(await lastHeard(heard)).toContain("<tool_response>\nnoon\n</tool_response>");
});

test("POST_TOOL_CALL and POST_GENERATE take plain text, though it looks like JSON", async () => {
  const engine = await noon();
  const prompts = listen(engine);
  const file = await library(
    hook("result", 'return give(modified, "{\\"result\\": \\"JSON\\"}", 0);'),
    hook("message", 'return give(modified, "{\\"content\\": 7}", 0);'),
  );
  engine.hooks.addNative({ library: file, symbol: "result", point: "postToolCall" });
  const session = engine.session({ tools: [clock], temperature: 0 });
  await session.run("Hello");
  expect(await lastHeard(prompts)).toContain('<tool_response>\n{"result": "JSON"}\n</tool_response>');
  engine.hooks.addNative({ library: file, symbol: "message", point: "postGenerate" });
  expect((await session.run("And?")).text).toBe('{"content": 7}');
});

test("POST_TOOL_CALL, several hooks: with originalContext each sees the raw result and the last writer wins; else they chain", async () => {
  const file = await library(
    hook("first", 'return strstr(context, "noon") == NULL ? 0 : give(modified, "one", 0);'),
    hook("second", 'return give(modified, strstr(context, "noon") == NULL ? "after one" : "after noon", 0);'),
  );
  for (const [originalContext, result] of [
    [true, "after noon"],
    [false, "after one"],
  ] as const) {
    const engine = await noon();
    const prompts = listen(engine);
    for (const symbol of ["first", "second"])
      engine.hooks.addNative({ library: file, symbol, point: "postToolCall", originalContext });
    await runOnce(engine, { tools: [clock] });
    expect(await lastHeard(prompts)).toContain(`<tool_response>\n${result}\n</tool_response>`);
  }
});

test("ON_COMPLETE always has summary, tier, iteration and tool_results, also where there are none", async () => {
  const engine = await openEngine([calls("complete", { summary: "Done." })]);
  const contexts = await recordRaw(engine, "complete");
  await runOnce(engine, { controlTools: ["complete"], tools: [] });
  const [context] = await contexts();
  expect(context).toMatchObject({ summary: "Done.", iteration: 1, tool_results: [] });
  expect(Object.keys(context ?? {}).sort()).toEqual(["iteration", "meta", "summary", "tier", "tool_results"]);
});

test("theirs fails, ours not: the five points that never fire there fire, in one program", async () => {
  const { engine, file } = await openAdapted([calls("directs", { directives: [{ type: "ring" }] }), "Hm."], {
    pirate: [calls("directs", { directives: [{ type: "ring" }] }), "Arr."],
  });
  await engine.models.unload("default");
  const small = await openEngine([], { models: {}, memoryBudget: 40 });
  const [one, two] = [recordHooks(engine), recordHooks(small)];
  await engine.models.load("default", { path: file("model"), threads: 1, contextSize: 4096 });
  await engine.adapters.load("pirate", { path: file("pirate") });
  await runOnce(engine, { tools: [directs], adapters: [{ id: "pirate" }] });
  await engine.models.unload("default");
  const model = await scriptModel(["Hello."]);
  for (const id of ["a", "b"]) await small.models.load(id, { path: model, threads: 1, contextSize: 16_384 });
  const fired = new Set<number>([...one.names(), ...two.names()].map((point) => POINTS[point].number));
  expect([13, 14, 16, 17, 19].filter((number) => !fired.has(number))).toEqual([]);
});

test("theirs fails, ours not: what a hook returns counts at each of the seventeen points that take an answer", async () => {
  const text = await readFile(new URL("entropic-points.test.ts", import.meta.url), "utf8");
  const source = await readFile(new URL("../fixtures/entropic-hooks.c", import.meta.url), "utf8");
  const answering = Object.values(POINTS).filter(({ number, kind }) => number < 1000 && kind !== "info");
  expect(answering.length).toBe(17);
  for (const { number, name } of answering) {
    expect(text).toContain(`"${number} ${name}: `);
    expect(source).toMatch(new RegExp(`case ENTROPIC_HOOK_${name}:\\s+return [^1]`));
  }
});

test("theirs fails, ours not: the feedback of a rejected completion reaches the model, and the next one is heard", async () => {
  const completes = (summary: string) => calls("complete", { summary });
  const engine = await openEngine({
    replies: [completes("Done.")],
    // It says this only if the feedback is in what it receives.
    scripts: [{ when: "[CITATION VALIDATION] which log?", replies: ["", completes("Done, says app.log.")] }],
  });
  const prompts = listen(engine);
  engine.hooks.on("complete", ({ summary }) => (summary === "Done." ? cancel("which log?") : undefined));
  expect((await runOnce(engine, { controlTools: ["complete"] })).text).toBe("Done, says app.log.");
  expect(await lastHeard(prompts)).toContain("user\n[CITATION VALIDATION] which log?<|im_end|>");
});

test("theirs fails, ours not: contexts have what a hook needs; a token event comes once a token, not once a byte", async () => {
  const engine = await openEngine([{ pieces: ["äöü", "ß"] }]);
  const [before, token] = [await recordRaw(engine, "preGenerate"), await recordRaw(engine, "streamToken")];
  await runOnce(engine, { tools, system: "Be brief.", seed: 7, tier: "lead" });
  expect(await before()).toMatchObject([
    {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
      ],
      params: { seed: 7, temperature: 0 },
      tools: [{ name: "weather" }, { name: "clock" }],
      tier: "lead",
      iteration: 1,
      meta: { model_id: "default", depth: 0 },
    },
  ]);
  const tokens = (await token()).filter(({ final }) => final !== true);
  expect(tokens).toMatchObject([
    { token_index: 0, text: "äöü", kind: "content", token: expect.any(Number) as number },
    { token_index: 1, text: "ß", kind: "content" },
  ]);
});

test("theirs fails, ours not: contexts are JSON whatever a tool, a user or a tier says", async () => {
  const nasty = '"},{"x":"\\\u0001\u001f\u2028\n\t';
  const engine = await openEngine({
    replies: [calls("odd", { text: nasty }), calls("delegate", { tier: "coder", task: nasty }), "Well."],
    scripts: [{ when: "You code.", replies: [nasty] }],
  });
  const points = ["preToolCall", "postToolCall", "delegate", "delegateComplete", "loopStart", "loopEnd"] as const;
  const read = await Promise.all(points.map((point) => recordRaw(engine, point)));
  const odd = tool({
    name: "odd",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    run: () => nasty,
  });
  const crew = { tools: [odd], controlTools: ["delegate"], tiers: { coder: { system: "You code." } } } as const;
  await runOnce(engine, crew, nasty);
  const contexts = await Promise.all(read.map((one) => one())); // each is parsed
  expect(contexts.map((one) => one.length)).toEqual([2, 2, 1, 1, 2, 2]);
  expect(contexts[0]?.[0]).toMatchObject({ args: { text: nasty } });
  expect(contexts[1]?.[0]).toMatchObject({ result: nasty });
  expect(contexts[2]).toMatchObject([{ task: nasty }]);
});

test("theirs fails, ours not: ON_ERROR sees tools, hooks, loads, directives, delegations and model calls fail", async () => {
  const ring = calls("directs", { directives: [{ type: "ring" }] });
  const engine = await openEngine({
    replies: [calls("fails"), ring, calls("delegate", { tier: "coder", task: "Write." }), "Well."],
    scripts: [{ when: "You code.", replies: ["Code."] }],
  });
  const seen: string[] = [];
  engine.hooks.on("error", ({ where }) => void seen.push(where));
  const broken = () => Promise.reject(new Error("broken"));
  engine.hooks.on("loopStart", broken, { name: "broken", when: { delegationDepth: 0 } });
  const tiers = { coder: { system: "You code.", grammar: "root ::= nothing" } };
  await runOnce(engine, { tools: [fails, directs], controlTools: ["delegate"], tiers });
  await rejection(engine.models.load("none", { path: "/nowhere.gguf" }));
  await rejection(engine.generate("hi", { grammar: "root ::= nothing" }));
  expect(seen).toEqual([
    "hook:broken@loopStart",
    "tool:fails",
    "directive:ring",
    "assemble", // the child's prompt
    "delegate:coder",
    "load",
    "generate",
  ]);
});

/** The effect of each of their directives on the text that the model receives, or on the run. */
const directives: Readonly<Record<string, readonly [params: object, shows: (seen: Seen) => void]>> = {
  stop_processing: [{ reason: "late" }, ({ prompts, ended }) => expect([prompts.length, ended]).toEqual([1, "halted"])],
  tier_change: [{ tier: "coder" }, ({ last }) => expect(last).toContain("You code.")],
  delegate: [{ tier: "coder", task: "Write." }, ({ last }) => expect(last).toContain("directed\n[delegate: Written.")],
  pipeline: [
    { task: "Write.", stages: [{ tier: "coder" }] },
    ({ last }) => expect(last).toContain("directed\n[pipeline: Written.]"),
  ],
  complete: [{ summary: "All." }, ({ prompts, text }) => expect([prompts.length, text]).toEqual([1, "All."])],
  clear_todos: [{}, ({ saved }) => expect(saved).toMatch(/"todos":\s*\[\]/)],
  inject_context: [{ content: "It rains." }, ({ last }) => expect(last).toContain("user\nIt rains.<|im_end|>")],
  prune_messages: [{ keep_last: 0 }, ({ last }) => expect(last).toContain("[result of ")],
  context_anchor: [
    { key: "k", content: "The goal." },
    ({ last }) => expect(last).toContain("user\nThe goal.<|im_end|>"),
  ],
  phase_change: [
    { phase: "verify" },
    ({ prompts, last }) => {
      expect(prompts.at(-2)).toContain('"name": "clock"');
      expect(last).not.toContain('"name": "clock"');
    },
  ],
  notify: [{ message: "half way" }, ({ events }) => expect(events).toContain("half way")],
};

interface Seen {
  readonly prompts: readonly string[];
  readonly last: string;
  readonly ended: string;
  readonly text: string;
  readonly saved: string;
  readonly events: string;
}

test("theirs fails, ours not: all eleven directives pass ON_DIRECTIVE, and all of them act", async () => {
  for (const [type, [params, shows]] of Object.entries(directives)) {
    const todos = [{ content: "Bake" + " bread".repeat(29), status: "pending" }];
    const engine = await openEngine({
      replies: [calls("todo", { todos }), calls("directs", { directives: [{ type, params }] }), "Well."],
      scripts: [{ when: "You code.", replies: ["Written.", "Written.", "Written."] }],
    });
    const passed: string[] = [];
    engine.hooks.on("directive", (event) => void passed.push(event.type));
    const session = engine.session({
      tools: [directs, clock],
      controlTools: ["todo"],
      tiers: { coder: { system: "You code." } },
      phases: { verify: { tools: ["todo"] } },
      temperature: 0,
    });
    const prompts = listen(engine);
    const events: RunEvent[] = [];
    const run = session.run("Go");
    for await (const event of run) events.push(event);
    const file = path.join(await tempDir(), "session.json");
    await session.save(file);
    const all = (await prompts()).slice(1); // behind the list of what is to be done
    const { finishReason: ended, text } = await run;
    const heard = events.flatMap((event) => (event.type === "notify" ? [JSON.stringify(event)] : [])).join();
    const saved = /"todos":\s*\[[^\]]*\]/.exec(await readFile(file, "utf8"))?.[0] ?? "none";
    expect(saved.includes("Bake")).toBe(type !== "clear_todos");
    shows({ prompts: all, last: all.at(-1) ?? "", ended, text, saved, events: heard });
    expect(passed).toEqual([type]);
    await engine.close();
  }
});

test("theirs fails, ours not: a repeated call that receives its old result does not get past the hook that redacted it", async () => {
  const engine = await openEngine([calls("clock"), calls("clock"), "I see."]);
  const prompts = listen(engine);
  let done = 0;
  // The second result is left alone: what it says is what the engine had kept of the first.
  engine.hooks.on("postToolCall", () => (done++ === 0 ? { result: "[redacted]" } : undefined));
  await runOnce(engine, { tools: [clock], maxIdenticalCalls: 1 });
  expect(await lastHeard(prompts)).toContain("already called with the same arguments; its result was: [redacted]");
  expect(await lastHeard(prompts)).not.toContain("noon");
});

test("theirs fails, ours not: equal priorities run in the order of registration", async () => {
  const engine = await noon();
  const prompts = listen(engine);
  for (const letter of ["a", "b", "c"])
    engine.hooks.on("postToolCall", ({ result }) => ({ result: `${result} ${letter}` }));
  const file = await library(hook("idle", "return 0;"));
  for (const name of ["first", "second", "third"])
    engine.hooks.addNative({ library: file, symbol: "idle", point: "userMessage", name });
  const { decisions } = await runOnce(engine, { tools: [clock] });
  expect(await lastHeard(prompts)).toContain("<tool_response>\nnoon a b c\n</tool_response>");
  const asked = decisions.find(({ point }) => point === "userMessage")?.hooks.map(({ name }) => name);
  expect(asked).toEqual(["first", "second", "third"]);
});

test("theirs fails, ours not: a hook that throws leaks nothing, is reported, and fails closed if it is registered so", async () => {
  const folder = await tempDir();
  const [source, file] = [path.join(folder, "throws.cpp"), path.join(folder, "throws.so")];
  const code = `#include <entropic/types/hooks.h>
#include <cstring>
#include <stdexcept>
extern "C" int throws(entropic_hook_point_t, const char *, char **modified, void *) {
  *modified = static_cast<char *>(entropic_alloc(8));
  std::strcpy(*modified, "lost");
  throw std::runtime_error("out of rules");
}
`;
  await writeFile(source, code);
  const include = path.join(import.meta.dirname, "../../native/include");
  await promisify(execFile)("c++", ["-std=c++17", "-shared", "-fPIC", "-I", include, "-o", file, source]);
  const before = nativeAddon().allocBalance();
  for (const failClosed of [false, true]) {
    const engine = await noon();
    const prompts = listen(engine);
    const errors: string[] = [];
    engine.hooks.on("error", ({ code: what, message }) => void errors.push(`${what} ${message}`));
    engine.hooks.addNative({ library: file, symbol: "throws", point: "preToolCall", failClosed });
    let ran = 0;
    await runOnce(engine, { tools: [tool({ name: "clock", run: () => ++ran })] });
    expect([ran, errors]).toEqual([failClosed ? 0 : 1, [expect.stringMatching(/^HOOK_FAILED .*out of rules/)]]);
    expect(await lastHeard(prompts)).toContain(failClosed ? "blocked by throws: " : "<tool_response>\n1\n");
    await engine.close();
  }
  expect(nativeAddon().allocBalance()).toBe(before);
});

test("theirs fails, ours not: a token costs nothing where no hook is registered: nothing is dispatched", async () => {
  /** The number of dispatches between the one before the model call and the one after it. */
  const dispatches = async (withHook: boolean): Promise<number> => {
    const engine = await openEngine([{ pieces: ["one", " two", " three", " four"] }]);
    const numbers: number[] = [];
    engine.hooks.on("preGenerate", ({ meta }) => void numbers.push(meta.seq));
    engine.hooks.on("postGenerate", ({ meta }) => void numbers.push(meta.seq));
    if (withHook) engine.hooks.on("streamToken", () => undefined);
    expect((await engine.generate("hi")).text).toBe("one two three four");
    return (numbers[1] ?? 0) - (numbers[0] ?? 0);
  };
  expect(await dispatches(false)).toBe(1);
  expect(await dispatches(true)).toBeGreaterThan(4);
});
