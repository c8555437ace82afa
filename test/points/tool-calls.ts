// The points of a tool call. Must not: know the loop around it.
import { expect } from "vitest";
import { cancel } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { asks, calls, directs, resultTexts, tools } from "../support/sessions.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";
import { args, inIteration, occasion, open, options, refusedClosed } from "./session-setup.js";

const toolCallId = expect.stringMatching(/^call_/) as string;

/** The texts that the point's hooks add, each as a message behind the results. */
async function addsContext(point: "preToolCall" | "postToolCall"): Promise<void> {
  const engine = await openEngine([asks("Oslo", "Rome"), "I see."]);
  const add = ({ args }: { readonly args: Readonly<Record<string, unknown>> }) => ({
    additionalContext: [`${String(args["city"])} is far.`],
  });
  if (point === "preToolCall") engine.hooks.on(point, add);
  else engine.hooks.on(point, add);
  const { messages } = await engine.session({ tools }).run("Go");
  const texts = messages.slice(2).map(({ role, content }) => `${role}: ${content}`);
  expect(texts).toEqual([
    "tool: Oslo: 4 degrees",
    "tool: Rome: 4 degrees",
    "user: Oslo is far.",
    "user: Rome is far.",
    "assistant: I see.",
  ]);
}

export const preToolCall: PointDefinition = {
  point: "preToolCall",
  inRuns: {
    occasion: "talk",
    aborted: [...part.toCalls, "preToolCall", ...part.recorded, ...part.recorded, ...part.end],
    stopped: (then) => ({
      // Adjacent repetitions count once.
      names: [
        ...part.toCalls,
        "preToolCall",
        ...(then.length === 0 ? [] : [...then, "preToolCall" as const, ...then]),
        ...part.recorded,
        ...part.recorded,
        ...part.continues,
      ],
    }),
  },
  open,
  occasion,
  event: {
    toolName: "weather",
    args,
    toolCallId,
    tier: "lead",
    iteration: 1,
    annotations: null,
    origin: null,
    meta: inIteration,
  },
  answers: {
    tool_name: async () => {
      const engine = await open();
      engine.hooks.on("preToolCall", () => ({ toolName: "clock", args: {} }));
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["noon"]);
      expect(result.messages[1]?.toolCalls).toMatchObject([{ name: "clock", args: {} }]);
    },
    args: async () => {
      const engine = await open();
      engine.hooks.on("preToolCall", () => ({ args: { city: "Rome" } }));
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["Rome: 4 degrees"]);
      expect(result.toolCalls).toMatchObject([{ args: { city: "Rome" }, resultKind: "ok" }]);
    },
    additional_context: () => addsContext("preToolCall"),
    permission: async () => {
      const engine = await open();
      engine.hooks.on("preToolCall", () => ({ permission: "deny" }), { name: "strict" });
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["denied: by strict"]);
      expect(result.toolCalls).toMatchObject([{ resultKind: "rejected_permission", decidedBy: "strict" }]);
    },
    response: async () => {
      const engine = await open();
      const seen: unknown[] = [];
      engine.hooks.guard("preToolCall", ({ response }) => void seen.push(response));
      engine.hooks.on("preToolCall", () => ({ response: "from the cache" }), { name: "cache" });
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["from the cache"]);
      expect(result.toolCalls).toMatchObject([{ elapsedMs: 0, decidedBy: "cache", resultKind: "ok" }]);
      expect(seen).toEqual(["from the cache"]);
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("preToolCall", () => cancel("no cities"), { name: "policy" });
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["blocked by policy: no cities"]);
      expect(result).toMatchObject({
        finishReason: "complete",
        toolCalls: [{ resultKind: "rejected_hook", isError: true, decidedBy: "policy", elapsedMs: 0 }],
      });
    },
  },
  failedClosed: refusedClosed("rejected_hook", "blocked by cold: ", "preToolCall"),
};

export const toolValidation: PointDefinition = {
  point: "toolValidation",
  inRuns: {
    occasion: "talk",
    aborted: [...part.toDecided, ...part.recorded, ...part.recorded, ...part.end],
  },
  open,
  occasion,
  event: { toolName: "weather", args, toolCallId, validator: "schema", allowed: true, reason: null, meta: inIteration },
  answers: {},
};

export const permissionCheck: PointDefinition = {
  point: "permissionCheck",
  inRuns: {
    occasion: "talk",
    aborted: [...part.toDecided, ...part.recorded, ...part.recorded, ...part.end],
    stopped: (then) => ({
      names: [
        ...part.toDecided,
        ...then,
        ...part.decided,
        ...then,
        ...part.recorded,
        ...part.recorded,
        ...part.continues,
      ],
    }),
  },
  open,
  occasion,
  event: {
    toolName: "weather",
    args,
    toolCallId,
    permission: "allow",
    rule: null,
    tier: "lead",
    annotations: null,
    origin: null,
    meta: inIteration,
  },
  answers: {
    permission: async () => {
      const engine = await open();
      engine.hooks.on("permissionCheck", () => ({ permission: "deny" }), { name: "strict" });
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["denied: by strict"]);
      expect(result.toolCalls).toMatchObject([{ resultKind: "rejected_permission", decidedBy: "strict" }]);
    },
    reason: async () => {
      const engine = await open();
      engine.hooks.on("permissionCheck", () => ({ permission: "deny", reason: "not today" }));
      expect(resultTexts(await occasion(engine))).toEqual(["denied: not today"]);
    },
    defer: async () => {
      const engine = await open();
      engine.hooks.on("permissionCheck", () => ({ defer: true }), { name: "office" });
      const result = await occasion(engine);
      expect(result).toMatchObject({ finishReason: "waiting", toolCalls: [], waiting: [{ deferredBy: "office" }] });
    },
    waits_for: async () => {
      const engine = await open();
      engine.hooks.on("permissionCheck", () => ({ defer: true, waitsFor: "Ada" }));
      expect((await occasion(engine)).waiting).toMatchObject([{ waitsFor: "Ada" }]);
    },
    remember: async () => {
      const engine = await openEngine({ replies: [asks("Oslo")], afterLast: "repeat" });
      const hook = engine.hooks.on("permissionCheck", () => ({ permission: "deny", remember: "tool" }));
      const session = engine.session({ ...options, tools, maxIterations: 1 });
      await session.run("Hello");
      hook.dispose();
      expect(resultTexts(await session.run("Hello"))).toEqual(["denied: by an earlier answer"]);
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("permissionCheck", () => cancel("never"), { name: "strict" });
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["denied: never"]);
      expect(result.toolCalls).toMatchObject([{ resultKind: "rejected_permission", decidedBy: "strict" }]);
    },
  },
  failedClosed: refusedClosed("rejected_permission", "denied: ", "permissionCheck"),
};

export const postToolCall: PointDefinition = {
  point: "postToolCall",
  inRuns: {
    occasion: "talk",
    aborted: [...part.toBothDecided, ...part.recorded, ...part.recorded, ...part.end],
  },
  open,
  occasion,
  event: {
    toolName: "weather",
    args,
    toolCallId,
    elapsedMs: expect.any(Number) as number,
    tier: "lead",
    iteration: 1,
    resultKind: "ok",
    isError: false,
    result: "Oslo: 4 degrees",
    directives: [],
    annotations: null,
    origin: null,
    meta: inIteration,
  },
  answers: {
    result: async () => {
      const engine = await open();
      engine.hooks.on("postToolCall", ({ result }) => ({ result: result.replace("4", "[redacted]") }));
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["Oslo: [redacted] degrees"]);
      expect(JSON.stringify(result)).not.toContain("Oslo: 4");
    },
    additional_context: async () => {
      await addsContext("postToolCall");
      // Also of calls that are refused at the end of a run.
      const engine = await openEngine([asks("Oslo")]);
      engine.hooks.on("postGenerate", () => ({ halt: "no tools today" }));
      engine.hooks.on("postToolCall", () => ({ additionalContext: ["It was refused."] }));
      const { messages } = await engine.session({ tools }).run("Go");
      expect(messages.at(-1)).toMatchObject({ role: "user", content: "It was refused." });
    },
    is_error: async () => {
      const engine = await open();
      engine.hooks.on("postToolCall", () => ({ isError: true }));
      expect((await occasion(engine)).toolCalls).toMatchObject([{ isError: true, result: "Oslo: 4 degrees" }]);
    },
    directives: async () => {
      const engine = await openEngine([calls("directs", { directives: [{ type: "clear_todos" }] }), "Done."]);
      const seen: string[] = [];
      engine.hooks.on("postToolCall", ({ directives }) => ({
        directives: [...directives, { type: "notify", params: { message: "added" } }],
      }));
      engine.hooks.on("directive", ({ type }) => void seen.push(type));
      const session = engine.session({ ...options, tools: [directs] });
      const notices: unknown[] = [];
      for await (const event of session.run("Hello")) if (event.type === "notify") notices.push(event.params);
      expect(seen).toEqual(["clear_todos", "notify"]);
      expect(notices).toEqual([{ message: "added" }]);
    },
  },
};

export const toolResultPersist: PointDefinition = {
  point: "toolResultPersist",
  inRuns: {
    occasion: "talk",
    aborted: [...part.toBothDecided, ...part.recorded, ...part.recorded, ...part.end],
  },
  open,
  occasion,
  event: { toolName: "weather", toolCallId, result: "Oslo: 4 degrees", tier: "lead", meta: inIteration },
  answers: {
    result: async () => {
      const engine = await open();
      engine.hooks.on("toolResultPersist", () => ({ result: "cold" }));
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["cold"]);
      expect(result.toolCalls).toMatchObject([{ result: "cold" }]);
    },
  },
};
