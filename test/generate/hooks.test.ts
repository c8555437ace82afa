import { expect, test } from "vitest";
import type { Generation } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";

const weather = { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } };
const call = { name: "weather", args: { city: "Oslo" } };

/** Types and texts of the events, tokens of a row joined. */
async function shown(generation: Generation): Promise<string[]> {
  const lines: string[] = [];
  let tokens = "";
  for await (const event of generation) {
    if (event.type === "token") {
      tokens += event.text;
      continue;
    }
    if (tokens !== "") lines.push(`tokens: ${tokens}`);
    tokens = "";
    if (event.type !== "promptProgress" && event.type !== "start")
      lines.push("text" in event ? `${event.type}: ${event.text}` : event.type);
  }
  return lines;
}

test("live, a replacement by postGenerate follows the tokens as a replaced event", async () => {
  const engine = await openEngine(["The password is swordfish."]);
  engine.hooks.on("postGenerate", ({ content }) => ({ content: content.replace("swordfish", "[secret]") }));
  const generation = engine.generate("Password?");
  expect(await shown(generation)).toEqual([
    "tokens: The password is swordfish.",
    "replaced: The password is [secret].",
    "end",
  ]);
  expect((await generation).text).toBe("The password is [secret].");
});

test("live, tokens arrive before postGenerate has answered", async () => {
  const engine = await openEngine(["One two three."]);
  const firstToken = gate();
  engine.hooks.on("postGenerate", () => firstToken.passed);
  for await (const event of engine.generate("Count")) if (event.type === "token") firstToken.open();
});

test("held, only what postGenerate left is streamed, and only after it has answered", async () => {
  const engine = await openEngine(["The password is swordfish."]);
  const order: string[] = [];
  engine.hooks.on("postGenerate", async ({ content }) => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push("postGenerate");
    return { content: content.replace("swordfish", "[secret]") };
  });
  let streamed = "";
  for await (const event of engine.generate("Password?", { stream: "held" })) {
    if (order.at(-1) !== event.type) order.push(event.type);
    if (event.type === "token") streamed += event.text;
  }
  expect(order).toEqual(["start", "postGenerate", "token", "end"]);
  expect(streamed).toBe("The password is [secret].");
});

test("held without a change gives the tokens one by one", async () => {
  const engine = await openEngine([{ pieces: ["One", " two", " three"] }]);
  const texts: string[] = [];
  for await (const event of engine.generate("Count", { stream: "held" })) {
    if (event.type === "token") texts.push(event.text);
  }
  expect(texts).toEqual(["One", " two", " three"]);
});

test("what streamToken makes of a token is what is streamed and returned", async () => {
  const engine = await openEngine([{ pieces: ["One", " two", " three"] }]);
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.toUpperCase() }));
  const generation = engine.generate("Count");
  expect(await shown(generation)).toEqual(["tokens: ONE TWO THREE", "end"]);
  expect((await generation).messages).toEqual([{ role: "assistant", content: "ONE TWO THREE" }]);
});

test("a response of preGenerate is used instead of the model", async () => {
  const engine = await openEngine(["Never said."]);
  engine.hooks.on("preGenerate", () => ({ response: "From the cache." }), { name: "cache" });
  const generation = engine.generate("Hi");
  expect(await shown(generation)).toEqual(["tokens: From the cache.", "end"]);
  const { text, finishReason, usage, decisions } = await generation;
  expect([text, finishReason, usage.completionTokens]).toEqual(["From the cache.", "stop", 0]);
  expect(decisions.map(({ point, hooks }) => [point, hooks[0]?.name])).toEqual([["preGenerate", "cache"]]);
});

test("a response of preGenerate with the text of a tool call is a tool call", async () => {
  const engine = await openEngine(["Never said."]);
  const response = `From the cache.<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>`;
  engine.hooks.on("preGenerate", () => ({ response }));
  const { text, toolCalls } = await engine.generate("Weather?", { tools: [weather] });
  expect(text).toBe("From the cache.");
  expect(toolCalls).toEqual([{ id: expect.stringMatching(/./), ...call }]);
});

test("what preGenerate changes is what the model gets", async () => {
  const engine = await openEngine(["First.", "Second reply."]);
  engine.hooks.on("preGenerate", ({ messages, params }) => ({
    messages: [...messages, { role: "assistant", content: "First." }, { role: "user", content: "More?" }],
    params: { ...params, stop: [" reply"] },
  }));
  expect((await engine.generate("Hi")).text).toBe("Second");
});

test("the prompt that contextBudget counted is the model's, unless preGenerate changes something", async () => {
  const engine = await openEngine(["First.", "Second reply."]);
  const counted: number[] = [];
  engine.hooks.on("contextBudget", ({ totalTokens }) => void counted.push(totalTokens));
  const same = await engine.generate("Hi");
  expect([same.text, same.usage.promptTokens]).toEqual(["First.", counted[0]]);
  engine.hooks.on("preGenerate", ({ messages }) => ({
    messages: [...messages, { role: "assistant", content: "First." }, { role: "user", content: "More?" }],
  }));
  const changed = await engine.generate("Hi");
  expect(changed.text).toBe("Second reply.");
  expect(counted[1]).toBe(counted[0]);
  expect(changed.usage.promptTokens).toBeGreaterThan(counted[1] ?? 0);
  const first = engine.hooks.on("postGenerate", ({ content }) =>
    content === "Second reply." ? { retry: "Once more." } : undefined,
  );
  const retried = await engine.generate("Hi");
  first.dispose();
  expect(counted[3]).toBeGreaterThan(counted[2] ?? 0); // of the second attempt, with the answer and the feedback
  expect(retried.messages).toHaveLength(1);
});

test("a cancel by preGenerate resolves with its name and reason, and no text", async () => {
  const engine = await openEngine(["Never said."]);
  const { cancel } = await import("../../src/index.js");
  engine.hooks.on("preGenerate", () => cancel("not today"), { name: "doorkeeper" });
  const result = await engine.generate("Hi");
  expect(result).toMatchObject({ text: "", finishReason: "cancelled", messages: [] });
  expect(result.cancel).toEqual({ by: "doorkeeper", reason: "not today" });
});

test("retry asks the model again, with the feedback, and only the last answer counts", async () => {
  const engine = await openEngine(["A draft.", "A better one."]);
  const asked: (string | undefined)[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void asked.push(messages.at(-1)?.content));
  engine.hooks.on("postGenerate", ({ content }) => (content === "A draft." ? { retry: "Do better." } : undefined));
  const generation = engine.generate("Write");
  expect(await shown(generation)).toEqual(["tokens: A draft.", "replaced: ", "tokens: A better one.", "end"]);
  const { text, messages } = await generation;
  expect([text, asked]).toEqual(["A better one.", ["Write", "Do better."]]);
  expect(messages).toEqual([{ role: "assistant", content: "A better one." }]);
});

test("each attempt begins from the messages as asked: what preGenerate adds is there once", async () => {
  const engine = await openEngine(["A draft.", "Another.", "A better one."]);
  const asked: string[][] = [];
  engine.hooks.on("preGenerate", ({ messages }) => ({
    messages: [{ role: "system", content: "Be brief." }, ...messages],
  }));
  engine.hooks.guard("preGenerate", ({ messages }) => void asked.push(messages.map(({ content }) => content)));
  engine.hooks.on("postGenerate", ({ content }) => (content === "A better one." ? undefined : { retry: "Better!" }));
  expect((await engine.generate("Write")).text).toBe("A better one.");
  expect(asked).toEqual([
    ["Be brief.", "Write"],
    ["Be brief.", "Write", "A draft.", "Better!"],
    ["Be brief.", "Write", "A draft.", "Better!", "Another.", "Better!"],
  ]);
});

test("held, an answer that is asked for again is never streamed", async () => {
  const engine = await openEngine(["A draft.", "A better one."]);
  engine.hooks.on("postGenerate", ({ content }) => (content === "A draft." ? { retry: "Do better." } : undefined));
  expect(await shown(engine.generate("Write", { stream: "held" }))).toEqual(["tokens: A better one.", "end"]);
});

test("after three retries the last answer stands, and the error hook is called", async () => {
  const engine = await openEngine(["One.", "Two.", "Three.", "Four.", "Five."]);
  const errors: unknown[] = [];
  engine.hooks.on("error", ({ code, message }) => void errors.push([code, message]));
  engine.hooks.on("postGenerate", () => ({ retry: "Again." }), { name: "never content" });
  expect((await engine.generate("Write")).text).toBe("Four.");
  expect(errors).toEqual([["RETRY_LIMIT", expect.stringContaining("never content")]]);
});

test("retry of an answer with tool calls tells the model that they were not run", async () => {
  const engine = await openEngine([{ text: "Looking.", toolCalls: [call, call] }, "A better one."]);
  const asked: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void asked.push(messages.slice(1)));
  engine.hooks.on("postGenerate", ({ content }) => (content === "Looking." ? { retry: "Do not." } : undefined));
  expect((await engine.generate("Weather?", { tools: [weather] })).messages).toMatchObject([{ role: "assistant" }]);
  const refused = { role: "tool", content: "not run: the answer was rejected", toolName: "weather" };
  expect(asked).toMatchObject([
    [],
    [{ content: "Looking.", toolCalls: [call, call] }, refused, refused, { role: "user", content: "Do not." }],
  ]);
});

test("halt keeps the answer and refuses each of its tool calls", async () => {
  const engine = await openEngine([
    { text: "Looking.", toolCalls: [call, { name: "weather", args: { city: "Rome" } }] },
  ]);
  engine.hooks.on("postGenerate", () => ({ halt: "over budget" }), { name: "budget" });
  const result = await engine.generate("Weather?", { tools: [weather] });
  expect(result.halt).toEqual({ by: "budget", reason: "over budget" });
  const [first, second] = result.toolCalls;
  expect(result.messages).toEqual([
    { role: "assistant", content: "Looking.", toolCalls: [first, second] },
    { role: "tool", content: "refused: over budget", toolCallId: first?.id, toolName: "weather" },
    { role: "tool", content: "refused: over budget", toolCallId: second?.id, toolName: "weather" },
  ]);
});

for (const [what, tools, message] of [
  ["a name that no tool may have", [{ name: "rm -rf", parameters: {} }], "tools[0] needs a name of 1 to 128 letters"],
  ["an empty name", [{ name: "" }], "tools[0] needs a name"],
  ["a name that is too long", [{ name: "n".repeat(129) }], "tools[0] needs a name"],
  ["one name twice", [{ name: "a" }, { name: "a" }], "tools[1] has the name of an earlier tool"],
] as const) {
  test(`tools of a hook with ${what} are refused like the caller's own`, async () => {
    const engine = await openEngine(["Hello."]);
    engine.hooks.on("preGenerate", () => ({ tools }) as never, { name: "adds-tools" });
    const error = await rejection(engine.generate("hi"));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining(message) as string });
  });
}

test("tools of a hook whose parameters are no schema are its failure", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => ({ tools: [{ name: "a", parameters: 7 }] }) as never);
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("Hello.");
  expect(decisions).toMatchObject([{ hooks: [{ outcome: "failed", error: { code: "HOOK_BAD_ANSWER" } }] }]);
});
