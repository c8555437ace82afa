// The AI SDK with its providers for OpenAI (Chat Completions, Responses), Anthropic, and servers like those of OpenAI.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import { serve, texts, weather } from "./cell.mjs";

const apiKey = "none";
const providers = {
  compatible: ({ url, model }) =>
    createOpenAICompatible({
      name: "local",
      baseURL: url,
      apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(model),
  chat: ({ url, model }) => createOpenAI({ baseURL: url, apiKey }).chat(model),
  responses: ({ url, model }) => createOpenAI({ baseURL: url, apiKey }).responses(model),
  messages: ({ url, model }) => createAnthropic({ baseURL: url, apiKey })(model),
};

/** The provider for Anthropic knows by the name of a model what it can do. */
const usual = { openai: { store: false }, anthropic: { structuredOutputMode: "outputFormat" } };
const thinking = {
  local: { reasoningEffort: "medium" },
  openai: { reasoningEffort: "medium", reasoningSummary: "auto", forceReasoning: true, store: false },
  anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } },
};

const modelOf = providers[process.argv[2]];

async function generate(task, asked) {
  const [system, ...rest] = asked.messages[0].role === "system" ? asked.messages : [undefined, ...asked.messages];
  const call = {
    model: modelOf(task),
    ...asked,
    messages: rest,
    ...(system && { system: system.content }),
    maxRetries: 0,
    providerOptions: asked.providerOptions ?? usual,
  };
  if (!task.stream) return generateText(call);
  const streamed = streamText({ ...call, onError: () => undefined });
  await streamed.consumeStream({
    onError: (error) => {
      throw error;
    },
  });
  const names = ["text", "steps", "finishReason", "response", "reasoningText"];
  const values = await Promise.all(names.map((name) => streamed[name]));
  const whole = Object.fromEntries(names.map((name, index) => [name, values[index]]));
  return asked.output === undefined ? whole : { ...whole, output: await streamed.output };
}

await serve({
  ...texts,
  call: ({ text, id, name, args }) => ({
    role: "assistant",
    content: [
      { type: "text", text },
      { type: "tool-call", toolCallId: id, toolName: name, input: args },
    ],
  }),
  result: ({ id, name, text }) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value: text } }],
  }),

  async ask(task, messages, { tools, schema, maxTokens }) {
    const { text, finishReason, response, output } = await generate(task, {
      messages,
      ...(tools && { tools: toolsOf(task) }),
      ...(schema && { output: Output.object({ schema: jsonSchema(schema) }) }),
      ...(maxTokens && { maxOutputTokens: maxTokens }),
    });
    return { messages: response.messages, text, cut: finishReason === "length", ...(schema && { value: output }) };
  },

  async agent(task, messages, thinks) {
    const { text, steps } = await generate(task, {
      messages,
      tools: toolsOf(task),
      stopWhen: stepCountIs(5),
      ...(thinks && { providerOptions: thinking }),
    });
    return {
      text,
      calls: steps
        .flatMap(({ toolCalls }) => toolCalls)
        .map(({ toolName, input }) => ({ name: toolName, args: input })),
      reasoning: steps.map(({ reasoningText = "" }) => reasoningText).join(""),
    };
  },
});

function toolsOf({ tool: { name, description, parameters } }) {
  return { [name]: tool({ description, inputSchema: jsonSchema(parameters), execute: weather }) };
}
