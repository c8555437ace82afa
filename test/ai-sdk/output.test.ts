// Answers by a schema: Output.object(), generateObject(), streamObject(), and JSON without a schema.
import { expect, test } from "vitest";
import { z } from "zod";
import { all, describeVersions } from "../support/integrations/ai-sdk.js";
import { openEngine, unwilling } from "../support/engine.js";

const schema = z.object({ city: z.string(), degrees: z.number() });
const reply = '{"city":"Oslo","degrees":4}';

describeVersions(({ sdk, provider }) => {
  test("Output.object() gives the object, and the grammar holds the model to the schema", async () => {
    const engine = await openEngine([reply]);
    const seen: unknown[] = [];
    engine.hooks.on("preGenerate", ({ params }) => void seen.push(params.jsonSchema));
    const { output } = await sdk.generateText({
      model: provider(engine)(),
      prompt: "Weather?",
      output: sdk.Output.object({ schema }),
    });
    expect(output).toEqual({ city: "Oslo", degrees: 4 });
    expect(seen).toMatchObject([{ type: "object", required: ["city", "degrees"] }]);
  });

  test("streamText() with an output streams partial objects", async () => {
    const engine = await openEngine([reply]);
    const result = sdk.streamText({
      model: provider(engine)(),
      prompt: "Weather?",
      output: sdk.Output.object({ schema }),
    });
    const partial = await all(result.partialOutputStream);
    expect(partial.length).toBeGreaterThan(1);
    expect(partial.at(-1)).toEqual({ city: "Oslo", degrees: 4 });
  });

  test("an output with tools: the model calls the tool first, and then answers by the schema", async () => {
    const engine = await openEngine([{ toolCalls: [{ name: "weather", args: {} }] }, reply]);
    const weather = sdk.tool({
      inputSchema: sdk.jsonSchema<object>({ type: "object", properties: {}, additionalProperties: false }),
      execute: () => "4 degrees",
    });
    const { output, steps } = await sdk.generateText({
      model: provider(engine)(),
      prompt: "Weather?",
      tools: { weather },
      output: sdk.Output.object({ schema }),
      stopWhen: sdk.stepCountIs(3),
    });
    expect([output, steps.length]).toEqual([{ city: "Oslo", degrees: 4 }, 2]);
  });

  test("JSON without a schema is any JSON, whatever the model would say", async () => {
    const model = provider(await openEngine(unwilling("no JSON")))();
    const { text } = await sdk.generateText({ model, prompt: "?", output: sdk.Output.json() });
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test("generateObject() and streamObject() give the object", async () => {
    const engine = await openEngine([reply]);
    const call = { model: provider(engine)(), prompt: "Weather?", schema };
    expect((await sdk.generateObject(call)).object).toEqual({ city: "Oslo", degrees: 4 });
    expect((await all(sdk.streamObject(call).partialObjectStream)).at(-1)).toEqual({ city: "Oslo", degrees: 4 });
  });
});
