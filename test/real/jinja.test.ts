// Prompts are those that Jinja2 renders, as transformers sets it up: all chat templates that come with llama.cpp.
import { expect, test } from "vitest";
import { reference } from "../support/real/models.js";
import { type Conversation, conversations } from "../support/templates/jinja-conversations.js";
import { LlamaHooksError } from "../../src/index.js";
import { engineWith } from "../support/templates/template-engine.js";
import { templateNames, templateSource } from "../support/templates/template-files.js";

/** A prompt without the mark of a script model's reply. */
const withoutTurn = (prompt: string): string => prompt.replace(/^<\|reply:[\d.]+\|>/, "");

interface Rendered {
  readonly text?: string;
  readonly error?: string;
}

/** A conversation in the form in which transformers gives it to a template. */
const forJinja = ({ messages, tools }: Conversation) => ({
  messages: messages.map((message) => ({
    role: message.role,
    content: message.content,
    ...("reasoning" in message && { reasoning_content: message.reasoning }),
    ...(message.role === "tool" && { name: message.toolName, tool_call_id: message.toolCallId }),
    ...("toolCalls" in message && {
      tool_calls: message.toolCalls?.map(({ name, args, id }) => ({
        type: "function",
        id,
        function: { name, arguments: args },
      })),
    }),
  })),
  tools:
    tools?.map(({ name, description = "", parameters = { type: "object", properties: {} } }) => ({
      type: "function",
      function: { name, description, parameters },
    })) ?? null,
});

const now = new Date();
const day = (options: Intl.DateTimeFormatOptions) => now.toLocaleDateString("en-GB", options);
const two = { day: "2-digit" } as const;
/** The variables that llama.cpp passes to every template. */
const variables = {
  bos_token: "<|endoftext|>",
  eos_token: "<|im_end|>",
  enable_thinking: true,
  date_string: `${day(two)} ${day({ month: "short" })} ${day({ year: "numeric" })}`,
  datetime: `${day({ month: "short" })} ${day(two)} ${day({ year: "numeric" })}`,
};

/** The conversations in which Jinja2 itself fails, with arguments as objects and as texts: their number. */
const refused: Readonly<Record<string, number>> = {
  // "tools" is none, which these go through.
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use": 11, // three of them have a list of types, without end
  "NousResearch-Hermes-3-Llama-3.1-8B-tool_use": 11,
  "CohereForAI-c4ai-command-r-plus-tool_use": 29, // members that a schema may lack
  "GigaChat3-10B-A1.8B": 1, // a schema that is true
  "GigaChat3.1-10B-A1.8B": 1,
  // list.append() is not allowed in a sandbox.
  "Kimi-K2-Instruct": 40,
  "Kimi-K2-Thinking": 40,
  // A generator is not JSON.
  "llama-cpp-deepseek-r1": 68,
  // They want "functions", which neither passes.
  "fireworks-ai-llama-3-firefunction-v2": 76,
  // They want roles that alternate, and no system message.
  "google-gemma-2-2b-it": 43,
  // They want one call in a message.
  "meta-llama-Llama-3.1-8B-Instruct": 1,
  "meta-llama-Llama-3.2-3B-Instruct": 1,
  "meta-llama-Llama-3.3-70B-Instruct": 1,
  // They want a text in each message.
  "mistralai-Ministral-3-14B-Reasoning-2512": 1,
};

/** Conversations, by a pattern of their names, whose prompt is not Jinja2's with these templates, and why. */
const known: readonly (readonly [why: string, conversations: RegExp, templates: readonly string[]])[] = [
  [
    "the template drops calls, and the engine writes them as text",
    /call/,
    [
      "HuggingFaceTB-SmolLM3-3B",
      "LFM2-8B-A1B",
      "LFM2.5-Instruct",
      "deepseek-ai-DeepSeek-R1-Distill-Llama-8B",
      "ibm-granite-granite-3.3-2B-Instruct",
      "llama-cpp-rwkv-world",
      "microsoft-Phi-3.5-mini-instruct",
    ],
  ],
  [
    "the template drops a text beside a call, or moves it, and the engine gives it a message",
    /^a text beside a call$/,
    [
      "Cohere2MoE",
      "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
      "MiniMax-M1",
      "Mistral-Small-3.2-24B-Instruct-2506",
      "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use",
      "NousResearch-Hermes-3-Llama-3.1-8B-tool_use",
      "google-gemma-4-31B-it",
      "meta-llama-Llama-3.1-8B-Instruct",
      "meta-llama-Llama-3.2-3B-Instruct",
      "meta-llama-Llama-3.3-70B-Instruct",
      "mistralai-Mistral-Nemo-Instruct-2407",
      "muse-glimmer",
      "openai-gpt-oss-120b",
      "upstage-Solar-Open-100B",
    ],
  ],
  [
    "the template drops the second call, and the engine gives it a message",
    /^two calls$/,
    ["GigaChat3-10B-A1.8B", "GigaChat3.1-10B-A1.8B", "openai-gpt-oss-120b"],
  ],
  [
    "the template has another name for reasoning, which llama.cpp knows",
    /^reasoning and a call$/,
    ["LFM2.5-8B-A1B", "mistralai-Ministral-3-14B-Reasoning-2512", "openai-gpt-oss-120b"],
  ],
  ["the same", /^reasoning$/, ["mistralai-Ministral-3-14B-Reasoning-2512"]],
  ["llama.cpp puts results into the call's message", /call/, ["google-gemma-4-31B-it-interleaved"]],
  [
    "Jinja2 escapes for HTML what follows a text that is marked as safe",
    /^tool|call/,
    ["meetkai-functionary-medium-v3.1"],
  ],
  ["llama.cpp removes spaces around texts", /^spaces$/, ["StepFun3.5-Flash"]],
  [
    "llama.cpp's filter `string` writes backslashes and line ends of a schema as they are",
    /^tool: (format|characters)$/,
    ["Apriel-1.6-15b-Thinker-fixed", "unsloth-Apriel-1.5"],
  ],
  [
    "llama.cpp joins none to a text as an empty one",
    /^tool: anyOf$/,
    ["GigaChat3-10B-A1.8B", "GigaChat3.1-10B-A1.8B", "meetkai-functionary-medium-v3.2"],
  ],
  [
    "llama.cpp knows no members of a method, which `items` of a schema is",
    /^tool: a list without items$/,
    ["CohereForAI-c4ai-command-r-plus-tool_use"],
  ],
  ["a list in a schema is joined to nothing", /^tool: oneOf$/, ["meetkai-functionary-medium-v3.2"]],
];

/** The prompt is the same where the model may call, but llama.cpp writes a grammar for it. */
const toolChoice = "none" as const;

const failure = (error: unknown): string => {
  if (error instanceof LlamaHooksError && error.code === "TEMPLATE_FAILED") return error.message;
  throw error;
};

const isKnown = (template: string, conversation: string): boolean =>
  known.some(([, titles, templates]) => templates.includes(template) && titles.test(conversation));

const expected = await reference<[Rendered, Rendered][][]>("renders", {
  templates: templateNames.map(templateSource),
  conversations: Object.values(conversations).map(forJinja),
  variables,
});

test("there are 76 conversations", () => {
  expect(Object.keys(conversations)).toHaveLength(76);
});

const counts = { compared: 0, equal: 0 };

test.each(templateNames.map((name, at) => [name, expected[at] ?? []] as const))(
  "%s: prompts are those of Jinja2",
  async (name, prompts) => {
    const { engine } = await engineWith(name);
    const wrong = [];
    const mended = [];
    let refuses = 0;
    for (const [at, [title, { messages, tools }]] of Object.entries(conversations).entries()) {
      const request = { messages, preserveReasoning: false, ...(tools !== undefined && { tools, toolChoice }) };
      const prompt = await engine.models.renderPrompt("plain", request).catch(failure);
      const texts = (prompts[at] ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]));
      if (texts.length === 0) {
        refuses += 1;
        continue;
      }
      const isEqual = texts.includes(withoutTurn(prompt));
      counts.compared += 1;
      counts.equal += Number(isEqual);
      if (isEqual && isKnown(name, title)) mended.push(title);
      else if (!isEqual && !isKnown(name, title)) wrong.push({ title, prompt, texts });
    }
    expect({ wrong, mended, refuses }).toEqual({ wrong: [], mended: [], refuses: refused[name] ?? 0 });
  },
);

test("docs/reliability.md has the number of equal prompts", () => {
  expect(counts).toEqual({ compared: 4996, equal: 4577 });
});
