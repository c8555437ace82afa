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

test("nobody listens: REMOTE_UNREACHABLE, with the address and the reason", async () => {
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

test("a slow reader slows the server down, and loses nothing", async () => {
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

test("a run that fails keeps the session, which goes on", async () => {
  const { engine } = await open(once({ act: status(500, "oops") }));
  const session = engine.session();
  const ends: string[] = [];
  engine.hooks.on("loopStart", () => void ends.push("start"));
  engine.hooks.on("loopEnd", () => void ends.push("end"));
  expect(await rejection(session.run("Hi"))).toMatchObject({ code: "REMOTE_FAILED" });
  expect((await session.run("Hi")).text).toBe("Good again.");
  expect(ends).toEqual(["start", "end", "start", "end"]);
});
