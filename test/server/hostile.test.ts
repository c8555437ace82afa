// Input that is malformed, too large, too slow or from somewhere else.
import { expect, test } from "vitest";
import { postOf, rawTo, statusOf } from "../support/http/raw-http.js";
import { chatOf, openServer, refusalOf } from "../support/http/server.js";

const chat = "/v1/chat/completions";

test("a body that is not a JSON object of UTF-8 is 400 with the envelope", async () => {
  const { post, server } = await openServer();
  for (const body of ["{", "", "[1]", '"text"', "null", "{'a':1}"])
    expect((await refusalOf(await post(chat, body))).slice(0, 2), body).toEqual([400, "invalid_request_error"]);
  const bytes = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d);
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.origin}${chat}`, { method: "POST", headers, body: bytes });
  expect(await refusalOf(response)).toEqual([400, "invalid_request_error", "invalid_json", null]);
});

test("JSON that is nested very deep, and keys of prototypes, do no harm", async () => {
  const { post } = await openServer({ replies: ["Hello there."], afterLast: "repeat" });
  const deep = `{"messages":[{"role":"user","content":"Hi"}],"chat_template_kwargs":{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`;
  expect((await post(chat, deep)).status).toBe(400);
  const own = '{"__proto__":{"n":2},"constructor":1,"messages":[{"role":"user","content":"Hi"}]}';
  const response = await post(chat, own);
  expect([response.status, response.headers.get("llama-hooks-ignored")]).toEqual([200, "__proto__, constructor"]);
});

test("another type of content is 415, which keeps pages of other sites out", async () => {
  const { post } = await openServer();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json-patch"])
    expect(await refusalOf(await post(chat, chatOf(), { "content-type": type }))).toEqual([
      415,
      "invalid_request_error",
      "unsupported_type",
      null,
    ]);
  expect((await post(chat, chatOf(), { "content-type": "Application/JSON; charset=utf-8" })).status).toBe(200);
  const packed = await post(chat, chatOf(), { "content-encoding": "gzip" });
  expect(packed.status).toBe(415);
});

test("a body that is too large is 413, announced or not, and ends the connection", async () => {
  const { server } = await openServer(undefined, { maxBodyBytes: 1000 });
  const announced = rawTo(server, postOf(chat, "", { "content-length": "1001" }));
  expect(await announced.ended).toMatch(/^HTTP\/1\.1 413 [^]*connection: close[^]*request_too_large/i);
  const chunk = `${(600).toString(16)}\r\n${"x".repeat(600)}\r\n`;
  const head = postOf(chat, "", { "transfer-encoding": "chunked" }).replace(/content-length: 0\r\n/, "");
  const counted = rawTo(server, head + chunk + chunk);
  expect(await counted.ended).toMatch(/^HTTP\/1\.1 413 [^]*request_too_large/);
  const fits = rawTo(server, postOf(chat, JSON.stringify(chatOf()), { connection: "close" }));
  expect(statusOf(await fits.ended)).toBe(200);
});

test("a body that does not come in time is 408, and ends the connection", async () => {
  const { server } = await openServer(undefined, { bodyTimeoutMs: 50 });
  const slow = rawTo(server, postOf(chat, '{"mess', { "content-length": "500" }));
  expect(await slow.ended).toMatch(/^HTTP\/1\.1 408 [^]*request_timeout/);
});

test("without keys the Host header must name this machine", async () => {
  const { server } = await openServer();
  const statuses = [];
  for (const host of [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "",
    "localhost:8080",
    "127.0.0.1:1",
    "[::1]:8080",
    "LOCALHOST",
  ])
    statuses.push(
      statusOf(await rawTo(server, postOf(chat, JSON.stringify(chatOf()), { host, connection: "close" })).ended),
    );
  expect(statuses).toEqual([403, 403, 403, 403, 200, 200, 200, 200]);
});

test("a flood of headers, and what is not HTTP, are refused and end the connection", async () => {
  const { server } = await openServer();
  const flood = Array.from({ length: 3000 }, (_, index) => `x-${index}: ${index}\r\n`).join("");
  expect(await rawTo(server, `GET /health HTTP/1.1\r\nhost: localhost\r\n${flood}\r\n`).ended).toMatch(
    /^HTTP\/1\.1 431 [^]*invalid_request_error/,
  );
  expect(statusOf(await rawTo(server, "\u0016\u0003\u0001 hello\r\n\r\n").ended)).toBe(400);
  const smuggled = postOf(chat, "{}", { "transfer-encoding": "chunked" });
  expect(statusOf(await rawTo(server, smuggled).ended)).toBe(400);
  const absolute = "GET http://evil.example/v1/models HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
  expect(statusOf(await rawTo(server, absolute).ended)).toBe(404);
});

test("requests that come together on one connection are answered in order", async () => {
  const { server } = await openServer();
  const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;
  const text = await rawTo(server, get("/health") + get("/nothing") + get("/v1/models", "connection: close\r\n")).ended;
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "404", "200"]);
});
