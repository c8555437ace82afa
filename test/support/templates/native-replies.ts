// Messages in the native format of a chat template, derived from the template itself.
import { type Engine, LlamaHooksError, type Message, type ToolSpec } from "../../../src/index.js";

export const weather: ToolSpec = {
  name: "weather",
  description: "The weather in a city.",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city", "days"],
  },
};

/** A turn before the reply, so that the reply is not the script's first. */
export const past: readonly Message[] = [
  { role: "user", content: "Hi." },
  { role: "assistant", content: "Hello." },
  { role: "user", content: "Weather?" },
];

// Every template accepts an id of nine alphanumeric characters.
const oslo = { id: "a1b2c3d4e", name: "weather", args: { city: "Oslo 7", days: 3 } };
const rome = { id: "f5g6h7i8j", name: "weather", args: { city: "Rome", days: 12 } };
const text = "Let me look, 42.";
const reasoning = "They ask of 2 days.";

/** The parts of messages, with digits in each. */
export const messages = {
  call: { content: "", reasoning: "", toolCalls: [oslo] },
  text: { content: text, reasoning: "", toolCalls: [oslo] },
  reasoning: { content: "", reasoning, toolCalls: [oslo] },
  two: { content: "", reasoning: "", toolCalls: [oslo, rome] },
} as const;

export type Variant = keyof typeof messages;
export const variantNames = Object.keys(messages) as readonly Variant[];

const lfm2 = "<|tool_call_start|>[weather(city='Oslo 7', days=3)]<|tool_call_end|>";
const lfm2Replies = {
  call: lfm2,
  text: text + lfm2,
  two: "<|tool_call_start|>[weather(city='Oslo 7', days=3), weather(city='Rome', days=12)]<|tool_call_end|>",
};

/** Replies of models whose template does not show them in a history. */
const byHand: Readonly<Record<string, { readonly [V in Variant]?: string | undefined }>> = {
  // These render no calls, though llama.cpp parses those of their models.
  "LFM2-8B-A1B": lfm2Replies,
  "LFM2.5-Instruct": lfm2Replies,
  // Renders the text beside a call as reasoning.
  "openai-gpt-oss-120b": {
    text: `<|channel|>commentary<|message|>${text}<|end|><|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city": "Oslo 7", "days": 3}`,
  },
  // These omit the text beside a call, and their models do not simply write it first.
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": {
    text: `<|START_RESPONSE|>${text}<|END_RESPONSE|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "weather", "parameters": {"city": "Oslo 7", "days": 3}}\n]<|END_ACTION|>`,
  },
  "muse-glimmer": {
    text: ` to=user<|message|>${text}<|eom|><|start|>assistant to=weather<|message|><atem:function_calls>\n<atem:invoke name="weather">\n<atem:parameter name="city">Oslo 7</atem:parameter>\n<atem:parameter name="days">3</atem:parameter>\n</atem:invoke>\n</atem:function_calls>`,
  },
  // Its model writes either form, and llama.cpp parses either.
  Cohere2MoE: { text: undefined },
  // Renders the text as a message before the one with the call.
  "NVIDIA-Nemotron-Nano-v2": {
    text: `\n</think>\n\n${text}\n<TOOLCALL>[{"name": "weather", "arguments": {"city": "Oslo 7", "days": 3}}]</TOOLCALL>`,
  },
};

/** The marks that end a turn. */
const turnEnd =
  /<\|(?:im_end|eot_id|eom_id|end_of_text|end|call|calls|END_OF_TURN_TOKEN|role_end|eot|message_sep|end_of_msg|observation|assistant_end)\|>|<turn\|>|<\|tool_response>|<｜end▁of▁sentence｜>|<｜hy_[^｜]*｜>|<end_of_sentence>|<seed:eos>|<sep>|<SPECIAL_12>|\[e~\[|<\/assistant>/;

/** The text with which a generation prompt opens the reasoning, and the model's text that closes it. */
const thinking: readonly (readonly [begin: RegExp, end: string])[] = [
  [/<think>\n?$/, "\n</think>\n\n"],
  [/<\|START_THINKING\|>$/, "<|END_THINKING|>"],
  [/Here are my reasoning steps:\n$/, "\n[BEGIN FINAL RESPONSE]\n"],
];

/**
 * The text that a model with the template `name`, loaded as `model`, writes for a message: as the template renders it
 * in a history. Undefined if the template has no form for it.
 */
export async function nativeReply(
  engine: Engine,
  model: string,
  name: string,
  variant: Variant,
): Promise<string | undefined> {
  const spelled = byHand[name];
  if (spelled !== undefined && variant in spelled) return spelled[variant];
  const prompts = new Prompts(engine, model);
  const open = await prompts.open();
  if (open === "") return undefined;
  const close = thinking.find(([begin]) => begin.test(open))?.[1];
  const written = await prompts.written(variant, open);
  const call = await prompts.written("call", open);
  // Some omit a call beside text, though their models write it.
  const own = variant === "text" ? (written ?? call) : written;
  /** Divided by the engine among several messages, because the template has no form for it in one. */
  const folded = (what: string): boolean => prompts.folds.has(what);
  if (own === undefined || call === undefined) return undefined;
  /** Closes the reasoning that the prompt opened. */
  const closed = (reply: string): string =>
    close === undefined || reply.includes(close.trim()) ? reply : close + reply.trimStart();
  const before = own.slice(0, own.indexOf("weather"));
  switch (variant) {
    case "call":
      return closed(own);
    case "two":
      if (folded("several_calls")) return undefined;
      return own.includes("Oslo") && own.includes("Rome") ? closed(own) : undefined;
    case "text": {
      if (before.includes(text) && !folded("text_beside_call")) return closed(own);
      const rest = closed(call);
      const thought = close === undefined ? 0 : rest.indexOf(close.trim()) + close.trim().length;
      return `${rest.slice(0, thought)}${text}\n${rest.slice(thought).trimStart()}`;
    }
    case "reasoning":
      if (before.includes(reasoning)) return own;
      return close === undefined ? undefined : `${reasoning}${closed(call)}`;
  }
}

/**
 * The text that a model with that template writes for an answer, as the template renders it in a history; undefined if
 * it does not.
 */
export function nativeAnswer(engine: Engine, model: string, answer: string): Promise<string | undefined> {
  return new Prompts(engine, model).answer(answer);
}

/**
 * The text with which a model closes the reasoning that the prompt opened; empty if the prompt opened none, or if the
 * request wants none: then the template or the engine closes it.
 */
export async function closing(engine: Engine, model: string, asked: Asked): Promise<string> {
  if (asked.reasoning === false) return "";
  const open = await new Prompts(engine, model, asked).open();
  return thinking.find(([begin]) => begin.test(open))?.[1] ?? "";
}

/** A reply without the leading end of reasoning, or without an empty reasoning. */
export function withoutClosing(reply: string): string {
  const begun = reply.trimStart().replace(/^<think>\s*(?=<\/think>)/, "");
  const end = thinking.map(([, close]) => close.trim()).find((close) => begun.startsWith(close));
  return end === undefined ? reply : begun.slice(end.length).trimStart();
}

export interface Asked {
  /** The request's `reasoning`; undefined: the default. */
  readonly reasoning?: boolean;
  /** The messages before the reply [`past`]. */
  readonly before?: readonly Message[];
}

/** For templates that lack a feature: nothing is rendered. */
function unsupported(error: unknown): string {
  if (error instanceof LlamaHooksError && error.code === "TOOLS_UNSUPPORTED") return "";
  throw error;
}

/**
 * What templates rendered before, for all tests of the process. The first rendering with tools takes a template's
 * analysis, which each newly loaded model begins with.
 */
const rendered = new Map<string, { readonly prompt: string; readonly folds: readonly string[] }>();

class Prompts {
  /** What the engine had folded when these prompts had been rendered. */
  readonly folds = new Set<string>();
  readonly #engine: Engine;
  readonly #model: string;

  readonly #before: readonly Message[];
  readonly #switched: Omit<Asked, "before">;

  constructor(engine: Engine, model: string, { before = past, ...switched }: Asked = {}) {
    this.#engine = engine;
    this.#model = model;
    this.#before = before;
    this.#switched = switched;
  }

  /** The prompt before the reply; empty if the template has no tools. */
  open(): Promise<string> {
    return this.#render(this.#before, true).catch(unsupported);
  }

  /** The part of the template's rendering of a call that the model itself writes; undefined if that is not a call. */
  async written(variant: Variant, open: string): Promise<string | undefined> {
    const { reasoning: thought, ...rest } = messages[variant];
    const message: Message = { role: "assistant", ...rest, ...(thought === "" ? {} : { reasoning: thought }) };
    const full = await this.#render([...this.#before, message], false).catch(unsupported); // some have no room for two calls
    const unopened = thinking.reduce((prompt, [begin]) => prompt.replace(begin, ""), open);
    if (!full.startsWith(unopened)) return undefined;
    const reply = full.startsWith(open)
      ? full.slice(open.length)
      : full.slice(unopened.length).replace(/^\s*<think>/, "");
    const argument = reply.lastIndexOf("days");
    if (argument < 0) return undefined;
    const end = reply.slice(argument).search(turnEnd);
    return (end < 0 ? reply : reply.slice(0, argument + end)).trimEnd();
  }

  /** The answer, preceded by closed reasoning. */
  async answer(answer: string): Promise<string | undefined> {
    const open = await this.open();
    const full = await this.#render([...this.#before, { role: "assistant", content: answer }], false);
    const unopened = thinking.reduce((prompt, [begin]) => prompt.replace(begin, ""), open);
    const common = full.startsWith(open) ? open : unopened;
    const end = full.lastIndexOf(answer);
    if (!full.startsWith(common) || end < 0) return undefined;
    const close = thinking.find(([begin]) => begin.test(open))?.[1];
    const written = full.slice(common.length, end + answer.length);
    if (close === undefined || written.includes(close.trim()))
      return common === open ? written : written.replace(/^\s*<think>/, "");
    return close + written.trimStart();
  }

  async #render(conversation: readonly Message[], addGenerationPrompt: boolean): Promise<string> {
    const request = { messages: conversation, tools: [weather], addGenerationPrompt, ...this.#switched };
    const { models } = this.#engine;
    const key = JSON.stringify([models.describe(this.#model).chatTemplate, request]);
    let known = rendered.get(key);
    if (known === undefined) {
      const text = await models.renderPrompt(this.#model, request);
      // Without the script model's token that counts the turns.
      known = { prompt: text.replace(/^<\|reply:[\d.]+\|>/, ""), folds: models.describe(this.#model).folds };
      rendered.set(key, known);
    }
    for (const fold of known.folds) this.folds.add(fold);
    return known.prompt;
  }
}
