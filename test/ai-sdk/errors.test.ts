// Errors as callers of the AI SDK get them: no fault is hidden by a retry, and only BUSY is retried.
import { expect, test } from "vitest";
import { llamaHooks } from "../../src/ai-sdk/index.js";
import { type Engine, LlamaHooksError } from "../../src/index.js";
import { all, describeVersions } from "../support/integrations/ai-sdk.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";

const thrown = (fails: () => unknown): unknown => {
  try {
    return fails();
  } catch (error) {
    return error;
  }
};

/** Fills the only sequence of an engine without a queue, and all that may run beside it, until the gate opens. */
async function fill(engine: Engine): Promise<{ open(): void; ended: Promise<unknown> }> {
  const [released, full] = [gate(), gate()];
  let inside = 0;
  const hold = async ({ tier }: { tier: string | null }): Promise<undefined> => {
    if (tier !== "held") return;
    if (++inside === 9) full.open();
    await released.passed;
  };
  engine.hooks.on("preGenerate", hold, { deadlineMs: 0 });
  const ended = Promise.all(Array.from({ length: 9 }, () => engine.generate("Hold", { tier: "held" })));
  await full.passed;
  return { open: () => released.open(), ended };
}

/** Counts the attempts of a model. The first one is refused, and passes that on when the engine is empty again. */
function emptiedAfterFirst<Call extends "doGenerate" | "doStream">(
  model: { [Key in Call]: (options: never) => Promise<unknown> },
  call: Call,
  { open, ended }: { open(): void; ended: Promise<unknown> },
): { attempts(): number } {
  const once = model[call];
  let attempts = 0;
  model[call] = async (options: never) => {
    if (++attempts > 1) return once(options);
    return once(options).finally(async () => {
      open();
      await ended;
    });
  };
  return { attempts: () => attempts };
}

describeVersions(({ sdk, provider }) => {
  test("a fault of the engine is the engine's own error, after one attempt", async () => {
    const engine = await openEngine(["Hello."], { contextSize: 64 });
    let attempts = 0;
    engine.hooks.on("contextBudget", () => void attempts++);
    const call = { model: provider(engine)(), prompt: "word ".repeat(500) };
    const error = await rejection(sdk.generateText(call));
    expect(error).toBeInstanceOf(LlamaHooksError);
    expect([(error as LlamaHooksError).code, attempts]).toEqual(["PROMPT_TOO_LONG", 1]);
    const errors: unknown[] = [];
    await sdk.streamText({ ...call, onError: ({ error }) => void errors.push(error) }).consumeStream();
    expect([(errors as LlamaHooksError[]).map(({ code }) => code), attempts]).toEqual([["PROMPT_TOO_LONG"], 2]);
  });

  test("a model that the engine does not have is MODEL_NOT_LOADED when it is used", async () => {
    const model = provider(await openEngine(["Hello."]))("other");
    expect(await rejection(sdk.generateText({ model, prompt: "Hi" }))).toMatchObject({ code: "MODEL_NOT_LOADED" });
  });

  test("BUSY is an API call error that the AI SDK retries, until there is a place", async () => {
    const engine = await openEngine(["Hello."], { parallel: 1, maxQueued: 0 });
    const { open, ended } = await fill(engine);
    const call = { model: provider(engine)(), prompt: "Hi" };
    const refused = await rejection(sdk.generateText({ ...call, maxRetries: 0 }));
    expect(refused).toBeInstanceOf(LlamaHooksError);
    expect(refused).toMatchObject({ code: "BUSY", statusCode: 429, isRetryable: true });
    expect(sdk.APICallError.isInstance(refused)).toBe(true);
    const { attempts } = emptiedAfterFirst(call.model, "doGenerate", { open, ended });
    expect((await sdk.generateText({ ...call, maxRetries: 1 })).text).toBe("Hello.");
    expect(attempts()).toBe(2);
  });

  test("a stream that is refused as BUSY is retried, too", async () => {
    const engine = await openEngine(["Hello."], { parallel: 1, maxQueued: 0 });
    const { open, ended } = await fill(engine);
    const model = provider(engine)();
    const { attempts } = emptiedAfterFirst(model, "doStream", { open, ended });
    expect((await all(sdk.streamText({ model, prompt: "Hi", maxRetries: 1 }).textStream)).join("")).toBe("Hello.");
    expect(attempts()).toBe(2);
  });

  test("an error in the middle of a stream is an error part and the end of the stream", async () => {
    const engine = await openEngine([{ text: "again ", endless: true }]);
    const errors: unknown[] = [];
    const { fullStream } = sdk.streamText({
      model: provider(engine)(),
      prompt: "Go",
      onError: ({ error }) => void errors.push(error),
    });
    let closing: Promise<void> | undefined;
    const types: string[] = [];
    for await (const { type } of fullStream) {
      types.push(type);
      if (type === "text-delta") closing ??= engine.close();
    }
    await closing;
    expect(errors).toMatchObject([{ code: "CANCELLED", message: expect.stringContaining("the engine is closed") }]);
    expect(types.slice(-2)).toEqual(["finish-step", "finish"]);
  });

  test("models of other kinds are errors that the AI SDK knows", async () => {
    const llama = provider(await openEngine(["Hello."]));
    for (const kind of ["imageModel", "transcriptionModel", "speechModel"] as const) {
      const error = thrown(() => llama[kind]("default"));
      expect([sdk.NoSuchModelError.isInstance(error), error]).toMatchObject([
        true,
        { modelId: "default", modelType: kind },
      ]);
    }
  });
});

test("misuse is a TypeError that names the option", async () => {
  const engine = await openEngine(["Hello."]);
  const wrongly = (...args: unknown[]) => thrown(() => (llamaHooks as (...args: unknown[]) => unknown)(...args));
  const cases: [unknown, string | undefined, RegExp][] = [
    [wrongly({}), undefined, /engine of llamaHooks\(\) must be an engine/],
    [wrongly(engine, { spec: "v5" }), "spec", /"v3"/],
    [wrongly(engine, { model: "" }), "model", /not empty/],
    [wrongly(engine, { modle: "a" }), "modle", /did you mean "model"/],
    [wrongly(engine, { generate: 1 }), "generate", /an object/],
    [wrongly(engine, { generate: { tools: [] } }), "generate.tools", /use tools of the AI SDK/],
    [thrown(() => llamaHooks(engine)("")), undefined, /not empty/],
  ];
  for (const [error, param, message] of cases) {
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(message);
    expect((error as { param?: string }).param).toBe(param);
  }
});
