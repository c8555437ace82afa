import { expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

test("a prompt is one user message", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: (readonly Message[])[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages));
  const { text } = await engine.generate("Hi there");
  expect(text).toBe("Hello.");
  expect(seen).toEqual([[{ role: "user", content: "Hi there" }]]);
});

test("messages are the conversation so far, and the model answers the last", async () => {
  const engine = await openEngine(["First.", "Second."]);
  const result = await engine.generate([
    { role: "system", content: "Be short." },
    { role: "user", content: "One?" },
    { role: "assistant", content: "First." },
    { role: "user", content: "Two?" },
  ]);
  expect(result.text).toBe("Second.");
});

test("the answer of one call is the history of the next, tool calls and results included", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "clock", args: {} }] }, "It is noon."]);
  const tools = [{ name: "clock" }];
  const history: Message[] = [{ role: "user", content: "What time is it?" }];
  const asked = await engine.generate(history, { tools });
  const [call] = asked.toolCalls;
  expect(call?.name).toBe("clock");
  history.push(...asked.messages, { role: "tool", content: "12:00", toolCallId: call?.id, toolName: "clock" });
  const answered = await engine.generate(history, { tools });
  expect(answered.text).toBe("It is noon.");
  expect(answered.messages).toEqual([{ role: "assistant", content: "It is noon." }]);
});

test("a raw prompt is given to the model as it is, without its chat template", async () => {
  const engine = await openEngine(["and they lived on."]);
  const prompt = "Once upon a time";
  const result = await engine.generate(prompt, { raw: true });
  expect(result.text).toBe("and they lived on.");
  expect(result.usage.promptTokens).toBe((await engine.models.tokenize(undefined, prompt)).length);
});

test("the prompt that renderPrompt gives, sent raw, is the prompt of these messages", async () => {
  const engine = await openEngine(["First.", "Second."]);
  const messages: Message[] = [
    { role: "user", content: "One?" },
    { role: "assistant", content: "First." },
    { role: "user", content: "Two?" },
  ];
  const chat = await engine.generate(messages);
  const raw = await engine.generate(await engine.models.renderPrompt(undefined, { messages }), { raw: true });
  expect(raw.usage.promptTokens).toBe(chat.usage.promptTokens);
  expect(raw.text).toBe(chat.text);
});

test("a prompt may hold any character, a zero byte included", async () => {
  const engine = await openEngine(["Fine."]);
  const seen: string[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages[0]?.content ?? ""));
  const prompt = 'naïve 日本 👋\u0000\u0001 "quoted" \\ {{ braces }} <|not a token|>\r\n\t';
  expect((await engine.generate(prompt)).text).toBe("Fine.");
  expect(seen).toEqual([prompt]);
});

test("half a surrogate pair in a prompt is read as a replacement character", async () => {
  const engine = await openEngine(["Fine."]);
  const seen: string[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages[0]?.content ?? ""));
  expect((await engine.generate("broken \ud83d emoji")).text).toBe("Fine.");
  expect(seen).toEqual(["broken \ufffd emoji"]);
});

test("hooks and the caller see the tier and the model of a call", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: unknown[] = [];
  engine.hooks.on("postGenerate", ({ tier, meta }) => void seen.push([tier, meta.tier, meta.modelId, meta.runId]));
  const result = await engine.generate("Hi", { tier: "lead" });
  expect(result.modelId).toBe("default");
  expect(seen).toEqual([["lead", "lead", "default", result.runId]]);
});

test("undefined options are the same as options left out", async () => {
  const engine = await openEngine(["Hello."]);
  const options = { maxTokens: undefined, stop: undefined, tools: undefined, signal: undefined, grammar: undefined };
  expect((await engine.generate("Hi", options as object)).text).toBe("Hello.");
});

test("the option system is the first message", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: (readonly Message[])[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages));
  const hi: Message = { role: "user", content: "Hi" };
  await engine.generate("Hi", { system: "Be short." });
  await engine.generate([hi], { system: "Be short." });
  await engine.generate("Hi", { system: "" });
  const system: Message = { role: "system", content: "Be short." };
  expect(seen).toEqual([[system, hi], [system, hi], [hi]]);
  expect(() => engine.generate([system, hi], { system: "Be long." })).toThrow(
    "generate() takes the option system or messages[0], not both",
  );
  expect(() => engine.generate("Hi", { system: "Be short.", raw: true })).toThrow("A raw prompt has no system prompt");
  expect(() => engine.generate("Hi", { system: 7 as unknown as string })).toThrow("system must be a string, got 7");
});

test("text may come in parts, as an input and in messages", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages.at(-1)?.content));
  const parts = [
    { type: "text", text: "Hi " },
    { type: "text", text: "there" },
  ] as const;
  await engine.generate(parts);
  await engine.generate([{ role: "user", content: parts }]);
  expect(seen).toEqual(["Hi there", "Hi there"]);
  const prompt = (content: string | typeof parts) =>
    engine.models.renderPrompt(undefined, { messages: [{ role: "user", content }] });
  expect(await prompt(parts)).toBe(await prompt("Hi there"));
});

test("a part that is not text is refused with its place", async () => {
  const engine = await openEngine(["Hello."]);
  const image = { type: "image", image: "data:" };
  const text = { type: "text", text: "Hi" };
  const ask = (input: unknown) => () => engine.generate(input as string);
  expect(ask([text, image])).toThrow('The input of generate()[1].type must be "text"');
  expect(ask([{ role: "user", content: [text, image] }])).toThrow('messages[0].content[1].type must be "text"');
  expect(ask([{ role: "user", content: [{ type: "text", text: 7 }] }])).toThrow("messages[0].content[0].text must be");
  expect(ask([{ role: "user", content: ["Hi"] }])).toThrow("messages[0].content[0] must be a part");
  expect(ask({ role: "user", content: "Hi" })).toThrow("must be a text (a string), an array of messages");
});
