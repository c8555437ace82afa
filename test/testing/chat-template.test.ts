import { expect, test } from "vitest";
import type { Engine, Message, ToolSpec } from "../../src/index.js";
import type { ScriptReply } from "../../src/testing/index.js";
import { templateSource } from "../support/templates/template-files.js";
import { openEngine, scriptModel } from "../support/engine.js";

const look: ToolSpec = { name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } };
const user = (content: string): Message => ({ role: "user", content });

/** An engine whose model replies in the format of that template. */
async function speaking(template: string, replies: readonly ScriptReply[], contextSize = 8192): Promise<Engine> {
  const chatTemplate = templateSource(template);
  return openEngine([], {
    model: await scriptModel({ chatTemplate, replies, contextLength: contextSize }),
    contextSize,
  });
}

test.each([
  ["Qwen-Qwen2.5-7B-Instruct", '<tool_call>\n{"name": "look", "arguments": {"at": "sky"}}\n</tool_call>'],
  ["mistralai-Ministral-3-14B-Reasoning-2512", '[TOOL_CALLS]look[ARGS]{"at": "sky"}'],
  ["meta-llama-Llama-3.1-8B-Instruct", '{"name": "look", "parameters": {"at": "sky"}}'],
  ["google-gemma-4-31B-it", '<|tool_call>call:look{at:<|"|>sky<|"|>}<tool_call|>'],
  ["GigaChat3-10B-A1.8B", '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "look", "arguments": {"at": "sky"}}'],
])("a model of %s replays one reply after the other, each read by the parser of its format", async (template, call) => {
  const engine = await speaking(template, ["Hello.", call, "It is blue."]);
  const messages = [user("Hi.")];
  const turn = async () => {
    const result = await engine.generate(messages, { tools: [look] });
    messages.push(...result.messages);
    return result;
  };
  expect((await turn()).text).toBe("Hello.");
  messages.push(user("And the sky?"));
  const { text, toolCalls, usage } = await turn();
  expect([text, toolCalls]).toMatchObject(["", [{ name: "look", args: { at: "sky" } }]]);
  expect(usage.cachedTokens).toBe(0); // the prompt begins with another count
  const id = "a1b2c3d4e"; // a form that every template takes
  const asked = messages.pop();
  messages.push({ ...asked, role: "assistant", content: "", toolCalls: [{ id, name: "look", args: { at: "sky" } }] });
  messages.push({ role: "tool", content: "blue", toolCallId: id, toolName: "look" });
  expect((await turn()).text).toBe("It is blue.");
  messages.push(user("Thanks."));
  expect((await turn()).text).toBe("[the script has no reply 4]");
});

test("the prompt is what the template makes of it, behind the token that counts the turns", async () => {
  const template = "openai-gpt-oss-120b";
  const engine = await speaking(template, ["Hello."]);
  await engine.models.load("plain", { path: await scriptModel(["x"]), chatTemplate: templateSource(template) });
  const messages = [user("Hi."), { role: "assistant" as const, content: "Hello." }, user("Weather?")];
  for (const addGenerationPrompt of [true, false]) {
    const request = { messages, tools: [look], addGenerationPrompt };
    const prompt = await engine.models.renderPrompt("default", request);
    expect(prompt).toBe(`<|reply:0.1|>${await engine.models.renderPrompt("plain", request)}`);
  }
});

test("special tokens of the template are tokens: control tokens are no text, tags are", async () => {
  const engine = await speaking("Qwen-Qwen3-0.6B", []);
  const [start, call] = await Promise.all(
    ["<|im_start|>", "<tool_call>"].map((text) => engine.models.tokenize(undefined, text, { parseSpecial: true })),
  );
  expect([start, call]).toEqual([[expect.any(Number)], [expect.any(Number)]]);
  expect(await engine.models.detokenize(undefined, [...(start ?? []), ...(call ?? [])])).toBe("<tool_call>");
});

test("a control token that the parser of the format does not know is not in the text", async () => {
  const engine = await speaking("Qwen-Qwen2.5-7B-Instruct", ["One<|vision_start|> two"]);
  expect((await engine.generate("Hi.")).text).toBe("One two");
});

test("marks that are text though they look like control tokens are text", async () => {
  const reply =
    'Hm.\n</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{"at": "sky"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>';
  const engine = await speaking("llama-cpp-deepseek-r1", [reply]);
  const { reasoning, toolCalls } = await engine.generate("Hi.", { tools: [look] });
  expect([reasoning.trim(), toolCalls]).toMatchObject(["Hm.", [{ name: "look", args: { at: "sky" } }]]);
});

test("a prompt may end in what the replies say, too: words, and special tokens", async () => {
  // Its generation prompt ends in <|sep|>, which stands all over a reply.
  const kimi =
    '<|close|>think<|sep|><|open|>response<|sep|>Looking.<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="look" index="1"<|sep|><|open|>argument key="at" type="string"<|sep|>sky<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>';
  const engine = await speaking("Kimi-K3", [kimi]);
  const { text, toolCalls } = await engine.generate("Hi.", { tools: [look] });
  expect([text, toolCalls]).toMatchObject(["Looking.", [{ name: "look", args: { at: "sky" } }]]);
  // Its generation prompt ends in the word "assistant".
  const harmony = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.";
  const { text: said, reasoning } = await (await speaking("openai-gpt-oss-120b", [harmony])).generate("Hi.");
  expect([said, reasoning]).toEqual(["Yes.", "Hm."]);
});

test("a reply is found behind a prompt of thousands of tokens, and at a high temperature", async () => {
  const engine = await speaking("Qwen-Qwen2.5-7B-Instruct", ["First.", "One more time, one more line."]);
  const messages = [user("All work and no play. ".repeat(300)), { role: "assistant" as const, content: "First." }];
  for (const seed of [1, 2, 3]) {
    const { text, usage } = await engine.generate([...messages, user("Again.")], { temperature: 5, seed });
    expect(text).toBe("One more time, one more line.");
    expect(usage.promptTokens).toBeGreaterThan(6000);
  }
});

test("pieces, endless replies, a last reply that repeats and raw prompts are as with ChatML", async () => {
  const chatTemplate = templateSource("Qwen-Qwen2.5-7B-Instruct");
  const replies = [{ pieces: ["la ", "di "], endless: true }];
  const model = await scriptModel({ chatTemplate, replies, afterLast: "repeat" });
  const engine = await openEngine([], { model });
  const { text, finishReason } = await engine.generate("Sing.", { maxTokens: 5 });
  expect([text, finishReason]).toEqual(["la di la di la ", "length"]);
  const again = [user("Sing."), { role: "assistant" as const, content: "la" }, user("Again.")];
  expect((await engine.generate(again, { maxTokens: 2 })).text).toBe("la di ");
  expect((await engine.generate("Sing", { raw: true, maxTokens: 3 })).text).toBe("la di la ");
});
