// openai: Chat Completions and Responses.
import OpenAI from "openai";
import { serve, texts } from "./cell.mjs";

const clientOf = ({ url }) => new OpenAI({ baseURL: url, apiKey: "none", maxRetries: 0 });

const chat = {
  ...texts,
  call: ({ text, id, name, args }) => ({
    role: "assistant",
    content: text,
    tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
  }),
  result: ({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }),

  async ask(task, messages, { tools, schema, maxTokens, thinks }) {
    const { completions } = clientOf(task).chat;
    const asked = {
      model: task.model,
      messages,
      ...(tools && { tools: [{ type: "function", function: task.tool }] }),
      ...(schema && {
        response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
      }),
      ...(maxTokens && { max_completion_tokens: maxTokens }),
      ...(thinks && { reasoning_effort: "medium" }),
    };
    let reasoning = "";
    let completion;
    if (task.stream) {
      const stream = completions.stream(asked);
      stream.on("chunk", ({ choices }) => (reasoning += choices[0]?.delta.reasoning_content ?? ""));
      completion = await stream.finalChatCompletion();
    } else completion = await completions.create(asked);
    const [{ message, finish_reason }] = completion.choices;
    if (!task.stream) reasoning = message.reasoning_content ?? "";
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
      id,
      name,
      args: JSON.parse(args),
    }));
    return { messages: [message], text: message.content ?? "", reasoning, calls, cut: finish_reason === "length" };
  },
};

const responses = {
  ...texts,
  system: (content) => ({ role: "developer", content }),
  call: ({ text, id, name, args }) => [
    { role: "assistant", content: text },
    { type: "function_call", call_id: id, name, arguments: JSON.stringify(args) },
  ],
  result: ({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }),

  async ask(task, messages, { tools, schema, maxTokens, thinks }) {
    const asked = {
      model: task.model,
      input: messages.flat(),
      store: false,
      ...(tools && { tools: [{ type: "function", strict: false, ...task.tool }] }),
      ...(schema && { text: { format: { type: "json_schema", name: "answer", strict: true, schema } } }),
      ...(maxTokens && { max_output_tokens: maxTokens }),
      ...(thinks && {
        reasoning: { effort: "medium", summary: "auto" },
        include: ["reasoning.encrypted_content"],
      }),
    };
    const client = clientOf(task);
    const response = task.stream
      ? await client.responses.stream(asked).finalResponse()
      : await client.responses.create(asked);
    const of = (type) => response.output.filter((item) => item.type === type);
    return {
      messages: response.output,
      text: response.output_text,
      reasoning: of("reasoning")
        .flatMap(({ content, summary }) => content ?? summary)
        .map(({ text }) => text)
        .join(""),
      calls: of("function_call").map(({ call_id: id, name, arguments: args }) => ({
        id,
        name,
        args: JSON.parse(args),
      })),
      cut: response.incomplete_details?.reason === "max_output_tokens",
    };
  },
};

await serve(process.argv[2] === "chat" ? chat : responses);
