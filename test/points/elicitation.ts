// The point at which a tool asks the user.
import { expect } from "vitest";
import { cancel, type Engine, type RunResult } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { asksUser, calls, runOnce, resultTexts } from "../support/sessions.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";
import { inIteration } from "./session-setup.js";

const open = (): Promise<Engine> => openEngine([calls("asks_user"), "Thanks."]);
const occasion = (engine: Engine): Promise<RunResult> => runOnce(engine, { tools: [asksUser], tier: "lead" });

export const elicitation: PointDefinition = {
  point: "elicitation",
  inRuns: {
    occasion: "elicit",
    aborted: [...part.toDecided, "elicitation", ...part.recorded, ...part.end],
    stopped: (then) => ({ names: [...part.toDecided, "elicitation", ...then, ...part.recorded, ...part.continues] }),
  },
  open,
  occasion,
  event: {
    toolName: "asks_user",
    toolCallId: expect.stringMatching(/^call_/) as string,
    message: "Which city?",
    schema: { type: "object", properties: { city: { type: "string", maxLength: 20 } }, required: ["city"] },
    action: "decline",
    content: null,
    tier: "lead",
    annotations: null,
    origin: null,
    meta: inIteration,
  },
  answers: {
    action: async () => {
      const engine = await open();
      expect(resultTexts(await occasion(engine))).toEqual(["decline"]);
      const errors: unknown[] = [];
      engine.hooks.on("error", ({ code, message, where }) => void errors.push({ code, message, where }));
      const hook = engine.hooks.on("elicitation", () => ({ action: "accept" }), { name: "hasty" });
      const why = 'the content does not fit the schema: lacks "city"';
      expect(resultTexts(await occasion(engine))).toEqual([`decline ${why}`]);
      const message = `the hook hasty answered a question of asks_user, and ${why}`;
      expect(errors).toEqual([{ code: "HOOK_BAD_ANSWER", message, where: "tool:asks_user" }]);
      hook.dispose();
      engine.hooks.on("elicitation", () => ({ action: "cancel" }));
      expect(resultTexts(await occasion(engine))).toEqual(["cancel"]);
    },
    content: async () => {
      const engine = await open();
      const seen: unknown[] = [];
      engine.hooks.on("elicitation", () => ({ action: "accept", content: { city: "Oslo" } }), { name: "form" });
      engine.hooks.on("elicitation", ({ action, content }) => {
        seen.push({ action, content });
        return { content: { city: `${String(content?.["city"])} in Norway` } };
      });
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["accept Oslo in Norway"]);
      expect(seen).toEqual([{ action: "accept", content: { city: "Oslo" } }]);
      expect(result.decisions).toMatchObject([{ action: "modified", hooks: [{ name: "form" }, {}] }]);
    },
    cancel: async () => {
      const engine = await open();
      engine.hooks.on("elicitation", () => cancel("no user is here"), { name: "night" });
      const result = await occasion(engine);
      expect(resultTexts(result)).toEqual(["cancel no user is here"]);
      expect(result).toMatchObject({ finishReason: "complete", toolCalls: [{ resultKind: "ok" }] });
    },
  },
  failedClosed: (outcome, thrown) => {
    const { toolCalls, decisions } = outcome as RunResult;
    const result = 'cancel hook "cold" at elicitation failed (HOOK_FAILED): Error: no answer';
    expect(toolCalls).toMatchObject([{ resultKind: "ok", result }]);
    expect(decisions).toMatchObject([{ action: "cancelled", status: "HOOK_FAILED", decidedBy: { name: "cold" } }]);
    expect(decisions[0]?.hooks[0]?.error?.cause).toBe(thrown);
  },
};
