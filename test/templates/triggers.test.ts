// A text that names the beginning of a call, in one token with the text behind it, is not a call.
import { expect, test } from "vitest";
import { openEngine, rejection, unwilling } from "../support/engine.js";
import { namesThatCall, withoutCalls } from "../support/templates/known-templates.js";
import { closing, nativeReply, past, weather as plan, withoutClosing } from "../support/templates/native-replies.js";
import { cityWeather as weather, ordinary, readAnswer } from "../support/templates/read-answer.js";
import { engineWith } from "../support/templates/template-engine.js";
import { chosenTemplates, templateSource } from "../support/templates/template-files.js";

test("Qwen3-Coder: a text that names the beginning of a call continues", async () => {
  const pieces = ["Text", " <function=weath", "er> begins", " a call", ", <function=weather> too."];
  const answer = await readAnswer("Qwen3-Coder", { pieces }, { tools: [weather] });
  expect(answer).toMatchObject({ text: pieces.join(""), streamed: pieces.join(""), finishReason: "stop", calls: [] });
});

test.each(["Text <function=weather> begins", "Text <function=weath", "Text >>>weather begins", "Text >>>weather\n{"])(
  "Functionary v3.2: a text that names the beginning of a call continues: %j",
  async (said) => {
    for (const pieces of [ordinary(said).pieces, [said.slice(0, 12), said.slice(12)]]) {
      const answer = await readAnswer(
        "meetkai-functionary-medium-v3.2",
        { pieces: ["all\n", ...pieces] },
        { tools: [weather] },
      );
      expect(answer).toMatchObject({ text: said, streamed: said, finishReason: "stop", calls: [], codes: [] });
    }
  },
);

test("Functionary v3.2: an answer without its recipient is text, and an error", async () => {
  const said = "Text <function=weather> begins";
  const answer = await readAnswer("meetkai-functionary-medium-v3.2", ordinary(said), { tools: [weather] });
  expect(answer).toMatchObject({ text: said, streamed: said, calls: [], codes: ["DECODE_FAILED"] });
});

test.each(chosenTemplates.filter((name) => !(name in withoutCalls)))(
  "%s: a text names the beginning of a call, unless llama.cpp's grammar makes a call of it",
  async (name) => {
    const { engine, load } = await engineWith(name);
    const native = await nativeReply(engine, "plain", name, "call");
    if (native === undefined) return;
    const call = withoutClosing(native).trimStart();
    const named = `${call.slice(0, call.indexOf("weather"))}weather begins a call.`;
    await load("names", ["Hello.", ordinary(`${await closing(engine, "plain", {})}Text ${named}`)]);
    const answer = await engine.generate(past, { model: "names", tools: [plan], maxTokens: 60, temperature: 0 });
    const isText = answer.toolCalls.length === 0 && (answer.reasoning + answer.text).endsWith(named);
    expect([isText, answer.finishReason]).toEqual(namesThatCall.includes(name) ? [false, "length"] : [true, "stop"]);
  },
);

const call = "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>";

test("the grammar continues to wait for a call", async () => {
  const pieces = ["It is", " <function=weather> here.\n", call];
  const answer = await readAnswer("Qwen3-Coder", { pieces }, { tools: [weather] });
  expect(answer.calls).toEqual([["weather", { city: "Oslo" }]]);
  expect(answer.text.trim()).toBe("It is <function=weather> here.");
});

test("a late one of many names is read as the first is", async () => {
  const pieces = Array.from({ length: 700 }, (_, i) => `${i} is a number with a name`);
  pieces.push(...Array.from({ length: 30 }, (_, i) => ` <function=weather> ${i}.`), `\n${call}`);
  const script = { ...unwilling({ pieces }), chatTemplate: templateSource("Qwen3-Coder"), contextLength: 8192 };
  const engine = await openEngine(script, { contextSize: 8192 });
  const { text, toolCalls } = await engine.generate("Hi", { temperature: 0, tools: [weather] });
  expect(toolCalls).toMatchObject([{ name: "weather", args: { city: "Oslo" } }]);
  expect(text.trim()).toBe(pieces.slice(0, -1).join(""));
});

// The grammar of a call has started and does not wait again: where it admits nothing but what is banned, that is said.
test.each([
  ["Qwen3-Coder", "<tool_call>\n<function=weather>\n"],
  ["Qwen-Qwen3-0.6B", '<tool_call>\n{"name": "weather", '],
])("%s: bans of all that may follow the beginning of a call are an error", async (template, begin) => {
  const script = { ...unwilling({ pieces: ["Now: ", begin, "so", "on"] }), chatTemplate: templateSource(template) };
  const engine = await openEngine({ ...script, contextLength: 8192 }, { contextSize: 8192 });
  const beyond = await rejection(engine.generate("Hi", { logitBias: [{ token: 1_000_000, bias: 1 }] }));
  const all = Array.from({ length: Number(/0 to (\d+)/u.exec(String(beyond))?.[1]) + 1 }, (_, token) => token);
  const texts = await Promise.all(all.map((token) => engine.models.detokenize(undefined, [token])));
  const follows = (token: number): boolean => /^["<\s]/u.test(texts[token] ?? "") && texts[token] !== begin;
  const logitBias = all.filter(follows).map((token) => ({ token, bias: null }));
  for (const temperature of [0, 1]) {
    const options = { temperature, maxTokens: 60, tools: [weather], logitBias };
    expect(await rejection(engine.generate("Hi", options))).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("grammar") as string,
    });
  }
});
