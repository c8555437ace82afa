// What a model with a chat template of llama.cpp wrote, as the engine reads it.
import { onTestFinished } from "vitest";
import type { Engine, GenerateOptions, MessageInput } from "../../../src/index.js";
import type { ScriptModelOptions, ScriptReply } from "../../../src/testing/index.js";
import { openEngine, unwilling } from "../engine.js";
import { templateSource } from "./template-files.js";

export const cityWeather = {
  name: "weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** A reply in tokens of plain text: none of them is a mark of the format. */
export const ordinary = (text: string): { pieces: string[] } => ({ pieces: text.match(/[^]{1,3}/gu) ?? [] });

/** The engines of the running test that nothing uses at the moment, by their scripts. */
const idle = new Map<string, Engine>();

/** Makes use of an engine with the script. Within a test the next use of the script finds it loaded, unless both meet. */
async function withEngine<T>(script: ScriptModelOptions, use: (engine: Engine) => Promise<T>): Promise<T> {
  const key = JSON.stringify(script);
  let engine = idle.get(key);
  if (engine === undefined) {
    engine = await openEngine(script, { contextSize: 8192 });
    onTestFinished(() => void idle.delete(key));
  }
  idle.delete(key);
  const result = await use(engine);
  idle.set(key, engine);
  return result;
}

/** The answer of a model with the template that writes the reply to the messages, and the errors that hooks received. */
export async function readAnswer(
  template: string,
  reply: ScriptReply,
  options: GenerateOptions = {},
  messages: readonly MessageInput[] = [{ role: "user", content: "Hi" }],
) {
  const answered = messages.some(({ role }) => role === "assistant") ? ({ afterLast: "repeat" } as const) : {};
  const script = { ...unwilling(reply), ...answered, chatTemplate: templateSource(template), contextLength: 8192 };
  return withEngine(script, async (engine) => {
    const errors: { code: string; message: string }[] = [];
    const listener = engine.hooks.on("error", ({ code, message }) => void errors.push({ code, message }));
    const generation = engine.generate(messages, { maxTokens: 400, temperature: 0, ...options });
    let streamed = "";
    let thought = "";
    let argsText = "";
    let replaced = 0;
    for await (const event of generation) {
      if (event.type === "token" && event.kind === "content") streamed += event.text;
      if (event.type === "token" && event.kind === "reasoning") thought += event.text;
      if (event.type === "toolCallDelta") argsText += event.argsText;
      if (event.type === "replaced") replaced += 1;
    }
    const { text, reasoning, toolCalls, finishReason, stopText } = await generation;
    listener.dispose();
    const calls = toolCalls.map(({ name, args }) => [name, args]);
    const codes = errors.map(({ code }) => code);
    return { text, reasoning, calls, finishReason, stopText, streamed, thought, argsText, replaced, errors, codes };
  });
}
