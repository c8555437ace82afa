// The reasoning of earlier answers stays in the prompt where the chat template can keep it.
import { expect, test } from "vitest";
import type { Engine, Message } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { templateSource } from "../support/templates/template-files.js";

const thought = "Greetings deserve greetings.";
const messages: readonly Message[] = [
  { role: "user", content: "Hi." },
  { role: "assistant", content: "Hello.", reasoning: thought },
  { role: "user", content: "More." },
];
const engineOf = (template: string): Promise<Engine> =>
  openEngine(["Fine."], { chatTemplate: templateSource(template) });

test.each(["GLM-4.7-Flash", "LFM2.5-8B-A1B", "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "deepseek-ai-DeepSeek-V4"])(
  "%s keeps earlier reasoning, unless an option says no",
  async (name) => {
    const engine = await engineOf(name);
    const render = (options: object): Promise<string> =>
      engine.models.renderPrompt(undefined, { messages, ...options });
    expect(await render({})).toContain(thought);
    expect(await render({ preserveReasoning: true })).toBe(await render({}));
    const without = await render({ preserveReasoning: false });
    expect(without).not.toContain(thought);
    expect(without).toContain("Hello.");
    expect(await render({ chatTemplateArgs: { preserve_reasoning: false } })).not.toContain(thought);
    // With another variable llama.cpp renders, and not the engine's own pass.
    expect(await render({ chatTemplateArgs: { some: 1 } })).toBe(await render({}));
  },
);

test("a conversation continues with the tokens that the model wrote", async () => {
  const chatTemplate = templateSource("GLM-4.7-Flash");
  const engine = await openEngine({
    chatTemplate,
    replies: [`${thought}</think>Hello.`, "</think>More.", "</think>More."],
  });
  const first = await engine.generate("Hi.");
  expect(first).toMatchObject({ reasoning: thought, text: "Hello." });
  const going: Message[] = [
    { role: "user", content: "Hi." },
    { role: "assistant", content: first.text, reasoning: first.reasoning },
    { role: "user", content: "More." },
  ];
  const kept = await engine.generate(going);
  const cut = await engine.generate(going, { preserveReasoning: false });
  expect(kept.text).toBe("More.");
  expect(kept.usage.promptTokens).toBeGreaterThan(cut.usage.promptTokens);
});

test("a template that cannot keep it does what it does", async () => {
  const engine = await engineOf("Qwen3.5-4B");
  const render = (preserveReasoning: boolean) => engine.models.renderPrompt(undefined, { messages, preserveReasoning });
  expect(await render(true)).toBe(await render(false));
  expect(await render(true)).not.toContain(thought);
});
