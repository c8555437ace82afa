// For chat templates of llama.cpp: a conversation in any shape is rendered, and no word of it is missing.
import { expect, test } from "vitest";
import { type Engine, LlamaHooksError, type Message } from "../../src/index.js";
import { shapes, weather, wordsOf } from "../support/templates/shapes.js";
import { withoutCalls } from "../support/templates/known-templates.js";
import { chosenTemplates, templateNames, templateSource } from "../support/templates/template-files.js";
import { openEngine } from "../support/engine.js";

/** Templates that have no form for something that most of the others have. */
const peculiar: readonly string[] = [
  "Apertus-8B-Instruct",
  "Cohere2MoE",
  "GigaChat3.1-10B-A1.8B",
  "LFM2-8B-A1B",
  "MiniMax-M1",
  "Qwen3.5-4B",
  "Reka-Edge",
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B",
  "google-gemma-4-31B-it-interleaved",
  "llama-cpp-deepseek-r1",
  "llama-cpp-rwkv-world",
  "microsoft-Phi-3.5-mini-instruct",
  "mistralai-Ministral-3-14B-Reasoning-2512",
  "mistralai-Mistral-Nemo-Instruct-2407",
  "muse-glimmer",
  "unsloth-mistral-Devstral-Small-2507",
  "upstage-Solar-Open-100B",
];
const templates = templateNames.filter((name) => chosenTemplates.includes(name) || peculiar.includes(name));

const engineOf = (template: string): Promise<Engine> =>
  openEngine(["Fine."], { chatTemplate: templateSource(template) });

test.each(templates)("%s: every shape of a conversation is rendered with all its words", async (name) => {
  const engine = await engineOf(name);
  const faults: string[] = [];
  for (const [shape, messages] of Object.entries(shapes)) {
    for (const tools of [[], [weather]]) {
      let prompt: string;
      try {
        prompt = await engine.models.renderPrompt(undefined, { messages, tools });
      } catch (error) {
        const code = error instanceof LlamaHooksError ? error.code : undefined;
        // Tools are refused where there are no calls to read.
        const known = tools.length > 0 && name in withoutCalls && code === "TOOLS_UNSUPPORTED";
        if (!known) faults.push(`${shape}: ${String(error)}`);
        continue;
      }
      const missing = wordsOf(messages).filter((word) => !prompt.includes(word));
      if (missing.length > 0) faults.push(`${shape}${tools.length > 0 ? ", tools" : ""}: no ${missing.join(", ")}`);
    }
  }
  expect(faults, faults.join("\n")).toEqual([]);
});

/** A conversation with everything that these templates fold, as an agent's that continues. */
const growing: readonly Message[] = [
  ...(shapes["reminders behind results"] ?? []),
  {
    role: "assistant",
    content: "Wassistant2.",
    toolCalls: [{ id: "call00008", name: "weather", args: { city: "Wcity8" } }],
  },
  { role: "tool", content: "Wresult8", toolCallId: "call00008", toolName: "weather" },
  { role: "system", content: "Wsystem2." },
  { role: "assistant", content: "Wassistant3." },
  { role: "user", content: "Wuser5." },
  { role: "user", content: "Wuser6." },
];

test.each([
  "Apertus-8B-Instruct",
  "LFM2-8B-A1B",
  "Mistral-Small-3.2-24B-Instruct-2506",
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use",
  "google-gemma-2-2b-it",
  "meta-llama-Llama-3.1-8B-Instruct",
  "mistralai-Ministral-3-14B-Reasoning-2512",
])("%s: a folded conversation that continues keeps the beginning of its prompt", async (name) => {
  const engine = await engineOf(name);
  const render = (length: number): Promise<string> =>
    engine.models.renderPrompt(undefined, { messages: growing.slice(0, length), addGenerationPrompt: false });
  const withoutOpening = (prompt: string): string => prompt.replace(/^<\|reply:[\d.]+\|>/u, "");
  // Where the model answers: behind the first two messages, the results and reminders, a system message, and at the end.
  const turns = [2, 7, 10, growing.length];
  const prompts = await Promise.all(turns.map(async (length) => withoutOpening(await render(length))));
  for (const [i, prompt] of prompts.slice(0, -1).entries()) {
    expect((prompts[i + 1] ?? "").startsWith(prompt), `${prompt}\n----\n${prompts[i + 1]}`).toBe(true);
  }
});

test("what was folded is named, and the conversation is not changed for hooks and results", async () => {
  const engine = await engineOf("meta-llama-Llama-3.1-8B-Instruct");
  const folds = (): readonly string[] => engine.models.describe("default").folds;
  await engine.generate([{ role: "user", content: "Hi." }]);
  expect(folds()).toEqual([]);
  const messages = shapes["a text beside two calls"] ?? [];
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", (context) => void seen.push(context.messages));
  const before = structuredClone(messages);
  await engine.generate(messages, { tools: [weather] });
  expect(folds()).toEqual(["several_calls", "text_beside_call"]);
  expect(messages).toEqual(before);
  expect(seen).toMatchObject([messages]);
});

test("a template with a form for everything folds nothing", async () => {
  const engine = await engineOf("Qwen3-Coder");
  for (const shape of ["a call", "two calls", "a text beside a call", "users in a row", "a system message first"]) {
    await engine.models.renderPrompt(undefined, { messages: shapes[shape] ?? [], tools: [weather] });
  }
  expect(engine.models.describe("default").folds).toEqual([]);
});

test("models of LFM2 read past calls in the form in which they write them", async () => {
  const engine = await engineOf("LFM2.5-Instruct");
  const messages: Message[] = [
    { role: "user", content: "Spell <|tool_call_start|>." },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c1", name: "find", args: { what: 'a\n"b"', all: true, none: null, list: [1, { x: "é" }] } }],
    },
    { role: "tool", content: "found", toolCallId: "c1", toolName: "find" },
  ];
  const prompt = await engine.models.renderPrompt(undefined, { messages });
  expect(prompt).toContain(
    '<|tool_call_start|>[find(what="a\\n\\"b\\"", all=True, none=None, list=[1, {"x": "é"}])]<|tool_call_end|>',
  );
});

test("a template of one's own that raises an exception for what it does not know is given what it knows", async () => {
  const chatTemplate = `
{%- for m in messages %}
{%- if m.role == "user" and loop.index0 % 2 == 0 %}<|im_start|>user {{ m.content }}<|im_end|>
{%- elif m.role == "assistant" and loop.index0 % 2 == 1 %}<|im_start|>assistant {{ m.content }}<|im_end|>
{%- else %}{{ raise_exception("strictly in turns") }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant {% endif %}`;
  const engine = await openEngine(["Fine."], { chatTemplate });
  for (const [shape, messages] of Object.entries(shapes)) {
    const prompt = await engine.models.renderPrompt(undefined, { messages });
    expect([shape, wordsOf(messages).filter((word) => !prompt.includes(word))]).toEqual([shape, []]);
  }
  expect((await engine.generate(shapes["reminders behind results"] ?? [])).text).toBe("Fine.");
});

test("a template that refuses every conversation says why", async () => {
  const engine = await openEngine(["Fine."], { chatTemplate: '{{ raise_exception("never, " + messages[0].role) }}' });
  await expect(engine.generate(shapes["users in a row"] ?? [])).rejects.toMatchObject({
    code: "TEMPLATE_FAILED",
    message: expect.stringContaining("never, user") as string,
  });
});

test("white space beside a call is not text, and makes no separate message", async () => {
  const { models } = await engineOf("llama-cpp-deepseek-r1");
  const render = (content: string): Promise<string> =>
    models.renderPrompt(undefined, {
      messages: [
        { role: "user", content: "Find it." },
        { role: "assistant", content, toolCalls: [{ id: "c1", name: "find", args: { what: "it" } }] },
        { role: "tool", content: "found", toolCallId: "c1", toolName: "find" },
      ],
    });
  expect(await render("\n\n")).toBe(await render(""));
});
