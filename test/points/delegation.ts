// The points of delegation and of directives. Must not: know what each directive does (sessions/tools/directives.test.ts).
import { expect } from "vitest";
import { cancel, type Engine, type RunResult } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { leadAndCoder, ofLead } from "../support/lead-and-coder.js";
import { directs, runOnce, resultTexts } from "../support/sessions.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";
import { inIteration, options, refusedClosed } from "./session-setup.js";

const delegates = { toolCalls: [{ name: "delegate", args: { tier: "coder", task: "Write it." } }] };
const tiers = { lead: {}, coder: { system: "You write code." }, tester: { system: "You test." } };

const open = (): Promise<Engine> =>
  openEngine({
    replies: [delegates, "The coder is done."],
    scripts: [
      { when: "You write code.", replies: ["It is written."] },
      { when: "You test.", replies: ["It is tested."] },
    ],
  });
const occasion = (engine: Engine): Promise<RunResult> =>
  runOnce(engine, { ...options, tools: [], controlTools: ["delegate"], tiers }, "Have it written.");

export const delegate: PointDefinition = {
  point: "delegate",
  inRuns: {
    occasion: "delegate",
    aborted: [...part.toDelegate, "delegateComplete", "stateChange", ...part.recorded, ...part.end],
    stopped: (then) => ({ names: [...part.toDelegate, ...then, ...part.concluded, ...part.continues] }),
  },
  open,
  occasion,
  event: { targetTier: "coder", task: "Write it.", depth: 1, flow: "delegate", meta: inIteration },
  answers: {
    target_tier: async () => {
      const engine = await open();
      engine.hooks.on("delegate", () => ({ targetTier: "tester" }));
      expect(resultTexts(await occasion(engine))).toEqual(["It is tested.\n[conversation tester-1]"]);
    },
    task: async () => {
      const engine = await open();
      const tasks: unknown[] = [];
      engine.hooks.on("delegate", ({ task }) => ({ task: `${task} Well.` }));
      engine.hooks.on("loopStart", ({ messages, meta }) => void (meta.depth === 1 && tasks.push(messages)));
      await occasion(engine);
      expect(tasks).toEqual([[{ role: "user", content: "Write it. Well." }]]);
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("delegate", () => cancel("do it yourself"), { name: "boss" });
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["blocked by boss: do it yourself"]);
      expect(result.toolCalls).toMatchObject([{ resultKind: "rejected_hook", isError: true, decidedBy: "boss" }]);
    },
  },
  failedClosed: refusedClosed("rejected_hook", "blocked by cold: ", "delegate"),
};

export const delegateComplete: PointDefinition = {
  point: "delegateComplete",
  inRuns: {
    occasion: "delegate",
    aborted: [...part.toDelegate, ...part.child, ...part.concluded, ...part.end],
  },
  open,
  occasion,
  event: {
    targetTier: "coder",
    task: "Write it.",
    success: true,
    resultKind: "ok",
    summary: "It is written.",
    elapsedMs: expect.any(Number) as number,
    usage: { completionTokens: expect.any(Number) as number },
    meta: inIteration,
  },
  answers: {
    summary: async () => {
      const engine = await open();
      engine.hooks.on("delegateComplete", ({ summary }) => ({ summary: summary.toUpperCase() }));
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["IT IS WRITTEN.\n[conversation coder-1]"]);
      expect(JSON.stringify(result)).not.toContain("It is written");
    },
    retry: async () => {
      const engine = await openEngine(leadAndCoder(["A draft.", "It is done."]));
      engine.hooks.on("delegateComplete", ({ summary }) =>
        summary === "A draft." ? { retry: "Finish it." } : undefined,
      );
      const heard: unknown[] = [];
      engine.hooks.on(
        "loopStart",
        ({ messages, meta }) => void (meta.depth === 1 && heard.push(messages.at(-1)?.content)),
      );
      expect(resultTexts(await runOnce(engine, ofLead))).toEqual(["It is done.\n[conversation coder-1]"]);
      expect(heard).toEqual(["Do it.", "Finish it."]);
    },
  },
};

const notifies = { toolCalls: [{ name: "directs", args: { directives: [{ type: "stop_processing" }] } }] };
const openDirecting = (): Promise<Engine> => openEngine([notifies, "I went on."]);
const directed = (engine: Engine): Promise<RunResult> => runOnce(engine, { ...options, tools: [directs] });

export const directive: PointDefinition = {
  point: "directive",
  inRuns: {
    occasion: "directive",
    aborted: [...part.toDirective, "toolResultPersist", ...part.end],
    stopped: (then) => ({ names: [...part.toDirective, ...then, "toolResultPersist", ...part.continues] }),
  },
  open: openDirecting,
  occasion: directed,
  event: { type: "stop_processing", params: {}, meta: inIteration },
  answers: {
    params: async () => {
      const engine = await openDirecting();
      engine.hooks.on("directive", () => ({ params: { reason: "it is late" } }));
      expect(await directed(engine)).toMatchObject({ halt: { by: "directs", reason: "it is late" } });
    },
    cancel: async () => {
      const engine = await openDirecting();
      engine.hooks.on("directive", () => cancel("go on"));
      expect(await directed(engine)).toMatchObject({ finishReason: "complete", text: "I went on." });
    },
  },
  failedClosed: (outcome, thrown) => {
    const { finishReason, decisions } = outcome as RunResult;
    expect(finishReason).toBe("complete");
    expect(decisions).toMatchObject([{ action: "cancelled", status: "HOOK_FAILED", decidedBy: { name: "cold" } }]);
    expect(decisions[0]?.hooks[0]?.error?.cause).toBe(thrown);
  },
};

const custom = { toolCalls: [{ name: "directs", args: { directives: [{ type: "ring", params: { times: 3 } }] } }] };
const openCustom = (): Promise<Engine> => openEngine([custom, "Rung."]);

export const customDirective: PointDefinition = {
  point: "customDirective",
  inRuns: {
    occasion: "custom",
    aborted: [...part.toDirective, "customDirective", "toolResultPersist", ...part.end],
    stopped: (then) => ({
      names: [...part.toDirective, "customDirective", ...then, "toolResultPersist", ...part.continues],
    }),
  },
  open: openCustom,
  occasion: directed,
  event: { type: "ring", params: { times: 3 }, meta: inIteration },
  answers: {
    handled: async () => {
      const engine = await openCustom();
      const errors: unknown[] = [];
      engine.hooks.on("error", ({ code, message, where }) => void errors.push({ code, message, where }));
      const handler = engine.hooks.on("customDirective", () => ({ handled: true }));
      await directed(engine);
      expect(errors).toEqual([]);
      handler.dispose();
      await directed(engine);
      const message = "the directive ring of the tool directs: no hook handles this type";
      expect(errors).toEqual([{ code: "INVALID_DIRECTIVE", message, where: "directive:ring" }]);
    },
    message: async () => {
      const engine = await openCustom();
      engine.hooks.on("customDirective", () => ({ handled: true, message: "it rang" }));
      expect(resultTexts(await directed(engine))).toEqual(["directed\nit rang"]);
    },
    cancel: async () => {
      const engine = await openCustom();
      const errors: unknown[] = [];
      engine.hooks.on("error", ({ code }) => void errors.push(code));
      engine.hooks.on("customDirective", () => cancel("quiet"));
      expect(resultTexts(await directed(engine))).toEqual(["directed"]);
      expect(errors).toEqual([]);
    },
  },
  failedClosed: directive.failedClosed as NonNullable<PointDefinition["failedClosed"]>,
};
