import Anthropic, { AuthenticationError, NotFoundError, PermissionDeniedError } from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { cancel, defineHooks } from "../../src/index.js";
import type { HttpServer } from "../../src/server/index.js";
import { openEngine } from "../support/engine.js";
import { eventsOf, openServer, serveEngine } from "../support/http/server.js";

type Params = Anthropic.MessageCreateParamsNonStreaming;

const clientOf = ({ origin }: HttpServer, apiKey = "none"): Anthropic =>
  new Anthropic({ baseURL: origin, apiKey, maxRetries: 0 });
const ask = (more: Partial<Params> = {}): Params => ({
  model: "default",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hi" }],
  ...more,
});
const weather: Anthropic.Tool = {
  name: "weather",
  description: "The weather in a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const asksWeather = { toolCalls: [{ name: "weather", args: { city: "Oslo" } }] };

test("the client of Anthropic gets a message, its cost and why it ended", async () => {
  const { server } = await openServer();
  const { data: message, response } = await clientOf(server).messages.create(ask()).withResponse();
  expect(message).toMatchObject({
    type: "message",
    role: "assistant",
    model: "default",
    content: [{ type: "text", text: "Hello there." }],
    stop_reason: "end_turn",
    stop_sequence: null,
    stop_details: null,
  });
  expect(message.id).toBe(`msg_${response.headers.get("request-id")}`);
  expect(message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0)).toBeGreaterThan(0);
  expect(message.usage.output_tokens).toBeGreaterThan(0);
});

test("the system prompt and blocks of messages reach the model as the engine's messages", async () => {
  const { server, engine } = await openServer(["Fine."]);
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages, params }) => void seen.push(messages, params));
  await clientOf(server).messages.create(
    ask({
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      stop_sequences: ["xyz"],
      ...({ top_k: 7, temperature: 0.5 } as object), // which the newest client no longer declares
      messages: [
        { role: "user", content: "How is it?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "" },
            { type: "text", text: "Let me see." },
            { type: "tool_use", id: "t1", name: "weather", input: { city: "Oslo" } },
            { type: "tool_use", id: "t2", name: "weather", input: { city: "Rome" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "3 degrees" }] },
            { type: "tool_result", tool_use_id: "t2", content: "no such city", is_error: true },
            { type: "text", text: "Go on." },
          ],
        },
      ],
    }),
  );
  const call = (id: string, city: string): object => ({ id, name: "weather", args: { city } });
  expect(seen).toMatchObject([
    [
      { role: "system", content: "Be brief." },
      { role: "user", content: "How is it?" },
      {
        role: "assistant",
        content: "Let me see.",
        reasoning: "Hm.",
        toolCalls: [call("t1", "Oslo"), call("t2", "Rome")],
      },
      { role: "tool", content: "3 degrees", toolCallId: "t1", toolName: "weather" },
      { role: "tool", content: "Error: no such city", toolCallId: "t2", toolName: "weather" },
      { role: "user", content: "Go on." },
    ],
    { maxTokens: 100, topK: 7, temperature: 0.5, stop: ["xyz"] },
  ]);
});

test("a stream is a message that begins, grows by blocks and ends", async () => {
  const { server } = await openServer([{ reasoning: "Let me think.", text: "Hello there." }]);
  const stream = clientOf(server).messages.stream(ask({ thinking: { type: "adaptive" } }));
  const types: string[] = [];
  stream.on("streamEvent", ({ type }) => void (types.at(-1) === type || types.push(type)));
  const message = await stream.finalMessage();
  expect(message.content).toEqual([
    { type: "thinking", thinking: "Let me think.", signature: "" },
    { type: "text", text: "Hello there." },
  ]);
  expect(message.stop_reason).toBe("end_turn");
  expect(message.usage.output_tokens).toBeGreaterThan(0);
  expect(types).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
});

test("a tool is called, whole and streamed, and its result continues the conversation", async () => {
  const { server } = await openServer([asksWeather, "It is cold."]);
  const client = clientOf(server);
  const whole = await client.messages.create(ask({ tools: [weather] }));
  expect(whole.stop_reason).toBe("tool_use");
  expect(whole.content).toMatchObject([{ type: "tool_use", name: "weather", input: { city: "Oslo" } }]);
  const streamed = await client.messages.stream(ask({ tools: [weather], tool_choice: { type: "any" } })).finalMessage();
  expect(streamed.stop_reason).toBe("tool_use");
  expect(streamed.content).toMatchObject([{ type: "tool_use", name: "weather", input: { city: "Oslo" } }]);
  const [call] = streamed.content;
  if (call?.type !== "tool_use") throw new Error("a call is needed");
  const last = await client.messages.create(
    ask({
      tools: [weather],
      messages: [
        { role: "user", content: "How is Oslo?" },
        { role: "assistant", content: streamed.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "3 degrees" }] },
      ],
    }),
  );
  expect(last.content).toMatchObject([{ type: "text", text: "It is cold." }]);
});

test("a stop sequence and the limit of tokens are reasons of their own", async () => {
  const { server } = await openServer({ replies: ["One two three four."], afterLast: "repeat" });
  const client = clientOf(server);
  expect(await client.messages.create(ask({ stop_sequences: ["three"] }))).toMatchObject({
    content: [{ text: "One two " }],
    stop_reason: "stop_sequence",
    stop_sequence: "three",
  });
  expect((await client.messages.create(ask({ max_tokens: 2 }))).stop_reason).toBe("max_tokens");
});

test("a veto in an answer is a refusal with its reason; one before it is an error", async () => {
  const engine = await openEngine({ replies: ["One two three four."], afterLast: "repeat" });
  let isBefore = false;
  engine.hooks.use([
    defineHooks("guard", {
      preGenerate: () => (isBefore ? cancel("not here") : undefined),
      postGenerate: ({ content }) => (content.includes("three") ? { halt: "no threes" } : undefined),
    }),
  ]);
  const client = clientOf((await serveEngine(engine)).server);
  const message = await client.messages.create(ask());
  expect(message).toMatchObject({ stop_reason: "refusal", stop_details: { explanation: "no threes" } });
  const streamed = await client.messages.stream(ask()).finalMessage();
  expect(streamed).toMatchObject({ stop_reason: "refusal", stop_details: { explanation: "no threes" } });
  isBefore = true;
  const error: unknown = await client.messages.create(ask()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PermissionDeniedError);
  expect((error as Error).message).toContain("not here");
});

test("with a hook that may change the answer, the stream is the changed answer", async () => {
  const engine = await openEngine(["My word is tulip."]);
  engine.hooks.on("postGenerate", ({ content }) => ({ content: content.replace("tulip", "***") }));
  const { post } = await serveEngine(engine);
  const response = await post("/v1/messages", { ...ask(), stream: true });
  expect(response.headers.get("llama-hooks-stream")).toBe("held");
  const text = await response.text();
  expect(text).toContain("***");
  expect(text).not.toContain("tulip");
});

test("tokens of a prompt are counted as the answer counts them", async () => {
  const { server } = await openServer({ replies: ["Fine."], afterLast: "repeat" });
  const client = clientOf(server);
  for (const more of [{}, { system: "Be brief." }, { tools: [weather] }]) {
    const { max_tokens: _, ...counted } = ask(more);
    const { input_tokens: tokens } = await client.messages.countTokens(counted);
    const { usage } = await client.messages.create(ask(more));
    expect(tokens).toBe(usage.input_tokens + (usage.cache_read_input_tokens ?? 0));
  }
});

test.each<[string, object, string]>([
  ["no messages", { messages: [] }, "messages"],
  [
    "an image",
    { messages: [{ role: "user", content: [{ type: "image", source: {} }] }] },
    "messages[0].content[0].type",
  ],
  ["a wrong role", { messages: [{ role: "robot", content: "" }] }, "messages[0].role"],
  ["a tool without a schema", { tools: [{ name: "x" }] }, "tools[0].input_schema"],
  ["a choice that is not a tool", { tools: [weather], tool_choice: { type: "tool", name: "x" } }, "tool_choice.name"],
  ["a wrong limit", { max_tokens: 0 }, "max_tokens"],
])("%s is refused in the protocol's form", async (_, more, param) => {
  const { post } = await openServer();
  const response = await post("/v1/messages", { ...ask(), ...more });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", param },
    request_id: response.headers.get("x-request-id"),
  });
});

test("errors are those that the client of Anthropic knows", async () => {
  const { server, post } = await openServer(["Hi."], { keys: [{ key: "k".repeat(20), name: "team" }] });
  const failure = (client: Anthropic, model: string): Promise<unknown> =>
    client.messages.create(ask({ model })).catch((error: unknown) => error);
  expect(await failure(clientOf(server, "wrong"), "default")).toBeInstanceOf(AuthenticationError);
  expect(await failure(clientOf(server, "k".repeat(20)), "other")).toBeInstanceOf(NotFoundError);
  const bad = await post("/v1/messages", "{", { "x-api-key": "k".repeat(20) });
  expect([bad.status, await bad.json()]).toMatchObject([
    400,
    { type: "error", error: { type: "invalid_request_error" } },
  ]);
});

test("tools that the protocol's provider runs are skipped, and said to be", async () => {
  const { post } = await openServer();
  const body = { ...ask(), tools: [{ type: "web_search_20250305", name: "web_search" }], context_management: {} };
  const response = await post("/v1/messages", body);
  expect(response.status).toBe(200);
  expect(response.headers.get("llama-hooks-ignored")).toBe("context_management, tools[0]");
});

test("a client that leaves ends its message", async () => {
  const { server, engine } = await openServer(["word ".repeat(2000)]);
  const ended = new Promise<string>((resolve) => {
    engine.hooks.on("postGenerate", ({ finishReason }) => resolve(finishReason), { observe: true });
  });
  const stream = clientOf(server).messages.stream(ask({ max_tokens: 1900 }));
  stream.done().catch(() => undefined);
  await new Promise<void>((resolve) => stream.once("text", () => resolve()));
  stream.abort();
  expect(await ended).toBe("cancelled");
});

test("events of a stream are named, as the protocol has it", async () => {
  const { post } = await openServer();
  const events = eventsOf(await (await post("/v1/messages", { ...ask(), stream: true })).text());
  for (const { event, data } of events) expect((data as { type: string }).type).toBe(event);
  expect(events.at(-1)?.event).toBe("message_stop");
});
