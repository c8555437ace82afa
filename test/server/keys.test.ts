// API keys: who may call, how much, with which hooks, and what the log says of them.
import { expect, test } from "vitest";
import { cancel, defineHooks } from "../../src/index.js";
import type { RequestRecord } from "../../src/server/index.js";
import { gate } from "../support/gate.js";
import { chatOf, clientOf, openServer, refusalOf } from "../support/http/server.js";

const chat = "/v1/chat/completions";
const ann = { key: "ann-has-this-key-of-her-own", name: "ann" };
const bob = { key: "bob-has-this-key-of-his-own", name: "bob" };
const of = ({ key }: { key: string }): Record<string, string> => ({ authorization: `Bearer ${key}` });
const forever = { replies: ["Hello there."], afterLast: "repeat" } as const;

test("only holders of a key get answers; health is open", async () => {
  const { server, post, client } = await openServer(forever, { keys: [ann, bob] });
  expect((await client.chat.completions.create(chatOf())).choices[0]?.message.content).toBe("Hello there.");
  const denied = [401, "authentication_error", "invalid_api_key", null];
  const wrong = [
    {},
    of({ key: `${ann.key}x` }),
    of({ key: ann.key.slice(0, -1) }),
    { authorization: ann.key },
    { "x-api-key": "" },
  ];
  for (const headers of wrong) expect(await refusalOf(await post(chat, chatOf(), headers))).toEqual(denied);
  expect((await post(chat, chatOf(), {})).headers.get("www-authenticate")).toBe("Bearer");
  expect((await post(chat, chatOf(), { "x-api-key": bob.key })).status).toBe(200);
  const statuses = [];
  for (const path of ["/v1/models", "/metrics", "/health"])
    statuses.push((await fetch(`${server.origin}${path}`)).status);
  expect(statuses).toEqual([401, 401, 200]);
});

test("with keys any host may be named", async () => {
  const { server } = await openServer(forever, { keys: [ann] });
  const response = await fetch(`${server.origin}/v1/models`, { headers: { ...of(ann), host: "models.example" } });
  expect(response.status).toBe(200);
});

test("calls are tagged with the request, the key and the client's user", async () => {
  const { post, engine } = await openServer(forever, { keys: [ann] });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ meta }) => void seen.push(meta.tags));
  const response = await post(chat, chatOf({ user: "u-7" }), of(ann));
  expect(seen).toEqual([{ request: response.headers.get("x-request-id"), key: "ann", user: "u-7" }]);
});

test("each key has its own hooks, beside those of the server", async () => {
  const upper = defineHooks("upper", { preGenerate: () => ({ response: "FOR ALL" }) });
  const none = defineHooks("none", { preGenerate: () => cancel("not for ann") });
  const { post } = await openServer(forever, { hooks: upper, keys: [{ ...ann, hooks: [none] }, bob] });
  expect(await refusalOf(await post(chat, chatOf(), of(ann)))).toEqual([
    403,
    "permission_error",
    "hook_cancelled",
    null,
  ]);
  expect(await (await post(chat, chatOf(), of(bob))).json()).toMatchObject({
    choices: [{ message: { content: "FOR ALL" } }],
  });
});

test("a postGenerate hook of a key holds the streams of that key alone", async () => {
  const reads = defineHooks("reads", { postGenerate: () => undefined });
  const { post } = await openServer(forever, { keys: [{ ...ann, hooks: [reads] }, bob] });
  const held = [];
  for (const key of [ann, bob]) {
    const response = await post(chat, chatOf({ stream: true }), of(key));
    held.push(response.headers.get("llama-hooks-stream"));
    await response.text();
  }
  expect(held).toEqual(["held", null]);
});

test("requests at once are counted by key until a stream has ended", async () => {
  const { server, post, engine } = await openServer(forever, { keys: [{ ...ann, maxConcurrent: 1 }, bob] });
  const goOn = gate();
  engine.hooks.on("streamToken", () => goOn.passed, { when: { text: "." }, once: true });
  const stream = await clientOf(server, ann.key).chat.completions.create({ ...chatOf(), stream: true });
  const chunks = stream[Symbol.asyncIterator]();
  await chunks.next();
  const second = await post(chat, chatOf(), of(ann));
  expect(second.headers.get("retry-after")).toBe("1");
  expect(await refusalOf(second)).toEqual([429, "rate_limit_error", "concurrency_exceeded", null]);
  expect((await post(chat, chatOf(), of(bob))).status).toBe(200);
  goOn.open();
  while ((await chunks.next()).done !== true);
  expect((await post(chat, chatOf(), of(ann))).status).toBe(200);
});

test("requests at once are counted over all keys, and a refused one takes no place", async () => {
  const { post, engine } = await openServer(forever, { keys: [ann, bob], maxRequests: 1 });
  const goOn = gate();
  const begun = gate();
  engine.hooks.on("preGenerate", () => (begun.open(), goOn.passed), { once: true });
  const first = post(chat, chatOf(), of(ann));
  await begun.passed;
  expect(await refusalOf(await post(chat, chatOf(), of(bob)))).toEqual([
    429,
    "rate_limit_error",
    "too_many_requests",
    null,
  ]);
  goOn.open();
  expect((await first).status).toBe(200);
  expect((await post(chat, "{", of(bob))).status).toBe(400);
  expect((await post(chat, chatOf(), of(bob))).status).toBe(200);
});

test("a key that has spent its tokens waits as long as the response says", async () => {
  const { post } = await openServer(forever, { keys: [{ ...ann, tokensPerMinute: 1 }, bob] });
  const first = await post(chat, chatOf(), of(ann));
  const { usage } = (await first.json()) as { usage: { total_tokens: number } };
  const second = await post(chat, chatOf(), of(ann));
  expect(await refusalOf(second)).toEqual([429, "rate_limit_error", "tokens_exceeded", null]);
  const seconds = Number(second.headers.get("retry-after"));
  // One token a minute: a budget of 1 that has paid for the first request.
  expect(seconds).toBeGreaterThan((usage.total_tokens - 2) * 60);
  expect(seconds).toBeLessThanOrEqual(usage.total_tokens * 60);
  expect((await post(chat, chatOf(), of(bob))).status).toBe(200);
});

test("tokens of streams count, too", async () => {
  const { post } = await openServer(forever, { keys: [{ ...ann, tokensPerMinute: 1 }] });
  const stream = await post(chat, chatOf({ stream: true }), of(ann));
  await stream.text();
  expect((await post(chat, chatOf(), of(ann))).status).toBe(429);
});

test("the log has one record for each request, without texts and keys", async () => {
  const records: RequestRecord[] = [];
  const { post } = await openServer(forever, { keys: [ann], onRequest: (record) => records.push(record) });
  await (await post(`${chat}?secret=1`, chatOf({}, "the secret"), of(ann))).text();
  await (await post(chat, chatOf({ stream: true }), of(ann))).text();
  await post(chat, chatOf(), {});
  expect(records).toMatchObject([
    { key: "ann", method: "POST", path: chat, status: 200, cancelled: false },
    { key: "ann", method: "POST", path: chat, status: 200, cancelled: false },
    { key: null, method: "POST", path: chat, status: 401, promptTokens: 0, completionTokens: 0 },
  ]);
  for (const { promptTokens, completionTokens, ms } of records.slice(0, 2)) {
    expect(promptTokens).toBeGreaterThan(0);
    expect(completionTokens).toBeGreaterThan(0);
    expect(ms).toBeGreaterThanOrEqual(0);
  }
  expect(JSON.stringify(records)).not.toMatch(/secret|has-this-key/);
});

test("a log that throws is a warning, not a failed request", async () => {
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  const { post } = await openServer(forever, {
    onRequest: () => {
      throw new Error("the disk is full");
    },
  });
  expect((await post(chat, chatOf())).status).toBe(200);
  expect((await warned).message).toContain("the disk is full");
});
