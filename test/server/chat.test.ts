import type OpenAI from "openai";
import { expect, test } from "vitest";
import { asksWeather, chatOf, openServer, weather } from "../support/http/server.js";
import { unwilling } from "../support/engine.js";

test("the client of OpenAI gets an answer, its cost and the id of the request", async () => {
  const { client } = await openServer();
  const { data: answer, request_id: id } = await client.chat.completions.create(chatOf()).withResponse();
  expect(answer).toMatchObject({
    object: "chat.completion",
    model: "default",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello there.", refusal: null },
        finish_reason: "stop",
        logprobs: null,
      },
    ],
  });
  expect(answer.id).toBe(`chatcmpl-${id}`);
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = answer.usage ?? {};
  expect(prompt).toBeGreaterThan(0);
  expect(completion).toBeGreaterThan(0);
  expect(total).toBe((prompt ?? 0) + (completion ?? 0));
});

test("roles and parts of messages reach the model as the engine's messages", async () => {
  const { client, engine } = await openServer({ replies: ["Fine."], afterLast: "repeat" });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages));
  await client.chat.completions.create({
    model: "default",
    messages: [
      { role: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "How " },
          { type: "text", text: "is it?" },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "3 degrees" },
    ],
  });
  expect(seen).toEqual([
    [
      { role: "system", content: "Be brief." },
      { role: "user", content: "How is it?" },
      { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "weather", args: { city: "Oslo" } }] },
      { role: "tool", content: "3 degrees", toolCallId: "call_1", toolName: "weather" },
    ],
  ]);
});

test("sampling parameters reach the engine by OpenAI's names and by its own", async () => {
  const { post, engine } = await openServer();
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void seen.push(params));
  const asked = {
    temperature: 0.5,
    top_p: 0.9,
    top_k: 7,
    min_p: 0.01,
    seed: 11,
    stop: "xyz",
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    repeat_penalty: 1.1,
    max_tokens: 5,
    max_completion_tokens: 9,
    logit_bias: { "100": -100, "101": 2 },
    user: null,
  };
  expect((await post("/v1/chat/completions", chatOf(asked))).status).toBe(200);
  expect(seen).toMatchObject([
    {
      temperature: 0.5,
      topP: 0.9,
      topK: 7,
      minP: 0.01,
      seed: 11,
      stop: ["xyz"],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      repeatPenalty: 1.1,
      maxTokens: 9,
      logitBias: [
        { token: 100, bias: null },
        { token: 101, bias: 2 },
      ],
    },
  ]);
});

test("an answer that reaches max_tokens ends with length", async () => {
  const { client } = await openServer(["One two three four five."]);
  const answer = await client.chat.completions.create(chatOf({ max_tokens: 2 }));
  expect(answer.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "One two" } });
});

test("reasoning comes apart from the answer, and an effort of none turns it off", async () => {
  const { post, engine } = await openServer([{ reasoning: "Let me think.", text: "Yes." }]);
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void seen.push([params.reasoning, params.chatTemplateArgs]));
  const efforts = ["none", "low"];
  const answers = [];
  for (const effort of efforts) {
    const asked = chatOf({ reasoning_effort: effort, chat_template_kwargs: { mood: "calm" } });
    const response = await post("/v1/chat/completions", asked);
    answers.push((await response.json()) as OpenAI.ChatCompletion);
  }
  expect(answers[1]?.choices[0]?.message).toMatchObject({ content: "Yes.", reasoning_content: "Let me think." });
  expect(answers[1]?.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
  expect(seen).toEqual([
    [false, { mood: "calm" }],
    [true, { mood: "calm", reasoning_effort: "low" }],
  ]);
});

test("tool calls come in the client's form, and their results continue the conversation", async () => {
  const { client } = await openServer([asksWeather, "It is 3 degrees."]);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weather in Oslo?" }];
  const first = await client.chat.completions.create({ model: "default", messages, tools: [weather] });
  const [choice] = first.choices;
  expect(choice).toMatchObject({
    finish_reason: "tool_calls",
    message: {
      content: null,
      tool_calls: [{ type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
    },
  });
  const call = choice?.message.tool_calls?.[0];
  if (choice === undefined || call === undefined) throw new Error("there is no call");
  messages.push(choice.message, { role: "tool", tool_call_id: call.id, content: "3" });
  const second = await client.chat.completions.create({ model: "default", messages, tools: [weather] });
  expect(second.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "It is 3 degrees." } });
});

test("the choice among tools reaches the engine", async () => {
  const { client, engine } = await openServer({ replies: [asksWeather], afterLast: "repeat" });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void seen.push([params.toolChoice, params.parallelToolCalls]));
  const named = { type: "function", function: { name: "weather" } } as const;
  for (const tool_choice of ["auto", "none", "required", named] as const)
    await client.chat.completions.create({ ...chatOf(), tools: [weather], tool_choice, parallel_tool_calls: false });
  expect(seen).toEqual([
    ["auto", false],
    ["none", false],
    ["required", false],
    [{ tool: "weather" }, false],
  ]);
});

test("an answer follows a JSON schema", async () => {
  const { client } = await openServer(['{"city": "Oslo", "degrees": 3}']);
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, degrees: { type: "integer" } },
    required: ["city", "degrees"],
    additionalProperties: false,
  };
  const answer = await client.chat.completions.parse({
    ...chatOf(),
    response_format: { type: "json_schema", json_schema: { name: "weather", strict: true, schema } },
  });
  expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ city: "Oslo", degrees: 3 });
});

test("a format of json_object gives an object", async () => {
  const { client } = await openServer(unwilling("no JSON at all"));
  const answer = await client.chat.completions.create(
    chatOf({ response_format: { type: "json_object" }, max_tokens: 64 }),
  );
  expect(answer.choices[0]?.message.content).toMatch(/^\s*\{/);
});

test("log probabilities come with the tokens of the text and their bytes", async () => {
  const { client } = await openServer([{ reasoning: "Hm.", text: "Hi you" }]);
  const answer = await client.chat.completions.create(chatOf({ logprobs: true, top_logprobs: 2 }));
  const content = answer.choices[0]?.logprobs?.content ?? [];
  expect(content.map(({ token }) => token).join("")).toContain("Hi you");
  expect(content.map(({ token }) => token).join("")).not.toContain("Hm");
  const hi = content.find(({ token }) => token === "Hi");
  expect(hi).toMatchObject({ token: "Hi", bytes: [72, 105] });
  expect(hi?.logprob).toBeLessThanOrEqual(0);
  expect(hi?.top_logprobs).toHaveLength(2);
});

test("members without an effect are named, and tools that are no functions are left out", async () => {
  const { post, engine } = await openServer();
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ tools }) => void seen.push(tools.map(({ name }) => name)));
  const asked = chatOf({ store: true, "odd name\r\n": 1, tools: [{ type: "web_search" }, weather], metadata: null });
  const response = await post("/v1/chat/completions", asked);
  expect(response.status).toBe(200);
  expect(response.headers.get("llama-hooks-ignored")).toBe("store, odd%20name%0D%0A, tools[0]");
  expect(seen).toEqual([["weather"]]);
});

test("a request without a model gets the only one", async () => {
  const { post } = await openServer();
  const response = await post("/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }] });
  expect(await response.json()).toMatchObject({ model: "default" });
});
