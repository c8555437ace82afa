// @anthropic-ai/sdk: Messages.
import Anthropic from "@anthropic-ai/sdk";
import { serve, texts } from "./cell.mjs";

/** Results of the calls of one message are one message. */
function joined(messages) {
  const whole = [];
  for (const message of messages) {
    const previous = whole.at(-1);
    const isBoth = previous?.role === "user" && message.role === "user" && Array.isArray(previous.content);
    if (isBoth && Array.isArray(message.content))
      whole[whole.length - 1] = { role: "user", content: [...previous.content, ...message.content] };
    else whole.push(message);
  }
  return whole;
}

await serve({
  ...texts,
  call: ({ text, id, name, args }) => ({
    role: "assistant",
    content: [
      { type: "text", text },
      { type: "tool_use", id, name, input: args },
    ],
  }),
  result: ({ id, text }) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] }),

  async ask({ model, origin, stream, tool }, messages, { tools, schema, maxTokens = 2000, thinks }) {
    const client = new Anthropic({ baseURL: origin, apiKey: "none", maxRetries: 0 });
    const system = messages.find(({ role }) => role === "system");
    const asked = {
      model,
      messages: joined(messages.filter(({ role }) => role !== "system")),
      max_tokens: maxTokens,
      ...(system && { system: [{ type: "text", text: system.content, cache_control: { type: "ephemeral" } }] }),
      ...(tools && {
        tools: [{ name: tool.name, description: tool.description, input_schema: tool.parameters }],
      }),
      ...(schema && { output_config: { format: { type: "json_schema", schema } } }),
      ...(thinks && { thinking: { type: "enabled", budget_tokens: 1024 } }),
    };
    const { content, stop_reason } = stream
      ? await client.messages.stream(asked).finalMessage()
      : await client.messages.create(asked);
    const of = (type) => content.filter((block) => block.type === type);
    return {
      messages: [{ role: "assistant", content }],
      text: of("text")
        .map(({ text }) => text)
        .join(""),
      reasoning: of("thinking")
        .map(({ thinking }) => thinking)
        .join(""),
      calls: of("tool_use").map(({ id, name, input }) => ({ id, name, args: input })),
      cut: stop_reason === "max_tokens",
    };
  },
});
