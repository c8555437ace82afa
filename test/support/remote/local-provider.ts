// An AI SDK language model that an engine of this package computes: so tests that are written for a model file run with
// a remote model, whose answers are those of the file.
import type { Engine, JsonSchema, LanguageModel, Message, ToolChoice, ToolSpec } from "../../../src/index.js";
import type { CallOptions, PromptMessage, PromptPart } from "../../../src/remote/language-model.js";

export function localProvider(inner: Engine, modelId: string): LanguageModel {
  return {
    specificationVersion: "v3",
    provider: "local",
    modelId,
    doStream: (options: CallOptions) => Promise.resolve({ stream: streamOf(inner, modelId, options) }),
  };
}

function streamOf(inner: Engine, model: string, options: CallOptions): ReadableStream<unknown> {
  const parts = answerOf(inner, model, options);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

async function* answerOf(inner: Engine, model: string, options: CallOptions): AsyncGenerator<object, void, void> {
  const { maxOutputTokens: maxTokens, temperature = 0, topP, topK, seed, stopSequences: stop } = options;
  const given = { maxTokens, temperature, topP, topK, seed, stop: stop === undefined ? undefined : [...stop] };
  const call = inner.generate(options.prompt.flatMap(messagesOf), {
    model,
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as object),
    ...(options.tools !== undefined && { tools: options.tools.map(toolOf), toolChoice: choiceOf(options) }),
    ...(options.responseFormat !== undefined && { jsonSchema: options.responseFormat.schema as JsonSchema }),
    signal: options.abortSignal,
  });
  yield { type: "stream-start", warnings: [] };
  const begun: string[] = [];
  for await (const event of call) {
    if (event.type === "token" && event.kind !== "tool_call")
      yield { type: event.kind === "content" ? "text-delta" : "reasoning-delta", id: "0", delta: event.text };
    if (event.type === "toolCallDelta") {
      if (!begun.includes(event.id)) {
        begun.push(event.id);
        yield { type: "tool-input-start", id: event.id, toolName: event.name };
      }
      yield { type: "tool-input-delta", id: event.id, delta: event.argsText };
    }
  }
  const result = await call;
  for (const { id = "", name, args } of result.toolCalls) {
    if (begun.includes(id)) yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(args) };
  }
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = result.usage;
  yield {
    type: "finish",
    finishReason: { unified: result.finishReason === "length" ? "length" : "stop", raw: result.finishReason },
    usage: {
      inputTokens: { total: promptTokens, cacheRead: cachedTokens },
      outputTokens: { total: completionTokens, reasoning: reasoningTokens },
    },
  };
}

const toolOf = ({ name, description, inputSchema }: NonNullable<CallOptions["tools"]>[number]): ToolSpec => ({
  name,
  description,
  parameters: inputSchema as JsonSchema,
});

function choiceOf({ toolChoice }: CallOptions): ToolChoice {
  if (toolChoice?.type === "tool") return { tool: toolChoice.toolName };
  return toolChoice?.type ?? "auto";
}

function messagesOf(message: PromptMessage): Message[] {
  if (message.role === "system") return [{ role: "system", content: message.content }];
  const { content } = message;
  const results = content.flatMap((part): Message[] =>
    part.type === "tool-result"
      ? [{ role: "tool", content: part.output.value, toolCallId: part.toolCallId, toolName: part.toolName }]
      : [],
  );
  if (message.role === "tool") return results;
  const text = (type: "text" | "reasoning"): string =>
    content.flatMap((part: PromptPart) => (part.type === type ? [part.text] : [])).join("");
  const toolCalls = content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.toolCallId, name: part.toolName, args: part.input as Record<string, unknown> }]
      : [],
  );
  const reasoning = text("reasoning");
  return [
    {
      role: message.role,
      content: text("text"),
      ...(reasoning !== "" && { reasoning }),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
  ];
}
