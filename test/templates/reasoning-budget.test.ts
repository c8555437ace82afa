// For chat templates of llama.cpp: `reasoningBudget` ends reasoning, and neither a call that the model writes before it
// has ended its reasoning, nor the text behind it.
import { expect, test } from "vitest";
import { withoutCalls } from "../support/templates/known-templates.js";
import { closing, nativeReply, past, weather, withoutClosing } from "../support/templates/native-replies.js";
import { ordinary } from "../support/templates/read-answer.js";
import { engineWith } from "../support/templates/template-engine.js";
import { chosenTemplates, templateNames } from "../support/templates/template-files.js";

/** Families whose calls end the reasoning, and one with a long mark at its end. */
const own = ["Kimi-K2-Thinking", "Qwen3.5-4B", "deepseek-ai-DeepSeek-V3.2", "deepseek-ai-DeepSeek-V4", "tencent-Hy3"];
const chosen = templateNames.filter((name) => own.includes(name) || chosenTemplates.includes(name));

/** The templates in which there was something to tear. */
const tried = { call: new Set<string>(), text: new Set<string>() };

const isSame = (some: unknown, others: unknown): boolean => JSON.stringify(some) === JSON.stringify(others);

test.each(chosen)("%s: a call in the reasoning is not torn", async (name) => {
  const { engine, load } = await engineWith(name);
  const native = await nativeReply(engine, "plain", name, "call");
  if (native === undefined) return;
  const open = (await closing(engine, "plain", {})) === "" ? "<think>" : "";
  const call = withoutClosing(native).trimStart();
  await load("calls", ["Hello.", `${open}I think of it.\n${call}`]);
  const say = async (reasoningBudget?: number) => {
    const limit = reasoningBudget === undefined ? {} : { reasoningBudget };
    const options = { model: "calls", tools: [weather], maxTokens: 120, temperature: 0, ...limit };
    const { text, reasoning, toolCalls, usage } = await engine.generate(past, options);
    return { text, reasoning, calls: toolCalls.map((made) => made.args), tokens: usage.completionTokens };
  };
  const free = await say();
  if (free.calls.length === 0) return; // the call was only thought about
  tried.call.add(name);
  const most = Math.min(free.tokens, 60);
  const said = [];
  for (let budget = 1; budget < most; budget += 1) said.push({ budget, ...(await say(budget)) });
  const torn = said.filter(
    ({ text, calls }) => text.includes("weather") || (calls.length > 0 && !isSame(calls, free.calls)),
  );
  expect(torn).toEqual([]);
  expect(said.at(-1)?.calls).toEqual(free.calls);
});

test.each(chosen)("%s: the budget does not reach into the text of an answer", async (name) => {
  const { engine, load } = await engineWith(name);
  const close = await closing(engine, "plain", {});
  const thought = close === "" ? [] : ordinary(`So.${close}`).pieces;
  await load("answers", ["Hello.", { pieces: [...thought, "It is", " fine", " today."] }]);
  for (const tools of name in withoutCalls ? [[]] : [[], [weather]]) {
    const say = async (reasoningBudget?: number) => {
      const limit = reasoningBudget === undefined ? {} : { reasoningBudget };
      const { text } = await engine.generate(past, {
        model: "answers",
        tools,
        maxTokens: 60,
        temperature: 0,
        ...limit,
      });
      return text;
    };
    const free = await say();
    // A parser that finds no end of the reasoning has counted all to it.
    if (free === "") continue;
    tried.text.add(name);
    expect(free).toMatch(/It is fine today\.$/u);
    for (let budget = thought.length; budget < thought.length + 24; budget += 1) {
      expect([budget, await say(budget)]).toEqual([budget, free]);
    }
  }
});

test("no family was left out in which there is something to tear", () => {
  expect([...tried.call]).toEqual(expect.arrayContaining(own));
  expect([...tried.text]).toEqual(expect.arrayContaining(own));
});
