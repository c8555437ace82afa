// Models behind an OpenAI-compatible address, by both versions of the provider interface.
import { createOpenAICompatible as version3 } from "@ai-sdk/openai-compatible";
import { expect, onTestFinished, test } from "vitest";
import { cancel, createEngine, type Engine, type ProvidedModelOptions, remote, tool } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";
import { testWith, version4 } from "../support/integrations/node-22.js";
import { type OpenaiServer, openaiServer, type Reply } from "../support/remote/openai-server.js";

type Provider = ProvidedModelOptions["provider"];
const providers: Readonly<Record<string, (server: OpenaiServer) => Provider>> = {
  "remote()": ({ url }) => remote(url, { model: "m", apiKey: "sk-1" }),
  "version 3": ({ url }) =>
    version3({ name: "far", baseURL: url, includeUsage: true, supportsStructuredOutputs: true })("m"),
  "version 4": ({ url }) =>
    version4({ name: "far", baseURL: url, includeUsage: true, supportsStructuredOutputs: true })("m"),
};

async function open(
  replies: Parameters<typeof openaiServer>[0],
  provider: (server: OpenaiServer) => Provider = providers["remote()"] ?? fail,
): Promise<{ engine: Engine; server: OpenaiServer }> {
  const server = await openaiServer(replies);
  const engine = await openEngine([], { models: { big: { provider: provider(server) } } });
  return { engine, server };
}

function fail(): never {
  throw new Error("no provider");
}

const weather = tool({
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: ({ city }) => `rain in ${String(city)}`,
});
const asks: Reply = {
  reasoning: "Hm well",
  text: "Let me see.",
  calls: [{ id: "c1", name: "weather", args: { city: "Oslo" } }],
};

for (const [name, provider] of Object.entries(providers)) {
  testWith(name === "version 4", `${name}: a run with a tool, with its reasoning, usage and events`, async () => {
    const { engine, server } = await open([asks, "It rains in Oslo."], provider);
    const session = engine.session({ tools: [weather], system: "Be kind." });
    const run = session.run("Weather?");
    const texts: Record<string, string> = {};
    for await (const event of run) {
      if (event.type === "token") texts[event.kind] = (texts[event.kind] ?? "") + event.text;
    }
    const result = await run;
    expect(texts).toEqual({
      reasoning: "Hm well",
      content: "Let me see.It rains in Oslo.",
      tool_call: '{"city":"Oslo"}',
    });
    expect(result).toMatchObject({ text: "It rains in Oslo.", finishReason: "complete", modelId: "big" });
    expect(result.toolCalls).toMatchObject([
      { id: "c1", name: "weather", args: { city: "Oslo" }, result: "rain in Oslo" },
    ]);
    expect(result.usage).toMatchObject({ cachedTokens: 4, completionTokens: 2 + 3 + 3 + 4, reasoningTokens: 2 });
    const [first, second] = server.requests;
    expect(first?.body).toMatchObject({
      model: "m",
      tool_choice: "auto",
      tools: [{ type: "function", function: { name: "weather", description: "Tells the weather." } }],
    });
    expect(second?.body.messages).toMatchObject([
      { role: "system", content: expect.stringContaining("Be kind.") as string },
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: "Let me see.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "rain in Oslo" },
    ]);
  });

  testWith(name === "version 4", `${name}: what callers set is sent, and nothing else`, async () => {
    const { engine, server } = await open(() => '{"a": 1}', provider);
    await engine.generate("Hi");
    await engine.generate("Hi", {
      temperature: 0.8,
      topP: 0.5,
      seed: 7,
      maxTokens: 9,
      stop: ["END"],
      presencePenalty: 0.1,
    });
    await engine.generate("Hi", { jsonSchema: { type: "object", properties: { a: { type: "integer" } } } });
    await engine.generate("Hi", { tools: [weather], toolChoice: "required" });
    await engine.generate("Hi", { tools: [weather], toolChoice: { tool: "weather" } });
    const bodies = server.requests.map(({ body }) => {
      const { messages, stream, stream_options: usage, ...rest } = body;
      expect([messages.length, stream, usage]).toEqual([1, true, { include_usage: true }]);
      return rest;
    });
    expect(bodies[0]).toEqual({ model: "m" });
    expect(bodies[1]).toEqual({
      model: "m",
      temperature: 0.8,
      top_p: 0.5,
      seed: 7,
      max_tokens: 9,
      stop: ["END"],
      presence_penalty: 0.1,
    });
    expect(bodies[2]).toMatchObject({
      response_format: { type: "json_schema", json_schema: { schema: { properties: { a: { type: "integer" } } } } },
    });
    expect(bodies[3]).toMatchObject({ tool_choice: "required" });
    expect(bodies[4]).toMatchObject({ tool_choice: { type: "function", function: { name: "weather" } } });
  });
}

test("a description shows address and features, and no file", async () => {
  const { engine, server } = await open([]);
  const info = engine.models.describe("big");
  expect(info).toMatchObject({
    address: server.url,
    path: server.url,
    description: "m",
    state: "ready",
    contextSize: 32_768,
    parallel: 16,
    memory: [],
    features: { tools: true, jsonSchema: true, logprobs: false, grammar: false, tokens: false, adapters: false },
  });
  expect(server.requests).toEqual([]); // nothing is sent before the model is used
  await engine.models.unload("big");
  expect(engine.models.list()).toEqual([]);
});

test("a guard of modelLoad sees the address, and may refuse it", async () => {
  const server = await openaiServer(["Hello."]);
  const engine = await openEngine([], { models: {} });
  const seen: unknown[] = [];
  engine.hooks.guard("modelLoad", ({ address, path, params }) => {
    seen.push([address, path, params.contextSize, params.parallel]);
    return cancel("a strange address");
  });
  const load = engine.models.load("big", {
    provider: remote(server.url, { model: "m" }),
    contextSize: 1000,
    parallel: 3,
  });
  expect(await rejection(load)).toMatchObject({ code: "HOOK_CANCELLED" });
  expect(seen).toEqual([[server.url, server.url, 1000, 3]]);
});

const refused: Readonly<Record<string, (engine: Engine) => PromiseLike<unknown>>> = {
  minP: (engine) => engine.generate("Hi", { minP: 0.2 }),
  grammar: (engine) => engine.generate("Hi", { grammar: 'root ::= "a"' }),
  logprobs: (engine) => engine.generate("Hi", { logprobs: true }),
  raw: (engine) => engine.generate("Hi", { raw: true }),
  infill: (engine) => engine.infill({ prefix: "a", suffix: "b" }),
  tokenize: (engine) => engine.models.tokenize("big", "a"),
  embed: (engine) => engine.embed("a"),
  rerank: (engine) => engine.rerank("a", ["b"]),
  "topK, which the provider leaves out": (engine) => engine.generate("Hi", { topK: 3 }),
};
for (const [what, call] of Object.entries(refused)) {
  test(`what it cannot do is UNSUPPORTED_BY_MODEL: ${what}`, async () => {
    const { engine } = await open(["Hello."]);
    const error = await rejection(call(engine));
    expect(error).toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
    expect(String(error)).toContain(what.startsWith("topK") ? "topK" : what);
    expect((await engine.generate("Hi")).text).toBe("Hello.");
  });
}

test("a local lead with a remote worker, and the reverse", async () => {
  const delegates = { name: "delegate", args: { tier: "coder", task: "Write it." } };
  const server = await openaiServer(["Written."]);
  const file = await scriptModel([{ toolCalls: [delegates] }, "It is written."]);
  const local = await createEngine({
    gpu: false,
    threads: 1,
    models: { small: { path: file }, big: { provider: remote(server.url, { model: "m" }) } },
  });
  onTestFinished(() => local.close());
  const options = { tier: "lead", controlTools: ["delegate"] } as const;
  const tiers = { lead: { model: "small", temperature: 0 }, coder: { model: "big" } };
  const result = await local.session({ ...options, tiers }).run("Go");
  expect(result).toMatchObject({ text: "It is written.", finishReason: "complete" });
  expect(result.toolCalls).toMatchObject([{ name: "delegate", result: expect.stringContaining("Written.") as string }]);

  const far = await openaiServer([{ calls: [delegates] }, "It is written."]);
  await local.models.load("far", { provider: remote(far.url, { model: "m" }) });
  await local.models.load("worker", { path: await scriptModel(["Written here."]) });
  const reverse = { lead: { model: "far" }, coder: { model: "worker", temperature: 0 } };
  const other = await local.session({ ...options, tiers: reverse }).run("Go");
  expect(other).toMatchObject({ text: "It is written.", finishReason: "complete" });
  expect(other.toolCalls).toMatchObject([{ result: expect.stringContaining("Written here.") as string }]);
});

test("maxRunTokens counts what a model wrote, and ends the run", async () => {
  const { engine, server } = await open([asks, asks, asks, "Done."]);
  const result = await engine.session({ tools: [weather], maxRunTokens: 12 }).run("Weather?");
  expect(result).toMatchObject({ finishReason: "limit", limit: "maxRunTokens" });
  expect(server.requests.map(({ body }) => body["max_tokens"])).toEqual([12, 4]);
});

test("hooks see and change a remote answer as any other", async () => {
  const { engine } = await open(["The key is 4711, keep it.", "Again."]);
  const seen: string[] = [];
  engine.hooks.on("streamToken", ({ text, tokenIndex, token }) => {
    seen.push(`${tokenIndex}:${token}:${text}`);
    return { text: text.replace("4711", "****") };
  });
  engine.hooks.on("contextBudget", ({ estimated, maxTokens }) => void seen.push(`budget ${estimated} ${maxTokens}`));
  const result = await engine.generate("Key?");
  expect(result.text).toBe("The key is ****, keep it.");
  expect(seen).toEqual([
    "budget true 32768",
    "0:-1:The",
    "1:-1: key",
    "2:-1: is",
    "3:-1: 4711,",
    "4:-1: keep",
    "5:-1: it.",
  ]);
});

test("a hook that changes the arguments of a remote call changes the call", async () => {
  const { engine } = await open([asks, "Done."]);
  engine.hooks.on("streamToken", ({ text, kind }) =>
    kind === "tool_call" ? { text: text.replace("Oslo", "Rome") } : {},
  );
  const result = await engine.session({ tools: [weather] }).run("Weather?");
  expect(result.toolCalls).toMatchObject([{ args: { city: "Rome" }, result: "rain in Rome" }]);
});

test("parallelToolCalls: false takes the first call alone", async () => {
  const two: Reply = { calls: [0, 1].map((n) => ({ id: `c${n}`, name: "weather", args: { city: `city ${n}` } })) };
  const { engine } = await open([two]);
  const both = await engine.generate("Hi", { tools: [weather] });
  expect(both.toolCalls.map(({ id }) => id)).toEqual(["c0", "c1"]);
  const one = await engine.generate("Hi", { tools: [weather], parallelToolCalls: false });
  expect(one.toolCalls).toEqual([{ id: "c0", name: "weather", args: { city: "city 0" } }]);
});

test("the options of remote() are checked", async () => {
  const wrong: (() => unknown)[] = [
    () => remote("not an address", { model: "m" }),
    () => remote("ftp://host/v1", { model: "m" }),
    () => remote("http://me:secret@host/v1", { model: "m" }),
    () => remote("http://host/v1", {} as never),
    () => remote("http://host/v1", { model: "m", headers: { a: 1 } } as never),
    () => remote("http://host/v1", { model: "m", retries: -1 }),
    () => remote("http://host/v1", { model: "m", timeouts: { firstPieceMs: "soon" } } as never),
    () => remote({ specificationVersion: "v2", doStream: () => undefined } as never),
  ];
  for (const make of wrong) expect(make).toThrow(TypeError);
  for (const make of wrong) expect(make).not.toThrow(/secret/);
  const engine = await openEngine([], { models: {} });
  for (const options of [{ provider: "x" }, { provider: remote("http://host/v1", { model: "m" }), path: "x" }]) {
    expect(await rejection(engine.models.load("big", options as never))).toBeInstanceOf(TypeError);
  }
});

test("500 answers at once, each whole", async () => {
  const { engine } = await (async () => {
    const server = await openaiServer(
      ({ body }) => `Number ${String(body.messages.at(-1)?.content)} of many, many more.`,
    );
    const provider = remote(server.url, { model: "m", retries: 0 });
    return { engine: await openEngine([], { models: { big: { provider, parallel: 512 } } }) };
  })();
  const results = await Promise.all(Array.from({ length: 500 }, (_, n) => engine.generate(String(n))));
  expect(results.map(({ text }) => text)).toEqual(
    Array.from({ length: 500 }, (_, n) => `Number ${n} of many, many more.`),
  );
});
