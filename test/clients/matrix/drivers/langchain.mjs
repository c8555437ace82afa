// LangChain with its packages for OpenAI (Chat Completions, Responses) and Anthropic.
import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { serve, weather } from "./cell.mjs";

const protocol = process.argv[2];

function modelOf({ model, url, origin }, { maxTokens, thinks } = {}) {
  const shared = { model, apiKey: "none", maxRetries: 0 };
  if (protocol === "messages")
    return new ChatAnthropic({
      ...shared,
      anthropicApiUrl: origin,
      maxTokens: maxTokens ?? 2000,
      ...(thinks && { thinking: { type: "enabled", budget_tokens: 1024 } }),
    });
  return new ChatOpenAI({
    ...shared,
    configuration: { baseURL: url },
    useResponsesApi: protocol === "responses",
    ...(maxTokens && { maxTokens }),
    ...(thinks && { reasoning: { effort: "medium", summary: "auto" } }),
    ...(protocol === "responses" && { zdrEnabled: true }),
  });
}

const toolOf = ({ tool: { name, description, parameters } }) =>
  tool(weather, { name, description, schema: parameters });

const cuts = ["length", "max_tokens", "max_output_tokens"];

/** `streaming: true` would count tokens with a vocabulary from elsewhere. */
async function streamed(model, messages) {
  let whole;
  for await (const chunk of await model.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
  return whole;
}

await serve({
  system: (text) => new SystemMessage(text),
  user: (text) => new HumanMessage(text),
  said: (text) => new AIMessage(text),
  call: ({ text, id, name, args }) => new AIMessage({ content: text, tool_calls: [{ id, name, args }] }),
  result: ({ id, name, text }) => new ToolMessage({ content: text, tool_call_id: id, name }),

  async ask(task, messages, { tools, schema, maxTokens }) {
    const model = modelOf(task, { maxTokens });
    if (schema) {
      const answers = { title: "Answer", description: "The answer.", ...schema };
      const value = await model.withStructuredOutput(answers, { method: "jsonSchema" }).invoke(messages);
      return { messages: [], text: "", value };
    }
    const bound = tools ? model.bindTools([toolOf(task)]) : model;
    const message = task.stream ? await streamed(bound, messages) : await bound.invoke(messages);
    const data = { ...message.additional_kwargs, ...message.response_metadata };
    const reasons = [data.finish_reason, data.stop_reason, data.incomplete_details?.reason];
    return { messages: [message], text: message.text, cut: reasons.some((reason) => cuts.includes(reason)) };
  },

  async agent(task, [system, ...messages], thinks) {
    const agent = createAgent({
      model: modelOf(task, { thinks }),
      tools: [toolOf(task)],
      systemPrompt: system.content,
    });
    let ended;
    if (task.stream)
      for await (const [mode, state] of await agent.stream({ messages }, { streamMode: ["messages", "values"] }))
        ended = mode === "values" ? state : ended;
    else ended = await agent.invoke({ messages });
    const said = ended.messages.filter((message) => message.getType() === "ai");
    return {
      text: said.at(-1).text,
      calls: said.flatMap(({ tool_calls: calls = [] }) => calls).map(({ name, args }) => ({ name, args })),
      reasoning: said
        .flatMap(({ contentBlocks }) => contentBlocks)
        .map(({ type, reasoning }) => (type === "reasoning" ? reasoning : ""))
        .join(""),
    };
  },
});
