import type OpenAI from "openai";
import { APIError } from "openai";
import { expect, test } from "vitest";
import { cancel, defineHooks } from "../../src/index.js";
import { rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { postOf, rawTo, statusOf } from "../support/http/raw-http.js";
import { asksWeather, chatOf, eventsOf, openServer, refusalOf, weather } from "../support/http/server.js";

type Chunk = OpenAI.ChatCompletionChunk;

async function chunksOf(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const textOf = (chunks: readonly Chunk[]): string =>
  chunks.map(({ choices: [choice] }) => choice?.delta.content ?? "").join("");

const finishesOf = (chunks: readonly Chunk[]): unknown[] =>
  chunks.map(({ choices: [choice] }) => choice?.finish_reason ?? null).filter((reason) => reason !== null);

test("the client of OpenAI reads a stream piece by piece, and its cost at the end", async () => {
  const { client } = await openServer(["One two three four."]);
  const stream = await client.chat.completions.create({
    ...chatOf(),
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await chunksOf(stream);
  expect(textOf(chunks)).toBe("One two three four.");
  expect(chunks.length).toBeGreaterThan(5);
  expect(chunks[0]).toMatchObject({
    object: "chat.completion.chunk",
    model: "default",
    choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
    usage: null,
  });
  expect(finishesOf(chunks)).toEqual(["stop"]);
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) as number } });
});

test("a stream ends with [DONE], and has its cost only if it is asked for", async () => {
  const { post } = await openServer();
  const response = await post("/v1/chat/completions", chatOf({ stream: true }));
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events = eventsOf(await response.text());
  expect(events.at(-1)).toEqual({ data: "[DONE]" });
  expect(events.some(({ data }) => typeof data === "object" && data !== null && "usage" in data)).toBe(false);
});

test("reasoning and log probabilities are streamed", async () => {
  const { client } = await openServer([{ reasoning: "Let me think.", text: "Yes sir." }]);
  const chunks = await chunksOf(await client.chat.completions.create({ ...chatOf(), logprobs: true, stream: true }));
  const deltas = chunks.flatMap(({ choices: [choice] }) => (choice === undefined ? [] : [choice]));
  const reasoning = deltas.map(({ delta }) => (delta as { reasoning_content?: string }).reasoning_content ?? "");
  expect(reasoning.join("")).toBe("Let me think.");
  const logged = deltas.flatMap(({ logprobs }) => logprobs?.content ?? []).map(({ token }) => token);
  expect(logged.join("")).toContain("Yes sir.");
});

test("a tool call is streamed with id and name first, and then only pieces of its arguments", async () => {
  const { client } = await openServer([{ text: "Wait.", ...asksWeather }]);
  const stream = await client.chat.completions.create({ ...chatOf(), tools: [weather], stream: true });
  const chunks = await chunksOf(stream);
  const [first, ...rest] = chunks.flatMap(({ choices: [choice] }) => choice?.delta.tool_calls ?? []);
  expect(first).toMatchObject({
    index: 0,
    id: expect.stringMatching(/./) as string,
    type: "function",
    function: { name: "weather" },
  });
  expect(rest.length).toBeGreaterThan(1);
  for (const piece of rest) expect(Object.keys(piece).sort()).toEqual(["function", "index"]);
  const args = [first, ...rest].map((piece) => piece?.function?.arguments ?? "").join("");
  expect(JSON.parse(args)).toEqual({ city: "Oslo" });
  expect(textOf(chunks)).toBe("Wait.");
  expect(finishesOf(chunks)).toEqual(["tool_calls"]);
});

test("the stream helper of the client puts several tool calls together", async () => {
  const calls = ["Oslo", "Rome"].map((city) => ({ name: "weather", args: { city } }));
  const { client } = await openServer([{ toolCalls: calls }]);
  const runner = client.chat.completions.stream({ ...chatOf(), tools: [weather] });
  const message = await runner.finalMessage();
  expect(message.tool_calls?.map((call) => call.type === "function" && call.function)).toMatchObject([
    { name: "weather", arguments: '{"city": "Oslo"}' },
    { name: "weather", arguments: '{"city": "Rome"}' },
  ]);
  expect(new Set(message.tool_calls?.map(({ id }) => id)).size).toBe(2);
});

test("an error before the first token has its own status", async () => {
  const { post } = await openServer();
  const long = await post("/v1/chat/completions", chatOf({ stream: true }, "x".repeat(9000)));
  expect(await refusalOf(long)).toEqual([400, "invalid_request_error", "context_length_exceeded", "messages"]);
  const unknown = await post("/v1/chat/completions", chatOf({ stream: true, model: "other" }));
  expect(await refusalOf(unknown)).toEqual([404, "not_found_error", "model_not_found", "model"]);
});

test("a veto before the answer is 403, with the reason of the hook and streamed or not", async () => {
  const { post, engine } = await openServer();
  engine.hooks.on("preGenerate", () => cancel("not on Sundays"));
  for (const stream of [true, false]) {
    const response = await post("/v1/chat/completions", chatOf({ stream }));
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      error: { message: "not on Sundays", type: "permission_error", code: "hook_cancelled", param: null },
    });
  }
});

test("a hook that fails closed is an inner error, whose words clients do not get", async () => {
  const records: { error?: unknown }[] = [];
  const { post, engine } = await openServer(undefined, { onRequest: (record) => records.push(record) });
  const fails = (): never => {
    throw new Error("the password is tulip");
  };
  engine.hooks.on("preGenerate", fails, { failClosed: true });
  const text = await (await post("/v1/chat/completions", chatOf())).text();
  expect(text).not.toContain("tulip");
  expect(JSON.parse(text)).toMatchObject({ error: { type: "server_error", code: "hook_failed" } });
  expect(String(records[0]?.error)).toContain("tulip");
});

test("what a hook says in place of the model is streamed", async () => {
  const { client, engine } = await openServer();
  engine.hooks.on("preGenerate", () => ({ response: "From the cache." }));
  const chunks = await chunksOf(await client.chat.completions.create({ ...chatOf(), stream: true }));
  expect([textOf(chunks), finishesOf(chunks)]).toEqual(["From the cache.", ["stop"]]);
});

test("with a postGenerate hook a stream is held, and has the text that the hook left", async () => {
  const { post, engine } = await openServer({ replies: ["The code is tulip."], afterLast: "repeat" });
  const hook = engine.hooks.on("postGenerate", ({ content }) => ({ content: content.replace("tulip", "****") }));
  const held = await post("/v1/chat/completions", chatOf({ stream: true }));
  expect(held.headers.get("llama-hooks-stream")).toBe("held");
  const text = await held.text();
  expect(text).not.toContain("tulip");
  expect(
    textOf(
      eventsOf(text)
        .slice(0, -1)
        .map(({ data }) => data as Chunk),
    ),
  ).toBe("The code is ****.");
  hook.dispose();
  engine.hooks.on("postGenerate", () => undefined, { observe: true });
  const live = await post("/v1/chat/completions", chatOf({ stream: true }));
  expect(live.headers.get("llama-hooks-stream")).toBeNull();
  await live.text();
});

test("a held stream has reasoning, log probabilities and tool calls from the result", async () => {
  const replies = [{ reasoning: "Hm.", text: "Wait.", ...asksWeather }];
  const { client } = await openServer(
    { replies, afterLast: "repeat" },
    {
      hooks: defineHooks("reads", { postGenerate: () => undefined }),
    },
  );
  const asked = client.chat.completions.create({ ...chatOf(), logprobs: true, tools: [weather], stream: true });
  const chunks = await chunksOf(await asked);
  const deltas = chunks.flatMap(({ choices: [choice] }) => (choice === undefined ? [] : [choice.delta]));
  expect(deltas).toMatchObject([
    { role: "assistant" },
    { reasoning_content: "Hm." },
    { content: "Wait." },
    { tool_calls: [{ index: 0, function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
    {},
  ]);
  expect(chunks.some(({ choices: [choice] }) => (choice?.logprobs?.content ?? []).length > 0)).toBe(true);
  expect(finishesOf(chunks)).toEqual(["tool_calls"]);
});

test("hooks on tokens hold a stream only if there are tools", async () => {
  const { post, engine } = await openServer({ replies: ["Hello there."], afterLast: "repeat" });
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.toUpperCase() }));
  const [plain, withTools] = [
    await post("/v1/chat/completions", chatOf({ stream: true })),
    await post("/v1/chat/completions", chatOf({ stream: true, tools: [weather] })),
  ];
  expect([plain, withTools].map(({ headers }) => headers.get("llama-hooks-stream"))).toEqual([null, "held"]);
  expect(await plain.text()).toContain("HELLO");
  expect(await withTools.text()).toContain("HELLO");
});

test("a hook that ends the answer makes it content_filter with a refusal, without its calls", async () => {
  const { client, engine } = await openServer({ replies: [asksWeather], afterLast: "repeat" });
  engine.hooks.on("postGenerate", () => ({ halt: "no weather today" }));
  const whole = await client.chat.completions.create({ ...chatOf(), tools: [weather] });
  expect(whole.choices[0]).toMatchObject({
    finish_reason: "content_filter",
    message: { content: null, refusal: "no weather today" },
  });
  expect(whole.choices[0]?.message.tool_calls).toBeUndefined();
  const chunks = await chunksOf(await client.chat.completions.create({ ...chatOf(), tools: [weather], stream: true }));
  const deltas = chunks.flatMap(({ choices: [choice] }) => (choice === undefined ? [] : [choice.delta]));
  expect(deltas).toMatchObject([{ role: "assistant" }, { refusal: "no weather today" }, {}]);
  expect(finishesOf(chunks)).toEqual(["content_filter"]);
});

test("an answer that a hook changes after a part of it has gone out ends with an error", async () => {
  const { client, engine } = await openServer(["One two three."]);
  // A hook that is added too late to hold the stream.
  engine.hooks.on(
    "streamToken",
    () => void engine.hooks.on("postGenerate", ({ content }) => ({ content: content.toUpperCase() })),
    { once: true },
  );
  const read = async (): Promise<unknown> =>
    chunksOf(await client.chat.completions.create({ ...chatOf(), stream: true }));
  const error = await rejection(read());
  expect(error).toBeInstanceOf(APIError);
  expect((error as APIError).code).toBe("answer_changed");
});

test("an answer that a hook adds to after a part of it has gone out gets the rest", async () => {
  const { client, engine } = await openServer(["One two three."]);
  engine.hooks.on(
    "streamToken",
    () => void engine.hooks.on("postGenerate", ({ content }) => ({ content: `${content} Four.` })),
    { once: true },
  );
  const chunks = await chunksOf(await client.chat.completions.create({ ...chatOf(), stream: true }));
  expect([textOf(chunks), finishesOf(chunks)]).toEqual(["One two three. Four.", ["stop"]]);
});

test("a call that waits long gets comments, and what then goes wrong is an event", async () => {
  const { server, engine } = await openServer(["One two."], { keepAliveMs: 20 });
  const goOn = gate();
  engine.hooks.on("preGenerate", async () => {
    await goOn.passed;
    return cancel("too late");
  });
  const raw = rawTo(server, postOf("/v1/chat/completions", JSON.stringify(chatOf({ stream: true }))));
  const head = await raw.heard(/: waiting\n\n[^]*: waiting\n\n/);
  expect(statusOf(head)).toBe(200);
  goOn.open();
  expect(await raw.heard("too late")).toMatch(/event: error\ndata: .*"hook_cancelled"/);
});

test("a failure in the middle of a stream is an error event, and the log has the cause", async () => {
  const records: { status: number; error?: unknown }[] = [];
  const { post, engine } = await openServer(["One two three."], { onRequest: (record) => records.push(record) });
  engine.hooks.on("streamToken", ({ text }) => {
    if (text === "One") return undefined;
    void engine.close();
    return new Promise<undefined>(() => undefined);
  });
  const events = eventsOf(await (await post("/v1/chat/completions", chatOf({ stream: true }))).text());
  expect(events.at(-1)).toMatchObject({ event: "error", data: { error: { type: "server_error" } } });
  expect(records).toHaveLength(1);
});
