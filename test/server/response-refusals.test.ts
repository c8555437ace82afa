// Requests for responses that are refused, or have members without an effect.
import { expect, test } from "vitest";
import { openServer, refusalOf, weather as chatWeather } from "../support/http/server.js";

const ask = (more: object = {}): object => ({ model: "default", input: "Hi", ...more });
const weather = { type: "function", ...chatWeather.function };

test("members without an effect are named, and tools that are no functions are left out", async () => {
  const { post, engine } = await openServer();
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ tools }) => void seen.push(tools.map(({ name }) => name)));
  const long = { ...weather, name: "w".repeat(125) };
  const response = await post("/v1/responses", {
    ...ask({ store: true, background: false, include: ["reasoning.encrypted_content"] }),
    reasoning: { context: "all_turns" },
    text: { verbosity: "low" },
    client_metadata: {},
    conversation: null,
    tools: [{ type: "web_search" }, weather, { type: "namespace", name: "other", tools: [long, { type: "custom" }] }],
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("llama-hooks-ignored")).toBe(
    "include, client_metadata, reasoning.context, text.verbosity, tools[0], tools[2].tools[0], tools[2].tools[1]",
  );
  expect(await response.json()).toMatchObject({ store: false });
  expect(seen).toEqual([["weather"]]);
});

const item = (more: object): object => ({ input: [more] });
const message = (...content: object[]): object => item({ role: "user", content });
const call = { type: "function_call", call_id: "1", name: "weather" };

test.each<[string, object, string | null, string]>([
  ["no input", { input: undefined }, null, "input"],
  ["an empty input", { input: [] }, null, "input"],
  ["an item that is a text", { input: ["Hi"] }, null, "input[0]"],
  ["a role that there is not", item({ role: "king", content: "Hi" }), null, "input[0].role"],
  ["a content that is a number", item({ role: "user", content: 5 }), null, "input[0].content"],
  ["an image", message({ type: "input_image" }), "unsupported", "input[0].content[0].type"],
  [
    "a file",
    message({ type: "input_text", text: "" }, { type: "input_file" }),
    "unsupported",
    "input[0].content[1].type",
  ],
  ["a part without a text", message({ type: "input_text" }), null, "input[0].content[0].text"],
  ["a part of another prototype", message({ type: "toString" }), "unsupported", "input[0].content[0].type"],
  ["an item of another kind", item({ type: "image_generation_call", id: "ig_1" }), "unsupported", "input[0].type"],
  ["arguments that are a number", item({ ...call, arguments: 7 }), null, "input[0].arguments"],
  ["a call without its id", item({ ...call, call_id: undefined, arguments: "{}" }), null, "input[0].call_id"],
  [
    "an image as a result",
    item({ type: "function_call_output", call_id: "1", output: [{ type: "input_image" }] }),
    "unsupported",
    "input[0].output[0].type",
  ],
  ["a reasoning that is not a list", item({ type: "reasoning", summary: "x" }), null, "input[0].summary"],
  ["previous_response_id", { previous_response_id: "resp_1" }, "unsupported", "previous_response_id"],
  ["conversation", { conversation: "conv_1" }, "unsupported", "conversation"],
  ["prompt", { prompt: { id: "p" } }, "unsupported", "prompt"],
  ["background", { background: true }, "unsupported", "background"],
  ["instructions that are a list", { instructions: [] }, null, "instructions"],
  ["max_output_tokens of zero", { max_output_tokens: 0 }, null, "max_output_tokens"],
  ["a temperature that is a text", { temperature: "1" }, null, "temperature"],
  ["an effort that there is not", { reasoning: { effort: "heroic" } }, null, "reasoning.effort"],
  ["a format that there is not", { text: { format: { type: "xml" } } }, null, "text.format.type"],
  ["a format without a schema", { text: { format: { type: "json_schema" } } }, null, "text.format.schema"],
  [
    "a schema that is none",
    { text: { format: { type: "json_schema", name: "a", schema: { type: "nonsense" } } } },
    "invalid_schema",
    "text.format",
  ],
  ["metadata that are a text", { metadata: "x" }, null, "metadata"],
  ["a tool without a name", { tools: [{ type: "function" }] }, null, "tools[0].name"],
  ["two tools of one name", { tools: [weather, weather] }, null, "tools[1].name"],
  ["a choice without tools", { tool_choice: "required" }, null, "tool_choice"],
  [
    "a choice that is not a tool",
    { tools: [weather], tool_choice: { type: "function", name: "x" } },
    null,
    "tool_choice.name",
  ],
  ["a choice of another kind", { tool_choice: { type: "web_search" } }, "unsupported", "tool_choice.type"],
  [
    "an allowed tool that is none",
    {
      tools: [weather],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "x" }] },
    },
    null,
    "tool_choice.tools[0].name",
  ],
  ["a user that is too long", { user: "x".repeat(600) }, null, "user"],
  ["an input that is too long", { input: "x".repeat(9000) }, "context_length_exceeded", "input"],
])("%s is refused with the place", async (_, more, code, param) => {
  const { post } = await openServer();
  const response = await post("/v1/responses", { ...ask(), ...more });
  expect(await refusalOf(response)).toEqual([400, "invalid_request_error", code, param]);
});
