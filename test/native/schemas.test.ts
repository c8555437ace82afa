// The JSON of the C ABI against the schemas that are shipped, both ways. Must not: go through the facade, which has other
// names; the seam hands JSON over as it is.
import { createRequire } from "node:module";
import { expect, onTestFinished, test } from "vitest";
import { POINTS } from "../../src/index.js";
import { hookFlags } from "../../src/generated/flags.js";
import { nativeAddon, type NativeEngine, type NativeTask } from "../../src/native/addon.js";
import { findAddon } from "../../src/native/find-addon.js";
import { scriptModel } from "../support/engine.js";
import { schemaErrors } from "../support/schema.js";

interface Ended {
  readonly status: number;
  readonly json: unknown;
  readonly events: unknown[];
}

/** Runs a task to its end, with every event. */
function end(start: (onWake: () => void, onEnd: (status: number, json: string) => void) => NativeTask): Promise<Ended> {
  return new Promise((resolve) => {
    const task = start(
      () => undefined,
      (status, json) =>
        resolve({ status, json: JSON.parse(json), events: task.drain().map((event) => JSON.parse(event) as unknown) }),
    );
  });
}

/** The answer of its one handler: it cancels requests of tier "refuse" and changes the answer to those of "change". */
function answer(context: string): readonly [kind: 0 | 1 | 2, text: string | null] {
  const { tier, meta } = JSON.parse(context) as { tier: string | null; meta: { name: string } };
  if (tier === "refuse" && meta.name === "PRE_GENERATE") return [1, "no"];
  if (tier === "change" && meta.name === "POST_GENERATE") return [0, JSON.stringify({ content: "Hello." })];
  return [0, null];
}

/** A separate engine; `toolAnswer`: what its tools answer. */
async function open(toolAnswer = "{}"): Promise<NativeEngine> {
  const options = { libraries: findAddon().libraries, gpu: false };
  expect(schemaErrors("parameters", "engine_options", options)).toEqual([]);
  const engine = nativeAddon().createEngine(
    JSON.stringify(options),
    (_, __, context) => answer(context),
    () => [0, toolAnswer],
    () => undefined,
    () => 0,
    () => undefined,
    () => undefined,
  );
  onTestFinished(async () => void (await end((_, onEnd) => engine.close(onEnd))));
  return engine;
}

async function load(engine: NativeEngine): Promise<Ended> {
  const path = await scriptModel([{ text: "Let me see.", toolCalls: [{ name: "look", args: { at: "it" } }] }, "Hi."]);
  const options = { path, threads: 1, context_size: 512, kv_type: "f16", mmap: true, chat_template: null };
  expect(schemaErrors("parameters", "load_options", options)).toEqual([]);
  return end((onWake, onEnd) => engine.loadModel("m", JSON.stringify(options), onWake, onEnd, true));
}

function generate(engine: NativeEngine, request: object): Promise<Ended> {
  return end((onWake, onEnd) => engine.generate(JSON.stringify(request), onWake, onEnd, true, 0));
}

const messages = [{ role: "user", content: "hi" }];

interface Traced {
  readonly type: string;
  readonly event?: string;
}

/** As the schema of what it says it is. */
function expectTraced(one: Traced): void {
  const name = one.event === undefined ? "decision" : `${one.event}_event`;
  expect(schemaErrors("results", name, one)).toEqual([]);
}

test("what the trace has of runs, tools and loads that fail is as the schemas say", async () => {
  const engine = await open("it is there");
  engine.trace(() => undefined);
  await load(engine);
  await end((onWake, onEnd) => engine.loadModel("n", '{"path":"/nowhere.gguf"}', onWake, onEnd, false));
  engine.addHook(0, POINTS.preToolCall.number, { name: "sees", priority: 0, deadlineMs: 0, flags: 0, when: null });
  const look = {
    name: "look",
    description: "",
    parameters: '{"type":"object"}',
    deadlineMs: 0,
    flags: 0,
    fault: null,
    annotations: null,
    origin: null,
    run: 1,
    check: 0,
  };
  const session = engine.openSession("{}", [look]);
  const ran = await end((onWake, onEnd) => engine.runSession(session, '{"content":"hi"}', onWake, onEnd, false, 0));
  expect(ran.status).toBe(0);
  expect(schemaErrors("results", "run_result", ran.json)).toEqual([]);
  await end((_, onEnd) => engine.unloadModel("m", "enough", onEnd));
  const traced = engine.drainTrace().map((text) => JSON.parse(text) as Traced);
  const call = ["model_call_started", "model_call_ended"];
  expect(traced.map(({ type, event }) => event ?? type)).toEqual([
    "model_load_started",
    "model_loaded",
    "model_load_started",
    "model_load_failed",
    "run_started",
    ...call,
    "decision",
    "tool_call_started",
    "tool_call_ended",
    ...call,
    "run_ended",
    "model_unloaded",
  ]);
  for (const one of traced) expectTraced(one);
});

test("requests, results, events, decisions and errors are as the schemas say", async () => {
  const engine = await open();
  engine.trace(() => undefined);
  const loaded = await load(engine);
  for (const { number } of [POINTS.preGenerate, POINTS.postGenerate])
    engine.addHook(0, number, { name: "maybe", priority: 0, deadlineMs: 0, flags: hookFlags.jsonResult, when: null });

  const requests = [
    {
      messages,
      tools: [{ name: "look", description: "Looks", parameters: { type: "object" } }],
      params: {
        temperature: 0,
        seed: null,
        logprobs: true,
        top_logprobs: 2,
        stop: ["zzz"],
        logit_bias: [{ token: 1, bias: -0.5 }],
      },
    },
    { prompt: "raw", model: "m", stream: "held", tier: "lead", params: { max_tokens: 2, grammar: null } },
    { messages, tier: "refuse" },
    { messages, tier: "change" },
  ];
  const ends: Ended[] = [];
  for (const request of requests) {
    expect(schemaErrors("parameters", "generate_request", request)).toEqual([]);
    ends.push(await generate(engine, request));
  }
  expect(ends.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
  for (const { json } of ends) expect(schemaErrors("results", "generate_result", json)).toEqual([]);
  expect(ends.map(({ json }) => (json as { finish_reason: string }).finish_reason)).toContain("cancelled");

  const events = [...loaded.events, ...ends.flatMap((one) => one.events)] as { type: string }[];
  const types = events.map(({ type }) => type).filter((type) => type !== "prompt_progress"); // goes by time
  expect(new Set(types)).toEqual(new Set(["progress", "start", "token", "tool_call_delta", "replaced"]));
  for (const event of events) expect(schemaErrors("results", `${event.type}_event`, event)).toEqual([]);

  const traced = engine.drainTrace().map((text) => JSON.parse(text) as { type: string; event?: string });
  expect(new Set(traced.map(({ type, event }) => event ?? type))).toEqual(
    new Set(["decision", "model_load_started", "model_loaded", "generation_started", "generation_ended"]),
  );
  for (const one of traced) expectTraced(one);

  const failed = await generate(engine, { messages, params: { grammar: "root ::= (" } });
  expect(schemaErrors("results", "error", failed.json)).toEqual([]);
  expect(schemaErrors("results", "error_code", (failed.json as { code: string }).code)).toEqual([]);

  for (const model of [loaded.json, ...(JSON.parse(engine.listModels()) as unknown[])])
    expect(schemaErrors("results", "model_info", model)).toEqual([]);
  for (const device of JSON.parse(engine.memory()) as unknown[])
    expect(schemaErrors("results", "device_memory", device)).toEqual([]);
  for (const hook of JSON.parse(engine.listHooks(0)) as unknown[])
    expect(schemaErrors("results", "hook_listing", hook)).toEqual([]);
  expect(schemaErrors("results", "system_info", JSON.parse(engine.systemInfo()))).toEqual([]);
});

test.each<[string, object]>([
  ["a key that there is not", { messages, params: { warmth: 1 } }],
  ["a number out of range", { messages, params: { top_p: 1.5 } }],
  ["a fraction for a whole number", { messages, params: { top_k: 1.5 } }],
  ["null where nothing can be unset", { messages, params: { temperature: null } }],
  ["a word of another list", { messages, stream: "later" }],
])("%s is refused by the engine and by the schema", async (_, request) => {
  const engine = await open();
  await load(engine);
  expect(schemaErrors("parameters", "generate_request", request)).not.toEqual([]);
  let refused: unknown;
  try {
    await generate(engine, request);
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({ native: { code: "INVALID_ARGUMENT" } });
});

test("the schemas are in the package", () => {
  const { files } = createRequire(import.meta.url)("../../package.json") as { files: string[] };
  expect(files).toContain("schemas");
});
