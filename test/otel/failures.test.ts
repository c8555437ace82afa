import { SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { diag, type DiagLogger } from "@opentelemetry/api";
import { expect, onTestFinished, test } from "vitest";
import { cancel, tool } from "../../src/index.js";
import { instrument } from "../../src/otel/index.js";
import { node, quiet } from "../fixtures/child.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";
import { calls, fails, runOnce, tools } from "../support/sessions.js";
import { spanOf, telemetry, tree } from "../support/integrations/otel.js";

const failure = ({ status, attributes }: ReadableSpan): unknown => [status.code, attributes["error.type"]];

test("what fails has an error status, and its code as the error's type", async () => {
  const engine = await openEngine([calls("fails"), "Well."], { models: {} });
  const { spans, metrics } = telemetry();
  await rejection(engine.models.load("missing", { path: "/nowhere.gguf" }));
  await engine.models.load("default", { path: await scriptModel([calls("fails"), "Well."]), threads: 1 });
  await rejection(engine.generate("hi", { grammar: "root ::= (" }));
  const ended = spans().length;
  await runOnce(engine, { tools: [...tools, fails] });
  expect(failure(spanOf(spans(), "load_model missing"))).toEqual([SpanStatusCode.ERROR, "MODEL_FILE_NOT_FOUND"]);
  const refused = spans().find(({ name }) => name === "chat default");
  expect(refused && failure(refused)).toEqual([SpanStatusCode.ERROR, "INVALID_GRAMMAR"]);
  const run = spans().slice(ended);
  expect(failure(spanOf(run, "execute_tool fails"))).toEqual([SpanStatusCode.ERROR, "TOOL_FAILED"]);
  expect(failure(spanOf(run, "invoke_agent"))).toEqual([SpanStatusCode.UNSET, undefined]);
  const types = (await metrics()).map(({ attributes }) => attributes["error.type"]);
  expect(types.filter((type) => type !== undefined).sort()).toEqual([
    "INVALID_GRAMMAR",
    "MODEL_FILE_NOT_FOUND",
    "TOOL_FAILED",
  ]);
});

test("a run that fails, a tool that exceeds its deadline and a limit are distinguished", async () => {
  const slow = tool({ name: "slow", deadlineMs: 1, run: () => new Promise<string>(() => undefined) });
  const engine = await openEngine({ replies: [calls("slow")], afterLast: "repeat" });
  const { spans } = telemetry();
  await runOnce(engine, { tools: [slow], maxIterations: 1 });
  await rejection(runOnce(engine, { tools: [], stop: [], grammar: "root ::= (" } as never));
  expect(failure(spanOf(spans(), "execute_tool slow"))).toEqual([SpanStatusCode.ERROR, "TOOL_TIMEOUT"]);
  const [limited, failed] = spans().filter(({ name }) => name === "invoke_agent");
  expect(limited?.attributes).toMatchObject({
    "llama_hooks.run.finish_reason": "limit",
    "llama_hooks.run.limit": "max_iterations",
  });
  expect(failed && failure(failed)).toEqual([SpanStatusCode.ERROR, "INVALID_GRAMMAR"]);
});

test("an abort, a cancel, a veto and a close say who stopped the call", async () => {
  const { spans } = telemetry();
  const endless = await openEngine([{ text: "la ", endless: true }]);
  const stopped = () => spans().at(-1)?.attributes;
  const stop = new AbortController();
  const aborted = endless.generate("hi", { signal: stop.signal });
  for await (const { type } of aborted) if (type === "token") stop.abort("enough");
  expect(stopped()).toMatchObject({ "llama_hooks.cancel.by": "signal", "llama_hooks.cancel.reason": "enough" });
  const cancelled = endless.generate("hi");
  for await (const { type } of cancelled) if (type === "token") cancelled.cancel("no more");
  expect(stopped()).toMatchObject({ "llama_hooks.cancel.by": "caller", "llama_hooks.cancel.reason": "no more" });
  const veto = endless.hooks.on("preGenerate", () => cancel("not this"), { name: "guard" });
  await endless.generate("hi");
  veto.dispose();
  expect(stopped()).toMatchObject({
    "gen_ai.response.finish_reasons": ["cancelled"],
    "llama_hooks.cancel.by": "guard",
    "llama_hooks.cancel.reason": "not this",
  });
  const begun = endless.generate("hi");
  for await (const { type } of begun) if (type === "token") void endless.close();
  expect(stopped()).toMatchObject({
    "gen_ai.response.finish_reasons": ["cancelled"],
    "llama_hooks.cancel.by": "caller",
  });
  expect(spans().every(({ status }) => status.code === SpanStatusCode.UNSET)).toBe(true);
});

test("a hook that fails is an exception of its span, and not a failure of it", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => Promise.reject(new Error("broken")), { name: "broken" });
  const { spans } = telemetry();
  await engine.generate("hi");
  const { events, status } = spanOf(spans(), "chat default");
  expect(status.code).toBe(SpanStatusCode.UNSET);
  expect(events.map(({ name }) => name)).toEqual(["llama_hooks.hook", "exception"]);
  expect(events[1]?.attributes).toMatchObject({
    "exception.type": "HOOK_FAILED",
    "exception.message": expect.stringContaining("broken") as string,
  });
});

test("spans of what is under way end when the instrumentation is disposed, and what began before it has none", async () => {
  let reached!: () => void;
  const waiting = new Promise<void>((resolve) => (reached = resolve));
  let goOn!: () => void;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const held = tool({ name: "held", run: async () => (reached(), await gate, "done") });
  const engine = await openEngine([calls("held"), "Done."]);
  const { instrumentation, spans } = telemetry();
  const run = runOnce(engine, { tools: [held] });
  await waiting;
  const late = telemetry();
  instrumentation.dispose();
  instrumentation.dispose();
  const atDispose = tree(spans());
  expect(atDispose).toEqual([{ invoke_agent: ["chat default", "execute_tool held"] }]);
  expect(spanOf(spans(), "invoke_agent").attributes["llama_hooks.unfinished"]).toBe(true);
  goOn();
  await run;
  expect(tree(spans())).toEqual(atDispose);
  expect(late.spans()).toEqual([]); // nor has its second model call
  await engine.generate("hi");
  expect(tree(late.spans())).toEqual(["chat default"]);
});

test("an exporter that throws is reported to OpenTelemetry, and does not end the process", async () => {
  const logged: unknown[] = [];
  const logger = { error: (...all: unknown[]) => void logged.push(all) } as unknown as DiagLogger;
  diag.setLogger(logger, { suppressOverrideMessage: true });
  onTestFinished(() => diag.disable());
  const broken: SpanProcessor = {
    onStart: () => undefined,
    onEnd: () => {
      throw new Error("full");
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const engine = await openEngine(["Hello."]);
  telemetry([broken]);
  expect((await engine.generate("hi")).text).toBe("Hello.");
  expect(logged).toEqual([
    [expect.stringMatching(/^llama-hooks\/otel: /), expect.objectContaining({ message: "full" })],
  ]);
});

test("wrong options are named, and a missing API is an error that says how to install it", async () => {
  for (const name of ["tracerProvider", "meterProvider"])
    expect(await rejection(Promise.resolve().then(() => instrument({ [name]: 1 } as never)))).toMatchObject({
      param: name,
    });
  expect(() => instrument({ captureContent: true } as never)).toThrow(/captureContent/);
  const code = `
    import Module from "node:module";
    const find = Module._resolveFilename;
    Module._resolveFilename = (name, ...rest) => {
      if (name === "@opentelemetry/api") throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
      return find(name, ...rest);
    };
    const { instrument } = await import("llama-hooks/otel");
    try { instrument(); } catch ({ code, message }) { console.log(code, message); }`;
  const { stdout, ...end } = await node(["--input-type=module", "-e", code]);
  expect(end).toEqual(quiet(0));
  expect(stdout).toBe(
    "UNSUPPORTED llama-hooks/otel needs the package @opentelemetry/api: npm install @opentelemetry/api\n",
  );
});
