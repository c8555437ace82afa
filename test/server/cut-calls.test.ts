// Answers that the limit of tokens cuts off anywhere, with a call, are sent back as the clients have them: nothing is
// refused, and their words are in the prompt.
import Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { families, type Family, weather } from "../clients/matrix/families.js";
import { Served } from "../clients/matrix/served.js";
import { amount } from "../support/amount.js";
import { clientOf } from "../support/http/server.js";

let served: Served;
beforeAll(async () => {
  served = await Served.open();
});
afterAll(() => served.close());

/** The part of an answer that a client has got. */
interface Got {
  /** Sends it back, with results of its calls or without, and a further question. */
  goOn(withResults: boolean): Promise<unknown>;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: string }[];
  /** True if it was cut off. */
  readonly isCut: boolean;
}

type Ask = (model: string, maxTokens: number) => Promise<Got>;

const { name, description = "" } = weather;
const parameters = weather.parameters as { readonly type: "object"; readonly [member: string]: unknown };
const asked = { role: "user", content: "How is the weather?" } as const;
const more = { role: "user", content: "Go on." } as const;

const chat: Ask = async (model, maxTokens) => {
  const { completions } = clientOf(served.server).chat;
  const tools = [{ type: "function" as const, function: { name, description, parameters } }];
  const stream = completions.stream({ model, tools, messages: [asked], max_completion_tokens: maxTokens });
  const [{ message, finish_reason } = { message: undefined, finish_reason: undefined }] = (
    await stream.finalChatCompletion()
  ).choices;
  const calls = (message?.tool_calls ?? []).flatMap((call) => (call.type === "function" ? [call] : []));
  const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "It broke." }));
  return {
    text: message?.content ?? "",
    calls: calls.map((call) => ({ name: call.function.name, args: call.function.arguments })),
    isCut: finish_reason === "length",
    goOn: (withResults) =>
      completions.create({
        model,
        tools,
        messages: [asked, ...(message === undefined ? [] : [message]), ...(withResults ? results : []), more],
      }),
  };
};

const messages: Ask = async (model, maxTokens) => {
  const client = new Anthropic({ baseURL: served.server.origin, apiKey: "none", maxRetries: 0 });
  const shared = {
    model,
    tools: [{ name, description, input_schema: parameters }],
    thinking: { type: "adaptive" as const },
  };
  const stream = client.messages.stream({ ...shared, messages: [asked], max_tokens: maxTokens });
  const { content, stop_reason } = await stream.finalMessage();
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  const results = calls.map(({ id }) => ({
    type: "tool_result" as const,
    tool_use_id: id,
    is_error: true,
    content: "It broke.",
  }));
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    calls: calls.map((call) => ({ name: call.name, args: JSON.stringify(call.input) })),
    isCut: stop_reason === "max_tokens",
    goOn: (withResults) =>
      client.messages.create({
        ...shared,
        max_tokens: 100,
        messages: [
          asked,
          { role: "assistant", content },
          { role: "user", content: [...(withResults ? results : []), { type: "text", text: more.content }] },
        ],
      }),
  };
};

const responses: Ask = async (model, maxTokens) => {
  const client = clientOf(served.server);
  const tools = [{ type: "function" as const, name, description, parameters, strict: false }];
  const stream = client.responses.stream({ model, tools, input: [asked], store: false, max_output_tokens: maxTokens });
  const { output, output_text, status } = await stream.finalResponse();
  const calls = output.flatMap((item) => (item.type === "function_call" ? [item] : []));
  const results = calls.map(({ call_id }) => ({
    type: "function_call_output" as const,
    call_id,
    output: "It broke.",
  }));
  return {
    text: output_text,
    calls: calls.map((call) => ({ name: call.name, args: call.arguments })),
    isCut: status === "incomplete",
    goOn: (withResults) => {
      const input = [asked, ...output, ...(withResults ? results : []), more];
      return client.responses.create({ model, tools, store: false, input: input as OpenAI.Responses.ResponseInput });
    },
  };
};

/** The prompt of the last request, behind the question that it began with. */
async function lastPrompt(model: string): Promise<string> {
  const conversation = served.takeAsked().at(-1) as readonly Message[];
  const prompt = await served.engine.models.renderPrompt(model, { messages: conversation, tools: [weather] });
  return prompt.slice(prompt.lastIndexOf(asked.content) + asked.content.length);
}

/** Every how many tokens the answer is cut off. */
const step = amount(7, 1);

describe.each(Object.entries({ chat, messages, responses }))("%s", (_, ask) => {
  test.each(families)("%s", async (family: Family) => {
    const model = await served.model(family, "tool", undefined);
    let withCall = 0;
    for (let maxTokens = 2, isCut = true; isCut; maxTokens += step) {
      const got = await ask(model, maxTokens);
      ({ isCut } = got);
      withCall += Number(isCut && got.calls.length > 0);
      for (const withResults of got.calls.length === 0 ? [false] : [false, true]) {
        served.takeAsked();
        await got.goOn(withResults);
        const prompt = await lastPrompt(model);
        const cities = got.calls.flatMap(({ args }) => /Os\w*/.exec(args) ?? []);
        const text = got.text.trim() === "" ? [] : [got.text.trim()];
        const words = [...text, ...got.calls.map((call) => call.name), ...cities, more.content];
        for (const word of [...words, ...(withResults ? ["It broke."] : [])])
          expect(prompt, `cut off after ${maxTokens} tokens`).toContain(word);
      }
    }
    expect(withCall).toBeGreaterThan(0);
  });
});
