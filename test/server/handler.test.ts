// The handler of the Fetch API, without node:http; and the options of both.
import { expect, test } from "vitest";
import { defineHooks } from "../../src/index.js";
import { createHandler, serve } from "../../src/server/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { chatOf, eventsOf } from "../support/http/server.js";

const chat = "/v1/chat/completions";
const forever = { replies: ["Hello there."], afterLast: "repeat" } as const;

function requestOf(body: unknown, more: RequestInit = {}, host = "localhost"): Request {
  const headers = { "content-type": "application/json" };
  return new Request(`http://${host}${chat}`, { method: "POST", headers, body: JSON.stringify(body), ...more });
}

test("the handler answers Requests with Responses, streamed or not", async () => {
  const handler = createHandler(await openEngine(forever));
  const whole = await handler(requestOf(chatOf()));
  expect([whole.status, await whole.json()]).toMatchObject([
    200,
    { choices: [{ message: { content: "Hello there." } }] },
  ]);
  const stream = await handler(requestOf(chatOf({ stream: true })));
  const events = eventsOf(await stream.text());
  expect(events.at(-1)).toEqual({ data: "[DONE]" });
  expect(JSON.stringify(events)).toContain('"content":" there"');
  expect((await handler(new Request("http://localhost/v1/models?limit=5"))).status).toBe(200);
});

test("without keys the handler takes names of this machine only, unless its owner says otherwise", async () => {
  const engine = await openEngine(forever);
  expect((await createHandler(engine)(requestOf(chatOf(), {}, "models.example"))).status).toBe(403);
  const open = createHandler(engine, { checkHost: false });
  expect((await open(requestOf(chatOf(), {}, "models.example"))).status).toBe(200);
});

test("a signal of the Request, and a cancelled Response, cancel the call", async () => {
  const engine = await openEngine({ replies: [{ text: "la ", endless: true }], afterLast: "repeat" });
  const cancelled: boolean[] = [];
  const handler = createHandler(engine, { onRequest: (record) => cancelled.push(record.cancelled) });
  const begun = gate();
  const hook = engine.hooks.on(
    "preGenerate",
    ({ signal }) => {
      begun.open();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    },
    { deadlineMs: 0 },
  );
  const leaving = new AbortController();
  const response = handler(requestOf(chatOf(), { signal: leaving.signal }));
  await begun.passed;
  leaving.abort();
  expect((await response).status).toBe(503);
  hook.dispose();
  const stream = await handler(requestOf(chatOf({ stream: true })));
  const reader = stream.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await handler.close();
  expect(cancelled).toEqual([true, true]);
});

test("a closed handler refuses with 503", async () => {
  const handler = createHandler(await openEngine(forever));
  await handler.close();
  const response = await handler(requestOf(chatOf()));
  expect([response.status, await response.json()]).toMatchObject([503, { error: { code: "closing" } }]);
});

const key = { key: "a-key-that-is-long-enough", name: "ann" };

test("wrong options are a TypeError with their path", async () => {
  const engine = await openEngine(forever);
  const found = [];
  for (const options of [
    { prot: 1 },
    { maxBodyBytes: 0 },
    { maxMessages: 0 },
    { maxTools: "512" },
    { maxInputs: 0.5 },
    { bodyTimeoutMs: "1" },
    { maxRequests: 1.5 },
    { onRequest: "log" },
    { checkHost: "no" },
    { aliases: { a: 5 } },
    { keys: [] },
    { keys: ["a-key-that-is-long-enough"] },
    { keys: [{ ...key, key: "short" }] },
    { keys: [{ ...key, key: "with a space in the middle" }] },
    { keys: [{ ...key, name: "" }] },
    { keys: [key, { ...key, name: "bob" }] },
    { keys: [{ ...key, maxConcurrent: 0 }] },
    { keys: [{ ...key, tokensPerMinute: 0 }] },
    { keys: [{ ...key, hooks: [defineHooks("tools", { preToolCall: () => undefined })] }] },
    { hooks: 5 },
  ] as object[]) {
    let error: unknown;
    try {
      createHandler(engine, options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(TypeError);
    found.push((error as { param?: string }).param);
  }
  expect(found).toEqual([
    "prot",
    "maxBodyBytes",
    "maxMessages",
    "maxTools",
    "maxInputs",
    "bodyTimeoutMs",
    "maxRequests",
    "onRequest",
    "checkHost",
    "aliases.a",
    "keys",
    "keys[0]",
    "keys[0].key",
    "keys[0].key",
    "keys[0].name",
    "keys[1]",
    "keys[0].maxConcurrent",
    "keys[0].tokensPerMinute",
    "keys[0].hooks[0]",
    "hooks",
  ]);
  expect(() => createHandler({} as never)).toThrow(TypeError);
});

test("another address than this machine's own needs keys", async () => {
  const engine = await openEngine(forever);
  for (const host of ["0.0.0.0", "::", "192.168.1.5", "models.example"]) {
    const error = await rejection(serve(engine, { host, port: 0 }));
    expect([error instanceof TypeError, (error as { param?: string }).param], host).toEqual([true, "host"]);
  }
  await using server = await serve(engine, { host: "0.0.0.0", port: 0, keys: [key] });
  const headers = { authorization: `Bearer ${key.key}` };
  expect((await fetch(`http://127.0.0.1:${server.port}/v1/models`, { headers })).status).toBe(200);
  await using other = await serve(engine, { host: "::1", port: 0 });
  expect(other.url).toBe(`http://[::1]:${other.port}/v1`);
});

test("a port that is taken rejects with the error of the system", async () => {
  const engine = await openEngine(forever);
  await using server = await serve(engine, { port: 0 });
  expect(await rejection(serve(engine, { port: server.port }))).toMatchObject({ code: "EADDRINUSE" });
});
