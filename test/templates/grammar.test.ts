// A grammar of the caller is for the text of an answer, whatever the template's prompt opens.
import { expect, test } from "vitest";
import { ordinary, readAnswer } from "../support/templates/read-answer.js";
import { chosenTemplates, templateNames } from "../support/templates/template-files.js";

const opening = templateNames.filter((name) => /Qwen3\.5|DeepSeek-V3|MiniMax-M2|QwQ|GLM-4\.[67]/u.test(name));

test.each([...new Set([...chosenTemplates, ...opening])])("%s: what a grammar makes is text", async (template) => {
  for (const reasoning of [true, false]) {
    const answer = await readAnswer(template, "yes", { grammar: 'root ::= "yes" | "no"', reasoning });
    expect(answer).toMatchObject({ text: "yes", streamed: "yes", reasoning: "", finishReason: "stop" });
    expect(answer.codes).toEqual([]);
  }
});

test("a grammar with the end of a reasoning has a reasoning and a text", async () => {
  const grammar = 'root ::= "I think.</think>" ("yes" | "no")';
  const answer = await readAnswer("Qwen3.5-4B", "I think.</think>yes", { grammar });
  expect(answer).toMatchObject({ text: "yes", reasoning: "I think." });
  expect(answer).toMatchObject({ streamed: "yes", thought: "I think.", replaced: 0 });
});

test.each([
  [
    "in parts",
    'root ::= "I think." "</" end ">" answer\nend ::= "think"\nanswer ::= "yes" | "no"',
    "I think.</think>yes",
  ],
  ["in a class", 'root ::= [^|]+ "|"', "I think.</think>yes|"],
])("a grammar that cannot be seen to end a reasoning makes text, reported once: %s", async (_, grammar, said) => {
  const answer = await readAnswer("Qwen3.5-4B", ordinary(said), { grammar });
  expect(answer).toMatchObject({ text: said, streamed: said, reasoning: "", thought: "", replaced: 0, codes: [] });
});

test("the end of a reasoning may be escaped, and in two literals", async () => {
  const grammar = 'root ::= [^<]+ "\\x3c/th" "ink>" ("yes" | "no")';
  const answer = await readAnswer("Qwen3.5-4B", ordinary("I think.</think>yes"), { grammar });
  expect(answer).toMatchObject({ text: "yes", reasoning: "I think.", streamed: "yes", thought: "I think." });
});

test("what a grammar makes without the end of a reasoning is text", async () => {
  const grammar = 'root ::= "yes" | "I think.</think>yes"';
  const answer = await readAnswer("Qwen3.5-4B", "yes", { grammar });
  expect(answer).toMatchObject({ text: "yes", reasoning: "", codes: [] });
});
