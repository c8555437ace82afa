import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { cancel, tool } from "../../src/index.js";
import { openEmbedder } from "../support/embeddings.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { leadAndCoder, ofLead } from "../support/lead-and-coder.js";
import { asks, calls, runOnce } from "../support/sessions.js";
import { spanOf, telemetry, tree } from "../support/integrations/otel.js";

test("a run is a tree: its model calls and tools are parts of it, and their attributes are those of the conventions", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const { spans } = telemetry();
  const { runId, usage, toolCalls } = await runOnce(engine, { temperature: 0.5, seed: 7, maxTokens: 100 });
  expect(tree(spans())).toEqual([{ invoke_agent: ["chat default", "execute_tool weather", "chat default"] }]);
  const run = spanOf(spans(), "invoke_agent");
  expect(run.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": "llama_hooks",
    "gen_ai.request.model": "default",
    "gen_ai.conversation.id": expect.stringMatching(/^session-/) as string,
    "gen_ai.usage.input_tokens": usage.promptTokens,
    "gen_ai.usage.output_tokens": usage.completionTokens,
    "llama_hooks.run.id": runId,
    "llama_hooks.run.finish_reason": "complete",
  });
  expect(run.status).toEqual({ code: SpanStatusCode.UNSET });
  const first = spans().find(({ name }) => name === "chat default");
  expect(first?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.top_k": 40,
    "gen_ai.request.top_p": 0.95,
    "gen_ai.request.seed": 7,
    "gen_ai.request.max_tokens": 100,
    "gen_ai.request.frequency_penalty": 0,
    "gen_ai.request.presence_penalty": 0,
    "gen_ai.response.model": "default",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.response.time_to_first_chunk": expect.any(Number) as number,
    "llama_hooks.queue_time": expect.any(Number) as number,
    "llama_hooks.run.iteration": 1,
  });
  expect(spanOf(spans(), "execute_tool weather").attributes).toMatchObject({
    "gen_ai.tool.name": "weather",
    "gen_ai.tool.call.id": toolCalls[0]?.id,
    "llama_hooks.tool.result_kind": "ok",
  });
});

test("calls become parts of the span that is active where they are made, also if several are under way", async () => {
  const engine = await openEngine(["Hello."], { parallel: 2 });
  const { provider, spans } = telemetry();
  const tracer = provider.getTracer("app");
  const request = (name: string): Promise<unknown> =>
    tracer.startActiveSpan(name, async (span) => {
      await Promise.resolve();
      await engine.generate(name);
      await runOnce(engine);
      span.end();
    });
  await Promise.all([request("GET /a"), request("GET /b")]);
  expect(tree(spans())).toEqual(
    expect.arrayContaining([
      { "GET /a": ["chat default", { invoke_agent: ["chat default"] }] },
      { "GET /b": ["chat default", { invoke_agent: ["chat default"] }] },
    ]),
  );
  expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(2);
  expect(trace.getSpan(context.active())).toBeUndefined();
});

test("spans that tools and hooks make belong to the trace of the request that began the run", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."], { parallel: 2 });
  const { provider, spans } = telemetry();
  const tracer = provider.getTracer("app");
  const made = async (name: string): Promise<string> => {
    await Promise.resolve();
    tracer.startSpan(name).end();
    return name;
  };
  engine.hooks.on("preToolCall", async () => void (await made("hook")));
  const weather = tool({
    name: "weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
    run: () => made("tool"),
  });
  const request = (name: string): Promise<unknown> =>
    tracer.startActiveSpan(name, async (span) => {
      await runOnce(engine, { tools: [weather] });
      span.end();
    });
  await Promise.all([request("GET /a"), request("GET /b")]);
  for (const name of ["GET /a", "GET /b"]) {
    const own = spanOf(spans(), name).spanContext();
    const parts = spans().filter((span) => span.parentSpanContext?.spanId === own.spanId);
    expect(parts.map((span) => span.name).toSorted()).toEqual(["hook", "invoke_agent", "tool"]);
  }
});

test("tools that run at once are siblings, and a delegated run is a part of the call that it is for", async () => {
  const city = (name: string) => ({ name: "weather", args: { city: name } });
  const parallel = await openEngine([{ toolCalls: [city("Oslo"), city("Rome")] }, "Done."]);
  const { spans } = telemetry();
  await runOnce(parallel);
  expect(tree(spans())).toEqual([
    { invoke_agent: ["chat default", "execute_tool weather", "execute_tool weather", "chat default"] },
  ]);
  const engine = await openEngine(leadAndCoder(["Did it."]));
  const before = spans().length;
  const { toolCalls } = await runOnce(engine, { ...ofLead, tools: [] });
  const delegated = spans().slice(before);
  expect(tree(delegated)).toEqual([
    {
      "invoke_agent lead": [
        "chat default",
        { "execute_tool delegate": [{ "invoke_agent coder": ["chat default"] }] },
        "chat default",
      ],
    },
  ]);
  expect(spanOf(delegated, "invoke_agent coder").attributes).toMatchObject({
    "gen_ai.agent.name": "coder",
    "gen_ai.tool.call.id": toolCalls[0]?.id,
  });
});

test("a plan is a workflow whose steps are parts of it", async () => {
  const plan = {
    flow: "sequence",
    steps: [
      { name: "a", tool: "weather", args: { city: "Oslo" } },
      { name: "b", tool: "clock" },
    ],
  };
  const engine = await openEngine([calls("plan", plan), "Done."]);
  const { spans } = telemetry();
  await runOnce(engine, { controlTools: ["plan"] });
  expect(tree(spans())).toEqual([
    {
      invoke_agent: [
        "chat default",
        { "execute_tool plan": [{ "invoke_workflow plan": ["execute_tool weather", "execute_tool clock"] }] },
        "chat default",
      ],
    },
  ]);
  expect(spanOf(spans(), "invoke_workflow plan").attributes).toMatchObject({
    "gen_ai.workflow.name": "plan",
    "llama_hooks.plan.flow": "sequence",
    "llama_hooks.plan.steps": 2,
    "llama_hooks.plan.succeeded": 2,
  });
});

test("embeddings, rankings and loads have spans", async () => {
  const { spans } = telemetry();
  const { engine } = await openEmbedder();
  const ranker = await openEmbedder({ reranks: true });
  await engine.embed(["one", "two"]);
  await ranker.engine.rerank("one", ["two", "three"]);
  await engine.models.load("chat", { path: await scriptModel(["Hi."]), threads: 1 });
  expect(tree(spans()).filter((name) => name !== "load_model default")).toEqual([
    "embeddings default",
    "rerank default",
    "load_model chat",
  ]);
  expect(spanOf(spans(), "embeddings default").attributes).toMatchObject({
    "gen_ai.operation.name": "embeddings",
    "gen_ai.request.model": "default",
    "gen_ai.usage.input_tokens": expect.any(Number) as number,
    "gen_ai.embeddings.dimension.count": expect.any(Number) as number,
    "llama_hooks.texts": 2,
  });
  expect(spanOf(spans(), "rerank default").attributes).toMatchObject({ "llama_hooks.texts": 2 });
});

test("calls of hooks are events of the span that they belong to, a veto with its reason", async () => {
  const engine = await openEngine([asks("Oslo"), "Never mind."]);
  engine.hooks.on("preToolCall", () => cancel("not today"), { name: "veto" });
  engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, temperature: 0.25 } }), { name: "cool" });
  engine.hooks.on("streamToken", () => undefined, { name: "token" });
  const { spans } = telemetry();
  const { toolCalls } = await runOnce(engine);
  const [run, first] = spans();
  expect(run?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
    [
      "llama_hooks.hook",
      {
        "llama_hooks.hook.name": "veto",
        "llama_hooks.hook.point": "preToolCall",
        "llama_hooks.hook.outcome": "cancelled",
        "llama_hooks.hook.reason": "not today",
        "llama_hooks.hook.duration": expect.any(Number) as number,
        "gen_ai.tool.call.id": toolCalls[0]?.id,
      },
    ],
  ]);
  expect(run?.status.code).toBe(SpanStatusCode.UNSET);
  expect(first?.events.map(({ attributes }) => attributes?.["llama_hooks.hook.name"])).toEqual(["cool"]);
  expect(first?.attributes["gen_ai.request.temperature"]).toBe(0.25); // as the hook has left it
});

test("no prompt, answer, argument or result is in a span", async () => {
  const secret = "xyzzy-4711";
  const engine = await openEngine([calls("repeat", { text: secret }), `It is ${secret}.`]);
  engine.hooks.on("preToolCall", ({ args }) => ({ args }), { name: "same" });
  const { spans } = telemetry();
  const repeat = tool({
    name: "repeat",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    run: ({ text }) => String(text),
  });
  await runOnce(engine, { tools: [repeat] }, `Remember ${secret}`);
  const all = spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
  expect(all.length).toBeGreaterThan(3);
  expect(JSON.stringify(all)).not.toContain(secret);
});

test("the times of spans are nested, and a wait for a turn counts", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const { provider, spans } = telemetry();
  await provider.getTracer("app").startActiveSpan("request", async (span) => {
    await runOnce(engine);
    span.end();
  });
  const ms = ([seconds, nanos]: readonly [number, number]): number => seconds * 1000 + nanos / 1e6;
  const byId = new Map(spans().map((span) => [span.spanContext().spanId, span]));
  const children = spans().filter(({ name }) => name !== "request" && name !== "invoke_agent");
  expect(children).toHaveLength(3);
  for (const span of children) {
    const parent = byId.get(span.parentSpanContext?.spanId ?? "");
    if (parent === undefined) throw new Error(`${span.name} has no parent`);
    expect(ms(span.startTime)).toBeGreaterThanOrEqual(ms(parent.startTime));
    expect(ms(span.endTime)).toBeLessThanOrEqual(ms(parent.endTime));
    expect(ms(span.duration)).toBeGreaterThan(0);
  }
});
