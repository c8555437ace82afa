// Published clients against a real model: whatever it writes arrives, parses and fits.
import Anthropic from "@anthropic-ai/sdk";
import { Ajv } from "ajv";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { openEngine } from "../support/engine.js";
import { clientOf, serveEngine } from "../support/http/server.js";
import { smollm } from "../support/real/models.js";
import { templateSource } from "../support/templates/template-files.js";

const schema = {
  type: "object" as const,
  properties: {
    city: { type: "string", minLength: 1, maxLength: 30 },
    days: { type: "integer", minimum: 1, maximum: 9 },
  },
  required: ["city", "days"],
  additionalProperties: false,
};
const fits = new Ajv().compile(schema);
const ask = "How is the weather in Oslo in the next 3 days?";
const user = (content: string) => ({ role: "user" as const, content });
const fruits = "Name ten fruits, with commas between them.";
const few = 12;

/** The parts of an answer that a client gets. */
interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  readonly reason: string | null | undefined;
}

/** The parts of a request beside its texts. */
interface Wish {
  readonly maxTokens?: number;
  readonly stop?: string;
  readonly tools?: boolean;
  readonly typed?: boolean;
}

/** A client: asks with texts of the user and the assistant, in turns; pieces of a stream are joined by the client. */
type Client = (turns: readonly string[], streamed: boolean, wish: Wish) => Promise<Answer>;

interface Kind {
  readonly name: string;
  readonly length: string;
  readonly stopped: string;
  open(origin: string, url: string): Client;
}

const roleOf = (index: number) => (index % 2 === 0 ? ("user" as const) : ("assistant" as const));

const chat: Kind = {
  name: "openai, chat",
  length: "length",
  stopped: "stop",
  open: (_, url) => {
    const { completions } = clientOf({ url }).chat;
    return async (turns, streamed, { maxTokens = 120, stop, tools, typed }) => {
      const asked: OpenAI.ChatCompletionCreateParamsNonStreaming = {
        model: tools === true ? "calls" : "default",
        temperature: 0,
        messages: turns.map((content, index) => ({ role: roleOf(index), content })),
        max_completion_tokens: maxTokens,
        ...(stop !== undefined && { stop }),
        ...(tools === true && {
          tools: [{ type: "function", function: { name: "weather", parameters: schema } }],
          tool_choice: "required",
        }),
        ...(typed === true && { response_format: { type: "json_schema", json_schema: { name: "answer", schema } } }),
      };
      const { choices } = streamed
        ? await completions.stream({ ...asked, stream: true }).finalChatCompletion()
        : await completions.create(asked);
      const [choice] = choices;
      const calls = (choice?.message.tool_calls ?? []).flatMap((call) => (call.type === "function" ? [call] : []));
      return {
        text: choice?.message.content ?? "",
        calls: calls.map((call) => ({
          name: call.function.name,
          args: JSON.parse(call.function.arguments) as unknown,
        })),
        reason: choice?.finish_reason,
      };
    };
  },
};

/** The types of the client have it no more. */
const greedy = { temperature: 0 };

const messages: Kind = {
  name: "@anthropic-ai/sdk, messages",
  length: "max_tokens",
  stopped: "stop_sequence",
  open: (origin) => {
    const client = new Anthropic({ baseURL: origin, apiKey: "none", maxRetries: 0 });
    return async (turns, streamed, { maxTokens = 120, stop, tools, typed }) => {
      const asked: Anthropic.MessageCreateParamsNonStreaming = {
        model: tools === true ? "calls" : "default",
        ...greedy,
        messages: turns.map((content, index) => ({ role: roleOf(index), content })),
        max_tokens: maxTokens,
        ...(stop !== undefined && { stop_sequences: [stop] }),
        ...(tools === true && { tools: [{ name: "weather", input_schema: schema }], tool_choice: { type: "any" } }),
        ...(typed === true && { output_config: { format: { type: "json_schema", schema } } }),
      };
      const { content, stop_reason } = streamed
        ? await client.messages.stream(asked).finalMessage()
        : await client.messages.create(asked);
      return {
        text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        calls: content.flatMap((block) => (block.type === "tool_use" ? [{ name: block.name, args: block.input }] : [])),
        reason: stop_reason,
      };
    };
  },
};

test.each([chat, messages])("$name", async ({ open, length, stopped }) => {
  // The template of SmolLM2 has no calls; this one's marks are those of SmolLM2.
  const calls = { path: smollm, chatTemplate: templateSource("Qwen-Qwen2.5-7B-Instruct") };
  const engine = await openEngine([], { models: { default: smollm, calls }, contextSize: 2048 });
  const { server } = await serveEngine(engine);
  const client = open(server.origin, server.url);
  /** The same from a stream and whole. */
  const both = async (turns: readonly string[], wish: Wish = {}): Promise<Answer> => {
    const whole = await client(turns, false, wish);
    expect(await client(turns, true, wish)).toEqual(whole);
    return whole;
  };
  const plain = async (text: string, maxTokens: number): Promise<string> =>
    (await engine.generate([user(text)], { ...greedy, model: "default", maxTokens })).text;

  const first = await both([fruits], { maxTokens: 60 });
  expect(first.text).toBe(await plain(fruits, 60));

  const called = await both([ask], { tools: true });
  // The model may write several calls.
  expect(new Set(called.calls.map(({ name, args }) => `${name} ${fits(args)}`))).toEqual(new Set(["weather true"]));

  const typed = await both([ask], { typed: true });
  expect([fits(JSON.parse(typed.text)), typed.calls]).toEqual([true, []]);

  const cut = await both([fruits], { maxTokens: few });
  expect([cut.reason, first.text.startsWith(cut.text), cut.text === ""]).toEqual([length, true, false]);
  const on = await both([fruits, cut.text, "Go on."], { maxTokens: 30 });
  expect(on.text).not.toBe("");

  const end = first.text.slice(10, 14);
  const short = await both([fruits], { stop: end });
  expect([short.reason, short.text]).toEqual([stopped, first.text.slice(0, first.text.indexOf(end))]);
});
