// The message for a wrong option suggests the option that may have been meant.
import { expect, test } from "vitest";
import { createEngine, tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

type Call = (options: object) => unknown;

async function calls() {
  const engine = await openEngine(["Never."]);
  const session = engine.session();
  return {
    generate: (options) => engine.generate("Hi", options),
    run: (options) => session.run("Hi", options),
    session: (options) => engine.session(options),
    load: (options) => engine.models.load("other", options as never),
    createEngine: (options) => createEngine(options),
    embed: (options) => engine.embed("Hi", options),
    tool: (options) => tool({ name: "clock", run: () => "12:00", ...options }),
  } as const satisfies Record<string, Call>;
}

async function messageOf(call: Call, options: object): Promise<string> {
  try {
    await call(options);
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as TypeError).message;
  }
  throw new Error("it was taken");
}

const meant: [call: string, word: string, name: string][] = [
  ["generate", "maxOutputTokens", "maxTokens"],
  ["generate", "max_tokens", "maxTokens"],
  ["generate", "num_predict", "maxTokens"],
  ["generate", "abortSignal", "signal"],
  ["generate", "stopSequences", "stop"],
  ["generate", "customStopTriggers", "stop"],
  ["generate", "systemPrompt", "system"],
  ["generate", "schema", "answer"],
  ["generate", "responseFormat", "answer"],
  ["generate", "repetitionPenalty", "repeatPenalty"],
  ["generate", "temprature", "temperature"],
  ["generate", "functions", "tools"],
  ["generate", "enableThinking", "reasoning"],
  ["run", "abortSignal", "signal"],
  ["run", "maxOutputTokens", "maxTokens"],
  ["run", "metadata", "tags"],
  ["session", "maxSteps", "maxIterations"],
  ["session", "instructions", "system"],
  ["session", "messages", "history"],
  ["session", "sessionId", "id"],
  ["load", "modelPath", "path"],
  ["load", "num_ctx", "contextSize"],
  ["load", "nGpuLayers", "gpuLayers"],
  ["createEngine", "modelPath", "model"],
  ["createEngine", "checkpointer", "sessionStore"],
  ["embed", "abortSignal", "signal"],
  ["tool", "inputSchema", "parameters"],
  ["tool", "execute", "run"],
  ["tool", "handler", "run"],
  ["tool", "timeoutMs", "deadlineMs"],
];

test.each(meant)("%s({ %s }) names %s", async (call, word, name) => {
  const message = await messageOf((await calls())[call as "run"], { [word]: 1 });
  expect(message).toContain(`has no key ${JSON.stringify(word)}; did you mean ${JSON.stringify(name)}?`);
});

const elsewhere: [call: string, word: string, says: string][] = [
  ["run", "maxSteps", "here it is called maxIterations, an option of engine.session()"],
  ["run", "maxIterations", "it is an option of engine.session()"],
  ["run", "system", "it is an option of engine.session()"],
  ["generate", "contextSize", "it is an option of models.load() and createEngine()"],
  ["session", "n_gpu_layers", "here it is called gpuLayers, an option of models.load() and createEngine()"],
  ["generate", "prompt", "it is the first argument, not an option"],
  ["run", "messages", "it is the first argument, not an option"],
  ["generate", "onToken", "read textStream or the events, or add a hook at streamToken"],
];

test.each(elsewhere)("%s({ %s }): %s", async (call, word, says) => {
  expect(await messageOf((await calls())[call as "run"], { [word]: 1 })).toContain(`; ${says} (`);
});

test("five names are shown, the nearest first, and a short list as a whole", async () => {
  const { generate, tool: make, embed } = await calls();
  const long = await messageOf(generate, { dryPenaltyLength: 1 });
  const shown = /; nearest: ([\w, ]+)$/.exec(long)?.[1]?.split(", ") ?? [];
  expect(shown).toHaveLength(5);
  expect(shown.slice(0, 3)).toEqual(expect.arrayContaining(["dryAllowedLength", "dryPenaltyLastN"]));
  expect((await messageOf(generate, { zzzzzzzzzzzz: 1 })).length).toBeLessThan(150);
  expect(await messageOf(embed, { zzzzzzzz: 1 })).toMatch(/has no key "zzzzzzzz"; (?:known|nearest): \w/);
  expect(await messageOf(make, { zzzzzzzz: 1 })).toContain("; nearest: ");
});

test("a very long name costs nothing", async () => {
  const { generate } = await calls();
  const message = await messageOf(generate, { ["x".repeat(1_000_000)]: 1 });
  expect(message).toContain("; nearest: ");
});
