// What requests cost their key: those that fail, and those at once.
import { expect, test } from "vitest";
import type { RequestRecord } from "../../src/server/index.js";
import { openIsolated, processOf } from "../support/isolated.js";
import { gate } from "../support/gate.js";
import { chatOf, eventsOf, openServer, refusalOf, serveEngine, weather } from "../support/http/server.js";

const chat = "/v1/chat/completions";
const ann = { key: "ann-has-this-key-of-her-own", name: "ann" };
const headers = { authorization: `Bearer ${ann.key}` };
const forever = { replies: ["Hello there."], afterLast: "repeat" } as const;

test.each([true, false])("the tokens of a call that fails are paid (streamed: %s)", async (stream) => {
  const ended = gate();
  const records: RequestRecord[] = [];
  const onRequest = (record: RequestRecord): void => void (records.push(record), ended.open());
  const keys = [{ ...ann, tokensPerMinute: 1 }];
  const engine = await openIsolated([{ text: "la ", endless: true }]);
  const { post } = await serveEngine(engine, { keys, onRequest });
  engine.hooks.on("streamToken", () => void process.kill(processOf(engine), "SIGKILL"), { once: true });
  expect(await (await post(chat, chatOf({ stream }), headers)).text()).toContain("engine_crashed");
  await ended.passed;
  expect(records[0]?.promptTokens).toBeGreaterThan(0);
  expect(records[0]?.completionTokens).toBeGreaterThan(0);
  expect(await refusalOf(await post(chat, chatOf(), headers))).toEqual([
    429,
    "rate_limit_error",
    "tokens_exceeded",
    null,
  ]);
});

test("requests at once set aside what they may need, and give it back", async () => {
  const { post, engine } = await openServer(forever, { keys: [{ ...ann, tokensPerMinute: 1000 }] });
  const [goOn, begun] = [gate(), gate()];
  engine.hooks.on("preGenerate", () => (begun.open(), goOn.passed), { once: true });
  const first = post(chat, chatOf({ max_tokens: 1000 }), headers);
  await begun.passed;
  const second = await post(chat, chatOf(), headers);
  expect(second.headers.get("retry-after")).toBe("1");
  expect(await refusalOf(second)).toEqual([429, "rate_limit_error", "tokens_exceeded", null]);
  goOn.open();
  expect((await first).status).toBe(200);
  expect((await post(chat, chatOf(), headers)).status).toBe(200);
  // One alone may need more than there is.
  expect((await post(chat, chatOf({ max_tokens: 5000 }), headers)).status).toBe(200);
});

test("a request that is refused gives back what it has set aside", async () => {
  const { post } = await openServer(forever, { keys: [{ ...ann, tokensPerMinute: 1000 }] });
  for (const more of [{ model: "none" }, { temperature: -1 }, { model: "x".repeat(5000) }])
    expect((await post(chat, chatOf({ max_tokens: 1000, ...more }), headers)).status).toBeGreaterThanOrEqual(400);
  expect((await post(chat, chatOf({ max_tokens: 1000 }), headers)).status).toBe(200);
});

test("a long name of a model is shortened in the answer and in the log", async () => {
  const records: RequestRecord[] = [];
  const { post } = await openServer(forever, { onRequest: (record) => records.push(record) });
  for (const [path, body] of [
    [chat, chatOf({ model: "m".repeat(100_000) })],
    ["/v1/messages", { max_tokens: 5, ...chatOf({ model: "m".repeat(1000) }) }],
    ["/v1/embeddings", { model: "m".repeat(100_000), input: "Hi" }],
  ] as const) {
    const response = await post(path, body);
    expect([response.status, (await response.text()).length < 1000]).toEqual([404, true]);
  }
  expect(records.map(({ error }) => String(error ?? "").length < 3000)).toEqual([true, true, true]);
});

test("very many tools are refused, and hold up no other request", async () => {
  const { post } = await openServer(forever, {}, { contextSize: 4096 });
  const many = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({
      ...weather,
      function: { ...weather.function, name: `weather_${index}` },
    }));
  expect(await refusalOf(await post(chat, chatOf({ tools: many(500) })))).toEqual([
    400,
    "invalid_request_error",
    "invalid_schema",
    "tools",
  ]);
  expect((await post(chat, chatOf({ tools: many(10) }))).status).toBe(200);
});

test("comments keep a stream alive while a prompt is slow", async () => {
  const { post, engine } = await openServer(forever, { keepAliveMs: 20 });
  const goOn = gate();
  engine.hooks.on("preGenerate", () => goOn.passed, { once: true, deadlineMs: 0 });
  const response = await post(chat, chatOf({ stream: true }));
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    pieces.push(decoder.decode(bytes));
    if (pieces.join("").split(": waiting\n\n").length > 2) goOn.open();
  }
  const text = pieces.join("");
  expect(text).toMatch(/^(?:: waiting\n\n){2,}data: /);
  expect(eventsOf(text).at(-1)?.data).toBe("[DONE]");
});
