// Token ids and prompts of real models are those of the libraries that people compare with.
import { expect, test } from "vitest";
import { openEngine } from "../support/engine.js";
import { decoders, gemma, reference, smollm } from "../support/real/models.js";
import { texts } from "../support/real/texts.js";

const all = texts(2000);

test.each(decoders)("%s: the tokens of 2,000 texts are those of its tokenizer", async (_, model) => {
  const { models } = await openEngine([], { model });
  for (const parseSpecial of [true, false]) {
    // See the next test.
    const chosen = parseSpecial ? all : all.filter((text) => model !== gemma || !text.includes("</s>"));
    const expected = await reference<number[][]>("ids", { model, texts: chosen, parse_special: parseSpecial });
    const wrong = [];
    for (const [at, text] of chosen.entries()) {
      const got = await models.tokenize(undefined, text, { parseSpecial });
      if (got.join() !== expected[at]?.join()) wrong.push({ text, got, expected: expected[at] });
    }
    expect({ parseSpecial, wrong }).toEqual({ parseSpecial, wrong: [] });
  }
});

test("Gemma 3 270M: llama.cpp takes </s>, a tag of HTML there, for a control token", async () => {
  const { models } = await openEngine([], { model: gemma });
  const tokens = await models.tokenize(undefined, "</s>", { parseSpecial: false });
  expect(tokens).toHaveLength(3); // one in its own tokenizer
});

test("SmolLM2-135M-Instruct: prompts are those of its chat template in Jinja2", async () => {
  const { models } = await openEngine([], { model: smollm });
  const contents = all.slice(-240);
  const say = (role: "system" | "user" | "assistant", at: number) => ({ role, content: contents[at % 240] ?? "" });
  const conversations = Array.from({ length: 60 }, (_, at) => [
    ...(at % 2 === 0 ? [say("system", at)] : []),
    ...Array.from({ length: at % 4 }, (_, turn) => [
      say("user", 4 * at + turn),
      say("assistant", 5 * at + turn),
    ]).flat(),
    say("user", at + 60),
  ]);
  const expected = await reference<string[]>("prompts", { model: smollm, conversations });
  for (const [at, messages] of conversations.entries()) {
    expect(await models.renderPrompt(undefined, { messages })).toBe(expected[at]);
  }
});
