import { expect } from "vitest";
import type { Engine, GenerateOptions } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";

/** The text that is streamed, the text that postGenerate is shown, and the text that is returned. */
async function threeTexts(engine: Engine, options: GenerateOptions = {}): Promise<string[]> {
  let streamed = "";
  let shown = "";
  let returned = "";
  engine.hooks.on("postGenerate", ({ content }) => void (shown = content));
  for await (const event of engine.generate("hi", options)) {
    if (event.type === "token") streamed += event.text;
    if (event.type === "end") returned = event.result.text;
  }
  return [streamed, shown, returned];
}

export const streamToken: PointDefinition = {
  point: "streamToken",
  inRuns: {
    occasion: "talk",
    aborted: [...part.first, ...part.call, ...part.end],
  },
  open: () => openEngine([{ pieces: ["One", " two", " three"] }]),
  occasion: (engine) => engine.generate("hi", { logprobs: true }),
  times: 3,
  event: { tokenIndex: 0, token: expect.any(Number), text: "One", kind: "content", logprob: expect.any(Number) },
  answers: {
    text: async () => {
      const engine = await openEngine(["the Acme plan of Acme"]);
      engine.hooks.on("streamToken", ({ text }) => ({ text: text.replace("Acme", "####") }));
      expect(await threeTexts(engine)).toEqual(Array(3).fill("the #### plan of ####"));
    },
    drop: async () => {
      const engine = await openEngine([{ pieces: ["so", " um", " it", " um", " is"] }]);
      engine.hooks.on("streamToken", ({ text }) => ({ drop: text === " um" }));
      expect(await threeTexts(engine)).toEqual(Array(3).fill("so it is"));
    },
    hold: async () => {
      const engine = await openEngine([{ pieces: ["key ", "12", "34", " key", " 12"] }]);
      const shown: string[] = [];
      engine.hooks.on("streamToken", ({ text, final }) => {
        shown.push(final === true ? `final:${text}` : text);
        return text.endsWith("12") ? { hold: true } : { text: text.replace("1234", "####") };
      });
      // The last one is held at the end of the output: the hook is asked once more, and holding has no effect.
      expect(await threeTexts(engine)).toEqual(Array(3).fill("key #### key 12"));
      expect(shown).toEqual(["key ", "12", "1234", " key", " 12", "final: 12"]);
    },
  },
};
