import { expect } from "vitest";
import type { GenerateEvent, ToolSpec } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";

const weather: ToolSpec = { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } };
const callsWeather = { text: "Let me look.", toolCalls: [{ name: "weather", args: { city: "Oslo" } }] };

export const postGenerate: PointDefinition = {
  point: "postGenerate",
  inRuns: {
    occasion: "talk",
    aborted: [...part.toCalls, ...part.recorded, ...part.recorded, ...part.end],
  },
  open: () => openEngine([{ reasoning: "Easy.", text: "Hello there." }]),
  occasion: (engine) =>
    engine.generate([
      { role: "system", content: "Be kind." },
      { role: "user", content: "hi" },
    ]),
  event: {
    content: "Hello there.",
    reasoning: expect.stringContaining("Easy."),
    toolCalls: [],
    finishReason: "stop",
    systemPrompt: "Be kind.",
    toolContext: "",
    tier: null,
  },
  answers: {
    content: async () => {
      const engine = await openEngine(["My code is 1234."]);
      engine.hooks.on("postGenerate", ({ content }) => ({ content: content.replace("1234", "####") }));
      const live: GenerateEvent[] = [];
      for await (const event of engine.generate("hi")) live.push(event);
      expect(live.at(-2)).toMatchObject({ type: "replaced", text: "My code is ####." });
      expect(live.at(-1)).toMatchObject({ type: "end", result: { text: "My code is ####." } });

      let held = "";
      for await (const event of engine.generate("hi", { stream: "held" })) {
        expect(["start", "token", "end"]).toContain(event.type);
        if (event.type === "token") held += event.text;
      }
      expect(held).toBe("My code is ####.");
    },
    halt: async () => {
      const engine = await openEngine([callsWeather]);
      engine.hooks.on("postGenerate", () => ({ halt: "no tools today" }), { name: "strict" });
      const { halt, toolCalls } = await engine.generate("hi", { tools: [weather] });
      expect(halt).toEqual({ by: "strict", reason: "no tools today" });
      expect(toolCalls).toMatchObject([{ name: "weather" }]);
    },
    retry: async () => {
      const engine = await openEngine(["It is 7.", "It is seven."]);
      const seen: string[] = [];
      engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages.at(-1)?.content ?? ""));
      engine.hooks.on("postGenerate", ({ content }) =>
        content.includes("7") ? { retry: "In words, please." } : undefined,
      );
      const { text } = await engine.generate("hi");
      expect(text).toBe("It is seven.");
      expect(seen).toEqual(["hi", "In words, please."]);

      const errors: string[] = [];
      engine.hooks.on("error", ({ code }) => void errors.push(code));
      engine.hooks.on("postGenerate", () => ({ retry: "Again." }));
      await engine.generate("hi");
      expect(errors).toEqual(["RETRY_LIMIT"]);
    },
  },
};
