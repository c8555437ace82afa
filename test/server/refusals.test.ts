// Requests that are refused: each with a status, and an envelope that names the member.
import { expect, test } from "vitest";
import { remote } from "../../src/index.js";
import { scriptModel } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { asksWeather, chatOf, openServer, refusalOf, weather } from "../support/http/server.js";

const bad = "invalid_request_error";
const user = { role: "user", content: "Hi" };
const messages = (...more: unknown[]): object => ({ messages: more });
const calls = (args: unknown): object => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "1", type: "function", function: { name: "weather", arguments: args } }],
});
const tool = (more: object): object => ({ type: "function", function: { ...weather.function, ...more } });

/** The members of a request, what they are refused with, and the path of the member. */
const refusals: readonly (readonly [string, object, string | null, string])[] = [
  ["no messages", { messages: undefined }, null, "messages"],
  ["an empty list of messages", { messages: [] }, null, "messages"],
  ["a message that is a text", messages("Hi"), null, "messages[0]"],
  ["a role that there is not", messages({ role: "king", content: "Hi" }), null, "messages[0].role"],
  ["the role function", messages({ role: "function", content: "Hi" }), "unsupported", "messages[0].role"],
  ["a content that is a number", messages(user, { role: "user", content: 5 }), null, "messages[1].content"],
  [
    "an image",
    messages({ role: "user", content: [{ type: "image_url", image_url: { url: "file:///etc/passwd" } }] }),
    "unsupported",
    "messages[0].content[0].type",
  ],
  ["an assistant that says nothing", messages({ role: "assistant" }), null, "messages[0].content"],
  ["arguments that are a number", messages(user, calls(7)), null, "messages[1].tool_calls[0].function.arguments"],
  ["a result without its call", messages({ role: "tool", content: "3" }), null, "messages[0].tool_call_id"],
  ["n", { n: 2 }, "unsupported", "n"],
  ["functions", { functions: [] }, "unsupported", "functions"],
  ["function_call", { function_call: "auto" }, "unsupported", "function_call"],
  ["a temperature below zero", { temperature: -1 }, null, "temperature"],
  ["a temperature that is a text", { temperature: "0.5" }, null, "temperature"],
  ["a top_k that is not an integer", { top_k: 1.5 }, null, "top_k"],
  ["max_tokens of zero", { max_tokens: 0 }, null, "max_tokens"],
  ["max_completion_tokens of zero", { max_completion_tokens: 0 }, null, "max_completion_tokens"],
  ["an empty stop", { stop: [""] }, null, "stop"],
  ["a bias for a word", { logit_bias: { word: 1 } }, null, "logit_bias"],
  ["a bias that is too large", { logit_bias: { 5: 1000 } }, null, "logit_bias.5"],
  ["an effort that there is not", { reasoning_effort: "heroic" }, null, "reasoning_effort"],
  ["kwargs that are a list", { chat_template_kwargs: [] }, null, "chat_template_kwargs"],
  ["a format that there is not", { response_format: { type: "xml" } }, null, "response_format.type"],
  [
    "a format without a schema",
    { response_format: { type: "json_schema" } },
    null,
    "response_format.json_schema.schema",
  ],
  [
    "a schema that is none",
    { response_format: { type: "json_schema", json_schema: { name: "a", schema: { type: "nonsense" } } } },
    "invalid_schema",
    "response_format",
  ],
  ["a grammar that does not parse", { grammar: "root ::= (" }, "invalid_grammar", "grammar"],
  ["tools that are a text", { tools: "weather" }, null, "tools"],
  ["a tool without a name", { tools: [tool({ name: "" })] }, null, "tools[0].function.name"],
  ["two tools of one name", { tools: [weather, weather] }, null, "tools[1].function.name"],
  ["parameters that are a text", { tools: [tool({ parameters: "none" })] }, null, "tools[0].function.parameters"],
  ["parameters that are no schema", { tools: [tool({ parameters: { type: "nonsense" } })] }, "invalid_schema", "tools"],
  ["a call that must be, of no tool", { tool_choice: "required" }, null, "tool_choice"],
  [
    "the choice of a tool that there is not",
    { tools: [weather], tool_choice: { type: "function", function: { name: "other" } } },
    null,
    "tool_choice.function.name",
  ],
  [
    "a choice of another form",
    { tools: [weather], tool_choice: { type: "allowed_tools" } },
    null,
    "tool_choice.allowed_tools",
  ],
  ["a stream that is a text", { stream: "yes" }, null, "stream"],
  ["a user that is too long", { user: "x".repeat(513) }, null, "user"],
  ["a model that is a number", { model: 5 }, null, "model"],
];

test("each wrong member of a chat request is 400, with its path", async () => {
  const { post } = await openServer([asksWeather]);
  const found = [];
  for (const [what, members] of refusals)
    found.push([what, ...(await refusalOf(await post("/v1/chat/completions", { ...chatOf(), ...members })))]);
  expect(found).toEqual(refusals.map(([what, , code, param]) => [what, 400, bad, code, param]));
});

test("the messages of refusals name members as the request does", async () => {
  const { post } = await openServer();
  const response = await post("/v1/chat/completions", chatOf({ top_k: -1 }));
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toBe("top_k must be an integer of at least 0, got -1");
});

test("what an owner decides has no effect in a request", async () => {
  const { post, engine } = await openServer();
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void seen.push(params));
  const own = {
    adapters: [{ id: "a" }],
    special_tokens: "allow",
    ignore_eos: true,
    hooks: [],
    tier: "lead",
    priority: -5,
    raw: true,
  };
  const response = await post("/v1/chat/completions", chatOf(own));
  expect(response.headers.get("llama-hooks-ignored")).toBe(Object.keys(own).join(", "));
  expect(seen).toMatchObject([{ specialTokens: "text", ignoreEos: false }]);
});

test("a path that there is not is 404, and another method 405 with the one that it takes", async () => {
  const { server, post } = await openServer();
  expect(await refusalOf(await post("/v1/nothing", {}))).toEqual([404, "not_found_error", "not_found", null]);
  const wrong = await fetch(`${server.origin}/v1/chat/completions`);
  expect(wrong.headers.get("allow")).toBe("POST");
  expect(await refusalOf(wrong)).toEqual([405, bad, "method_not_allowed", null]);
  const preflight = await fetch(`${server.origin}/v1/chat/completions`, { method: "OPTIONS" });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([405, null]);
});

test("an engine with too much to do is 429, to be tried again", async () => {
  const models = { default: { path: await scriptModel(["Hello."]), parallel: 1 } };
  const { post, engine } = await openServer([], {}, { models, maxQueued: 1 });
  const goOn = gate();
  const waiting: Promise<Response>[] = [];
  engine.hooks.on("preGenerate", () => goOn.passed);
  // parallel + 8 run, one waits, and the next is refused.
  for (let i = 0; i < 11; i++) waiting.push(post("/v1/chat/completions", chatOf()));
  const refused = await Promise.race(waiting);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  goOn.open();
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
});

test("a model elsewhere that cannot be reached is 502, and the response does not say where it is", async () => {
  const records: { error?: unknown }[] = [];
  const gone = await openServer();
  await gone.server.close();
  const provider = remote(`${gone.server.origin}/v1`, { model: "far", retries: 0 });
  const { post } = await openServer(
    [],
    { onRequest: (record) => records.push(record) },
    { models: { far: { provider } } },
  );
  const response = await post("/v1/chat/completions", chatOf({ model: "far" }));
  const text = await response.text();
  expect([response.status, text]).toEqual([502, expect.stringContaining("remote_unreachable")]);
  expect(text).not.toContain("127.0.0.1");
  expect(records).toMatchObject([{ error: { code: "REMOTE_UNREACHABLE" } }]);
});

test("a fault of the model is not the client's: the response has the code and the id of the request", async () => {
  const records: { id: string; error?: unknown }[] = [];
  const { post, engine } = await openServer(undefined, { onRequest: (record) => records.push(record) });
  await engine.close();
  const response = await post("/v1/chat/completions", chatOf());
  const id = response.headers.get("x-request-id");
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: { message: `The request ${id} failed (closed)`, type: "server_error", code: "closed", param: null } },
  ]);
  expect(records).toMatchObject([{ id, error: { code: "CLOSED" } }]);
});
