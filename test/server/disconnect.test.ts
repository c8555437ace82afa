// Clients that leave, clients that do not read, and servers that end: no call continues without a reader.
import { expect, test } from "vitest";
import { defineHooks, type LlamaHooksError } from "../../src/index.js";
import { createHandler, type RequestRecord } from "../../src/server/index.js";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { postOf, rawTo, statusOf } from "../support/http/raw-http.js";
import { chatOf, openServer, refusalOf } from "../support/http/server.js";

const chat = "/v1/chat/completions";
const forever = { replies: ["One two three four five."], afterLast: "repeat" } as const;

/** A hook that waits until its call is cancelled, and what it then receives. */
function hangs(point: "preGenerate" | "streamToken" | "postGenerate") {
  const begun = gate();
  let report: (code: string) => void = () => undefined;
  const code = new Promise<string>((resolve) => (report = resolve));
  const handler = ({ signal }: { readonly signal: AbortSignal }): Promise<undefined> => {
    begun.open();
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        report((signal.reason as LlamaHooksError).code);
        resolve(undefined);
      }),
    );
  };
  return { hooks: defineHooks("hangs", { [point]: handler }, { deadlineMs: 0 }), begun: begun.passed, code };
}

/** Records of a server, and the next of them. */
function log() {
  const records: RequestRecord[] = [];
  const waiting: ((record: RequestRecord) => void)[] = [];
  const onRequest = (record: RequestRecord): void => {
    records.push(record);
    waiting.shift()?.(record);
  };
  return { records, onRequest, next: () => new Promise<RequestRecord>((resolve) => waiting.push(resolve)) };
}

test.each([
  ["preGenerate", false],
  ["preGenerate", true],
  ["streamToken", false],
  ["streamToken", true],
] as const)("a client that leaves at %s (streamed: %s) cancels its call", async (point, stream) => {
  const hung = hangs(point);
  const { onRequest, next } = log();
  const { server } = await openServer(forever, { hooks: hung.hooks, onRequest });
  const record = next();
  const raw = rawTo(server, postOf(chat, JSON.stringify(chatOf({ stream }))));
  await hung.begun;
  raw.socket.destroy();
  expect(await hung.code).toBe("CANCELLED");
  expect((await record).cancelled).toBe(true);
});

test("a client that leaves while a stream runs cancels its call", async () => {
  const { onRequest, next } = log();
  const { server, client } = await openServer([{ text: "la ", endless: true }], { onRequest });
  const record = next();
  const stream = await client.chat.completions.create({ ...chatOf(), stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content === "la") break;
  const { cancelled, completionTokens } = await record;
  expect(cancelled).toBe(true);
  expect(completionTokens).toBeLessThan(4000);
  expect(server.port).toBeGreaterThan(0);
});

test("a client that leaves in the middle of its body is not a failure", async () => {
  const { onRequest, next } = log();
  const { server, post } = await openServer(forever, { onRequest, maxRequests: 1 });
  const record = next();
  const raw = rawTo(server, postOf(chat, '{"mess', { "content-length": "500", expect: "100-continue" }));
  await raw.heard("100 Continue");
  raw.socket.destroy();
  expect(await record).toMatchObject({ status: 503, cancelled: true });
  expect((await post(chat, chatOf())).status).toBe(200);
});

test("a reader that takes nothing is cut off, and its call is cancelled", async () => {
  const { onRequest, next } = log();
  // The buffers of a connection hold megabytes.
  const replies = [{ pieces: [`${"x".repeat(50_000)} `], endless: true }];
  const { server } = await openServer({ replies }, { onRequest, drainTimeoutMs: 100 });
  const record = next();
  const raw = rawTo(server, postOf(chat, JSON.stringify(chatOf({ stream: true }))));
  raw.socket.pause();
  const { cancelled, status, completionTokens } = await record;
  expect([cancelled, status]).toEqual([true, 200]);
  expect(completionTokens).toBeLessThan(4000);
  raw.socket.resume();
  expect(await raw.ended).not.toContain("[DONE]");
});

test("a reader of a Response that takes nothing is cut off, too", async () => {
  const { onRequest, next } = log();
  const engine = await openEngine([{ text: "la ", endless: true }]);
  const handler = createHandler(engine, { onRequest, drainTimeoutMs: 100 });
  const record = next();
  const body = JSON.stringify(chatOf({ stream: true }));
  const headers = { "content-type": "application/json" };
  const response = await handler(new Request(`http://localhost${chat}`, { method: "POST", headers, body }));
  expect((await record).cancelled).toBe(true);
  await expect(response.text()).rejects.toThrow("took nothing");
});

test("a closing server lets what runs finish within the grace, and refuses the rest", async () => {
  const goOn = gate();
  const begun = gate();
  const waits = defineHooks("waits", { preGenerate: () => (begun.open(), goOn.passed) });
  const { server, post } = await openServer(forever, { hooks: waits });
  const running = rawTo(server, postOf(chat, JSON.stringify(chatOf())));
  const idle = rawTo(server, postOf(chat, "{"));
  await idle.heard("invalid_json");
  const open = rawTo(server, postOf(chat, "{", { "content-length": "2" }));
  await begun.passed;
  const closed = server.close(60_000);
  expect(statusOf((await idle.ended).slice(0, 20))).toBe(400);
  open.send("{");
  await open.ended;
  await expect(post(chat, chatOf())).rejects.toThrow();
  goOn.open();
  expect(await running.ended).toMatch(/^HTTP\/1\.1 200 [^]*One two three/);
  await closed;
});

test("a closing server cancels what does not finish within the grace", async () => {
  const hung = hangs("streamToken");
  const { server } = await openServer(forever, { hooks: hung.hooks });
  const running = rawTo(server, postOf(chat, JSON.stringify(chatOf())));
  await hung.begun;
  await server.close(1);
  expect(await hung.code).toBe("CANCELLED");
  expect(await running.ended).toMatch(/^HTTP\/1\.1 503 /);
  expect(server.close()).toBe(server.close());
});

test("a closing server leaves behind a call that a hook holds up for ever", async () => {
  const hung = hangs("postGenerate"); // no cancel reaches it, because the answer is there
  const { server } = await openServer(forever, { hooks: hung.hooks });
  const running = rawTo(server, postOf(chat, JSON.stringify(chatOf())));
  await hung.begun;
  await server.close(1);
  expect(await running.ended).toBe("");
});

test("a server that ends cancels a stream with an error event", async () => {
  const { server, engine } = await openServer(forever);
  engine.hooks.on("streamToken", ({ signal }) => untilAborted(signal), { when: { text: " two" }, deadlineMs: 0 });
  const running = rawTo(server, postOf(chat, JSON.stringify(chatOf({ stream: true }))));
  await running.heard('"content":"One"');
  await server.close();
  expect(await running.ended).toMatch(/event: error\ndata: .*"code":"cancelled"/);
});

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
}

test("an engine that is closed meanwhile leaves a server that says so", async () => {
  const { server, engine, post } = await openServer(forever);
  expect((await fetch(`${server.origin}/health`)).status).toBe(200);
  await engine.close();
  expect((await fetch(`${server.origin}/health`)).status).toBe(503);
  expect(await refusalOf(await post(chat, chatOf()))).toEqual([503, "server_error", "closed", null]);
});
