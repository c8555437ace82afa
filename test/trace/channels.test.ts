import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, onTestFinished, test, vi } from "vitest";
import { cancel, type LlamaHooksError, tool } from "../../src/index.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { asks, calls, fails, runOnce, tools } from "../support/sessions.js";

type Message = Record<string, unknown> & { readonly error?: LlamaHooksError };
interface Published {
  readonly channel: string;
  readonly event: string;
  readonly message: Message;
  /** As it was then: what the end adds comes later. */
  readonly copy: Message;
}

const names = [
  "modelLoad",
  "generation",
  "embedding",
  "rerank",
  "run",
  "modelCall",
  "toolCall",
  "plan",
  "hookCall",
] as const;
const moments = ["start", "end", "asyncStart", "asyncEnd", "error"] as const;

/** Collects the published messages until the test is over or `stop` is called. */
function listen(channels: readonly (typeof names)[number][] = names): { all: Published[]; stop: () => void } {
  const all: Published[] = [];
  const stops = channels.flatMap((channel) =>
    moments.map((event) => {
      const name = `tracing:llama-hooks:${channel}:${event}`;
      const take = (message: unknown): void =>
        void all.push({ channel, event, message: message as Message, copy: { ...(message as Message) } });
      subscribe(name, take);
      return () => void unsubscribe(name, take);
    }),
  );
  const stop = (): void => stops.forEach((one) => one());
  onTestFinished(stop);
  return { all, stop };
}

const said = (all: readonly Published[]): string[] =>
  all
    .filter(({ event }) => event !== "end" && event !== "asyncStart")
    .map(({ channel, event }) => `${channel} ${event}`);

test("a subscriber receives runs, model calls, tools and hooks as they begin and end, before the result is there", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  engine.hooks.on("preToolCall", () => undefined, { name: "look" });
  const { all } = listen();
  const { runId, usage } = await runOnce(engine);
  expect(said(all)).toEqual([
    "run start",
    "modelCall start",
    "modelCall asyncEnd",
    "hookCall start",
    "hookCall asyncEnd",
    "toolCall start",
    "toolCall asyncEnd",
    "modelCall start",
    "modelCall asyncEnd",
    "run asyncEnd",
  ]);
  const ofRun = all.filter(({ channel }) => channel === "run");
  expect(ofRun.map(({ event }) => event)).toEqual(["start", "end", "asyncStart", "asyncEnd"]);
  expect(new Set(ofRun.map(({ message }) => message)).size).toBe(1); // one object, by which they are joined
  expect(ofRun[0]?.copy).toEqual({
    timeUs: expect.any(Number) as number,
    clockUs: expect.any(Number) as number,
    span: expect.any(Number) as number,
    task: expect.any(Number) as number,
    queueMs: expect.any(Number) as number,
    runId,
    sessionId: expect.stringMatching(/^session-/) as string,
    modelId: "default",
  });
  expect(ofRun[3]?.copy).toEqual({
    ...ofRun[0]?.copy,
    durationUs: expect.any(Number) as number,
    finishReason: "complete",
    usage,
  });
  const hook = all.find(({ channel }) => channel === "hookCall")?.copy;
  expect(hook).toMatchObject({ name: "look", point: "preToolCall", runId, outcome: "proceed", fields: [] });
  expect(hook?.["decision"]).toMatchObject({ type: "decision", action: "proceed" });
});

test("what fails is published as an error, with its code", async () => {
  const engine = await openEngine([calls("fails"), "Well."], { models: {} });
  const { all } = listen();
  await engine.models.load("missing", { path: "/nowhere.gguf" }).catch(() => undefined);
  await engine.models.load("default", { path: await scriptModel([calls("fails"), "Well."]), threads: 1 });
  const thrown = new Error("broken");
  engine.hooks.on("preToolCall", () => Promise.reject(thrown), { name: "broken" });
  await runOnce(engine, { tools: [...tools, fails] });
  await engine.generate("hi", { grammar: "root ::= (" }).catch(() => undefined);
  const errors = all.filter(({ event }) => event === "error");
  expect(errors.map(({ channel, message }) => [channel, message.error?.code])).toEqual([
    ["modelLoad", "MODEL_FILE_NOT_FOUND"],
    ["hookCall", "HOOK_FAILED"],
    ["toolCall", "TOOL_FAILED"],
    ["generation", "INVALID_GRAMMAR"],
  ]);
  expect(errors[1]?.message.error?.cause).toBe(thrown);
  expect(errors[0]?.message.error?.message).toBe("The model missing could not be loaded");
  expect(errors[2]?.message.error?.message).toBe("The tool fails failed");
});

test("a veto is not an error", async () => {
  const engine = await openEngine([asks("Oslo"), "Never mind."]);
  engine.hooks.on("preToolCall", () => cancel("no"), { name: "veto" });
  const { all } = listen();
  await runOnce(engine);
  expect(said(all)).not.toContain("hookCall error");
  const veto = all.find(({ channel }) => channel === "hookCall")?.message;
  expect(veto).toMatchObject({ outcome: "cancelled", decision: { reason: "no", decidedBy: { name: "veto" } } });
});

test("a subscriber of one channel receives that alone, and every engine is heard", async () => {
  const { all } = listen(["generation"]);
  for (const reply of ["Hello.", "Hi."]) {
    const engine = await openEngine([reply]);
    engine.hooks.on("preGenerate", () => undefined);
    await engine.generate("hi");
  }
  expect(said(all)).toEqual(["generation start", "generation asyncEnd", "generation start", "generation asyncEnd"]);
  expect(all.every(({ message }) => message["modelId"] === "default")).toBe(true);
});

test("what had begun before anybody subscribed is left out, and what begins meanwhile is not", async () => {
  const heard: { all: Published[] } = { all: [] };
  const late = tool({ name: "late", run: () => ((heard.all = listen().all), "") });
  const engine = await openEngine([calls("late"), "Done."]);
  await runOnce(engine, { tools: [late] }); // closing the session is what begins next
  expect(heard.all.map(({ channel }) => channel)).not.toContain("run");
  await engine.generate("hi");
  expect(said(heard.all)).toEqual(["generation start", "generation asyncEnd"]);
});

test("a trace that is read meanwhile has all that it would have without subscribers", async () => {
  const engine = await openEngine(["Hello.", "Hello."]);
  engine.hooks.on("preGenerate", () => undefined, { name: "idle" });
  const reader = engine.trace()[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value } = await reader.next();
    return value?.type === "decision" ? value.point : value?.event;
  };
  const { stop } = listen();
  const first = next();
  await engine.generate("hi");
  expect([await first, await next(), await next()]).toEqual(["generationStarted", "preGenerate", "generationEnded"]);
  stop();
  await engine.generate("hi");
  expect([await next(), await next(), await next()]).toEqual(["generationStarted", "preGenerate", "generationEnded"]);
});

test("without a subscriber nothing is made, and nothing any more once the last has left", async () => {
  const engine = await openEngine(["Hello."]);
  for (const point of ["preGenerate", "streamToken", "postGenerate"] as const)
    engine.hooks.on(point, () => undefined, { name: point });
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  /** Texts that come from the engine, and how many of them are the trace's. */
  const read = async (): Promise<{ all: number; ofTrace: number }> => {
    parse.mockClear();
    await engine.generate("hi");
    const texts = parse.mock.calls.map(([text]) => text);
    return {
      all: texts.length,
      ofTrace: texts.filter((text) => /^\{.*"type":"(lifecycle|decision)"/.test(text)).length,
    };
  };
  await engine.generate("hi"); // the first call checks which hooks will never be called
  const before = await read();
  const { all, stop } = listen();
  const during = await read();
  stop();
  await engine.generate("hi"); // the engine sees that no subscriber is left
  const after = await read();
  expect(before.ofTrace).toBe(1); // the result, with its decisions
  expect(all.length).toBeGreaterThan(0);
  expect(during.all).toBeGreaterThan(before.all);
  expect(after).toEqual(before);
});
