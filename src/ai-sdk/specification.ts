// The parts of the AI SDK's provider interface that this subpath uses, in versions 3 and 4. Written down here so that
// the types of this package need no other package.

/** A version of the provider interface. */
export type Spec = "v3" | "v4";

/** A value that JSON can express. */
export type Json = null | string | number | boolean | Json[] | JsonObject;

/** An object that JSON can express. */
export type JsonObject = { [key: string]: Json | undefined };

/** Options of a provider, by the provider's name. */
type ByProvider = Readonly<Record<string, unknown>>;

/** The options of one call of a language model. */
export interface CallOptions {
  readonly prompt: readonly PromptMessage[];
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly responseFormat?:
    { readonly type: "text" } | { readonly type: "json"; readonly schema?: unknown } | undefined;
  readonly tools?: readonly (FunctionTool | ProviderTool)[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly includeRawChunks?: boolean | undefined;
  /** Version 4 only. */
  readonly reasoning?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: ByProvider | undefined;
}

export type ToolChoice =
  { readonly type: "auto" | "none" | "required" } | { readonly type: "tool"; readonly toolName: string };

export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly inputExamples?: readonly unknown[] | undefined;
  readonly strict?: boolean | undefined;
}

export interface ProviderTool {
  readonly type: "provider";
  readonly id: string;
  readonly name: string;
}

export type PromptMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user" | "assistant" | "tool"; readonly content: readonly PromptPart[] };

/** A part of a message: `type` says which of the fields it has. */
export interface PromptPart {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: ToolOutput;
  readonly mediaType?: string;
}

/** The result of a tool: `type` says what `value` is. */
export interface ToolOutput {
  readonly type: string;
  readonly value?: unknown;
  readonly reason?: string;
}

/** A setting that has no effect. */
export type Warning =
  | { type: "unsupported"; feature: string; details?: string }
  | { type: "compatibility"; feature: string; details?: string };

export interface FinishReason {
  unified: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";
  raw: string | undefined;
}

export interface TokenUsage {
  inputTokens: {
    total: number | undefined;
    noCache: number | undefined;
    cacheRead: number | undefined;
    cacheWrite: number | undefined;
  };
  outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined };
  raw?: JsonObject;
}

interface ResponseMetadata {
  id?: string;
  timestamp?: Date;
  modelId?: string;
}

interface ToolCallPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: string;
}

export type Metadata = Record<string, JsonObject>;

export interface Answer {
  content: ({ type: "text" | "reasoning"; text: string } | ToolCallPart)[];
  finishReason: FinishReason;
  usage: TokenUsage;
  providerMetadata: Metadata;
  response: ResponseMetadata;
  warnings: Warning[];
}

export type StreamPart =
  | { type: "stream-start"; warnings: Warning[] }
  | ({ type: "response-metadata" } & ResponseMetadata)
  | { type: "text-start" | "reasoning-start" | "text-end" | "reasoning-end" | "tool-input-end"; id: string }
  | { type: "text-delta" | "reasoning-delta" | "tool-input-delta"; id: string; delta: string }
  | { type: "tool-input-start"; id: string; toolName: string }
  | ToolCallPart
  | { type: "finish"; usage: TokenUsage; finishReason: FinishReason; providerMetadata: Metadata }
  | { type: "raw"; rawValue: unknown }
  | { type: "error"; error: unknown };

/** The options of one call of an embedding model. */
export interface EmbeddingCallOptions {
  readonly values: readonly string[];
  /** Version 4 only. */
  readonly dimensions?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: ByProvider | undefined;
}

export interface EmbeddingAnswer {
  embeddings: number[][];
  usage: { tokens: number };
  warnings: Warning[];
}

/** The options of one call of a reranking model. */
export interface RerankingCallOptions {
  readonly documents:
    | { readonly type: "text"; readonly values: readonly string[] }
    | { readonly type: "object"; readonly values: readonly unknown[] };
  readonly query: string;
  readonly topN?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: ByProvider | undefined;
}

export interface RerankingAnswer {
  ranking: { index: number; relevanceScore: number }[];
  response: { timestamp: Date; modelId: string };
  warnings: Warning[];
}
