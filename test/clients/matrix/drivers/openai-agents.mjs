// @openai/agents: Chat Completions and Responses.
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, tool } from "@openai/agents";
import OpenAI from "openai";
import { schema as answerSchema, serve, weather } from "./cell.mjs";

const Model = process.argv[2] === "chat" ? OpenAIChatCompletionsModel : OpenAIResponsesModel;

const message = (role) => (content) => ({ type: "message", role, content });

async function run(task, messages, { tools, schema, maxTokens, thinks } = {}) {
  const client = new OpenAI({ baseURL: task.url, apiKey: "none", maxRetries: 0 });
  const { name, description, parameters } = task.tool;
  const agent = new Agent({
    name: "Weather",
    model: new Model(client, task.model),
    ...(tools && {
      tools: [
        tool({
          name,
          description,
          parameters: { ...parameters, additionalProperties: false },
          strict: true,
          execute: weather,
        }),
      ],
    }),
    ...(schema && {
      outputType: { type: "json_schema", name: "answer", strict: true, schema: answerSchema },
    }),
    modelSettings: {
      store: false,
      ...(maxTokens && { maxTokens }),
      ...(thinks && { reasoning: { effort: "medium", summary: "auto" } }),
    },
  });
  const runner = new Runner({ tracingDisabled: true });
  if (!task.stream) return runner.run(agent, messages.flat());
  const streamed = await runner.run(agent, messages.flat(), { stream: true });
  for await (const _ of streamed);
  await streamed.completed;
  return streamed;
}

const said = (text) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});

await serve({
  system: message("system"),
  user: message("user"),
  said,
  call: ({ text, id, name, args }) => [
    said(text),
    { type: "function_call", callId: id, name, status: "completed", arguments: JSON.stringify(args) },
  ],
  result: ({ id, name, text }) => ({
    type: "function_call_result",
    callId: id,
    name,
    status: "completed",
    output: { type: "text", text },
  }),

  async ask(task, messages, asked) {
    const { finalOutput, output } = await run(task, messages, asked);
    if (asked.schema) return { messages: [], text: "", value: finalOutput };
    return { messages: output, text: finalOutput, cut: null };
  },

  async agent(task, messages, thinks) {
    const { finalOutput, newItems } = await run(task, messages, { tools: true, thinks });
    const of = (type) => newItems.filter((item) => item.type === type).map(({ rawItem }) => rawItem);
    return {
      text: finalOutput,
      calls: of("tool_call_item").map(({ name, arguments: args }) => ({ name, args: JSON.parse(args) })),
      reasoning: of("reasoning_item")
        .flatMap(({ content, rawContent }) => (content?.length ? content : (rawContent ?? [])))
        .map(({ text }) => text)
        .join(""),
    };
  },
});
