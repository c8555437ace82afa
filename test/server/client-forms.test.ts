// Forms of requests that clients of coding agents send.
import Anthropic, { BadRequestError } from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import type { PreGenerateEvent } from "../../src/index.js";
import { chatOf, openServer } from "../support/http/server.js";

const ask = (more: object = {}): Anthropic.MessageCreateParamsNonStreaming => ({
  model: "default",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hi" }],
  ...more,
});

async function openMessages(replies: Parameters<typeof openServer>[0]): Promise<{
  readonly client: Anthropic;
  readonly post: Awaited<ReturnType<typeof openServer>>["post"];
  readonly seen: Pick<PreGenerateEvent, "messages" | "params" | "tools">[];
}> {
  const { server, post, engine } = await openServer(replies);
  const seen: Pick<PreGenerateEvent, "messages" | "params" | "tools">[] = [];
  engine.hooks.on("preGenerate", ({ messages, params, tools }) => void seen.push({ messages, params, tools }));
  return { client: new Anthropic({ baseURL: server.origin, apiKey: "none", maxRetries: 0 }), post, seen };
}

test("a thread is refused in words that the client reads", async () => {
  const { client } = await openMessages(["Hello."]);
  const refused = client.messages.create(ask({ thread: { type: "create" } }));
  await expect(refused).rejects.toBeInstanceOf(BadRequestError);
  await expect(refused).rejects.toMatchObject({ status: 400, errorCode: "thread_unsupported_request" });
  expect(await client.messages.create(ask())).toMatchObject({ content: [{ text: "Hello." }] });
});

test("output_config gives the answer its schema, and the chat template the effort", async () => {
  const { client, seen } = await openMessages(['{"city": "Oslo"}']);
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const message = await client.messages.create(
    ask({
      output_config: { effort: "low", format: { type: "json_schema", schema } },
      thinking: { type: "between_tools" },
    }),
  );
  expect(message.content).toEqual([{ type: "text", text: '{"city": "Oslo"}' }]);
  expect(seen[0]?.params).toMatchObject({ jsonSchema: schema, chatTemplateArgs: { reasoning_effort: "low" } });
  for (const output_config of [{ effort: "little" }, { format: { type: "text" } }, { format: { type: "json_schema" } }])
    await expect(client.messages.create(ask({ output_config }))).rejects.toMatchObject({ status: 400 });
});

test.each([
  [undefined, false, undefined, []],
  [{ type: "disabled" }, false, undefined, []],
  [{ type: "between_tools" }, false, undefined, []],
  [{ type: "adaptive" }, undefined, undefined, ["Hm."]],
  [{ type: "adaptive", display: "summarized" }, undefined, undefined, ["Hm."]],
  [{ type: "adaptive", display: "omitted" }, undefined, undefined, ["Hm."], "thinking.display"],
  [{ type: "enabled", budget_tokens: 1024, display: "omitted" }, undefined, 1024, ["Hm."], "thinking.display"],
])("thinking: %j", async (thinking, reasoning, reasoningBudget, shown, ignored: string | null = null) => {
  const { client, seen } = await openMessages([
    { ...(shown.length > 0 && { reasoning: "Hm." }), text: "I look.", toolCalls: [{ name: "look", args: {} }] },
  ]);
  const tools = [{ name: "look", input_schema: { type: "object" } }];
  const asked = ask({ tools, ...(thinking && { thinking }) });
  const { data, response } = await client.messages.create(asked).withResponse();
  expect(seen[0]?.params).toMatchObject({
    ...(reasoning !== undefined && { reasoning }),
    ...(reasoningBudget !== undefined && { reasoningBudget }),
  });
  const thoughts = data.content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
  expect([thoughts, response.headers.get("llama-hooks-ignored")]).toEqual([shown, ignored]);
  expect(data.content.slice(shown.length)).toMatchObject([
    { type: "text", text: "I look." },
    { type: "tool_use", name: "look" },
  ]);
});

test("unknown forms of thinking are refused, with their place", async () => {
  const { client } = await openMessages(["Hello."]);
  for (const [thinking, param] of [
    [{ type: "interleaved" }, "thinking.type"],
    [{ type: "adaptive", display: "none" }, "thinking.display"],
    [{ type: "enabled", budget_tokens: -1 }, "thinking.budget_tokens"],
    ["adaptive", "thinking"],
  ])
    await expect(client.messages.create(ask({ thinking }))).rejects.toMatchObject({
      status: 400,
      error: { error: { param } },
    });
});

test("thinking sent back is read, whoever signed it, and redacted thinking is skipped", async () => {
  const { client, seen } = await openMessages(["unused", "Fine."]);
  const content = [
    { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" },
    { type: "redacted_thinking", data: "c2VjcmV0" },
    { type: "thinking", thinking: "", signature: "c2lnbmVk" },
    { type: "text", text: "Hello." },
  ];
  const turns = [
    { role: "user", content: "Hi" },
    { role: "assistant", content },
    { role: "user", content: "And?" },
  ];
  for (const type of ["adaptive", "disabled"])
    await client.messages.create(ask({ messages: turns, thinking: { type } }));
  for (const { messages } of seen)
    expect(messages[1]).toMatchObject({ role: "assistant", content: "Hello.", reasoning: "Hm." });
});

test("a last message of the assistant is continued", async () => {
  const { client } = await openMessages([{ pieces: ["One", " two", " three."] }, "Next."]);
  const messages = [
    { role: "user", content: "Count" },
    { role: "assistant", content: "One two" },
  ];
  expect((await client.messages.create(ask({ messages }))).content).toMatchObject([{ text: " three." }]);
});

test("references to tools, and inputs of calls that were cut off, are read", async () => {
  const { client, seen } = await openMessages(["unused", "Fine."]);
  const messages = [
    { role: "user", content: "Look" },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "t1", name: "search", input: '{"query": "wea' }],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: [{ type: "tool_reference", tool_name: "weather" }] },
      ],
    },
  ];
  await client.messages.create(ask({ messages }));
  expect(seen[0]?.messages.slice(1)).toMatchObject([
    { toolCalls: [{ name: "search", args: { arguments: '{"query": "wea' } }] },
    { content: "Found the tool weather.\n" },
  ]);
});

const found = (...references: string[]): Anthropic.MessageParam[] => [
  { role: "user", content: "Look" },
  { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "search", input: {} }] },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "t1",
        content: references.map((tool_name) => ({ type: "tool_reference", tool_name })),
      },
    ],
  },
];
const late = (name: string): object => ({ name, input_schema: { type: "object" }, defer_loading: true });
const search = { name: "search", input_schema: { type: "object" }, defer_loading: false };

test.each([
  ["at first", {}, [search, late("weather"), late("mail")], ["search"]],
  ["when it is found", { messages: found("weather") }, [search, late("weather"), late("mail")], ["search", "weather"]],
  ["when it has been called", { messages: found() }, [{ ...search, name: "list" }, late("search")], ["list", "search"]],
  [
    "when it must be called",
    { tool_choice: { type: "tool", name: "mail" } },
    [search, late("mail")],
    ["search", "mail"],
  ],
  ["if there is no other", {}, [late("weather"), late("mail")], ["weather", "mail"]],
  [
    "if Anthropic would search",
    {},
    [{ type: "tool_search_tool_bm25", name: "s" }, search, late("mail")],
    ["search", "mail"],
  ],
])("a deferred tool, %s", async (_, more, tools, offered) => {
  const { client, seen } = await openMessages([{ toolCalls: offered.slice(-1).map((name) => ({ name, args: {} })) }]);
  const asked = { ...ask({ ...more }), tools: tools as Anthropic.Tool[] };
  const { max_tokens, ...whole } = asked;
  const counted = await client.messages.countTokens({ ...whole, model: "default" });
  const { usage } = await client.messages.create({ ...asked, max_tokens });
  expect(seen.map((one) => one.tools.map(({ name }) => name))).toEqual([offered]);
  expect(usage.input_tokens).toBe(counted.input_tokens);
});

test("a deferred tool is checked like the others", async () => {
  const { client } = await openMessages(["Hello."]);
  for (const wrong of [late("no name"), { ...late("weather"), defer_loading: "yes" }, late("search")])
    await expect(client.messages.create(ask({ tools: [search, wrong] }))).rejects.toMatchObject({ status: 400 });
});

const tool = (name: string): object => ({ type: "function", function: { name } });

test("allowed_tools leaves a chat the tools that it names", async () => {
  const { post, seen } = await openMessages([{ toolCalls: [{ name: "second", args: {} }] }]);
  const allowed_tools = { mode: "required", tools: [tool("second")] };
  const tool_choice = { type: "allowed_tools", allowed_tools };
  const answer = await post("/v1/chat/completions", { ...chatOf(), tools: ["first", "second"].map(tool), tool_choice });
  expect(await answer.json()).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
  expect(seen[0]).toMatchObject({ tools: [{ name: "second" }], params: { toolChoice: "required" } });
});

test.each([
  ["{", { arguments: "{" }],
  ["", {}],
  ["null", {}],
  ["[1]", { arguments: "[1]" }],
  ['{"city": "Os', { arguments: '{"city": "Os' }],
  ['{"city": "Oslo"}', { city: "Oslo" }],
])("a past call with the arguments %j continues", async (text, args) => {
  const { post, seen } = await openMessages(["unused", "Fine."]);
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", tool_calls: [{ id: "1", type: "function", function: { name: "weather", arguments: text } }] },
    { role: "tool", tool_call_id: "1", content: "no" },
  ];
  const answer = await post("/v1/chat/completions", { ...chatOf(), messages });
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "Fine." } }] });
  expect(seen[0]?.messages[1]).toMatchObject({ toolCalls: [{ name: "weather", args }] });
});

test("a conversation that is too long is refused in the words that clients look for", async () => {
  const { client, post } = await openMessages(["Hello."]);
  const content = "x".repeat(9000);
  await expect(client.messages.create(ask({ messages: [{ role: "user", content }] }))).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("prompt is too long") as string,
  });
  const answer = await post("/v1/chat/completions", chatOf({}, content));
  expect(await answer.json()).toMatchObject({
    error: { code: "context_length_exceeded", message: expect.stringContaining("prompt is too long") as string },
  });
});
