// For every chat template of llama.cpp: a message that is continued stands at the end of the prompt, as the template
// writes it, and the rest is read as text, or as a call.
import { expect, test } from "vitest";
import { engineWith } from "../support/templates/template-engine.js";
import { chosenTemplates } from "../support/templates/template-files.js";
import { type GenerateOptions, LlamaHooksError, type Message } from "../../src/index.js";
import { weather } from "../support/templates/native-replies.js";

const content = "It is cold and";
const messages: readonly Message[] = [
  { role: "user", content: "Weather?" },
  { role: "assistant", content },
];

/** Templates that cannot continue a message, and the reason. */
const known: Readonly<Record<string, string>> = {
  "NVIDIA-Nemotron-Nano-v2": "writes the last message as reasoning",
};

const outcome = <T>(call: Promise<T>): Promise<T | string> =>
  call.catch((error: unknown) => {
    if (error instanceof LlamaHooksError) return `${error.code}: ${error.message}`;
    throw error;
  });

test.each(chosenTemplates)("%s: a message is continued", async (name) => {
  const { engine, load } = await engineWith(name);
  const request = { messages, continueFinalMessage: true } as const;
  const prompt = await outcome(engine.models.renderPrompt("plain", request));
  const reason = known[name];
  if (reason !== undefined) {
    expect(prompt).toMatch(new RegExp(`^TEMPLATE_FAILED: request.continueFinalMessage.*${reason}`));
    return;
  }
  expect(prompt.slice(-content.length)).toBe(content);
  // The template writes the message in the same way where it has ended.
  const whole = await engine.models.renderPrompt("plain", { messages, addGenerationPrompt: false });
  expect(whole.startsWith(prompt)).toBe(true);

  await load("rest", []);
  const write = async (options: GenerateOptions) =>
    engine.generate(messages, {
      model: "rest",
      continueFinalMessage: true,
      maxTokens: 40,
      grammar: 'root ::= "  wet <b>today</b>."',
      ...options,
    });
  const { text, reasoning, messages: said } = await write({});
  expect([text, reasoning]).toEqual(["  wet <b>today</b>.", ""]);
  expect(said).toMatchObject([{ role: "assistant", content: `${content}${text}` }]);
  const withTools = await outcome(write({ tools: [weather], toolChoice: "none" }));
  expect(withTools).toMatchObject({ text, reasoning: "" });
  // Where calls can follow a text, or the format says that they cannot.
  const callable = await outcome(engine.models.renderPrompt("plain", { ...request, tools: [weather] }));
  expect(callable.endsWith(content) || callable.startsWith("TOOLS_UNSUPPORTED: ")).toBe(true);
});
