// The names of OpenTelemetry's semantic conventions that the spans and metrics use, and names of our own beside them.
// Those for generative AI are all in Development, and may change in any version: they are those of
// open-telemetry/semantic-conventions-genai, docs/gen-ai/, which has no releases yet: gen-ai-spans.md at
// 9430220eb6f3f8a0e41d2e0e548aeb5cb9ca5f14, gen-ai-agent-spans.md at e8fc5751506258db1459d1bde47994e01dee922e, and
// gen-ai-metrics.md at 7269173edd774fb00a9fabc374955e0888714fa7.

export const operationName = "gen_ai.operation.name";
export const providerName = "gen_ai.provider.name";
export const agentName = "gen_ai.agent.name";
export const conversationId = "gen_ai.conversation.id";
export const workflowName = "gen_ai.workflow.name";
export const requestModel = "gen_ai.request.model";
export const requestTemperature = "gen_ai.request.temperature";
export const requestTopK = "gen_ai.request.top_k";
export const requestTopP = "gen_ai.request.top_p";
export const requestMaxTokens = "gen_ai.request.max_tokens";
export const requestSeed = "gen_ai.request.seed";
export const requestStopSequences = "gen_ai.request.stop_sequences";
export const requestFrequencyPenalty = "gen_ai.request.frequency_penalty";
export const requestPresencePenalty = "gen_ai.request.presence_penalty";
export const responseModel = "gen_ai.response.model";
export const responseId = "gen_ai.response.id";
export const responseFinishReasons = "gen_ai.response.finish_reasons";
export const responseTimeToFirstChunk = "gen_ai.response.time_to_first_chunk";
export const usageInputTokens = "gen_ai.usage.input_tokens";
export const usageOutputTokens = "gen_ai.usage.output_tokens";
export const usageCachedTokens = "gen_ai.usage.cache_read.input_tokens";
export const usageReasoningTokens = "gen_ai.usage.reasoning.output_tokens";
export const embeddingsDimensions = "gen_ai.embeddings.dimension.count";
export const toolName = "gen_ai.tool.name";
export const toolCallId = "gen_ai.tool.call.id";
export const tokenType = "gen_ai.token.type";
export const errorType = "error.type";
export const serverAddress = "server.address";
export const serverPort = "server.port";

/** Values of `gen_ai.operation.name`. The conventions have none for a ranking and a load. */
export const operations = {
  chat: "chat",
  text: "text_completion",
  embeddings: "embeddings",
  rerank: "rerank",
  tool: "execute_tool",
  agent: "invoke_agent",
  workflow: "invoke_workflow",
  load: "load_model",
} as const;

/** The value of `gen_ai.provider.name` for the engine's own work. */
export const provider = "llama_hooks";

export const operationDuration = {
  name: "gen_ai.client.operation.duration",
  unit: "s",
  description: "GenAI operation duration.",
  boundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
};
export const tokenUsage = {
  name: "gen_ai.client.token.usage",
  unit: "{token}",
  description: "Number of input and output tokens used.",
  boundaries: [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864],
};
export const timeToFirstToken = {
  name: "gen_ai.server.time_to_first_token",
  unit: "s",
  description: "Time to generate first token for successful responses.",
  boundaries: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
};
export const timePerOutputToken = {
  name: "gen_ai.server.time_per_output_token",
  unit: "s",
  description: "Time per output token generated after the first token for successful responses.",
  boundaries: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
};

/** Names of our own. */
export const own = {
  runId: "llama_hooks.run.id",
  resumes: "llama_hooks.run.resumes",
  iteration: "llama_hooks.run.iteration",
  finishReason: "llama_hooks.run.finish_reason",
  limit: "llama_hooks.run.limit",
  queueTime: "llama_hooks.queue_time",
  minP: "llama_hooks.request.min_p",
  repeatPenalty: "llama_hooks.request.repeat_penalty",
  cancelBy: "llama_hooks.cancel.by",
  cancelReason: "llama_hooks.cancel.reason",
  haltBy: "llama_hooks.halt.by",
  haltReason: "llama_hooks.halt.reason",
  resultKind: "llama_hooks.tool.result_kind",
  planFlow: "llama_hooks.plan.flow",
  planSteps: "llama_hooks.plan.steps",
  planSucceeded: "llama_hooks.plan.succeeded",
  texts: "llama_hooks.texts",
  unfinished: "llama_hooks.unfinished",
  hookEvent: "llama_hooks.hook",
  hookName: "llama_hooks.hook.name",
  hookPoint: "llama_hooks.hook.point",
  hookOutcome: "llama_hooks.hook.outcome",
  hookReason: "llama_hooks.hook.reason",
  hookFields: "llama_hooks.hook.fields",
  hookDuration: "llama_hooks.hook.duration",
} as const;
