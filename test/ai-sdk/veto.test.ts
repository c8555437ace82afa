// Vetoes of hooks before, during and after a generation, as callers of the AI SDK see them.
import { expect, test } from "vitest";
import { cancel } from "../../src/index.js";
import { all, describeVersions, facts } from "../support/integrations/ai-sdk.js";
import { openEngine, rejection } from "../support/engine.js";

describeVersions(({ sdk, provider }) => {
  test("a veto before the generation is an empty answer with the hook's name and reason", async () => {
    const engine = await openEngine(["Hello."]);
    engine.hooks.on("preGenerate", () => cancel("no passwords"), { name: "guard" });
    const { text, finishReason, rawFinishReason, providerMetadata } = await sdk.generateText({
      model: provider(engine)(),
      prompt: "My password",
    });
    expect([text, finishReason, rawFinishReason]).toEqual(["", "content-filter", "hook:guard"]);
    expect(facts(providerMetadata)).toMatchObject({
      cancel: { by: "guard", reason: "no passwords" },
      decisions: [{ point: "preGenerate", action: "cancelled", reason: "no passwords" }],
    });
  });

  test("a veto before the generation ends a stream in the same way", async () => {
    const engine = await openEngine(["Hello."]);
    engine.hooks.on("preGenerate", () => cancel("no passwords"), { name: "guard" });
    const result = sdk.streamText({ model: provider(engine)(), prompt: "My password" });
    expect(await all(result.textStream)).toEqual([]);
    expect([await result.finishReason, await result.rawFinishReason]).toEqual(["content-filter", "hook:guard"]);
    expect(facts(await result.providerMetadata)).toMatchObject({ cancel: { by: "guard", reason: "no passwords" } });
  });

  test("a veto of the model's load is the engine's error, with its decision", async () => {
    const engine = await openEngine(["Hello."]);
    const path = engine.models.describe("default").path;
    await engine.models.load("lazy", { path, lazy: true });
    engine.hooks.on("modelLoad", () => cancel("not now"), { name: "loads" });
    const error = await rejection(sdk.generateText({ model: provider(engine)("lazy"), prompt: "Hi" }));
    expect(error).toMatchObject({ code: "HOOK_CANCELLED", decision: { decidedBy: { name: "loads" } } });
  });

  test("text that a hook drops during the generation is not streamed, while the rest comes token by token", async () => {
    const engine = await openEngine(["One two three."]);
    engine.hooks.on("streamToken", ({ text }) => (text === " two" ? { drop: true } : undefined), { name: "dropper" });
    const result = sdk.streamText({ model: provider(engine)(), prompt: "Count" });
    expect(await all(result.textStream)).toEqual(["One", " three", "."]);
    expect(await result.finishReason).toBe("stop");
  });

  test("calls of an answer that a hook halts do not run", async () => {
    const engine = await openEngine([{ text: "I delete.", toolCalls: [{ name: "remove", args: {} }] }, "Done."]);
    let ran = 0;
    const remove = sdk.tool({
      inputSchema: sdk.jsonSchema<object>({ type: "object", properties: {}, additionalProperties: false }),
      execute: () => ++ran,
    });
    const call = { model: provider(engine)(), prompt: "Go", tools: { remove }, stopWhen: sdk.stepCountIs(3) };
    await sdk.generateText(call);
    expect(ran).toBe(1);
    engine.hooks.on("postGenerate", () => ({ halt: "not today" }), { name: "halter" });
    const whole = await sdk.generateText(call);
    const stream = sdk.streamText(call);
    const types = (await all(stream.fullStream)).map(({ type }) => type);
    expect([ran, whole.finishReason, whole.rawFinishReason]).toEqual([1, "content-filter", "hook:halter"]);
    expect(await stream.rawFinishReason).toBe("hook:halter");
    expect(types.filter((type) => type.startsWith("tool-"))).toEqual([]);
    expect(facts(whole.providerMetadata).halt).toEqual({ by: "halter", reason: "not today" });
  });

  test("decisions are reported without the values that hooks threw", async () => {
    const engine = await openEngine(["Hello."]);
    const circle: { self?: object } = {};
    circle.self = circle;
    const thrower = (): undefined => {
      throw Object.assign(new Error("broken"), { circle, big: 1n });
    };
    engine.hooks.on("preGenerate", thrower, { name: "thrower" });
    const { text, providerMetadata } = await sdk.generateText({ model: provider(engine)(), prompt: "Hi" });
    expect(text).toBe("Hello.");
    const [decision] = facts(providerMetadata).decisions as never[];
    expect(decision).toMatchObject({
      point: "preGenerate",
      hooks: [{ name: "thrower", outcome: "failed", error: { code: "HOOK_FAILED" } }],
    });
    expect(JSON.stringify(decision)).not.toContain("circle");
  });
});
