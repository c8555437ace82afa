// What the messages of the channels say of the calls that they belong to.
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, onTestFinished, test } from "vitest";
import { cancel } from "../../src/index.js";
import { openEmbedder } from "../support/embeddings.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { leadAndCoder, ofLead } from "../support/lead-and-coder.js";
import { asks, runOnce } from "../support/sessions.js";

type Message = Record<string, unknown>;

/** Calls `take` with the messages of a channel until the test is over. */
function listen(channel: string, event: "start" | "asyncEnd" | "error", take: (message: Message) => void): void {
  const name = `tracing:llama-hooks:${channel}:${event}`;
  const listener = (message: unknown): void => take(message as Message);
  subscribe(name, listener);
  onTestFinished(() => void unsubscribe(name, listener));
}

test("messages are published in the async context of the call that they belong to", async () => {
  const { engine } = await openEmbedder();
  const ranker = await openEmbedder({ reranks: true });
  const chat = await openEngine([asks("Oslo"), "Cold."], { parallel: 2 });
  chat.hooks.on("preGenerate", () => undefined, { name: "look" });
  const caller = new AsyncLocalStorage<string>();
  const heard: string[] = [];
  for (const channel of ["generation", "run", "modelCall", "toolCall", "hookCall", "embedding", "rerank", "modelLoad"])
    for (const event of ["start", "asyncEnd"] as const)
      listen(channel, event, () => heard.push(`${channel} of ${caller.getStore() ?? "none"}`));
  const file = await scriptModel(["Hi."]);
  await Promise.all([
    caller.run("a run", () => runOnce(chat)),
    caller.run("a generation", () => chat.generate("hi")),
    caller.run("an embedding", () => engine.embed("one")),
    caller.run("a ranking", () => ranker.engine.rerank("one", ["two"])),
    caller.run("a load", () => chat.models.load("other", { path: file, threads: 1 })),
  ]);
  expect([...new Set(heard)].sort()).toEqual([
    "embedding of an embedding",
    "generation of a generation",
    "hookCall of a generation",
    "hookCall of a run",
    "modelCall of a run",
    "modelLoad of a load",
    "rerank of a ranking",
    "run of a run",
    "toolCall of a run",
  ]);
});

test("decisions name the activity and the tool call that they are a part of", async () => {
  const engine = await openEngine(leadAndCoder([asks("Oslo"), "Did it."]));
  for (const point of ["preGenerate", "preToolCall", "postToolCall", "delegate", "loopStart"] as const)
    engine.hooks.on(point, () => undefined, { name: point });
  const spans = new Map<unknown, string>();
  listen("run", "start", ({ span, tier }) => spans.set(span, `run of ${String(tier)}`));
  listen("modelCall", "start", ({ span }) => spans.set(span, "model call"));
  listen("toolCall", "start", ({ span, toolName }) => spans.set(span, `tool ${String(toolName)}`));
  const hooks: unknown[] = [];
  listen("hookCall", "start", ({ name, span, toolCallId }) => hooks.push([name, spans.get(span), toolCallId]));
  const result = await runOnce(engine, ofLead);
  const delegate = result.toolCalls[0]?.id;
  const weather = result.childToolCalls[0]?.id;
  expect(hooks).toEqual([
    ["loopStart", "run of lead", null],
    ["preGenerate", "model call", null],
    ["preToolCall", "run of lead", delegate],
    ["delegate", "tool delegate", delegate],
    ["loopStart", "run of coder", null],
    ["preGenerate", "model call", null],
    ["preToolCall", "run of coder", weather],
    ["postToolCall", "run of coder", weather],
    ["preGenerate", "model call", null],
    ["postToolCall", "run of lead", delegate],
    ["preGenerate", "model call", null],
  ]);
  expect(result.decisions.map(({ toolCallId }) => toolCallId)).toContain(weather);
});

test("the end of a call says who stopped it, which model answered, and how the model was to write", async () => {
  const engine = await openEngine([{ text: "la ", endless: true }]);
  const ends: Message[] = [];
  listen("generation", "asyncEnd", (message) => ends.push({ ...message }));
  const stop = new AbortController();
  const call = engine.generate("hi", { signal: stop.signal, temperature: 0, stop: ["END"] });
  for await (const { type } of call) if (type === "token") stop.abort("enough");
  engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, topK: 3 } }));
  engine.hooks.on("postGenerate", () => ({ halt: "no more" }), { name: "halts" });
  await engine.generate("hi", { maxTokens: 2 });
  engine.hooks.on("preGenerate", () => cancel("not now"), { name: "guard" });
  await engine.generate("hi");
  expect(ends).toMatchObject([
    {
      kind: "chat",
      answeredBy: "default",
      finishReason: "cancelled",
      cancel: { by: "signal", reason: "enough" },
      params: { temperature: 0, stop: ["END"], topK: 40 },
      usage: { queueMs: expect.any(Number) as number, firstTokenMs: expect.any(Number) as number },
    },
    { finishReason: "length", halt: { by: "halts", reason: "no more" }, params: { topK: 3, maxTokens: 2 } },
    { finishReason: "cancelled", cancel: { by: "guard", reason: "not now" } },
  ]);
});

test("an embedding that fails has its code", async () => {
  const { engine } = await openEmbedder();
  const errors: unknown[] = [];
  listen("embedding", "error", ({ error, texts }) => errors.push([(error as { code: string }).code, texts]));
  await engine.embed("word ".repeat(5000)).catch(() => undefined);
  expect(errors).toEqual([["TEXT_TOO_LONG", 1]]);
});
