// Entropic's 23 points: a C hook with nothing but its names works at each of them, compiled against our header and as a
// library that was compiled for Entropic. Must not: use TypeScript hooks for what the C hook shall do.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type AnyPoint, type Engine, POINTS } from "../../src/index.js";
import { openAdapted } from "../support/adapters.js";
import { openEngine, rejection, scriptModel, tempDir } from "../support/engine.js";
import { compileLibrary } from "../support/native.js";
import { lastHeard, listen } from "../support/prompts.js";
import { contextErrors, rowOf } from "../support/schema.js";
import { asks, calls, directs, fails, reads, runOnce, story, tools } from "../support/sessions.js";

/** The C hook, ready to be added. */
interface CHook {
  add(engine: Engine): void;
  /** The contexts that the hook was shown, each checked against the point's schema. */
  contexts(): Promise<Record<string, unknown>[]>;
}

const source = new URL("../fixtures/entropic-hooks.c", import.meta.url);

async function compiled(point: AnyPoint & number, header: boolean): Promise<CHook> {
  const notes = path.join(await tempDir(), "notes");
  await writeFile(notes, "");
  const macros = `#define NOTES ${JSON.stringify(notes)}\n${header ? "#define ENTROPIC_HEADER 1\n" : ""}`;
  const library = await compileLibrary(macros + (await readFile(source, "utf8")), { headers: header });
  return {
    add: (engine) => void engine.hooks.addNative({ library, symbol: "every", point, name: "entropic" }),
    contexts: async () => {
      const lines = (await readFile(notes, "utf8")).split("\n").filter((line) => line !== "");
      return lines.map((line) => {
        const space = line.indexOf(" ");
        const context = JSON.parse(line.slice(space)) as Record<string, unknown>;
        expect(Number(line.slice(0, space))).toBe(point);
        expect(contextErrors(rowOf(point), context)).toEqual([]);
        return context;
      });
    },
  };
}

const directing = (type: string) => calls("directs", { directives: [{ type }] });
const completes = (summary: string) => calls("complete", { summary });
const delegating = {
  replies: [calls("delegate", { tier: "coder", task: "Write it." }), "Done."],
  scripts: [{ when: "You write code.", replies: ["It is written."] }],
};
const crew = { tools: [], controlTools: ["delegate"], tiers: { coder: { system: "You write code." } } } as const;

/** Two calls of a tool, and what the model received at last. */
async function talk(hook: CHook): Promise<string> {
  const engine = await openEngine([asks("Oslo"), "It is cold."]);
  const prompts = listen(engine);
  hook.add(engine);
  await runOnce(engine, { tools });
  return lastHeard(prompts);
}

async function delegates(hook: CHook): Promise<string> {
  const engine = await openEngine(delegating);
  const prompts = listen(engine);
  hook.add(engine);
  await runOnce(engine, crew);
  return lastHeard(prompts);
}

/** The text that the model is asked after a compaction that the caller requests. */
async function compacts(hook: CHook): Promise<string> {
  const engine = await openEngine(
    { replies: [calls("reads"), "Read.", "Yes."], scripts: [{ when: "earlier messages", replies: ["Yes."] }] },
    { contextSize: 2048 },
  );
  const prompts = listen(engine);
  hook.add(engine);
  const session = engine.session({ tools: [reads], temperature: 0 });
  await session.run("Read it.");
  await session.compact({ strategy: "truncate" });
  await session.run("And?");
  return lastHeard(prompts);
}

const points: readonly (readonly [number: AnyPoint & number, name: string, works: (hook: CHook) => Promise<void>])[] = [
  [
    0,
    "0 PRE_GENERATE: an answer in the model's stead",
    async (hook) => {
      const engine = await openEngine(["Hello."]);
      hook.add(engine);
      expect((await runOnce(engine, { tools })).text).toBe("from the cache");
      expect(await hook.contexts()).toMatchObject([
        { messages: [{ content: "Hello" }], tools: [{}, {}], iteration: 1 },
      ]);
    },
  ],
  [
    1,
    "1 POST_GENERATE: plain text is the message, for the caller and for the model's next prompt",
    async (hook) => {
      const engine = await openEngine(["Hello.", "Bye."]);
      const prompts = listen(engine);
      hook.add(engine);
      const session = engine.session({ temperature: 0 });
      expect((await session.run("Hi")).text).toBe("Rewritten.");
      await session.run("And?");
      expect(await lastHeard(prompts)).toContain("Rewritten.<|im_end|>");
      expect(await lastHeard(prompts)).not.toContain("Hello.");
      expect((await hook.contexts())[0]).toMatchObject({ content: "Hello.", finish_reason: "stop", tool_calls: [] });
    },
  ],
  [
    2,
    "2 ON_STREAM_TOKEN: once a token, whose text is what is streamed and said",
    async (hook) => {
      const engine = await openEngine([{ pieces: ["zwölf", " Äpfel"] }]);
      hook.add(engine);
      expect((await runOnce(engine, { tools })).text).toBe("**");
      const contexts = (await hook.contexts()).filter(({ final }) => final !== true);
      expect(contexts.map(({ text, token_index: index }) => [index, text])).toEqual([
        [0, "zwölf"],
        [1, " Äpfel"],
      ]);
    },
  ],
  [
    3,
    "3 PRE_TOOL_CALL: a veto, whose reason the model receives",
    async (hook) => {
      expect(await talk(hook)).toContain("<tool_response>\nblocked by entropic: not here\n</tool_response>");
      expect(await hook.contexts()).toMatchObject([{ tool_name: "weather", args: { city: "Oslo" } }]);
    },
  ],
  [
    4,
    "4 POST_TOOL_CALL: plain text is the result that the model receives",
    async (hook) => {
      const prompt = await talk(hook);
      expect(prompt).toContain("<tool_response>\n[redacted]\n</tool_response>");
      expect(prompt).not.toContain("4 degrees");
      expect(await hook.contexts()).toMatchObject([
        { tool_name: "weather", result: "Oslo: 4 degrees", result_kind: "ok", directives: [] },
      ]);
    },
  ],
  [
    5,
    "5 ON_LOOP_ITERATION: each iteration",
    async (hook) => {
      await talk(hook);
      expect(await hook.contexts()).toMatchObject([{ iteration: 1 }, { iteration: 2, goal: "Hello" }]);
    },
  ],
  [
    6,
    "6 ON_STATE_CHANGE: each move of the loop",
    async (hook) => {
      await talk(hook);
      const moves = (await hook.contexts()).map(
        ({ previous, current }) => `${previous as string} ${current as string}`,
      );
      expect(moves).toEqual([
        "IDLE PLANNING",
        "PLANNING EXECUTING",
        "EXECUTING WAITING_TOOL",
        "WAITING_TOOL EXECUTING",
        "EXECUTING COMPLETE",
        "COMPLETE IDLE",
      ]);
    },
  ],
  [
    7,
    "7 ON_ERROR: what went wrong, and where",
    async (hook) => {
      const engine = await openEngine([calls("fails"), "Well."]);
      hook.add(engine);
      await runOnce(engine, { tools: [fails] });
      expect(await hook.contexts()).toMatchObject([{ code: "TOOL_FAILED", where: "tool:fails", recoverable: true }]);
    },
  ],
  [
    8,
    "8 ON_DELEGATE: a veto, whose reason the model receives",
    async (hook) => {
      expect(await delegates(hook)).toContain("blocked by entropic: do it yourself");
      expect(await hook.contexts()).toMatchObject([{ target_tier: "coder", task: "Write it.", depth: 1 }]);
    },
  ],
  [
    9,
    "9 ON_DELEGATE_COMPLETE: plain text is what the model receives about the task",
    async (hook) => {
      expect(await delegates(hook)).toContain("<tool_response>\nIT IS WRITTEN.\n");
      expect(await hook.contexts()).toMatchObject([{ success: true, summary: "It is written." }]);
    },
  ],
  [
    10,
    "10 ON_CONTEXT_ASSEMBLE: a part that the model receives",
    async (hook) => {
      expect(await talk(hook)).toContain("user\nIt is noon.<|im_end|>");
      expect((await hook.contexts())[0]).toMatchObject({ messages: [{ content: "Hello" }], limit: 4096 });
    },
  ],
  [
    11,
    "11 ON_PRE_COMPACT: a veto: the model is shown what it was shown",
    async (hook) => {
      expect(await compacts(hook)).toContain(story);
      expect(await hook.contexts()).toMatchObject([{ strategy: "truncate", force: true }]);
    },
  ],
  [
    12,
    "12 ON_POST_COMPACT: the summary that the model is shown",
    async (hook) => {
      expect(await compacts(hook)).toContain("[summary of earlier messages]\nA story.");
      expect(await hook.contexts()).toMatchObject([{ tokens_before: expect.any(Number) as number }]);
    },
  ],
  [
    13,
    "13 ON_MODEL_LOAD: a veto: the model is not loaded, and the caller gets the reason",
    async (hook) => {
      const engine = await openEngine([], { models: {} });
      hook.add(engine);
      const loading = engine.models.load("m", { path: await scriptModel(["Hello."]), threads: 1 });
      expect(await rejection(loading)).toMatchObject({
        code: "HOOK_CANCELLED",
        decision: { reason: "not from there", decidedBy: { name: "entropic" } },
      });
      expect(engine.models.list()).toEqual([]);
      expect(await hook.contexts()).toMatchObject([{ model_id: "m", params: { threads: 1 } }]);
    },
  ],
  [
    14,
    "14 ON_MODEL_UNLOAD: what was freed",
    async (hook) => {
      const engine = await openEngine(["Hello."]);
      hook.add(engine);
      await engine.models.unload("default", "no need");
      expect(await hook.contexts()).toMatchObject([{ model_id: "default", reason: "no need", freed: {} }]);
    },
  ],
  [
    15,
    "15 ON_PERMISSION_CHECK: a veto, whose reason the model receives",
    async (hook) => {
      expect(await talk(hook)).toContain("<tool_response>\ndenied: never\n</tool_response>");
      expect(await hook.contexts()).toMatchObject([{ tool_name: "weather", permission: "allow" }]);
    },
  ],
  [
    16,
    "16 ON_ADAPTER_SWAP: a veto: the model speaks as before",
    async (hook) => {
      const { engine } = await openAdapted(["Hello."], { pirate: ["Ahoy!"] });
      hook.add(engine);
      const failure = await rejection(engine.generate("Hi", { adapters: [{ id: "pirate" }] }));
      expect(failure).toMatchObject({ code: "HOOK_CANCELLED", decision: { reason: "no pirates" } });
      expect((await engine.generate("Hi")).text).toBe("Hello.");
      expect(await hook.contexts()).toMatchObject([{ current_adapter: null, target_adapter: "pirate", scale: 1 }]);
    },
  ],
  [
    17,
    "17 ON_VRAM_PRESSURE: a veto: nothing is unloaded, and the load fails",
    async (hook) => {
      const engine = await openEngine([], { models: {}, memoryBudget: 40 });
      hook.add(engine);
      const file = await scriptModel(["Hello."]);
      const load = (id: string) => engine.models.load(id, { path: file, threads: 1, contextSize: 16_384 });
      await load("first");
      expect(await rejection(load("second"))).toMatchObject({
        code: "INSUFFICIENT_MEMORY",
        message: expect.stringContaining("it is needed") as string,
      });
      expect(engine.models.list()).toMatchObject([{ modelId: "first", state: "ready" }]);
      expect(await hook.contexts()).toMatchObject([{ candidates: [{ model_id: "first" }], plan: ["first"] }]);
    },
  ],
  [
    18,
    "18 ON_DIRECTIVE: a veto: the directive is not carried out",
    async (hook) => {
      const engine = await openEngine([directing("stop_processing"), "I went on."]);
      hook.add(engine);
      expect(await runOnce(engine, { tools: [directs] })).toMatchObject({
        finishReason: "complete",
        text: "I went on.",
      });
      expect(await hook.contexts()).toMatchObject([{ type: "stop_processing", params: {} }]);
    },
  ],
  [
    19,
    "19 ON_CUSTOM_DIRECTIVE: what the model receives about a directive that only the hook knows",
    async (hook) => {
      const engine = await openEngine([directing("ring"), "Rung."]);
      const prompts = listen(engine);
      hook.add(engine);
      await runOnce(engine, { tools: [directs] });
      expect(await lastHeard(prompts)).toContain("<tool_response>\ndirected\nit rang\n</tool_response>");
      expect(await hook.contexts()).toMatchObject([{ type: "ring" }]);
    },
  ],
  [
    20,
    "20 ON_LOOP_START: the run and what it begins with",
    async (hook) => {
      await talk(hook);
      expect(await hook.contexts()).toMatchObject([{ message_count: 1, delegation_depth: 0 }]);
    },
  ],
  [
    21,
    "21 ON_LOOP_END: how it ended, once",
    async (hook) => {
      await talk(hook);
      expect(await hook.contexts()).toMatchObject([
        { final_state: "COMPLETE", iterations: 2, response: "It is cold." },
      ]);
    },
  ],
  [
    22,
    "22 ON_COMPLETE: a rejection, which the model receives as a message of the user",
    async (hook) => {
      const engine = await openEngine([asks("Oslo"), completes("Done."), completes("Done, says the log.")]);
      const prompts = listen(engine);
      hook.add(engine);
      const { text } = await runOnce(engine, { tools, controlTools: ["complete"], tier: "lead" });
      expect(text).toBe("Done, says the log.");
      expect(await lastHeard(prompts)).toContain("user\n[CITATION VALIDATION] name your source<|im_end|>");
      const results = [{ name: "weather", content: "Oslo: 4 degrees" }];
      expect((await hook.contexts())[0]).toMatchObject({
        summary: "Done.",
        tier: "lead",
        iteration: 2,
        tool_results: results,
      });
    },
  ],
];

test("the 23 points have Entropic's numbers and names", () => {
  const ours = Object.values(POINTS).filter(({ number }) => number < 1000);
  const theirs = points.map(([number, title]) => [number, title.slice(title.indexOf(" ") + 1, title.indexOf(":"))]);
  expect(ours.map(({ number, name }) => [number, name]).sort(([a], [b]) => Number(a) - Number(b))).toEqual(theirs);
});

for (const [how, header] of [
  ["compiled against the compatibility header", true],
  ["loaded as the library that was compiled for Entropic", false],
] as const) {
  describe(how, () => {
    for (const [point, title, works] of points) test(title, async () => works(await compiled(point, header)));
  });
}
