// For chat templates of llama.cpp: where a call is required, no text comes before it.
import { expect, test } from "vitest";
import { withoutCalls } from "../support/templates/known-templates.js";
import { cityWeather as weather, ordinary, readAnswer } from "../support/templates/read-answer.js";
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
