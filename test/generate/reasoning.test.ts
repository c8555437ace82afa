// Models that think: with thinking off, or a budget; and the other options of a chat template.
import { expect, test } from "vitest";
import type { Engine, GenerateOptions, Message } from "../../src/index.js";
import { templateSource } from "../support/templates/template-files.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";

const conversation: readonly Message[] = [{ role: "user", content: "Two and two?" }];

/** Says what it received, and where it was asked to think. */
const sayingTemplate = `
{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}
{%- if mood is defined %}{{ 'mood ' + (mood | tojson) + '\\n' }}{% endif %}
{%- if enable_thinking %}{{ 'thinks\\n' }}{% endif %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`.trimStart();

/** Its model writes `<think>` itself. */
const qwen = "Qwen-Qwen3-0.6B";
const qwenReply = "<think>\nOne two three four five six seven eight.\n</think>\n\nFour.";
/** Its generation prompt ends in `<think>\n`, and knows no switch. */
const r1 = "llama-cpp-deepseek-r1";
const r1Reply = "One two three four five six seven eight.\n</think>\n\nFour.";

async function thinking(template: string, reply: string): Promise<Engine> {
  return openEngine([], { model: await scriptModel({ chatTemplate: templateSource(template), replies: [reply] }) });
}

/** The answer, and how many tokens of it were reasoning. */
async function think(engine: Engine, options: GenerateOptions) {
  const generation = engine.generate(conversation, { temperature: 0, maxTokens: 60, ...options });
  let tokens = 0;
  for await (const event of generation) if (event.type === "token" && event.kind === "reasoning") tokens++;
  const { text, reasoning } = await generation;
  return { text: text.trim(), reasoning: reasoning.trim(), tokens };
}

test("reasoning: false is the template's switch, in prompts and in generations", async () => {
  const engine = await thinking(qwen, qwenReply);
  const render = (reasoning: boolean) => engine.models.renderPrompt(undefined, { messages: conversation, reasoning });
  expect(await render(false)).toBe(`${await render(true)}<think>\n\n</think>\n\n`);
  expect(await engine.models.renderPrompt(undefined, { messages: conversation })).toBe(await render(true));
  const tokens = async (options: GenerateOptions) =>
    (await engine.generate(conversation, { maxTokens: 1, ...options })).usage.promptTokens;
  const asWritten = await tokens({});
  expect(await tokens({ reasoning: false })).toBeGreaterThan(asWritten);
  expect(await tokens({ reasoning: true })).toBe(asWritten);
});

test("enable_thinking among the template's arguments is the same switch", async () => {
  const engine = await thinking(qwen, qwenReply);
  const render = (request: { reasoning?: boolean; chatTemplateArgs?: Record<string, unknown> }) =>
    engine.models.renderPrompt(undefined, { messages: conversation, ...request });
  const off = await render({ reasoning: false });
  const on = await render({});
  expect(off).not.toBe(on);
  expect(await render({ chatTemplateArgs: { enable_thinking: false } })).toBe(off);
  expect(await render({ chatTemplateArgs: { enable_thinking: true } })).toBe(on);
  expect(await render({ reasoning: false, chatTemplateArgs: { enable_thinking: true } })).toBe(off);
});

test("chatTemplateArgs reach the template as they are", async () => {
  const engine = await openEngine(["Four."], { chatTemplate: sayingTemplate });
  const moods = ["calm", 7, 1.5, true, null, [1, "two"], { camelCase: { snake_case: "x" } }];
  for (const mood of moods) {
    const request = { messages: conversation, chatTemplateArgs: { mood } };
    const prompt = await engine.models.renderPrompt(undefined, request);
    const said = /mood (.*)\n/.exec(prompt)?.[1] ?? "";
    expect(JSON.parse(said)).toEqual(mood);
  }
  const none = await engine.models.renderPrompt(undefined, { messages: conversation });
  expect(none).not.toContain("mood");
});

test("a hook sees both, and may change them", async () => {
  const engine = await openEngine(["Four."], { chatTemplate: sayingTemplate });
  const tokens = async (options: GenerateOptions = {}) =>
    (await engine.generate(conversation, options)).usage.promptTokens;
  const calm = await tokens({ reasoning: false, chatTemplateArgs: { mood: "calm" } });
  expect(calm).not.toBe(await tokens());
  let seen: unknown;
  engine.hooks.on("preGenerate", ({ params }) => {
    seen = [params.reasoning, params.chatTemplateArgs, params.reasoningBudget];
    return { params: { ...params, reasoning: false, chatTemplateArgs: { mood: "calm" } } };
  });
  expect(await tokens({ chatTemplateArgs: { someThing: { to_say: 1 } }, reasoningBudget: 5 })).toBe(calm);
  expect(seen).toEqual([true, { someThing: { to_say: 1 } }, 5]);
});

test("a budget ends the reasoning after so many tokens", async () => {
  const engine = await thinking(qwen, qwenReply);
  const whole = await think(engine, {});
  expect([whole.reasoning, whole.text]).toEqual(["One two three four five six seven eight.", "Four."]);
  expect((await think(engine, { reasoningBudget: 1000 })).reasoning).toBe(whole.reasoning);
  const cut = await think(engine, { reasoningBudget: 5 });
  expect(cut.text).toBe("Four.");
  expect(whole.reasoning.startsWith(cut.reasoning)).toBe(true);
  expect(cut.reasoning.length).toBeLessThan(whole.reasoning.length);
  expect(cut.reasoning).not.toBe("");
  const more = await think(engine, { reasoningBudget: 6 });
  expect(more.tokens).toBe(cut.tokens + 1);
});

test("what the generation prompt has of the reasoning is not counted", async () => {
  const engine = await thinking(r1, r1Reply);
  expect(await engine.models.renderPrompt(undefined, { messages: conversation })).toMatch(/<think>\n$/);
  const whole = await think(engine, {});
  expect([whole.reasoning, whole.text]).toEqual(["One two three four five six seven eight.", "Four."]);
  for (const reasoningBudget of [1, 2, 3]) {
    expect(await think(engine, { reasoningBudget })).toMatchObject({ text: "Four.", tokens: reasoningBudget });
  }
  // The script begins behind the mark.
  const none = { text: expect.stringMatching(/^One/) as string, reasoning: "", tokens: 0 };
  expect(await think(engine, { reasoningBudget: 0 })).toEqual(none);
});

test("reasoning: false ends what a template without a switch begins", async () => {
  const engine = await thinking(r1, r1Reply);
  const none = { text: expect.stringMatching(/^One/) as string, reasoning: "", tokens: 0 };
  expect(await think(engine, { reasoning: false })).toEqual(none);
});

test("a model that does not think heeds neither", async () => {
  const engine = await openEngine(["Four."], { chatTemplate: templateSource("microsoft-Phi-3.5-mini-instruct") });
  const { text } = await engine.generate(conversation, { reasoning: false, reasoningBudget: 0, temperature: 0 });
  expect(text).toBe("Four.");
  const raw = await engine.generate("Two and two?", { raw: true, reasoningBudget: 0 });
  expect(raw.text).toBe("Four.");
});

test("arguments that are the engine's own are refused by name", async () => {
  const engine = await openEngine(["Four."], { chatTemplate: sayingTemplate });
  for (const name of ["messages", "tools", "add_generation_prompt", "bos_token", "eos_token"]) {
    const options = { chatTemplateArgs: { [name]: "x" } };
    const refused = {
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(`chatTemplateArgs.${name}`) as string,
    };
    expect(await rejection(engine.generate(conversation, options))).toMatchObject(refused);
    const request = { messages: conversation, ...options };
    expect(await rejection(engine.models.renderPrompt(undefined, request))).toMatchObject(refused);
  }
  const thinks = { chatTemplateArgs: { enable_thinking: "no" } };
  expect(await rejection(engine.generate(conversation, thinks))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/chatTemplateArgs\.enable_thinking must be a boolean, got "no"/) as string,
  });
  expect((await engine.generate(conversation)).text).toBe("Four.");
});

test.each([
  ["reasoning", { reasoning: "no" }],
  ["reasoningBudget", { reasoningBudget: -1 }],
  ["chatTemplateArgs", { chatTemplateArgs: ["mood"] }],
])("a wrong %s of a hook is the hook's failure, and is named", async (name, wrong) => {
  const engine = await openEngine(["Four."]);
  engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, ...wrong } as never }));
  const { text, decisions } = await engine.generate(conversation);
  expect(text).toBe("Four.");
  const error = { code: "HOOK_BAD_ANSWER", message: expect.stringContaining(name) as string };
  expect(decisions).toMatchObject([{ hooks: [{ outcome: "failed", error }] }]);
});

test("arguments of a hook that are the engine's own fail the call, which names them", async () => {
  const engine = await openEngine(["Four."]);
  engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, chatTemplateArgs: { messages: [] } } }));
  expect(await rejection(engine.generate(conversation))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("chatTemplateArgs.messages") as string,
  });
});
