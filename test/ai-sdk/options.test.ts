// providerOptions.llamaHooks, the provider's own options, and warnings of settings without effect.
import { expect, test } from "vitest";
import { llamaHooks } from "../../src/ai-sdk/index.js";
import { defineHooks, type PreGenerateEvent } from "../../src/index.js";
import { describeVersions } from "../support/integrations/ai-sdk.js";
import { openEngine, rejection, unwilling } from "../support/engine.js";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];

describeVersions(({ sdk, provider }) => {
  test("providerOptions are options of generate(), and override the AI SDK's settings", async () => {
    const engine = await openEngine(["Hello."]);
    const seen: PreGenerateEvent[] = [];
    engine.hooks.on("preGenerate", (event) => void seen.push(event));
    await sdk.generateText({
      model: provider(engine)(),
      prompt: "Hi",
      temperature: 1,
      topK: 9,
      providerOptions: { llamaHooks: { temperature: 0, minP: 0.2, tags: { user: "ann" }, tier: "lead" } },
    });
    expect(seen).toMatchObject([
      { params: { temperature: 0, topK: 9, minP: 0.2 }, tier: "lead", meta: { tags: { user: "ann" } } },
    ]);
  });

  test("a grammar in providerOptions holds for the answer", async () => {
    const engine = await openEngine(unwilling("Hello."));
    const { text } = await sdk.generateText({
      model: provider(engine)(),
      prompt: "Hi",
      providerOptions: { llamaHooks: { grammar: 'root ::= "yes"' } },
    });
    expect(text).toBe("yes");
  });

  test("hooks pass through providerOptions, for this call only", async () => {
    const engine = await openEngine(["Hello."]);
    const loud = defineHooks("loud", { postGenerate: ({ content }) => ({ content: content.toUpperCase() }) });
    const call = { model: provider(engine)(), prompt: "Hi" };
    const changed = await sdk.generateText({ ...call, providerOptions: { llamaHooks: { hooks: loud as never } } });
    expect([changed.text, (await sdk.generateText(call)).text]).toEqual(["HELLO.", "Hello."]);
  });

  test("the provider's options hold for every call; a call adds hooks and tags to them", async () => {
    const engine = await openEngine(["Hello."]);
    const order: string[] = [];
    const note = (name: string) =>
      defineHooks(name, {
        preGenerate: ({ meta, params }) => void order.push(`${name} ${JSON.stringify(meta.tags)} ${params.topK}`),
      });
    const model = provider(engine, { generate: { hooks: note("ours"), tags: { app: "a" }, topK: 5 } })();
    await sdk.generateText({ model, prompt: "Hi" });
    const own = { hooks: [note("theirs")] as never, tags: { user: "ann" } };
    await sdk.generateText({ model, prompt: "Hi", topK: 6, providerOptions: { llamaHooks: own } });
    expect(order).toEqual([
      'ours {"app":"a"} 5',
      'ours {"app":"a","user":"ann"} 6',
      'theirs {"app":"a","user":"ann"} 6',
    ]);
  });

  test("wrong options are TypeErrors that name them", async () => {
    const model = provider(await openEngine(["Hello."]))();
    const wrong: [object, string][] = [
      [{ temperatur: 1 }, "temperatur"],
      [{ topP: 2 }, "topP"],
      [{ signal: 1 }, "providerOptions.llamaHooks.signal"],
      [{ jsonSchema: {} }, "providerOptions.llamaHooks.jsonSchema"],
    ];
    for (const [options, param] of wrong) {
      const call = { model, prompt: "Hi", providerOptions: { llamaHooks: options as never } };
      const error = await rejection(sdk.generateText(call));
      expect([error instanceof TypeError, (error as { param?: string }).param]).toEqual([true, param]);
    }
    const notAnObject = { prompt, providerOptions: { llamaHooks: 1 as never } };
    expect(await rejection(model.doGenerate(notAnObject))).toMatchObject({ param: "providerOptions.llamaHooks" });
  });

  test("tools that are strict refuse what the grammar cannot enforce, if all are", async () => {
    const engine = await openEngine(["Hello."]);
    const seen: unknown[] = [];
    engine.hooks.on("preGenerate", ({ params }) => void seen.push(params.strictSchema));
    const model = provider(engine)();
    const tool = (name: string, strict?: boolean) => ({
      type: "function" as const,
      name,
      inputSchema: { type: "object" as const, properties: {} },
      ...(strict !== undefined && { strict }),
    });
    const features = async (tools: ReturnType<typeof tool>[]): Promise<unknown[]> =>
      (await model.doGenerate({ prompt, tools })).warnings.map((warning) => "feature" in warning && warning.feature);
    expect(await features([tool("a", true), tool("b", true)])).toEqual([]);
    expect(await features([tool("a", true), tool("b")])).toEqual(["strict"]);
    expect(await features([tool("a"), tool("b")])).toEqual([]);
    expect(seen).toEqual([true, false, false]);
  });

  test("examples of a tool's input are a warning in the result", async () => {
    const model = provider(await openEngine(["Hello."]))();
    const input = sdk.jsonSchema<object>({ type: "object", properties: {} });
    const tools = { look: sdk.tool({ inputSchema: input, inputExamples: [{ input: {} }], execute: () => "" }) };
    const { warnings } = await sdk.generateText({ model, prompt: "Hi", tools });
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "inputExamples of the tool look" }]);
  });
});

test("levels of reasoning: none turns it off, and others are a warning", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void seen.push(params.reasoning));
  const model = llamaHooks(engine, { spec: "v4" })();
  const warned: number[] = [];
  for (const reasoning of ["provider-default", "none", "high"])
    warned.push((await model.doGenerate({ prompt, reasoning })).warnings.length);
  expect([seen, warned]).toEqual([
    [true, false, true],
    [0, 0, 1],
  ]);
});

test("the metadata has the log probabilities and the stop text of generate()", async () => {
  const engine = await openEngine(["One two three."]);
  const call = { prompt, stopSequences: [" three"], providerOptions: { llamaHooks: { logprobs: true } } };
  const { providerMetadata } = await llamaHooks(engine)().doGenerate(call);
  const own = await engine.generate("Hi", { stop: " three", logprobs: true });
  expect(own.logprobs?.length).toBeGreaterThan(0);
  expect(providerMetadata).toEqual({
    llamaHooks: { decisions: [], stopText: " three", logprobs: JSON.parse(JSON.stringify(own.logprobs)) as unknown },
  });
});

test("the events of the engine are raw chunks, if they are asked for", async () => {
  const engine = await openEngine(["Hello."]);
  const { stream } = await llamaHooks(engine)().doStream({ prompt, includeRawChunks: true });
  const raw: unknown[] = [];
  for await (const part of stream) if (part.type === "raw") raw.push((part.rawValue as { type: string }).type);
  expect(raw).toEqual(["start", "token", "token", "end"]);
});
