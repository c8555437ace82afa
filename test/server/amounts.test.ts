// Requests whose bodies are small and hold too much.
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { chatOf, openServer, refusalOf, type Served, weather } from "../support/http/server.js";

const limits = { maxMessages: 4, maxTools: 2, maxInputs: 3 };
const user = { role: "user", content: "Hi" };
const many = (count: number, make: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, i) => make(i));
const users = (count: number): object[] => many(count, () => user);
const tools = (count: number): object[] =>
  many(count, (index) => ({ ...weather, function: { ...weather.function, name: `w${index}` } }));
const claudeTools = (count: number): object[] =>
  many(count, (index) => ({ name: `w${index}`, input_schema: { type: "object" } }));
const uses = (count: number): object[] =>
  many(count, (index) => ({ type: "tool_use", id: `c${index}`, name: "w", input: {} }));
const results = (count: number): object[] =>
  many(count, (index) => ({ type: "tool_result", tool_use_id: `c${index}`, content: "sun" }));
const calls = (count: number): object[] =>
  many(count, (index) => ({ id: `c${index}`, type: "function", function: { name: "w", arguments: "{}" } }));
const items = (count: number): object[] =>
  many(count, (index) => ({ type: "function_call", call_id: `c${index}`, name: "w", arguments: "{}" }));
const namespaced = {
  type: "namespace",
  name: "n",
  tools: many(3, (index) => ({ type: "function", name: `w${index}` })),
};

/** Path, the member that is too large, a body with too much, and a body with the maximum; undefined: none. */
const cases: readonly (readonly [string, string, object, object?])[] = [
  ["/v1/chat/completions", "messages", { messages: users(5) }, { messages: users(4) }],
  [
    "/v1/chat/completions",
    "messages",
    { messages: [user, { role: "assistant", content: "", tool_calls: calls(3) }, user] },
  ],
  ["/v1/chat/completions", "tools", chatOf({ tools: tools(3) }), chatOf({ tools: tools(2) })],
  ["/v1/chat/completions", "stop", chatOf({ stop: ["a", "b", "c", "d"] }), chatOf({ stop: ["a", "b", "c"] })],
  ["/v1/chat/completions", "logit_bias", chatOf({ logit_bias: { 1: 1, 2: 1, 3: 1, 4: 1 } })],
  ["/v1/messages", "messages", { max_tokens: 4, messages: users(5) }],
  [
    "/v1/messages",
    "messages",
    {
      max_tokens: 4,
      messages: [user, { role: "assistant", content: uses(1) }, { role: "user", content: results(3) }],
    },
  ],
  ["/v1/messages", "tools", { max_tokens: 4, messages: [user], tools: claudeTools(3) }],
  ["/v1/messages", "stop", { max_tokens: 4, messages: [user], stop_sequences: ["a", "b", "c", "d"] }],
  ["/v1/messages/count_tokens", "messages", { messages: users(5) }, { messages: users(4) }],
  ["/v1/messages/count_tokens", "tools", { messages: [user], tools: claudeTools(3) }],
  ["/v1/responses", "input", { input: users(5) }, { input: users(4) }],
  ["/v1/responses", "input", { input: [user, ...items(3), { ...user }] }],
  ["/v1/responses", "tools", { input: "Hi", tools: [namespaced] }],
  ["/v1/embeddings", "input", { input: ["a", "b", "c", "d"] }, { input: ["a", "b", "c"] }],
  ["/v1/embeddings", "input", { input: [[1], [1], [1], [1]] }],
  ["/v1/rerank", "documents", { query: "a", documents: ["a", "b", "c", "d"] }],
];

test.each(cases.map(([path, member, body, fits], index) => ({ index, path, member, body, fits })))(
  "$index: $path with too many of $member is refused, and the message names the limit",
  async ({ path, member, body, fits }) => {
    const { post } = await openServer({ replies: ["Hello there."], afterLast: "repeat" }, limits);
    const refused = await post(path, body);
    const { message } = ((await refused.clone().json()) as { error: { message: string } }).error;
    expect(message).toMatch(/this server takes at most \d in a request \(max(Messages|Tools|Inputs)\)/);
    expect(message).toContain(member);
    if (path.startsWith("/v1/messages")) expect(refused.status).toBe(400);
    else expect(await refusalOf(refused)).toEqual([400, "invalid_request_error", "array_above_max_length", member]);
    if (fits !== undefined) expect((await post(path, fits)).status).toBe(200);
  },
);

test("the message counts in English", async () => {
  const { post } = await openServer(["Hello there."], limits);
  const refused = await post("/v1/chat/completions", chatOf({ logit_bias: { 1: 1, 2: 1, 3: 1, 4: 1 } }));
  expect(((await refused.json()) as { error: { message: string } }).error.message).toBe(
    "logit_bias has 4 biases: this server takes at most 3 in a request (maxInputs)",
  );
});

/** The statuses of the requests to /health that were answered before the given request. */
async function statusesUntil(request: Promise<Response>, { server }: Served): Promise<readonly number[]> {
  const statuses: number[] = [];
  const ended = request.then(() => true);
  for (;;) {
    const { status } = await fetch(new URL("/health", server.url));
    if (await Promise.race([ended, setImmediate(false)])) return statuses;
    statuses.push(status);
  }
}

test("while the tokens of a long conversation with many tools are counted, other requests are answered", async () => {
  const served = await openServer(["Hello there."]);
  const messages = Array.from({ length: 801 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index} of a conversation that has many.`,
  }));
  const body = { messages, tools: claudeTools(100) };
  const request = served.post("/v1/messages/count_tokens", body);
  const statuses = await statusesUntil(request, served);
  const response = await request;
  expect(response.status).toBe(200);
  expect(((await response.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(801);
  expect(statuses.length).toBeGreaterThan(3);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
