import { expect } from "vitest";
import { cancel, type GenerateResult, type ToolSpec } from "../../src/index.js";
import { recordHooks } from "../../src/testing/index.js";
import { openEngine, scriptModel } from "../support/engine.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";

const weather: ToolSpec = {
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const callsWeather = { toolCalls: [{ name: "weather", args: { city: "Oslo" } }] };

export const preGenerate: PointDefinition = {
  point: "preGenerate",
  inRuns: {
    occasion: "talk",
    aborted: [...part.first, ...part.asked, ...part.end],
    stopped: (then) => ({ names: [...part.first, ...part.asked, ...then, ...part.end], ending: "halted brake" }),
  },
  open: () => openEngine(["Hello there."]),
  occasion: (engine) =>
    engine.generate([{ role: "user", content: "hi" }], { tools: [weather], tier: "lead", temperature: 0 }),
  event: {
    messages: [{ role: "user", content: "hi" }],
    params: { temperature: 0, topK: 40, toolChoice: "auto" },
    tools: [{ name: "weather", description: "The weather of a city", parameters: { required: ["city"] } }],
    tier: "lead",
    iteration: null,
    meta: { tier: "lead", modelId: "default" },
  },
  answers: {
    messages: async () => {
      const engine = await openEngine({
        replies: ["Hello there."],
        scripts: [{ when: "sesame", replies: ["It opens."] }],
      });
      engine.hooks.on("preGenerate", ({ messages }) => ({
        messages: [{ role: "system", content: "sesame" }, ...messages],
      }));
      expect((await engine.generate("hi")).text).toBe("It opens.");
    },
    prompt: async () => {
      const engine = await openEngine(["Hello there."]);
      engine.hooks.on("preGenerate", ({ prompt }) => ({ prompt: `${prompt} z y x w v u` }));
      const { usage, text } = await engine.generate("hi", { raw: true });
      expect(usage.promptTokens).toBe((await engine.models.tokenize(undefined, "hi z y x w v u")).length);
      expect(text).toBe("Hello there.");
    },
    params: async () => {
      const engine = await openEngine(["Hello there."]);
      engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, maxTokens: 1 } }));
      const { text, finishReason } = await engine.generate("hi", { maxTokens: 50 });
      expect([text, finishReason]).toEqual(["Hello", "length"]);
    },
    tools: async () => {
      const engine = await openEngine([callsWeather]);
      const { name, description, parameters } = weather;
      engine.hooks.on("preGenerate", () => ({ tools: [{ name, description, parameters: { ...parameters } }] }));
      const { toolCalls } = await engine.generate("hi");
      expect(toolCalls).toMatchObject([{ name: "weather", args: { city: "Oslo" } }]);
    },
    model: async () => {
      const small = await scriptModel(["I am small."]);
      const big = await scriptModel(["I am big."]);
      const engine = await openEngine([], { models: { small, big } });
      const shown: unknown[] = [];
      engine.hooks.on("preGenerate", () => ({ model: "big" }));
      engine.hooks.guard("preGenerate", ({ model }) => void shown.push(model));
      expect(await engine.generate("hi", { model: "small" })).toMatchObject({ text: "I am big.", modelId: "big" });
      expect(shown).toEqual(["big"]);
    },
    response: async () => {
      const engine = await openEngine(["Hello there."]);
      const recording = recordHooks(engine);
      engine.hooks.on("preGenerate", () => ({ response: "From the cache." }));
      const generation = engine.generate("hi");
      const streamed: string[] = [];
      for await (const event of generation) if (event.type === "token") streamed.push(event.text);
      expect(await generation).toMatchObject({ text: "From the cache.", finishReason: "stop" });
      expect((await generation).usage.completionTokens).toBe(0);
      expect(streamed.join("")).toBe("From the cache.");
      expect(recording.names()).toEqual(["contextBudget", "preGenerate"]);
    },
    cancel: async () => {
      const engine = await openEngine(["Hello there."]);
      const recording = recordHooks(engine);
      engine.hooks.on("preGenerate", () => cancel("not on Sundays"), { name: "calendar" });
      const { text, finishReason, cancel: stopper } = await engine.generate("hi");
      expect([text, finishReason, stopper]).toEqual(["", "cancelled", { by: "calendar", reason: "not on Sundays" }]);
      expect(recording.names()).toEqual(["contextBudget", "preGenerate"]);
    },
  },
  failedClosed: (outcome, thrown) => {
    const { finishReason, cancel: stopper, decisions } = outcome as GenerateResult;
    expect([finishReason, stopper?.by]).toEqual(["cancelled", "cold"]);
    expect(decisions).toMatchObject([{ action: "cancelled", status: "HOOK_FAILED", decidedBy: { name: "cold" } }]);
    expect(decisions[0]?.hooks[0]?.error?.cause).toBe(thrown);
  },
};
