import { expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { templateSource } from "../support/templates/template-files.js";

const weather = {
  name: "weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const call = (id: string, city: string) => ({ id, name: "weather", args: { city } });

/** A conversation in which the model called for each of the cities. */
function asked(...calls: ReturnType<typeof call>[]): Message[] {
  return [
    { role: "user", content: "Weather?" },
    { role: "assistant", content: "", toolCalls: calls },
    ...calls.map(({ id }) => ({ role: "tool" as const, content: "rain", toolCallId: id, toolName: "weather" })),
  ];
}

test.each(["mistralai-Mistral-Nemo-Instruct-2407", "Mistral-Small-3.2-24B-Instruct-2506"])(
  "%s, which takes ids of nine letters and digits alone, takes a conversation with any",
  async (name) => {
    const engine = await openEngine(["Fine."], { chatTemplate: templateSource(name) });
    const render = (...calls: ReturnType<typeof call>[]) =>
      engine.models.renderPrompt(undefined, { messages: asked(...calls), tools: [weather] });
    const prompt = await render(
      call("call_run-1_0_1", "Oslo"),
      call("call_run-1_0_2", "Rome"),
      call("own4model", "Bonn"),
    );
    const ids = [...prompt.matchAll(/"(?:id|call_id)": ?"([^"]*)"|\[CALL_ID\]([a-zA-Z0-9_-]+)/gu)].map(
      (m) => m[1] ?? m[2],
    );
    expect(ids.length).toBeGreaterThanOrEqual(3);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/u);
    expect(new Set(ids).size).toBe(3);
    expect(prompt).toContain("own4model");
    expect(prompt).not.toContain("call_run-1");
    expect(
      await render(call("call_run-1_0_1", "Oslo"), call("call_run-1_0_2", "Rome"), call("own4model", "Bonn")),
    ).toBe(prompt);
  },
);

test("a conversation keeps its own ids on a template that takes them", async () => {
  const engine = await openEngine(["Fine."], { chatTemplate: templateSource("moonshotai-Kimi-K2") });
  const messages = asked(call("functions.weather:0", "Oslo"));
  expect(await engine.models.renderPrompt(undefined, { messages, tools: [weather] })).toContain("functions.weather:0");
});

test.each(["google-gemma-2-2b-it", "microsoft-Phi-3.5-mini-instruct", "ibm-granite-granite-3.3-2B-Instruct"])(
  "%s has no tool calls: tools are refused instead of vanishing",
  async (name) => {
    const engine = await openEngine(["Fine."], { chatTemplate: templateSource(name) });
    const error = await rejection(engine.generate("Weather?", { tools: [weather] }));
    expect(error).toMatchObject({ code: "TOOLS_UNSUPPORTED" });
    expect((await engine.generate("Weather?", { tools: [weather], toolChoice: "none" })).finishReason).toBe("stop");
    expect((await engine.generate("Weather?")).finishReason).toBe("stop");
  },
);

test.each(["meta-llama-Llama-3.1-8B-Instruct", "openai-gpt-oss-120b", "GigaChat3.1-10B-A1.8B"])(
  "%s has room for one call a message: each call of a message gets its own, with its result behind it",
  async (name) => {
    const engine = await openEngine(["Fine."], { chatTemplate: templateSource(name) });
    const render = (messages: readonly Message[]) =>
      engine.models.renderPrompt(undefined, { messages, tools: [weather] });
    const [first, second] = [call("c1", "Oslo"), call("c2", "Rome")];
    const prompt = await render(asked(first, second));
    expect(prompt).toBe(await render([...asked(first), ...asked(second).slice(1)]));
    expect(prompt).toContain("Oslo");
    expect(prompt).toContain("Rome");
  },
);

test("a template that reads calls but does not describe tools continues to work", async () => {
  const chatTemplate = templateSource("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B");
  const engine = await openEngine(["Fine."], { chatTemplate });
  expect((await engine.generate("Weather?", { tools: [weather] })).finishReason).toBe("stop");
});

test("what Functionary v3.2 writes before every answer is not a part of the answer, without tools too", async () => {
  const chatTemplate = templateSource("meetkai-functionary-medium-v3.2");
  const engine = await openEngine([{ pieces: ["all", "\n", "Hello", " there."] }], { chatTemplate });
  const generation = engine.generate("Hi");
  let streamed = "";
  for await (const event of generation) if (event.type === "token") streamed += event.text;
  expect([streamed, (await generation).text]).toEqual(["Hello there.", "Hello there."]);
});
