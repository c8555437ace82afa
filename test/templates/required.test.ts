// For chat templates of llama.cpp: where a call is required, there is one, and no text comes before it, unless the model
// thinks first.
import { expect, test } from "vitest";
import type { GenerateOptions } from "../../src/index.js";
import { withoutCalls } from "../support/templates/known-templates.js";
import { closing, nativeReply, past, weather as plan, withoutClosing } from "../support/templates/native-replies.js";
import { cityWeather as weather, ordinary, readAnswer } from "../support/templates/read-answer.js";
import { engineWith } from "../support/templates/template-engine.js";
import { chosenTemplates } from "../support/templates/template-files.js";

/** llama.cpp takes the id in its example for a part of the mark, so that no call is read. */
const unread = "upstage-Solar-Open-100B";

test.each(chosenTemplates.filter((name) => !(name in withoutCalls) && name !== unread))(
  "%s: a model that would rather write a text cannot",
  async (template) => {
    const reply = ordinary("The weather will be fine, and you need no umbrella at all.");
    const options = { tools: [weather], toolChoice: "required", maxTokens: 40 } as const;
    const { text, streamed } = await readAnswer(template, reply, options);
    expect([text.trim(), streamed.trim()]).toEqual(["", ""]);
  },
);

/** The model's replies, with the parts of them that are no call. */
const written = (close: string, call: string): readonly (readonly [reply: string, thought: string, text: string])[] => [
  [`Pondering. ${call}`, "Pondering.", ""],
  [`Pondering.${close}Beforehand.\n${call}`, "Pondering.", "Beforehand."],
  [`${close}Beforehand.\n${call}`, "", "Beforehand."],
  [`Pondering.${close}${call}\n${call}`, "Pondering.", ""],
];

/** It needs a mark before a text, too. */
const withTextMark = "Cohere2MoE";

/** Its grammar waits for the end of the reasoning before a call. */
const withEnd = "openbmb-MiniCPM5-1B";

test.each(chosenTemplates.filter((name) => !(name in withoutCalls) && name !== withTextMark))(
  "%s: a model that thinks first writes a call, or continues",
  async (name) => {
    const { engine, load } = await engineWith(name);
    const close = await closing(engine, "plain", {});
    const native = await nativeReply(engine, "plain", name, "call");
    if (close === "" || native === undefined) return;
    const codes: string[] = [];
    engine.hooks.on("error", ({ code }) => void codes.push(code));
    const call = withoutClosing(native).trimStart();
    const say = (options: GenerateOptions) =>
      engine.generate(past, { model: "calls", tools: [plan], toolChoice: "required", temperature: 0, ...options });
    for (const [reply, thought, text] of written(close, call).slice(name === withEnd ? 1 : 0)) {
      for (const one of [reply, ordinary(reply)]) {
        await load("calls", ["Hello.", one]);
        for (const parallelToolCalls of [true, false]) {
          const answer = await say({ parallelToolCalls, maxTokens: 300 });
          expect(answer.toolCalls[0]).toMatchObject({ name: "weather", args: { city: "Oslo 7", days: 3 } });
          expect(answer.reasoning).toContain(thought);
          expect(answer.text.trim()).toBe(text);
        }
        await engine.models.unload("calls");
      }
    }
    expect(codes).toEqual([]);
    for (const reply of ["Pondering.", `Pondering.${close}Beforehand.`, `Pondering.${close}`, call.slice(0, 20)]) {
      await load("calls", ["Hello.", reply]);
      expect((await say({ maxTokens: 40 })).finishReason).toBe("length"); // it cannot end
      await engine.models.unload("calls");
    }
  },
);
