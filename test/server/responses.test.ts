import type OpenAI from "openai";
import { expect, test } from "vitest";
import { ask, eventsIn, thinks, typesOf, weather } from "../support/http/responses.js";
import { asksWeather, eventsOf, openServer } from "../support/http/server.js";

test("the client of OpenAI gets a response, its cost and what it asked for", async () => {
  const { client } = await openServer([thinks]);
  const asked = ask({ instructions: "Be brief.", metadata: { a: "b" }, max_output_tokens: 99, temperature: 0.5 });
  const { data: response, request_id: id } = await client.responses.create(asked).withResponse();
  expect(response).toMatchObject({
    id: `resp_${id}`,
    object: "response",
    status: "completed",
    model: "default",
    output_text: "Hello there.",
    error: null,
    incomplete_details: null,
    instructions: "Be brief.",
    metadata: { a: "b" },
    max_output_tokens: 99,
    temperature: 0.5,
    tools: [],
    tool_choice: "auto",
    parallel_tool_calls: true,
    store: false,
    text: { format: { type: "text" } },
  });
  expect(response.output).toMatchObject([
    { type: "reasoning", content: [{ type: "reasoning_text", text: "Let me think." }], status: "completed" },
    {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Hello there.", annotations: [] }],
    },
  ]);
  const { usage } = response;
  expect(usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  expect(usage?.input_tokens_details.cached_tokens).toBe(0);
  expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
});

test("instructions and items reach the model as the engine's messages", async () => {
  const { client, engine } = await openServer(["Fine."]);
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages, params }) => void seen.push(messages, params));
  const call = (id: string, city: string): OpenAI.Responses.ResponseInputItem => ({
    type: "function_call",
    call_id: id,
    name: "weather",
    arguments: JSON.stringify({ city }),
  });
  await client.responses.create(
    ask({
      instructions: "Be brief.",
      reasoning: { effort: "low" },
      top_p: 0.5,
      max_output_tokens: 50,
      safety_identifier: "u1",
      input: [
        { role: "developer", content: "And polite." },
        { role: "user", content: [{ type: "input_text", text: "How is it?" }] },
        { type: "reasoning", id: "rs_0", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Let me see.", annotations: [] }],
        },
        call("c1", "Oslo"),
        call("c2", "Rome"),
        { type: "function_call_output", call_id: "c1", output: "3 degrees" },
        { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "no such city" }] },
        { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "?" },
        { role: "assistant", content: "It is cold." },
        { role: "user", content: "Go on." },
      ],
    }),
  );
  const called = (id: string, city: string): object => ({ id, name: "weather", args: { city } });
  expect(seen).toMatchObject([
    [
      { role: "system", content: "Be brief.\n\nAnd polite." },
      { role: "user", content: "How is it?" },
      {
        role: "assistant",
        content: "Let me see.",
        reasoning: "Hm.",
        toolCalls: [called("c1", "Oslo"), called("c2", "Rome")],
      },
      { role: "tool", content: "3 degrees", toolCallId: "c1", toolName: "weather" },
      { role: "tool", content: "no such city", toolCallId: "c2", toolName: "weather" },
      { role: "assistant", content: "It is cold." },
      { role: "user", content: "Go on." },
    ],
    { maxTokens: 50, topP: 0.5, chatTemplateArgs: { reasoning_effort: "low" } },
  ]);
});

test("an effort of none turns the reasoning off", async () => {
  const { client, engine } = await openServer();
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void seen.push(params.reasoning));
  await client.responses.create(ask({ reasoning: { effort: "none" } }));
  expect(seen).toEqual([false]);
});

test("the client's word for its user is a tag of the call", async () => {
  const { client, engine } = await openServer({ replies: ["Hi."], afterLast: "repeat" });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ meta }) => void seen.push(meta.tags?.["user"]));
  await client.responses.create(ask({ user: "ann" }));
  await client.responses.create(ask({ safety_identifier: "ben", prompt_cache_key: "k" }));
  expect(seen).toEqual(["ann", "ben"]);
});

test("a stream is items that begin, grow and end, and is the response that it ends with", async () => {
  const { client } = await openServer([thinks]);
  const stream = client.responses.stream(ask());
  const events = await eventsIn(stream);
  expect(typesOf(events)).toEqual([
    "created",
    "in_progress",
    "output_item.added",
    "content_part.added",
    "reasoning_text.delta",
    "reasoning_text.done",
    "content_part.done",
    "output_item.done",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
    "completed",
  ]);
  const response = await stream.finalResponse();
  expect(response.output_text).toBe("Hello there.");
  const done = events.flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));
  const last = events.at(-1);
  expect(last?.type === "response.completed" && last.response.output).toEqual(done);
});

test("a client that asks for a summary of the reasoning gets the reasoning as that, whole and streamed", async () => {
  const { client, post, engine } = await openServer({ replies: [thinks, thinks, thinks], afterLast: "repeat" });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages.map(({ reasoning }) => reasoning)));
  const summary = [{ type: "summary_text", text: "Let me think." }];
  const asked = ask({ reasoning: { summary: "auto" } });
  const whole = await client.responses.create(asked);
  expect(whole.output[0]).toMatchObject({ type: "reasoning", summary, status: "completed" });
  expect(whole.output[0]).not.toHaveProperty("content");
  expect(whole.reasoning).toMatchObject({ summary: "auto" });
  const stream = client.responses.stream(asked);
  const events = await eventsIn(stream);
  const types = typesOf(events);
  expect(types.slice(3, 8)).toEqual([
    "reasoning_summary_part.added",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.done",
    "reasoning_summary_part.done",
    "output_item.done",
  ]);
  expect(events.slice(3, 7)).toMatchObject(Array.from({ length: 4 }, () => ({ summary_index: 0 })));
  const { output } = await stream.finalResponse();
  expect(output[0]).toMatchObject({ type: "reasoning", summary });
  // Sent back, it is the reasoning again.
  const user = (content: string) => ({ role: "user", content });
  await post("/v1/responses", { model: "default", input: [user("Hi"), ...output, user("Go")] });
  expect(seen.at(-1)).toEqual([undefined, "Let me think.", undefined]);
  // The member's former name.
  const former = await client.responses.create(ask({ reasoning: { generate_summary: "concise" } }));
  expect(former.output[0]).toMatchObject({ type: "reasoning", summary });
  await expect(client.responses.create(ask({ reasoning: { summary: "long" as "auto" } }))).rejects.toMatchObject({
    status: 400,
    param: "reasoning.summary",
  });
});

test.each([true, false])("events are named and numbered, and keep the ids of their items; held: %s", async (isHeld) => {
  const { post, engine } = await openServer([{ ...thinks, ...asksWeather }]);
  if (isHeld) engine.hooks.on("postGenerate", () => undefined);
  const response = await post("/v1/responses", { ...ask({ tools: [weather] }), stream: true });
  expect(response.headers.get("llama-hooks-stream")).toBe(isHeld ? "held" : null);
  const events = eventsOf(await response.text());
  const datas = events.map(({ data }) => data as Record<string, unknown>);
  expect(datas.map(({ type }) => type)).toEqual(events.map(({ event }) => event));
  expect(datas.map(({ sequence_number: number }) => number)).toEqual(datas.map((_, index) => index));
  const items = datas.flatMap((data) => (data["item"] === undefined ? [] : [data["item"] as Record<string, unknown>]));
  expect(items.map(({ type, status }) => [type, status])).toEqual([
    ["reasoning", "in_progress"],
    ["reasoning", "completed"],
    ["message", "in_progress"],
    ["message", "completed"],
    ["function_call", "in_progress"],
    ["function_call", "completed"],
  ]);
  expect(items.map(({ id }) => id)).toEqual(items.map((_, index) => items[index - (index % 2)]?.["id"]));
  expect(items[4]?.["call_id"]).toBe(items[5]?.["call_id"]);
  for (const { item_id: id, output_index: index } of datas)
    if (id !== undefined) expect(id).toBe(items[2 * (index as number)]?.["id"]);
  expect(datas.at(-1)?.["response"]).toMatchObject({ output: [items[1], items[3], items[5]] });
});

test("a tool is called, whole and streamed, and its result continues the conversation", async () => {
  const { client } = await openServer([asksWeather, "It is cold."]);
  const call = { type: "function_call", name: "weather", status: "completed" };
  const whole = await client.responses.create(ask({ tools: [weather] }));
  expect(whole.output).toMatchObject([{ ...call, arguments: '{"city":"Oslo"}' }]);
  const stream = client.responses.stream(ask({ tools: [weather], tool_choice: "required" }));
  const events = await eventsIn(stream);
  const { output } = await stream.finalResponse();
  expect(output).toMatchObject([call]);
  const [item] = output;
  if (item?.type !== "function_call") throw new Error("a call is needed");
  expect(JSON.parse(item.arguments)).toEqual({ city: "Oslo" });
  const deltas = events.flatMap((event) => (event.type === "response.function_call_arguments.delta" ? [event] : []));
  expect(deltas.map(({ delta }) => delta).join("")).toBe(item.arguments);
  const last = await client.responses.create(
    ask({
      tools: [weather],
      input: [
        { role: "user", content: "How is Oslo?" },
        { type: "function_call", call_id: item.call_id, name: item.name, arguments: item.arguments },
        { type: "function_call_output", call_id: item.call_id, output: "3 degrees" },
      ],
    }),
  );
  expect(last.output_text).toBe("It is cold.");
});

test("several calls are items of their own", async () => {
  const calls = ["Oslo", "Rome"].map((city) => ({ name: "weather", args: { city } }));
  const { client } = await openServer([{ toolCalls: calls }]);
  const { output } = await client.responses.stream(ask({ tools: [weather] })).finalResponse();
  const found = output.flatMap((item) => (item.type === "function_call" ? [item] : []));
  expect(found.map(({ arguments: args }) => JSON.parse(args) as unknown)).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
  expect(new Set(found.map(({ call_id: id }) => id)).size).toBe(2);
});

test("a tool of a namespace is called by both of its names", async () => {
  const { client, engine } = await openServer([
    { toolCalls: [{ name: "mcp__w__weather", args: { city: "Oslo" } }] },
    "Cold.",
  ]);
  const seen: unknown[] = [];
  engine.hooks.on(
    "preGenerate",
    ({ tools, messages }) =>
      void seen.push(
        tools.map(({ name }) => name),
        messages.at(-1),
      ),
  );
  const tools: OpenAI.Responses.Tool[] = [{ type: "namespace", name: "mcp__w", description: "", tools: [weather] }];
  const stream = client.responses.stream(ask({ tools }));
  const [call] = (await stream.finalResponse()).output;
  expect(call).toMatchObject({ type: "function_call", name: "weather", namespace: "mcp__w" });
  if (call?.type !== "function_call") throw new Error("a call is needed");
  const { call_id, name, namespace = "", arguments: args } = call;
  await client.responses.create(
    ask({
      tools,
      input: [
        { type: "function_call", call_id, name, namespace, arguments: args },
        { type: "function_call_output", call_id, output: "3" },
      ],
    }),
  );
  const last = { role: "tool", toolName: "mcp__w__weather", content: "3" };
  expect(seen).toMatchObject([["mcp__w__weather"], {}, ["mcp__w__weather"], last]);
});

test("the choice among tools reaches the engine", async () => {
  const { client, engine } = await openServer({ replies: [asksWeather], afterLast: "repeat" });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params, tools }) => {
    seen.push([params.toolChoice, params.parallelToolCalls, tools.map(({ name }) => name)]);
  });
  const time = { ...weather, name: "time" };
  const named = { type: "function", name: "weather" } as const;
  const allowed: OpenAI.Responses.ToolChoiceAllowed = { type: "allowed_tools", mode: "required", tools: [named] };
  for (const tool_choice of ["auto", "none", "required", named, allowed] as const)
    await client.responses.create(ask({ tools: [weather, time], tool_choice, parallel_tool_calls: false }));
  const both = ["weather", "time"];
  expect(seen).toEqual([
    ["auto", false, both],
    ["none", false, both],
    ["required", false, both],
    [{ tool: "weather" }, false, both],
    ["required", false, ["weather"]],
  ]);
});

test("an answer follows a JSON schema, which the client parses", async () => {
  const { client } = await openServer(['{"city": "Oslo", "degrees": 3}', "no JSON"]);
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, degrees: { type: "integer" } },
    required: ["city", "degrees"],
    additionalProperties: false,
  };
  const format = { type: "json_schema", name: "weather", strict: true, schema } as const;
  const answer = await client.responses.parse(ask({ text: { format } }));
  expect(answer.output_parsed).toEqual({ city: "Oslo", degrees: 3 });
  expect(answer.text).toEqual({ format });
  const free = await client.responses.create(ask({ text: { format: { type: "json_object" } }, max_output_tokens: 64 }));
  expect(free.output_text).toMatch(/^\s*\{/);
});

test("a response that reaches its limit is incomplete, and so is its last item", async () => {
  const { client } = await openServer({ replies: ["One two three four five."], afterLast: "repeat" });
  const asked = ask({ max_output_tokens: 2 });
  const cut = {
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [{ type: "message", status: "incomplete", content: [{ text: "One two" }] }],
  };
  expect(await client.responses.create(asked)).toMatchObject(cut);
  const stream = client.responses.stream(asked);
  const events = await eventsIn(stream);
  expect(await stream.finalResponse()).toMatchObject(cut);
  expect(events.at(-1)?.type).toBe("response.incomplete");
});

test("a client that leaves ends its response", async () => {
  const { client, engine } = await openServer(["word ".repeat(2000)]);
  const ended = new Promise<string>((resolve) => {
    engine.hooks.on("postGenerate", ({ finishReason }) => resolve(finishReason), { observe: true });
  });
  const stream = client.responses.stream(ask({ max_output_tokens: 1900 }));
  stream.done().catch(() => undefined);
  await new Promise<void>((resolve) => stream.once("response.output_text.delta", () => resolve()));
  stream.abort();
  expect(await ended).toBe("cancelled");
});

test("log probabilities come with the text, whole and streamed, if they are asked for", async () => {
  const { client } = await openServer({ replies: [{ reasoning: "Hm.", text: "Hi you" }], afterLast: "repeat" });
  const include = ["message.output_text.logprobs" as const];
  const whole = await client.responses.create(ask({ include, top_logprobs: 2 }));
  const message = whole.output.find((item) => item.type === "message");
  const part = message?.content[0];
  const logprobs = part?.type === "output_text" ? (part.logprobs ?? []) : [];
  expect(logprobs.map(({ token }) => token).join("")).toContain("Hi you");
  expect(JSON.stringify(logprobs)).not.toContain("Hm");
  expect(logprobs.find(({ token }) => token === "Hi")).toMatchObject({ bytes: [72, 105] });
  expect(logprobs[0]?.top_logprobs).toHaveLength(2);

  const events = await eventsIn(await client.responses.create({ ...ask({ include }), stream: true }));
  const tokens = events.flatMap((event) => (event.type === "response.output_text.delta" ? event.logprobs : []));
  const done = events.find((event) => event.type === "response.output_text.done");
  expect(tokens.map(({ token }) => token)).toEqual(logprobs.map(({ token }) => token));
  expect(done?.logprobs).toEqual(tokens);
  const last = events.at(-1);
  const output = last?.type === "response.completed" ? JSON.stringify(last.response.output) : "";
  expect(output).toContain(JSON.stringify(tokens));

  const plain = await client.responses.create(ask({ top_logprobs: 2 })).withResponse();
  expect(plain.response.headers.get("llama-hooks-ignored")).toBe("top_logprobs");
  expect(JSON.stringify(plain.data.output)).toContain('"logprobs":[]');
});
