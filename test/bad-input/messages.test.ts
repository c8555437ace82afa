import { expect, test } from "vitest";
import { openEngine, rejection } from "../support/engine.js";

const user = { role: "user", content: "Hi" };

/** A conversation whose second message is wrong, and what the error must name beside its index. */
const wrong: [string, unknown, RegExp][] = [
  ["an unknown role", { role: "robot", content: "Beep" }, /robot/],
  ["no role", { content: "Hi" }, /role/],
  ["a role that is not text", { role: 1, content: "Hi" }, /role/],
  ["no content", { role: "user" }, /content/],
  ["content that is null", { role: "user", content: null }, /content/],
  ["content that is not text", { role: "user", content: 42 }, /content/],
  ["reasoning that is not text", { role: "assistant", content: "", reasoning: 1 }, /reasoning/],
  ["a tool call without a name", { role: "assistant", content: "", toolCalls: [{ args: {} }] }, /name/],
  ["a tool call without arguments", { role: "assistant", content: "", toolCalls: [{ name: "x" }] }, /args/],
  ["arguments that are text", { role: "assistant", content: "", toolCalls: [{ name: "x", args: "{}" }] }, /args/],
  ["arguments that are a list", { role: "assistant", content: "", toolCalls: [{ name: "x", args: [] }] }, /args/],
  ["a tool call of a user", { role: "user", content: "", toolCalls: [{ name: "x", args: {} }] }, /tool_?calls/i],
  ["a tool call id that is not text", { role: "tool", content: "x", toolCallId: 7 }, /tool_?call_?id/i],
  ["a tool name that is not text", { role: "tool", content: "x", toolName: {} }, /tool_?name/i],
];

test.each(wrong)("a message with %s is named by its index", async (_, message, what) => {
  const engine = await openEngine(["Hello."]);
  const error = await rejection(engine.generate([user, message] as never));
  expect(error).toMatchObject({ name: "LlamaHooksError", code: "INVALID_MESSAGES" });
  expect((error as Error).message).toContain("messages[1]");
  expect((error as Error).message).toMatch(what);
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test.each<[string, unknown, RegExp]>([
  ["no object", "Hi", /messages\[1\].*"Hi"/],
  ["null", null, /messages\[1\].*null/],
  ["parts that are no text", { role: "user", content: [{ type: "image", image: "x" }] }, /messages\[1\]\.content/],
  ["an unknown key", { role: "user", content: "Hi", name: "Bob" }, /messages\[1\].*"name"/],
  ["snake case keys", { role: "assistant", content: "", tool_calls: [] }, /messages\[1\].*"tool_calls".*"toolCalls"/],
  ["tool calls that are no list", { role: "assistant", content: "", toolCalls: {} }, /messages\[1\]\.toolCalls/],
  ["a tool call that is not an object", { role: "assistant", content: "", toolCalls: ["x"] }, /toolCalls\[0\]/],
])("a message that is %s is misuse", async (_, message, what) => {
  const engine = await openEngine(["Hello."]);
  expect(() => engine.generate([user, message] as never)).toThrow(TypeError);
  expect(() => engine.generate([user, message] as never)).toThrow(what);
});

test("a conversation without messages is refused", async () => {
  const engine = await openEngine(["Hello."]);
  expect(await rejection(engine.generate([]))).toMatchObject({
    code: "INVALID_MESSAGES",
    message: expect.stringContaining("at least one") as string,
  });
});

test("messages that a hook spoilt are the hook's fault, and the message is named", async () => {
  const engine = await openEngine(["Hello."]);
  const spoil = engine.hooks.on("preGenerate", () => ({ messages: [user, { role: "user" }] as never }), {
    failClosed: true,
    name: "spoiler",
  });
  const result = await engine.generate("Hi").then(
    ({ cancel }) => cancel,
    (error: unknown) => error,
  );
  expect(JSON.stringify(result) + String(result)).toMatch(/spoiler|messages/);
  spoil.dispose();
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});
