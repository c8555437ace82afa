// The part of the AI SDK's provider interface that remote models use: language models of its versions 3 and 4. Written
// down here so that the types of this package need no other package.

/** A language model of an AI SDK provider package, for example `createOpenAICompatible({ ... })("name")`. */
export interface LanguageModel {
  /** Version of the provider interface: "v3" or "v4". */
  readonly specificationVersion: string;
  /** Name of the provider. */
  readonly provider: string;
  /** Name of the model, as its server knows it. */
  readonly modelId: string;
  /** Begins an answer. */
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** The options of one call. */
export interface CallOptions {
  readonly prompt: readonly PromptMessage[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly responseFormat?: { readonly type: "json"; readonly schema?: unknown };
  readonly tools?: readonly FunctionTool[];
  readonly toolChoice?: { readonly type: "auto" | "none" | "required" } | { readonly type: "tool"; toolName: string };
  readonly reasoning?: "none";
  readonly headers?: Readonly<Record<string, string>>;
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly abortSignal: AbortSignal;
}

export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly strict?: boolean;
}

export type PromptMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user" | "assistant" | "tool"; readonly content: readonly PromptPart[] };

export type PromptPart =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  | {
      readonly type: "tool-result";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: { readonly type: "text"; readonly value: string };
    };

/** A part of an answer, as far as it matters here. */
export interface StreamPart {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
  readonly toolName?: string;
  readonly inputEncoding?: "json" | "text";
  readonly toolCallId?: string;
  readonly input?: string;
  readonly providerExecuted?: boolean;
  readonly warnings?: readonly { readonly type: string; readonly feature?: string; readonly setting?: string }[];
  readonly usage?: {
    readonly inputTokens?: { readonly total?: number; readonly cacheRead?: number };
    readonly outputTokens?: { readonly total?: number; readonly reasoning?: number };
  };
  readonly finishReason?: { readonly unified: string; readonly raw?: string };
  readonly error?: unknown;
}
