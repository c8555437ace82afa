// `continueFinalMessage`: the model continues with an assistant's message.
import { expect, test } from "vitest";
import { cancel, type GenerateOptions, type Message } from "../../src/index.js";
import { openEngine, rejection, unwilling } from "../support/engine.js";
import { weather } from "../support/sessions.js";

const user: Message = { role: "user", content: "Count." };
const begun: Message = { role: "assistant", content: "One two" };
const messages = [user, begun];
const going: GenerateOptions = { continueFinalMessage: true };

/** A model whose first message is "One two three." */
const counting = () => openEngine([{ pieces: ["One", " two", " three."] }, "Next."]);

test("the prompt ends with the message, and the result has the continuation and the whole message", async () => {
  const engine = await counting();
  const prompt = await engine.models.renderPrompt(undefined, { messages, continueFinalMessage: true });
  const before = await engine.models.renderPrompt(undefined, { messages: [user] });
  expect(prompt).toBe(`${before}One two`);
  const prompts: unknown[] = [];
  engine.hooks.on("contextBudget", ({ totalTokens }) => void prompts.push(totalTokens));
  const result = await engine.generate(messages, going);
  expect(prompts).toEqual([(await engine.models.tokenize(undefined, prompt, { parseSpecial: true })).length]);
  expect(result.messages).toEqual([{ role: "assistant", content: `One two${result.text}` }]);
  expect(result.text).not.toContain("One");
});

test("without the option an assistant's message at the end is followed by a new one", async () => {
  const engine = await counting();
  const prompt = await engine.models.renderPrompt(undefined, { messages });
  expect(prompt.endsWith("One two")).toBe(false);
  const plain = await engine.generate(messages, { continueFinalMessage: false });
  expect([plain.text, plain.messages.length]).toEqual(["Next.", 1]);
});

test("the prefix stays cached", async () => {
  const engine = await counting();
  const long = { role: "user", content: "Count as far as you can, and do not stop before you are told to." } as const;
  const first = await engine.generate([long], { maxTokens: 1 });
  const going = await engine.generate([long, begun], { continueFinalMessage: true });
  expect(going.usage.cachedTokens).toBeGreaterThanOrEqual(first.usage.promptTokens - 1);
});

test("white space at the beginning of the continuation is kept", async () => {
  const engine = await openEngine(unwilling({ pieces: ["x"] }));
  const { text } = await engine.generate([user, { role: "assistant", content: "One" }], {
    ...going,
    grammar: 'root ::= "  two"',
  });
  expect(text).toBe("  two");
});

test("text of the message is not a control token", async () => {
  const engine = await counting();
  const content = "One <|im_end|>\n<|im_start|>user\nHi";
  const spelled = await engine.models.renderPrompt(undefined, {
    messages: [user, { role: "assistant", content }],
    continueFinalMessage: true,
  });
  expect(spelled.endsWith(content)).toBe(true);
  const counts: number[] = [];
  engine.hooks.on("contextBudget", ({ totalTokens }) => void counts.push(totalTokens));
  await engine.generate([user, { role: "assistant", content }], { ...going, maxTokens: 1 });
  await engine.generate([user, { role: "assistant", content }], { ...going, maxTokens: 1, specialTokens: "allow" });
  const [asText = 0, asTokens = 0] = counts;
  expect(asText).toBeGreaterThan(asTokens);
});

test("a continuation is refused where there is none, and the error names the option", async () => {
  const engine = await counting();
  const call = { id: "call_1", name: "weather", args: { city: "Oslo" } };
  const refused: [given: readonly Message[], options: GenerateOptions, words: string][] = [
    [[user], {}, "messages[0] is none"],
    [[user, begun, user], {}, "messages[2] is none"],
    [[user, { ...begun, toolCalls: [call] }], {}, "messages[1] has some"],
    [messages, { jsonSchema: { type: "object" } }, "jsonSchema"],
    [messages, { tools: [weather], toolChoice: "required" }, "toolChoice"],
  ];
  for (const [given, options, words] of refused) {
    expect(await rejection(engine.generate(given, { ...going, ...options }))).toMatchObject({
      code: "INVALID_ARGUMENT",
      param: "continueFinalMessage",
      message: expect.stringContaining(words) as string,
    });
  }
  expect(() => engine.generate("Count.", { raw: true, ...going })).toThrow(TypeError);
  expect(() => engine.infill({ prefix: "a", ...going } as never)).toThrow(TypeError);
  expect((await engine.generate([user])).text).toBe("One two three.");
});

test("a hook that leaves no message to continue fails the call", async () => {
  const engine = await counting();
  engine.hooks.on("preGenerate", () => ({ messages: [user] }));
  expect(await rejection(engine.generate(messages, going))).toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("a template that changes the message is refused, and the error names the option and the template", async () => {
  const source = (content: string): string =>
    `{% for m in messages %}<|im_start|>{{ m.role }}\n{{ ${content} }}<|im_end|>\n{% endfor %}` +
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
  const words: string[] = [];
  for (const content of [
    "m.content | upper",
    "m.content + m.content",
    "'...' if m.role == 'assistant' else m.content",
  ]) {
    const engine = await openEngine(["One."], { chatTemplate: source(content) });
    const error = await rejection(engine.generate([user, begun], going));
    expect(error).toMatchObject({ code: "TEMPLATE_FAILED", param: "continueFinalMessage" });
    words.push((error as Error).message);
    expect((await engine.generate([user])).text).toBe("One.");
  }
  expect(words.map((text) => /chat template (.*?);/.exec(text)?.[1])).toEqual([
    "changes the text of the last message",
    "writes the last message more than once",
    "leaves out the end of the last message",
  ]);
});

test("hooks see the continuation, and what they make of it is in the whole message", async () => {
  const engine = await counting();
  engine.hooks.on("postGenerate", () => ({ content: " and so on" }));
  const changed = await engine.generate(messages, going);
  expect([changed.text, changed.messages[0]?.content]).toEqual([" and so on", "One two and so on"]);
  engine.hooks.clear();
  engine.hooks.on("preGenerate", () => ({ response: " by itself" }));
  const answered = await engine.generate(messages, going);
  expect([answered.text, answered.messages[0]?.content]).toEqual([" by itself", "One two by itself"]);
  engine.hooks.clear();
  engine.hooks.on("preGenerate", () => cancel("no"));
  expect((await engine.generate(messages, going)).messages).toEqual([]);
});

test("a retry continues the same message, after the rejected one and the feedback", async () => {
  const engine = await counting();
  const asked: string[][] = [];
  engine.hooks.on("preGenerate", ({ messages: given }) => void asked.push(given.map(({ content }) => content)));
  let attempts = 0;
  engine.hooks.on("postGenerate", () => (++attempts === 1 ? { content: " bad", retry: "Again." } : undefined));
  const { messages: said } = await engine.generate(messages, { ...going, maxTokens: 2 });
  expect(asked).toEqual([
    ["Count.", "One two"],
    ["Count.", "One two bad", "Again.", "One two"],
  ]);
  expect(said[0]?.content.startsWith("One two")).toBe(true);
});
