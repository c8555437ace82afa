// For every chat template of llama.cpp: the choice of tools, one call a message, and tools beside a schema.
import { expect, test } from "vitest";
import type { GenerateOptions } from "../../src/index.js";
import { engineWith } from "../support/templates/template-engine.js";
import { chosenTemplates } from "../support/templates/template-files.js";
import { misreadChoices, withoutCalls } from "../support/templates/known-templates.js";
import { messages, nativeAnswer, nativeReply, past, weather } from "../support/templates/native-replies.js";

const clock = { name: "clock", description: "The time." };
const place = {
  type: "object",
  properties: { place: { type: "string" }, certain: { type: "boolean" } },
  required: ["place", "certain"],
  additionalProperties: false,
};
const answer = '{"place": "Oslo", "certain": true}';

const withCalls = chosenTemplates.filter((name) => !(name in withoutCalls));

test.each(withCalls)("%s: a named tool, one call a message, calls or an answer by a schema", async (name) => {
  const { engine, load } = await engineWith(name);
  const ask = async (model: string, options: GenerateOptions) => {
    const { text, toolCalls } = await engine.generate(past, {
      model,
      tools: [clock, weather],
      maxTokens: 400,
      temperature: 0,
      ...options,
    });
    return { text: text.trim(), calls: toolCalls.map(({ name, args }) => ({ name, args })) };
  };
  /** The number of pieces in which the text comes. */
  const piecesOf = async (model: string, options: GenerateOptions): Promise<number> => {
    let pieces = 0;
    const asked = { model, tools: [clock, weather], maxTokens: 400, temperature: 0, ...options };
    for await (const event of engine.generate(past, asked)) {
      if (event.type === "token" && event.kind === "content") pieces++;
    }
    return pieces;
  };
  const found: Record<string, unknown> = {};
  const call = await nativeReply(engine, "plain", name, "call");
  const [oslo] = messages.call.toolCalls;
  const wanted = { text: "", calls: [{ name: oslo.name, args: oslo.args }] };
  const check = async (what: string, options: GenerateOptions, model: string, want: unknown): Promise<void> => {
    const got = await ask(model, options).catch((error: unknown) => String(error));
    const isRight = JSON.stringify(got) === JSON.stringify(want);
    if (isRight === `${name}, ${what}` in misreadChoices) found[what] = isRight ? "right" : got;
  };
  if (call !== undefined) {
    await load("calls", ["Hello.", call]);
    await check("named", { toolChoice: { tool: "weather" } }, "calls", wanted);
    await check("a call beside a schema", { jsonSchema: place }, "calls", wanted);
  }
  const two = await nativeReply(engine, "plain", name, "two").catch(() => undefined);
  if (two !== undefined) {
    await load("two", ["Hello.", two]);
    await check("one call", { parallelToolCalls: false }, "two", wanted);
  }
  const written = await nativeAnswer(engine, "plain", answer);
  if (written !== undefined) {
    await load("answers", ["Hello.", written]);
    await check("an answer beside tools", { jsonSchema: place }, "answers", { text: answer, calls: [] });
    const pieces = await piecesOf("answers", { jsonSchema: place });
    const isLive = pieces > 5;
    if (isLive === `${name}, an answer beside tools` in misreadChoices)
      found["pieces of an answer beside tools"] = pieces;
  }
  expect(found).toEqual({});
});
