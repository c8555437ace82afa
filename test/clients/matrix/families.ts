// The families of the matrix, and what their models write in each situation, in their own format.
import type { Engine, Message } from "../../../src/index.js";
import {
  closing,
  messages,
  nativeAnswer,
  nativeReply,
  weather,
  withoutClosing,
} from "../../support/templates/native-replies.js";
import { type Situation, texts } from "./situations.js";

/** The chat templates that come with llama.cpp; of GLM-4.7 it has that of GLM-4.7-Flash only. */
export const families = [
  "Qwen3.5-4B",
  "Qwen3-Coder",
  "openai-gpt-oss-120b",
  "Mistral-Small-3.2-24B-Instruct-2506",
  "meta-llama-Llama-3.3-70B-Instruct",
  "google-gemma-4-31B-it",
  "GLM-4.7-Flash",
  "deepseek-ai-DeepSeek-V3.2",
  "MiniMax-M2",
] as const;

export type Family = (typeof families)[number];

/** Families whose models write one call a message: their template or llama.cpp's grammar has no room for two. */
const oneCall: readonly Family[] = ["openai-gpt-oss-120b", "meta-llama-Llama-3.3-70B-Instruct", "MiniMax-M2"];

/** Families whose grammar of a typed answer wants it in a fence, which llama.cpp takes away again. */
const fenced: readonly Family[] = ["google-gemma-4-31B-it", "deepseek-ai-DeepSeek-V3.2"];

const [oslo, rome] = messages.two.toolCalls;

/** A reply of a script, and the messages before it. */
interface Reply {
  readonly text: string;
  readonly before: readonly Message[];
  /** It begins with reasoning, so that no reasoning of the prompt needs to be closed. */
  readonly thinks?: boolean;
}

const user = (content: string): Message => ({ role: "user", content });
const called = (call: typeof oslo | typeof rome, content = ""): Message => ({
  role: "assistant",
  content,
  toolCalls: [call],
});
const result = ({ id, name, args }: typeof oslo | typeof rome): Message => ({
  role: "tool",
  content: `3 degrees in ${args.city}`,
  toolCallId: id,
  toolName: name,
});

/** Writes the replies of one family. `model` is a model with its template. */
export class Writer {
  readonly #engine: Engine;
  readonly #model: string;
  readonly #family: Family;

  constructor(engine: Engine, model: string, family: Family) {
    this.#engine = engine;
    this.#model = model;
    this.#family = family;
  }

  /** The replies of a situation. `reasoning`: that of the request; undefined: the template's default. */
  async replies(situation: Situation, reasoning: boolean | undefined): Promise<string[]> {
    const replies = await this.#of(situation);
    return Promise.all(replies.map((reply) => this.#closed(reply, reasoning)));
  }

  /** True if its models reason where the situation asks for it. */
  async thinks(): Promise<boolean> {
    return (await this.#native("reasoning")) !== undefined;
  }

  async #of(situation: Situation): Promise<Reply[]> {
    const asked = [user(texts.prompt)];
    const once = async (text: string): Promise<Reply[]> => [{ text: await this.#answer(text), before: asked }];
    const answered = async (...before: readonly Message[]): Promise<Reply> => ({
      text: await this.#answer(texts.answer),
      before: [...asked, ...before],
    });
    switch (situation) {
      case "first":
        return once(texts.hello);
      case "typed":
        return once(this.#typed(texts.typed));
      case "corrected": {
        const refused = { role: "assistant", content: JSON.stringify(texts.mistyped) } as const;
        const again = { text: await this.#answer(this.#typed(texts.typed)), before: [...asked, refused, user("No.")] };
        return [...(await once(this.#typed(texts.mistyped))), again];
      }
      case "retried":
        return this.#oneByOne(asked);
      case "summary":
        return once(texts.summary);
      case "continued":
        return once(texts.answer);
      case "cut":
      case "lengthy":
        return [
          ...(await once(texts[situation === "cut" ? "long" : situation])),
          await answered({ role: "assistant", content: "One" }, user(texts.goOn)),
        ];
      case "tool":
        return [{ text: await this.#call("text"), before: asked }, await answered(called(oslo), result(oslo))];
      case "search": {
        const call = await this.#call("call");
        const search = { id: oslo.id, name: "ToolSearch", args: { query: `select:${weather.name}`, max_results: 3 } };
        const before = [...asked, { ...called(oslo), toolCalls: [search] }, { ...result(oslo), toolName: search.name }];
        const searching = call.replace(weather.name, search.name).replace(oslo.args.city, search.args.query);
        return [
          { text: searching.replace("city", "query").replace("days", "max_results"), before: asked },
          { text: call, before },
          { text: await this.#answer(texts.answer), before: [...before, called(oslo), result(oslo)] },
        ];
      }
      case "reasoning": {
        const thought = await this.#native("reasoning");
        const first = { text: thought ?? (await this.#call("call")), before: asked, thinks: thought !== undefined };
        return [first, await answered(called(oslo), result(oslo))];
      }
      case "working": {
        const [thinking, last] = await this.#of("reasoning");
        const more = await this.#of("several");
        const before = [called(oslo), result(oslo)];
        const later = more.map((reply) => ({ ...reply, before: [...asked, ...before, ...reply.before.slice(1)] }));
        return thinking === undefined || last === undefined ? [] : [thinking, ...later];
      }
      case "several":
        if (oneCall.includes(this.#family)) return this.#oneByOne(asked);
        return [
          { text: await this.#call("two"), before: asked },
          await answered(
            { role: "assistant", content: "", toolCalls: messages.two.toolCalls },
            result(oslo),
            result(rome),
          ),
        ];
    }
  }

  #typed(value: object): string {
    const text = JSON.stringify(value);
    return fenced.includes(this.#family) ? `\`\`\`json\n${text}\n\`\`\`` : text;
  }

  async #oneByOne(asked: readonly Message[]): Promise<Reply[]> {
    const first = await this.#call("call");
    const second = first
      .replaceAll("Oslo 7", "Rome")
      .replace(oslo.id, rome.id)
      .replace(/3(?=\D*$)/, "12");
    const between = [...asked, called(oslo), result(oslo)];
    return [
      { text: first, before: asked },
      { text: second, before: between },
      { text: await this.#answer(texts.answer), before: [...between, called(rome), result(rome)] },
    ];
  }

  async #closed({ text, before, thinks = false }: Reply, reasoning: boolean | undefined): Promise<string> {
    const switched = reasoning === undefined ? {} : { reasoning };
    const close = await closing(this.#engine, this.#model, { ...switched, before });
    // The family's own way to close it has its own white space.
    return thinks || (close !== "" && text.trimStart().startsWith(close.trim())) ? text : close + withoutClosing(text);
  }

  async #answer(text: string): Promise<string> {
    return written(await nativeAnswer(this.#engine, this.#model, text), text);
  }

  async #call(variant: "call" | "text" | "two"): Promise<string> {
    return written(await this.#native(variant), variant);
  }

  #native(variant: "call" | "text" | "two" | "reasoning"): Promise<string | undefined> {
    return nativeReply(this.#engine, this.#model, this.#family, variant);
  }
}

function written(text: string | undefined, what: string): string {
  if (text === undefined) throw new Error(`the template has no form for ${what}`);
  return text;
}

export { weather };
