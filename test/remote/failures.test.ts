// A server that fails in every way: the call ends with a code, what had come is kept, and the engine works on.
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { Engine, RemoteOptions } from "../../src/index.js";
import { type LlamaHooksError, remote, tool } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { openaiServer, type Reply } from "../support/remote/openai-server.js";

async function open(
  replies: Parameters<typeof openaiServer>[0],
  options: Partial<RemoteOptions> = {},
): Promise<{ engine: Engine; server: Awaited<ReturnType<typeof openaiServer>> }> {
  const server = await openaiServer(replies);
  const provider = remote(server.url, { model: "m", retries: 0, ...options });
  return { engine: await openEngine([], { models: { big: { provider } } }), server };
}

/** Bad once, then good. */
function once(bad: Reply): () => Reply {
  let asked = 0;
  return () => (asked++ === 0 ? bad : "Good again.");
}

const status =
  (code: number, body = "", headers = {}): ((response: ServerResponse) => void) =>
  (response) =>
    void response.writeHead(code, headers).end(body);
const event = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const hello = event({ content: "Hello" });

const failing: Readonly<Record<string, { reply: Reply; code: string; words?: RegExp; text?: string }>> = {
  "a key that is wrong": {
    reply: { act: status(401, '{"error":{"message":"Bad key"}}') },
    code: "REMOTE_REFUSED",
    words: /status 401.*Bad key/,
  },
  "a request that is refused": {
    reply: { act: status(400, "no such option") },
    code: "REMOTE_REFUSED",
    words: /no such option/,
  },
  "a prompt that is too long": {
    reply: { act: status(400, '{"error":{"code":"context_length_exceeded"}}') },
    code: "PROMPT_TOO_LONG",
  },
  "too many requests": { reply: { act: status(429, "slowly") }, code: "REMOTE_REFUSED", words: /429/ },
  "a fault of the server": { reply: { act: status(500, "oops") }, code: "REMOTE_FAILED", words: /status 500.*oops/ },
  "a long page of a gateway": {
    reply: { act: status(502, "<html>".repeat(2000)) },
    code: "REMOTE_FAILED",
    words: /\[10000 more\]/,
  },
  "a redirect to another host": {
    reply: { act: status(302, "", { location: "http://other.example/v1" }) },
    code: "REMOTE_REFUSED",
    words: /another address.*302/,
  },
  "a connection that closes before the answer": {
    reply: { act: (response) => void response.destroy() },
    code: "REMOTE_UNREACHABLE",
  },
  "an answer that is cut": {
    reply: { text: "Once upon a time", cutAfter: 3 },
    code: "REMOTE_FAILED",
    text: "Once upon",
  },
  "an answer without an end": {
    reply: { raw: [hello] },
    code: "REMOTE_FAILED",
    words: /finish reason|may be incomplete/,
    text: "Hello",
  },
  "garbage in the middle": { reply: { raw: [hello, "data: {what?\n\n"] }, code: "REMOTE_FAILED", text: "Hello" },
  "no stream at all": { reply: { act: status(200, "hello") }, code: "REMOTE_FAILED" },
  "an error in the stream": {
    reply: { raw: [hello, 'data: {"error":{"message":"out of memory","type":"server"}}\n\n'] },
    code: "REMOTE_FAILED",
    words: /out of memory/,
    text: "Hello",
  },
  "a content filter": { reply: { text: "Hello", finish: "content_filter" }, code: "REMOTE_REFUSED", text: "Hello" },
};

for (const [what, { reply, code, words, text }] of Object.entries(failing)) {
  test(`${what} is ${code}, and the engine works on`, async () => {
    const { engine } = await open(once(reply));
    const errors: unknown[] = [];
    engine.hooks.on("error", (heard) => void errors.push([heard.code, heard.recoverable]));
    const error = (await rejection(engine.generate("Hi"))) as LlamaHooksError;
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1: /);
    if (words !== undefined) expect(error.message).toMatch(words);
    expect(error.message.length).toBeLessThan(2300);
    expect(error.details?.["text"] ?? "").toBe(text ?? "");
    expect(errors).toEqual([[code, false]]);
    expect((await engine.generate("Hi")).text).toBe("Good again.");
  });
}

test("without a server: REMOTE_UNREACHABLE, with the address and the reason", async () => {
  const { engine, server } = await open(["Hello."]);
  server.server.close();
  const error = (await rejection(engine.generate("Hi"))) as LlamaHooksError;
  expect(error).toMatchObject({
    code: "REMOTE_UNREACHABLE",
    message: expect.stringContaining("ECONNREFUSED") as string,
  });
});

test("half a character is joined with its other half", async () => {
  const bytes = Buffer.from(event({ content: "Grüße" }) + event({}));
  const middle = bytes.indexOf(0xc3) + 1;
  const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const { engine } = await open([{ raw: [bytes.subarray(0, middle), bytes.subarray(middle), end], paceMs: 20 }]);
  expect((await engine.generate("Hi")).text).toBe("Grüße");
});

test("a busy server is asked again, not sooner than it says, and only before the first piece", async () => {
  let asked = 0;
  const times: number[] = [];
  const { engine, server } = await open(
    () => {
      times.push(performance.now());
      if (asked++ === 0) return { act: status(429, "", { "retry-after": "1" }) };
      return asked === 2 ? { act: status(503) } : "At last.";
    },
    { retries: 2 },
  );
  expect((await engine.generate("Hi")).text).toBe("At last.");
  expect(server.requests).toHaveLength(3);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);

  const cut = await open(() => ({ text: "Once upon a time", cutAfter: 2 }), { retries: 5 });
  expect(await rejection(cut.engine.generate("Hi"))).toMatchObject({ code: "REMOTE_FAILED" });
  expect(cut.server.requests).toHaveLength(1);
});

test("a server that says nothing, or nothing more, is REMOTE_TIMEOUT with the limit", async () => {
  const silent = (): void => undefined;
  const first = await open([{ act: silent }], { timeouts: { firstPieceMs: 150 } });
  expect(await rejection(first.engine.generate("Hi"))).toMatchObject({
    code: "REMOTE_TIMEOUT",
    message: expect.stringContaining("150 ms") as string,
  });
  const stalls: Reply = {
    act: (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(hello);
    },
  };
  const later = await open([stalls], { timeouts: { pieceMs: 150 } });
  const error = await rejection(later.engine.generate("Hi"));
  expect(error).toMatchObject({ code: "REMOTE_TIMEOUT", details: { text: "Hello" } });
  await expect.poll(later.server.dropped, { timeout: 30_000 }).toBe(1); // the connection is not kept
});

test("a server that sends signs of life and no piece is REMOTE_TIMEOUT", async () => {
  const pings: Reply = {
    act: async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(hello);
      while (!response.destroyed) {
        response.write(event({}));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
  const { engine } = await open([pings], { timeouts: { pieceMs: 300 } });
  const error = await rejection(engine.generate("Hi"));
  expect(error).toMatchObject({ code: "REMOTE_TIMEOUT", details: { text: "Hello" } });
});

test("an answer without end is stopped at maxTokens, or where the context is full", async () => {
  const endless: Reply = {
    act: async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      while (!response.destroyed) {
        if (!response.write(event({ content: "on " }).repeat(50)))
          await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
  const server = await openaiServer(() => endless);
  const provider = remote(server.url, { model: "m" });
  const engine = await openEngine([], { models: { big: { provider, contextSize: 1000 } } });
  const few = await engine.generate("Hi", { maxTokens: 7 });
  expect(few).toMatchObject({ finishReason: "length", text: "on ".repeat(7), usage: { completionTokens: 7 } });
  const all = await engine.generate("Hi");
  expect(all).toMatchObject({ finishReason: "length", text: "on ".repeat(1000) });
  await expect.poll(server.dropped, { timeout: 30_000 }).toBe(2);
});

test("an abort ends the request at once, before and in the middle of the answer", async () => {
  const begun = gate();
  const hangs: Reply = {
    act: (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(hello);
      begun.open();
    },
  };
  const { engine, server } = await open([hangs]);
  const stop = new AbortController();
  const call = engine.generate("Hi", { signal: stop.signal });
  for await (const piece of call) {
    if (piece.type === "token") stop.abort();
  }
  expect(await call).toMatchObject({ finishReason: "cancelled", text: "Hello" });
  await expect.poll(server.dropped, { timeout: 30_000 }).toBe(1);

  const silent = await open([{ act: () => void begun.open() }]);
  const early = new AbortController();
  const pending = silent.engine.generate("Hi", { signal: early.signal });
  setTimeout(() => early.abort(), 50);
  expect(await pending).toMatchObject({ finishReason: "cancelled", text: "" });
});

test("close() does not wait for a server that hangs", async () => {
  const { engine, server } = await open([{ act: () => undefined }]);
  const call = engine.generate("Hi").then(({ finishReason }) => finishReason);
  await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(1);
  await engine.close();
  expect(await call).toBe("cancelled");
});

test("a slow reader loses nothing", async () => {
  const text = Array.from({ length: 2000 }, (_, n) => `w${n}`).join(" ");
  const { engine } = await open([text]);
  const call = engine.generate("Hi");
  let read = "";
  let events = 0;
  for await (const piece of call) {
    if (piece.type !== "token") continue;
    read += piece.text;
    if (events++ % 400 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(read).toBe(text);
});

test("arguments that are no JSON stay text, error says so, and no tool runs", async () => {
  const ran: unknown[] = [];
  const { engine } = await open([{ calls: [{ name: "look", args: "{where}" }] }]);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  const look = tool({ name: "look", parameters: { type: "object" }, run: (args) => ran.push(args) });
  const result = await engine.session({ tools: [look] }).run("Look");
  expect(result).toMatchObject({ text: "{where}", toolCalls: [] });
  expect([ran, errors]).toEqual([[], ["DECODE_FAILED"]]);
});

test("arguments with half a character, or a number without end, are what can be read of them", async () => {
  const ran: unknown[] = [];
  const args = '{"half": "a\\ud800b", "whole": "\\ud83d\\ude00", "far": -1e999}';
  const { engine } = await open([{ calls: [{ name: "look", args }] }, "Done."]);
  const look = tool({ name: "look", parameters: { type: "object" }, run: (given) => void ran.push(given) });
  expect((await engine.session({ tools: [look] }).run("Look")).text).toBe("Done.");
  expect(ran).toEqual([{ half: "a\uFFFDb", whole: "\u{1F600}", far: -Number.MAX_VALUE }]);
});

test("a run that fails keeps the session, which continues", async () => {
  const { engine } = await open(once({ act: status(500, "oops") }));
  const session = engine.session();
  const ends: string[] = [];
  engine.hooks.on("loopStart", () => void ends.push("start"));
  engine.hooks.on("loopEnd", () => void ends.push("end"));
  expect(await rejection(session.run("Hi"))).toMatchObject({ code: "REMOTE_FAILED" });
  expect((await session.run("Hi")).text).toBe("Good again.");
  expect(ends).toEqual(["start", "end", "start", "end"]);
});

test("once a server has said that a prompt is too long, the session compacts", async () => {
  const most = 3200; // words that this server takes: more tokens than the estimate thinks
  const { engine, server } = await (async () => {
    const far = await openaiServer(({ body }) => {
      const count = JSON.stringify(body.messages).split(/\s/).length;
      const refuses = status(400, '{"error":{"code":"context_length_exceeded"}}');
      return count > most ? { act: refuses } : "a b c d ".repeat(160);
    });
    const provider = remote(far.url, { model: "m", retries: 0 });
    return { server: far, engine: await openEngine([], { models: { big: { provider, contextSize: 3000 } } }) };
  })();
  const session = engine.session({ compaction: "truncate" });
  for (let turn = 0; turn < 4; turn++) expect((await session.run("Go on")).finishReason).toBe("complete");
  const long = "a b c d ".repeat(320);
  const error = await rejection(session.run(long));
  expect(error).toMatchObject({ code: "PROMPT_TOO_LONG" });
  expect((await session.run(long)).finishReason).toBe("complete");
  expect(server.requests.length).toBe(6);
});

test("an answer that ends by itself at the limit has the server's usage, and its call runs", async () => {
  const ran: unknown[] = [];
  const look = tool({ name: "look", parameters: { type: "object" }, run: (args) => [ran.push(args)] });
  const { engine, server } = await open([
    { text: "One two three", calls: [{ name: "look", args: { at: "it" } }] },
    "one two three four",
  ]);
  const result = await engine.session({ tools: [look], maxTokens: 5 }).run("Look");
  expect([result.finishReason, ran, result.text]).toEqual(["complete", [{ at: "it" }], "one two three four"]);
  const alone = await engine.generate(
    [
      { role: "assistant", content: "a" },
      { role: "user", content: "b" },
    ],
    { maxTokens: 4 },
  );
  expect(alone).toMatchObject({ finishReason: "stop", usage: { cachedTokens: 2 } });
  await expect.poll(server.dropped, { timeout: 30_000 }).toBe(0); // no connection was cut
});

test("a call whose text a hook drops does not run", async () => {
  const ran: unknown[] = [];
  const look = tool({ name: "look", parameters: { type: "object" }, run: (args) => ran.push(args) });
  const { engine } = await open([{ text: "Let me see.", calls: [{ name: "look", args: { at: "it" } }] }, "Done."]);
  const errors: string[] = [];
  engine.hooks.on("streamToken", ({ kind }) => (kind === "tool_call" ? { drop: true } : undefined));
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  const result = await engine.session({ tools: [look] }).run("Look");
  expect([ran, result.toolCalls, errors]).toEqual([[], [], ["HOOK_BAD_ANSWER"]]);
});

test("calls without arguments, and calls with the same id, are all there", async () => {
  const parts = [
    { type: "tool-call", toolCallId: "same", toolName: "a", input: "" },
    { type: "tool-input-start", id: "same", toolName: "b" },
    { type: "tool-input-delta", id: "same", delta: '{"x":1}' },
    { type: "tool-call", toolCallId: "same", toolName: "b", input: '{"x":1}' },
    { type: "tool-call", toolCallId: "same", toolName: "c", input: '{"y":2}' },
    { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" } },
  ];
  const stream = (): ReadableStream<unknown> =>
    new ReadableStream({
      start: (controller) => {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
  const provider = {
    specificationVersion: "v4",
    provider: "fake",
    modelId: "m",
    doStream: () => Promise.resolve({ stream: stream() }),
  };
  const engine = await openEngine([], { models: { big: { provider } } });
  const tools = ["a", "b", "c"].map((name) => tool({ name, parameters: { type: "object" }, run: () => "" }));
  const { toolCalls } = await engine.generate("Hi", { tools });
  expect(toolCalls.map(({ name, args }) => [name, args])).toEqual([
    ["a", {}],
    ["b", { x: 1 }],
    ["c", { y: 2 }],
  ]);
  expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(3);
  const first = await engine.generate("Hi", { tools, parallelToolCalls: false });
  expect(first.toolCalls.map(({ name, args }) => [name, args])).toEqual([["a", {}]]);
});

test("a server that did not finish, or asks for a long wait, has failed", async () => {
  const aborted = await open([{ text: "Half", finish: "abort" }]);
  expect(await rejection(aborted.engine.generate("Hi"))).toMatchObject({ code: "REMOTE_FAILED" });
  const patient = await open([{ act: status(429, "tomorrow", { "retry-after": "86400" }) }], { retries: 2 });
  expect(await rejection(patient.engine.generate("Hi"))).toMatchObject({ code: "REMOTE_REFUSED" });
  expect(patient.server.requests).toHaveLength(1);
});

test("no more answers than `parallel` are under way, whoever asks; the lowest priority goes first", async () => {
  let now = 0;
  let most = 0;
  const server = await openaiServer(() => ({
    act: async (response) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 10));
      now--;
      const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
      response.writeHead(200, { "content-type": "text/event-stream" }).end(hello + end);
    },
  }));
  const provider = remote(server.url, { model: "m" });
  const engine = await openEngine([], { models: { big: { provider, parallel: 2 } } });
  await Promise.all(Array.from({ length: 20 }, () => engine.generate("Hi")));
  expect([most, server.requests.length]).toEqual([2, 20]);
});

test.each(["a timeout", "a cancel"])("a provider that never tells its headers holds nothing up: %s", async (what) => {
  const asked = gate();
  const model = {
    specificationVersion: "v3",
    provider: "p",
    modelId: "m",
    config: { headers: () => (asked.open(), new Promise(() => undefined)) },
    doStream: () => Promise.reject(new Error("not asked")),
  };
  const limits = { retries: 0, timeouts: { firstPieceMs: what === "a timeout" ? 50 : 0 } };
  const engine = await openEngine([], { models: { big: { provider: remote(model, limits) } } });
  const stop = new AbortController();
  const call = engine.generate("Hi", { signal: stop.signal });
  await asked.passed;
  if (what === "a cancel") {
    stop.abort();
    expect((await call).finishReason).toBe("cancelled");
  } else expect(((await rejection(call)) as LlamaHooksError).code).toBe("REMOTE_TIMEOUT");
});
