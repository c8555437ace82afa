// Requests and clients that once broke more than their own answer.
import { expect, test } from "vitest";
import { bundledModel } from "../../src/index.js";
import { createHandler } from "../../src/server/index.js";
import { openEngine } from "../support/engine.js";
import { postOf, rawTo } from "../support/http/raw-http.js";
import { asksWeather, chatOf, eventsOf, openServer, weather } from "../support/http/server.js";

const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test.each(["tools", "metadata", "tool_choice"])(
  "a body whose %s are nested too deep is 400, and the server continues",
  async (name) => {
    const { post } = await openServer({ replies: ["Hello there."], afterLast: "repeat" }, { maxRequests: 1 });
    for (const stream of [true, false]) {
      const body = `{"input":"Hi","stream":${String(stream)},"${name}":[{"type":"x","a":${deep(5000)}}]}`;
      const response = await post("/v1/responses", body);
      expect([response.status, await response.json()]).toMatchObject([400, { error: { code: "too_deep" } }]);
    }
    expect((await post("/v1/responses", { input: "Hi" })).status).toBe(200);
  },
);

const cut = { toolCalls: [{ name: "weather", args: { city: "O".repeat(200) } }] };

test("a tool call that the limit of tokens cuts off ends each stream as too long", async () => {
  const { post } = await openServer({ replies: [cut], afterLast: "repeat" });
  const endOf = async (path: string, body: object): Promise<unknown> =>
    eventsOf(await (await post(path, { ...body, stream: true })).text());
  const chat = await endOf("/v1/chat/completions", chatOf({ tools: [weather], max_tokens: 12 }));
  expect((chat as object[]).slice(-2)).toMatchObject([
    { data: { choices: [{ finish_reason: "length" }] } },
    { data: "[DONE]" },
  ]);
  const { name, parameters: schema } = weather.function;
  const message = await endOf("/v1/messages", chatOf({ tools: [{ name, input_schema: schema }], max_tokens: 12 }));
  expect((message as object[]).slice(-2)).toMatchObject([
    { data: { delta: { stop_reason: "max_tokens" } } },
    { event: "message_stop" },
  ]);
  const tools = [{ type: "function", ...weather.function }];
  const response = await endOf("/v1/responses", { input: "Hi", tools, max_output_tokens: 12 });
  expect((response as object[]).at(-1)).toMatchObject({
    event: "response.incomplete",
    data: { response: { incomplete_details: { reason: "max_output_tokens" } } },
  });
});

test("a client that sends requests together and leaves cancels all of them", async () => {
  const ended: boolean[] = [];
  let report = (): void => undefined;
  const all = new Promise<void>((resolve) => (report = resolve));
  const { server } = await openServer(
    { replies: [{ text: "again ", endless: true }], afterLast: "repeat" },
    { onRequest: ({ cancelled }) => void (ended.push(cancelled) === 3 && report()) },
  );
  const request = postOf("/v1/chat/completions", JSON.stringify(chatOf({ stream: true })));
  const raw = rawTo(server, request.repeat(3));
  await raw.heard("again");
  raw.socket.destroy();
  await all;
  expect(ended).toEqual([true, true, true]);
});

test("garbage after a request gets nothing into its answer", async () => {
  const { server } = await openServer([{ text: "again ", endless: true }]);
  const body = JSON.stringify(chatOf({ stream: true, max_tokens: 3000 }));
  const raw = rawTo(server, `GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n${postOf("/v1/chat/completions", body)}`);
  await raw.heard("again");
  raw.send("garbage\r\n\r\n");
  expect(await raw.ended).not.toContain("HTTP/1.1 400");
});

test("a log that rejects is a warning, as one that throws", async () => {
  const warned = new Promise<string>((resolve) => {
    process.once("warning", ({ message }) => resolve(message));
  });
  const { post } = await openServer(["Hi."], {
    onRequest: () => Promise.reject(new Error("the disk is full")),
  });
  await post("/v1/chat/completions", chatOf());
  expect(await warned).toMatch(/onRequest of the server threw: Error: the disk is full/);
});

test("closing twice is closing once, and a grace has no upper limit", async () => {
  const engine = await openEngine([{ text: "again ", endless: true }]);
  const handler = createHandler(engine);
  const response = await handler(
    new Request("http://localhost/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(chatOf({ max_tokens: 20 })),
    }),
  );
  const closing = handler.close(Infinity);
  expect(handler.close(0)).toBe(closing);
  expect(response.status).toBe(200);
  await closing;
  for (const grace of [-1, NaN, "1"]) expect(() => createHandler(engine).close(grace as number)).toThrow(TypeError);
});

test("a client of a handler that leaves during its body gives its place back", async () => {
  const engine = await openEngine(["Hello there."]);
  const handler = createHandler(engine, { maxRequests: 1 });
  const to = "http://localhost/v1/chat/completions";
  const headers = { "content-type": "application/json" };
  const leaving = new AbortController();
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) });
  const first = handler(
    new Request(to, { method: "POST", headers, body, duplex: "half", signal: leaving.signal } as RequestInit),
  );
  leaving.abort();
  expect((await first).status).toBe(503);
  const second = await handler(new Request(to, { method: "POST", headers, body: JSON.stringify(chatOf()) }));
  expect(second.status).toBe(200);
});

test.each<[string, string, object]>([
  ["an empty text", "/v1/embeddings", { input: "" }],
  ["an empty text among others", "/v1/embeddings", { input: ["a", ""] }],
  [
    "a schema that is none",
    "/v1/messages/count_tokens",
    { messages: [{ role: "user", content: "Hi" }], tools: [{ name: "a", input_schema: { "~standard": {} } }] },
  ],
])("%s is 400", async (_, path, body) => {
  const { post } = await openServer({ replies: [asksWeather] }, {}, { model: bundledModel });
  expect((await post(path, body)).status).toBe(400);
});

test("errors before an endpoint is asked have the form of its protocol", async () => {
  const { server } = await openServer();
  const response = await fetch(`${server.origin}/v1/messages`);
  expect([response.status, await response.json()]).toMatchObject([405, { type: "error" }]);
});

test("names that a client chose do not make an answer too large for it", async () => {
  const { post } = await openServer();
  const members = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${"漢".repeat(60)}${i}`, 1]));
  const response = await post("/v1/chat/completions", chatOf(members));
  expect(response.status).toBe(200);
  expect(response.headers.get("llama-hooks-ignored")?.length).toBeLessThan(3000);
  const missing = await post("/v1/chat/completions", { ...chatOf(), model: "x".repeat(100_000) });
  expect(missing.status).toBe(404);
  expect((await missing.text()).length).toBeLessThan(1000);
});
