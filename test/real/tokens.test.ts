// Token ids and prompts of real models are those of the libraries that people compare with.
import { expect, test } from "vitest";
import { openEngine } from "../support/engine.js";
import { decoders, embedder, embedderSource, gemma, reference, smollm } from "../support/real/models.js";
import { texts } from "../support/real/texts.js";

const all = texts(2000);

/** Characters that a tokenizer may take apart, or for its own. */
const peculiar = ["한국어", "a▁the", "Ấ Ǟ ﬁ", "ΐ ΰ"];

const tokenized: [string, string, string][] = [
  ...decoders.map(([name, model]): [string, string, string] => [name, model, model]),
  ["all-MiniLM-L6-v2", embedder, embedderSource],
];

test.each(tokenized)("%s: the tokens of 2,000 texts are those of its tokenizer", async (_, model, source) => {
  const { models } = await openEngine([], { model });
  const given = [...all, ...peculiar];
  const asked = { model: source, texts: given, parse_special: [true, false] };
  const [special = [], ordinary = []] = await reference<number[][][]>("ids", asked);
  const wrong = async (expected: readonly number[][], parseSpecial: boolean): Promise<string[]> => {
    const got = await Promise.all(given.map((text) => models.tokenize(undefined, text, { parseSpecial })));
    return given.filter((_text, at) => got[at]?.join() !== expected[at]?.join());
  };
  expect(await wrong(special, true)).toEqual([]);
  // To llama.cpp </s>, a tag of HTML in Gemma's vocabulary, is a control token: docs/internals/llama-cpp.md.
  expect(await wrong(ordinary, false)).toEqual(model === gemma ? given.filter((text) => text.includes("</s>")) : []);
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
