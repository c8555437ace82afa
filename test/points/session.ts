// The points of sessions and runs. Must not: know those of a tool call (tool-calls.ts).
import { expect } from "vitest";
import { cancel, type RunResult } from "../../src/index.js";
import { recordHooks } from "../../src/testing/index.js";
import { openEngine } from "../support/engine.js";
import { asks, calls, runOnce, resultTexts } from "../support/sessions.js";
import { occasions } from "../support/order/occasions.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";
import { failedClosedRun, inIteration, inRun, meta, occasion, open, options } from "./session-setup.js";

export const sessionStart: PointDefinition = {
  point: "sessionStart",
  inRuns: {
    occasion: "talk",
    aborted: ["sessionStart"],
  },
  open,
  occasion,
  event: { history: [], meta },
  answers: {},
};

export const userMessage: PointDefinition = {
  point: "userMessage",
  inRuns: {
    occasion: "talk",
    aborted: ["sessionStart", "userMessage"],
    stopped: (then) => ({ names: ["sessionStart", "userMessage", ...then], ending: "halted brake" }),
  },
  open,
  occasion,
  event: { content: "How is Oslo?", tier: "lead", queued: false, meta: inRun },
  answers: {
    content: async () => {
      const engine = await open();
      engine.hooks.on("userMessage", ({ content }) => ({ content: `${content} Now?` }));
      const { messages } = await occasion(engine);
      expect(messages[0]).toMatchObject({ role: "user", content: "How is Oslo? Now?" });
    },
    additional_context: async () => {
      const engine = await open();
      engine.hooks.on("userMessage", () => ({ additionalContext: ["It is winter.", "It is night."] }));
      engine.hooks.on("userMessage", () => ({ additionalContext: ["In Norway."] }));
      const { messages } = await occasion(engine);
      const added = ["It is winter.", "It is night.", "In Norway."];
      expect(messages.slice(0, 4).map(({ content }) => content)).toEqual(["How is Oslo?", ...added]);
    },
    cancel: async () => {
      const engine = await open();
      const recording = recordHooks(engine);
      const session = engine.session(options);
      const refuse = engine.hooks.on("userMessage", () => cancel("not you"), { name: "doorman" });
      expect(await session.run("Let me in")).toMatchObject({
        finishReason: "halted",
        halt: { by: "doorman", reason: "not you" },
        messages: [],
        iterations: 0,
      });
      expect(session.history()).toEqual([]);
      expect(recording.names()).toEqual(["sessionStart", "userMessage"]);
      refuse.dispose();
      expect((await session.run("Let me in")).finishReason).toBe("complete");
    },
  },
  failedClosed: failedClosedRun,
};

export const loopStart: PointDefinition = {
  point: "loopStart",
  inRuns: {
    occasion: "talk",
    aborted: ["sessionStart", "userMessage", "stateChange", "loopStart", ...part.leave],
  },
  open,
  occasion,
  event: {
    messages: [{ role: "user", content: "How is Oslo?" }],
    messageCount: 1,
    delegationDepth: 0,
    tier: "lead",
    meta: inRun,
  },
  answers: {},
};

export const loopIteration: PointDefinition = {
  point: "loopIteration",
  inRuns: {
    occasion: "talk",
    aborted: [...part.begin, ...part.end],
  },
  open,
  occasion,
  times: 2,
  event: {
    goal: "How is Oslo?",
    iteration: 1,
    maxIterations: 25,
    state: "EXECUTING",
    consecutiveErrors: 0,
    meta: inIteration,
  },
  answers: {},
};

export const stateChange: PointDefinition = {
  point: "stateChange",
  inRuns: {
    occasion: "talk",
    aborted: ["sessionStart", "userMessage", "stateChange", "loopStart", ...part.leave],
  },
  open,
  occasion,
  times: 6,
  event: { previous: "IDLE", current: "PLANNING", meta: inRun },
  answers: {},
};

export const bootstrap: PointDefinition = {
  point: "bootstrap",
  inRuns: {
    occasion: "talk",
    aborted: [...part.first, ...part.end],
  },
  open,
  occasion,
  event: { tier: "lead", systemPrompt: "Be brief.", parts: [], meta: inIteration },
  answers: {
    parts: async () => {
      const engine = await open();
      const systems: unknown[] = [];
      engine.hooks.on("bootstrap", () => ({ parts: ["Know the sea.", "Be kind."] }));
      engine.hooks.on("bootstrap", ({ parts }) => ({ parts: [`After ${parts.length}.`] }));
      engine.hooks.on("preGenerate", ({ messages }) => void systems.push(messages[0]));
      await occasion(engine);
      const content = "Be brief.\n\nKnow the sea.\n\nBe kind.\n\nAfter 2.";
      expect(systems).toEqual([
        { role: "system", content },
        { role: "system", content },
      ]);
    },
  },
};

export const contextAssemble: PointDefinition = {
  point: "contextAssemble",
  inRuns: {
    occasion: "talk",
    aborted: [...part.first, "contextAssemble", ...part.end],
    stopped: (then) => ({ names: [...part.first, "contextAssemble", ...then, ...part.end], ending: "halted brake" }),
  },
  open,
  occasion,
  times: 2,
  event: {
    messages: [{ role: "system", content: "Be brief." }, { role: "user" }],
    tokenCount: expect.any(Number) as number,
    limit: 4096,
    budget: 1024,
    meta: inIteration,
  },
  answers: {
    messages: async () => {
      const engine = await open();
      const seen: unknown[] = [];
      engine.hooks.on("contextAssemble", ({ messages }) => ({ messages: messages.slice(1) }));
      engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages[0]?.role));
      const { messages } = await occasion(engine);
      expect(seen).toEqual(["user", "user"]);
      expect(messages[0]).toMatchObject({ role: "user", content: "How is Oslo?" });
    },
    inject: async () => {
      const engine = await open();
      const seen: unknown[] = [];
      engine.hooks.on("contextAssemble", () => ({ inject: [{ content: "It is noon." }] }));
      engine.hooks.on("contextAssemble", () => ({ inject: [{ content: "You like rain." }] }));
      engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages.at(-1)));
      const { messages } = await occasion(engine);
      expect(seen).toEqual([
        { role: "user", content: "How is Oslo?\n\nIt is noon.\n\nYou like rain." },
        { role: "user", content: "It is noon.\n\nYou like rain." },
      ]);
      expect(JSON.stringify(messages)).not.toContain("noon");
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("contextAssemble", () => cancel("too long"), { name: "counter" });
      expect(await occasion(engine)).toMatchObject({
        finishReason: "halted",
        halt: { by: "counter", reason: "too long" },
        messages: [],
      });
    },
  },
  failedClosed: failedClosedRun,
};

const completes = (summary: string) => calls("complete", { summary });

export const complete: PointDefinition = {
  point: "complete",
  inRuns: {
    occasion: "complete",
    aborted: [...part.toComplete, ...part.recorded, ...part.end],
    stopped: (then) => ({ names: [...part.toComplete, ...then, ...part.recorded, ...part.continues] }),
  },
  open: () => openEngine([asks("Oslo"), completes("Oslo has 4 degrees.")]),
  occasion: (engine) => runOnce(engine, { ...options, controlTools: ["complete"] }, "How is Oslo?"),
  event: {
    summary: "Oslo has 4 degrees.",
    tier: "lead",
    iteration: 2,
    toolResults: [{ name: "weather", content: "Oslo: 4 degrees" }],
    meta: { ...inRun, iteration: 2 },
  },
  answers: {
    cancel: async () => {
      const engine = await openEngine([completes("Done."), completes("Done, says the log.")]);
      let asked = 0;
      engine.hooks.on("complete", () => (asked++ === 0 ? cancel("name your source") : undefined), { name: "critic" });
      const result = await runOnce(engine, { controlTools: ["complete"] });
      expect(result).toMatchObject({ finishReason: "complete", text: "Done, says the log.", iterations: 2 });
      expect(result.messages.map(({ role, content }) => [role, content])).toEqual([
        ["user", "Hello"],
        ["assistant", ""],
        ["tool", "rejected: name your source"],
        ["user", "[CITATION VALIDATION] name your source"],
        ["assistant", ""],
        ["tool", "completed"],
      ]);
    },
  },
  failedClosed: (outcome, thrown) => {
    const { toolCalls, decisions, messages } = outcome as RunResult;
    const why = 'hook "cold" at complete failed (HOOK_FAILED): Error: no answer';
    expect(toolCalls[1]).toMatchObject({ resultKind: "rejected_hook", decidedBy: "cold", result: `rejected: ${why}` });
    expect(messages.map(({ content }) => content)).toContain(`[CITATION VALIDATION] ${why}`);
    const decision = decisions.find(({ decidedBy }) => decidedBy?.name === "cold");
    expect(decision).toMatchObject({ action: "cancelled", status: "HOOK_FAILED" });
    expect(decision?.hooks[0]?.error?.cause).toBe(thrown);
  },
};

export const iterationEnd: PointDefinition = {
  point: "iterationEnd",
  inRuns: {
    occasion: "talk",
    aborted: [...part.toBothDecided, ...part.recorded, ...part.recorded, "stateChange", ...part.end],
    stopped: (then) => ({
      names: [
        ...part.toBothDecided,
        ...part.recorded,
        ...part.recorded,
        "stateChange",
        "iterationEnd",
        ...then,
        ...part.leave,
      ],
      ending: "halted brake",
    }),
  },
  open,
  occasion,
  times: 2,
  event: {
    iteration: 1,
    status: "running",
    toolCallCounts: { weather: 1 },
    taskCompleted: false,
    continuations: 0,
    output: "One moment.",
    meta: inIteration,
  },
  answers: {
    complete: async () => {
      const engine = await open();
      engine.hooks.on("iterationEnd", () => ({ complete: true, continue: "More." }));
      const result = await occasion(engine);
      expect(result).toMatchObject({ finishReason: "complete", iterations: 1, text: "One moment." });
      expect(resultTexts(result)).toEqual(["Oslo: 4 degrees"]);
    },
    continue: async () => {
      const engine = await openEngine(["Done?", "Really done."]);
      const errors: string[] = [];
      engine.hooks.on("error", ({ code, message }) => void errors.push(`${code} ${message}`));
      engine.hooks.on("iterationEnd", ({ output }) =>
        output === "Done?" ? { continue: "Run the tests." } : undefined,
      );
      const result = await engine.session().run("Go");
      expect([result.text, result.finishReason, result.iterations]).toEqual(["Really done.", "complete", 2]);
      expect(result.messages.map(({ content }) => content)).toEqual(["Go", "Done?", "Run the tests.", "Really done."]);

      engine.hooks.on("iterationEnd", () => ({ continue: "More." }), { name: "eager" });
      const bounded = await engine.session({ maxContinuations: 2 }).run("Go");
      expect([bounded.finishReason, bounded.iterations]).toEqual(["complete", 3]);
      expect(errors).toEqual([
        "RETRY_LIMIT the hook eager asked the run to go on after 2 continuations, and it does not",
      ]);
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("iterationEnd", () => cancel("enough"), { name: "brake" });
      const result = await occasion(engine);
      expect(result).toMatchObject({
        finishReason: "halted",
        halt: { by: "brake", reason: "enough" },
        iterations: 1,
        text: "One moment.",
      });
      expect(resultTexts(result)).toEqual(["Oslo: 4 degrees"]);
    },
  },
  failedClosed: failedClosedRun,
};

export const loopEnd: PointDefinition = {
  point: "loopEnd",
  inRuns: {
    occasion: "talk",
    aborted: occasions.talk.names,
  },
  open,
  occasion,
  event: {
    finalState: "COMPLETE",
    reason: null,
    iterations: 2,
    response: "It is cold in Oslo.",
    usage: { completionTokens: expect.any(Number) as number },
    durationMs: expect.any(Number) as number,
    meta: inRun,
  },
  answers: {},
};

export const sessionEnd: PointDefinition = {
  point: "sessionEnd",
  inRuns: { never: "when the session is closed, which a run cannot outlive" },
  open,
  occasion,
  event: {
    history: [{ role: "user" }, { role: "assistant" }, { role: "tool" }, { role: "assistant" }],
    iterations: 2,
    meta,
  },
  answers: {},
};
