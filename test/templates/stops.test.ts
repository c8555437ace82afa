// Stop texts are for the text of an answer.
import { expect, test } from "vitest";
import { cityWeather as weather, ordinary, readAnswer } from "../support/templates/read-answer.js";

test.each([
  ["Qwen3.5-4B", "\n</think>\n\n"],
  ["deepseek-ai-DeepSeek-V3.1", "</think>"],
  ["MiniMax-M2", "\n</think>\n\n"],
])("%s: a stop text within reasoning ends nothing", async (template, closing) => {
  for (const stop of ["END", "\n\n"]) {
    const reply = ordinary(`I think ${stop} of it.${closing}Hello${stop} there`);
    const answer = await readAnswer(template, reply, { stop });
    expect(answer).toMatchObject({ text: "Hello", streamed: "Hello", stopText: stop });
    expect(answer.reasoning.trim()).toBe(`I think ${stop} of it.`);
    const everywhere = await readAnswer(template, reply, { stop, stopIn: "all" });
    expect(everywhere).toMatchObject({ text: "", stopText: stop });
    expect(everywhere.reasoning.trim()).toBe("I think");
  }
});

test("a stop text within the arguments of a call ends nothing", async () => {
  const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo END"}}\n</tool_call>';
  const answer = await readAnswer("Qwen-Qwen3-0.6B", call, { tools: [weather], stop: "END" });
  expect(answer.calls).toEqual([["weather", { city: "Oslo END" }]]);
});

test("a stop text ends a plain text", async () => {
  const answer = await readAnswer("Qwen-Qwen3-0.6B", "One END two", { stop: ["END", "two"] });
  expect(answer).toMatchObject({ text: "One ", stopText: "END" });
});
