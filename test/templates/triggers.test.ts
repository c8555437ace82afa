// A text that names what begins a call, in a token with what stands behind it, is no call.
import { expect, test } from "vitest";
import { cityWeather as weather, readAnswer } from "../support/templates/read-answer.js";

test("Qwen3-Coder: a text that names the beginning of a call goes on", async () => {
  const pieces = ["Text", " <function=weath", "er> begins", " a call", ", <function=weather> too."];
  const answer = await readAnswer("Qwen3-Coder", { pieces }, { tools: [weather] });
  expect(answer).toMatchObject({ text: pieces.join(""), streamed: pieces.join(""), finishReason: "stop", calls: [] });
});

test("the grammar goes on waiting for a call", async () => {
  const call = "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>";
  const pieces = ["It is", " <function=weather> here.\n", call];
  const answer = await readAnswer("Qwen3-Coder", { pieces }, { tools: [weather] });
  expect(answer.calls).toEqual([["weather", { city: "Oslo" }]]);
  expect(answer.text.trim()).toBe("It is <function=weather> here.");
});
