// The engine's results, and the events that it reports while work goes on.
// Generated from native/contract/{results,events}.json by scripts/generate-contract.mjs; do not edit.
import type { ErrorCode } from "./errors.js";
import type { Adapter, LoopState, MemoryBytes, Message, PointName, ResultKind, ToolCall, Usage } from "./points.js";

/** The hook or caller that stopped something, and the reason. */
export interface Stopper {
  /**
   * Name of the hook, or "caller" for the caller. In TypeScript "signal" for an abort signal,
   * "caller" for `cancel()` or for leaving an iteration.
   */
  readonly by: string;
  /** The reason; null: none was given. */
  readonly reason: string | null;
}

/** Why a hook failed. */
export interface HookFailure {
  /**
   * HOOK_FAILED, HOOK_TIMEOUT, HOOK_BAD_ANSWER, or CANCELLED if the operation ended before the hook
   * answered.
   */
  readonly code: ErrorCode;
  /** Text of the error. */
  readonly message: string;
  /**
   * The value that the handler threw or rejected with. Absent for native hooks, and when the
   * failure is too long ago.
   */
  readonly cause?: unknown;
}

/** The record of one hook in a dispatch. */
export interface HookRecord {
  /** Number of the hook. */
  readonly id: number;
  /** Name of the hook. */
  readonly name: string;
  /**
   * "observed": the answer does not count. "failed": the engine skipped the hook; a failure that
   * cancels is "cancelled". "abandoned": the work was cancelled while it waited for the hook, which
   * does not count as a failure of the hook.
   */
  readonly outcome: "proceed" | "modified" | "cancelled" | "failed" | "observed" | "abandoned";
  /** The fields that the hook changed or set. */
  readonly fields: readonly string[];
  /** When the hook was called, by the clock of the decision. */
  readonly clockUs: number;
  /** Microseconds that the hook took. */
  readonly durationUs: number;
  /** True: a native hook passed its deadline. */
  readonly late?: boolean;
  /**
   * The failure: with outcome "failed", or "cancelled" if the failure cancelled; with "abandoned",
   * why the engine stopped waiting.
   */
  readonly error?: HookFailure;
}

/**
 * The decision of the hooks of one point in one dispatch: each hook's answer, in order, with its
 * duration and reason.
 */
export interface Decision {
  /** Distinguishes decisions from other events of the trace. */
  readonly type: "decision";
  /** Number of the dispatch, ascending within an engine; the same as `meta.seq` of the event. */
  readonly seq: number;
  /** The point: in C its number, in TypeScript its name. */
  readonly point: PointName;
  /** Id of the run or generation. */
  readonly runId: string | null;
  /** Id of the session. */
  readonly sessionId: string | null;
  /**
   * The activity that the dispatch is a part of: the `span` of its events in the trace; null: none.
   */
  readonly span: number | null;
  /** Id of the tool call that the dispatch is about; null: it is about none. */
  readonly toolCallId: string | null;
  /** When the dispatch began, in microseconds since the Unix epoch. */
  readonly timeUs: number;
  /**
   * When the dispatch began, by a clock that never goes back: microseconds since the library was
   * loaded.
   */
  readonly clockUs: number;
  /** The outcome of the dispatch. */
  readonly action: "proceed" | "modified" | "cancelled";
  /**
   * The hook that cancelled; null if no hook did, or if the operation itself was cancelled while a
   * hook held it up: that is no veto.
   */
  readonly decidedBy: {
    /** Number of the hook. */
    readonly id: number;
    /** Name of the hook. */
    readonly name: string;
  } | null;
  /** Why the dispatch was cancelled. */
  readonly reason: string | null;
  /**
   * Error code of the hook's failure, if a hook that fails closed caused the cancel; CANCELLED if
   * the operation itself was cancelled.
   */
  readonly status: ErrorCode | null;
  /** The hooks that were called, in order. */
  readonly hooks: readonly HookRecord[];
  /** Microseconds that the dispatch took. */
  readonly durationUs: number;
}

/** A token that the model might have chosen. */
export interface TopLogprob {
  /** Number of the token in the model's vocabulary. */
  readonly token: number;
  /**
   * Text of the token, or the name of a control token; bytes that are not a whole character are
   * U+FFFD.
   */
  readonly text: string;
  /** The token's own bytes in UTF-8, which may be a part of a character. */
  readonly bytes: readonly number[];
  /** Natural logarithm of the token's probability. */
  readonly logprob: number;
}

/**
 * The model's own probability of a token, before temperature, penalties, grammar and other
 * sampling.
 */
export interface TokenLogprob {
  /** Index of the token in the answer, from 0. */
  readonly index: number;
  /** Number of the token in the model's vocabulary. */
  readonly token: number;
  /** Text of the token; a part of a character is shown as U+FFFD. */
  readonly text: string;
  /** The token's own bytes in UTF-8, which may be a part of a character. */
  readonly bytes: readonly number[];
  /** The part of the message that the token ends in, or that follows a tag. */
  readonly kind: "content" | "reasoning" | "tool_call";
  /** Natural logarithm of the token's probability. */
  readonly logprob: number;
  /**
   * With `topLogprobs`: the likeliest tokens in this place, the likeliest first; absent if a hook
   * has changed text of the message.
   */
  readonly topLogprobs?: readonly TopLogprob[];
}

/** The result of one model call. */
export interface GenerateResult {
  /** Id of the call in contexts, decisions and events. */
  readonly runId: string;
  /** Id of the model. */
  readonly modelId: string;
  /** The text as the hooks left it, and as it was streamed. */
  readonly text: string;
  /** The model's reasoning before the answer, as the hooks left it. */
  readonly reasoning: string;
  /** The tool calls of the model. The engine does not run them here. */
  readonly toolCalls: readonly ToolCall[];
  /**
   * Why the call ended. "cancelled": by a hook, a signal or the caller, see `cancel`; the result
   * has the text so far.
   */
  readonly finishReason: "stop" | "length" | "cancelled";
  /** The text of `stop` that ended the output, with `finishReason` "stop"; absent if none did. */
  readonly stopText?: string;
  /**
   * With `finishReason` "length", the limit that cut the text off, by its name in a run result:
   * `maxTokens`, which is the parameter or the end of the context. In C with underscores. Otherwise
   * null.
   */
  readonly limit: "maxTokens" | null;
  /** The cost of the call. */
  readonly usage: Usage;
  /**
   * With `logprobs`: one entry for each generated token, in order. Left out are tokens whose text
   * hooks changed, joined and changed, or dropped; tokens with text of a stop text; and, if there
   * are token hooks, tokens of tags, whose text no hook sees. Absent if there is no entry, for
   * example if the whole text was replaced.
   */
  readonly logprobs?: readonly TokenLogprob[];
  /** The hook or caller that cancelled, with `finishReason` "cancelled". */
  readonly cancel?: Stopper;
  /**
   * A `postGenerate` hook ended the run here: the tool calls of this message must not be carried
   * out.
   */
  readonly halt?: Stopper;
  /**
   * The messages that this call adds to the conversation: the answer, if there is one, and after
   * `halt` or `cancel` a refusal for each tool call, so that every call has a result.
   */
  readonly messages: readonly Message[];
  /**
   * The hooks' decisions during this call, in order. Points without hooks leave no decision. For
   * `streamToken`, only decisions in which a hook failed are kept; the trace has all.
   */
  readonly decisions: readonly Decision[];
}

/** The result of a compaction that the caller asked for. */
export interface CompactionResult {
  /** False: there was nothing to compact, or a hook refused. */
  readonly compacted: boolean;
  /** Tokens of the prompt before the compaction. */
  readonly tokensBefore: number;
  /** Tokens of the prompt after the compaction. */
  readonly tokensAfter: number;
  /** Number of messages that were left out or summarised. */
  readonly removed: number;
  /** The text that stands for the removed messages; empty if there is none. */
  readonly summary: string;
  /** The hooks' decisions, in order. */
  readonly decisions: readonly Decision[];
}

/** One tool call of a run and its outcome. */
export interface ToolRecord {
  /** Connects the call with its result in the messages. */
  readonly id: string;
  /** Name of the tool, as hooks left it. */
  readonly name: string;
  /** Arguments of the call, as hooks left them; the keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The text that the model is told, as hooks left it. */
  readonly result: string;
  /** The outcome of the call. */
  readonly resultKind: ResultKind;
  /** True: the model is told that the call failed. */
  readonly isError: boolean;
  /**
   * The parts that the tool gave beside the text, as it gave them; the model was not told them.
   * Absent if there are none, or if a hook has replaced the result.
   */
  readonly parts?: readonly unknown[];
  /** Milliseconds that the tool took; 0 if it did not run. */
  readonly elapsedMs: number;
  /** Name of the hook that refused the call or answered in place of the tool; null: none did. */
  readonly decidedBy: string | null;
  /**
   * The value that the tool threw or rejected with. Absent for native tools, if a hook has replaced
   * the result, and when the failure is too long ago.
   */
  readonly cause?: unknown;
}

/** The answer to a tool's question for the user. */
export interface ElicitResult {
  /**
   * "accept": the content is there; "decline": the user refuses, no hook answered, or the answer
   * did not fit; "cancel": a hook cancelled, nobody decided, or the call of the tool is over.
   */
  readonly action: "accept" | "decline" | "cancel";
  /** The input; only with "accept". The keys are those of the schema. */
  readonly content?: Readonly<Record<string, unknown>>;
  /** The reason for which there is no content; absent if none was given. */
  readonly reason?: string;
  /**
   * Name of the hook that gave the content, or else of the one that changed the action; absent if
   * none did: the action begins as "decline".
   */
  readonly by?: string;
}

/**
 * A tool call that waits for an answer, because a hook at `permissionCheck` deferred the decision.
 */
export interface WaitingCall {
  /** Id of the tool call. */
  readonly id: string;
  /** Name of the tool, as hooks left it. */
  readonly name: string;
  /** Arguments of the call, as hooks left them; the keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Tier of the run; null: none. */
  readonly tier: string | null;
  /** Name of the hook that deferred the decision. */
  readonly deferredBy: string;
  /** The name of whoever is to decide, as that hook gave it; null: it gave none. */
  readonly waitsFor: string | null;
  /** The reason that the hook gave; null: none. */
  readonly reason: string | null;
}

/** One model call of a run, and the tool calls that it made. */
export interface RunStep {
  /** Number of the iteration. */
  readonly iteration: number;
  /** Id of the model that was called. */
  readonly modelId: string;
  /** Why the model call ended, as in a generate result. */
  readonly finishReason: "stop" | "length" | "cancelled" | "error";
  /** Cost of the model call, with its retries. */
  readonly usage: Usage;
  /** Ids of the tool calls of the iteration, refused ones included. */
  readonly toolCallIds: readonly string[];
}

/** The result of one run of a session. */
export interface RunResult {
  /** Id of the run in contexts, decisions and events. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Id of the model. */
  readonly modelId: string;
  /** The model's last answer, as the hooks left it. */
  readonly text: string;
  /** The model's reasoning before that answer, as the hooks left it. */
  readonly reasoning: string;
  /**
   * Why the run ended. "complete": the model answered. "halted": a hook, a tool or a reflection
   * ended the run, see `halt`. "cancelled": a signal or the caller did, see `cancel`. "limit": see
   * `limit`. "waiting": tool calls wait for an answer, see `waiting`.
   */
  readonly finishReason: "complete" | "halted" | "cancelled" | "limit" | "waiting";
  /** The hook or caller that cancelled, with `finishReason` "cancelled". */
  readonly cancel?: Stopper;
  /** The hook or caller that ended the run, and the reason, with `finishReason` "halted". */
  readonly halt?: Stopper;
  /**
   * With `finishReason` "limit", the limit that ended the run: `maxIterations`, `maxToolCalls`
   * (with `onLimit` `answer`), `maxCompletionRejections`, `maxRunTokens`, `maxRunMs`, or
   * `maxTokens` if the last answer was cut off by that parameter or by the end of the context. In C
   * with underscores. Otherwise null.
   */
  readonly limit: "maxIterations" | "maxToolCalls" | "maxTokens" | "maxCompletionRejections" | "maxRunTokens" | "maxRunMs" | null;
  /**
   * The messages that the run adds to the history, the user's message first. Empty if the model
   * said nothing: such a run leaves the history as it was.
   */
  readonly messages: readonly Message[];
  /** Every tool call of this run in order, refused calls included. */
  readonly toolCalls: readonly ToolRecord[];
  /**
   * Every tool call of the runs that this run delegated to, and of their child runs: grouped by
   * run, in the order in which those runs ended.
   */
  readonly childToolCalls: readonly ToolRecord[];
  /**
   * The tool calls that wait for an answer, with `finishReason` "waiting"; otherwise absent. The
   * other calls of the same message have not run either; they do when the run is resumed.
   */
  readonly waiting?: readonly WaitingCall[];
  /** Total cost of the model calls. */
  readonly usage: Usage;
  /**
   * With `logprobs`, for the model's last message, reasoning and tool calls included: one entry for
   * each generated token, in order. Left out are tokens whose text hooks changed, joined and
   * changed, or dropped; tokens with text of a stop text; and, if there are token hooks, tokens of
   * tags, whose text no hook sees. Absent if there is no entry.
   */
  readonly logprobs?: readonly TokenLogprob[];
  /**
   * With the run's `answer`: true if the text is an answer that the `complete` hooks accepted.
   * Otherwise absent.
   */
  readonly answered?: boolean;
  /**
   * The model calls of the run in order, without those of delegated runs, of compaction and of
   * critics.
   */
  readonly steps: readonly RunStep[];
  /** Number of iterations begun. */
  readonly iterations: number;
  /** The hooks' decisions during the run, in order, as in a generate result. */
  readonly decisions: readonly Decision[];
}

/**
 * A model that is loaded, or that is loaded when it is used. Sizes are in bytes unless they say
 * otherwise.
 */
export interface ModelInfo {
  /** Id of the model. */
  readonly modelId: string;
  /** Path of the model file, or address of the remote model. */
  readonly path: string;
  /**
   * Address of the remote model; null: this process computes. What follows from the file is then
   * empty or 0.
   */
  readonly address: string | null;
  /** Architecture that the file names. */
  readonly architecture: string;
  /** llama.cpp's one-line description of the model. */
  readonly description: string;
  /** Size of the file. */
  readonly fileBytes: number;
  /** Number of weights. */
  readonly parameters: number;
  /** Number of blocks. */
  readonly layers: number;
  /** Layers on GPUs; the output layer counts as one. */
  readonly gpuLayers: number;
  /** Tokens that a sequence can hold. */
  readonly contextSize: number;
  /** Tokens of a sequence in the model's training. */
  readonly trainingContextSize: number;
  /** Number of tokens in the vocabulary. */
  readonly vocabularySize: number;
  /** Number of sequences that are decoded together. */
  readonly parallel: number;
  /** Number of threads that compute. */
  readonly threads: number;
  /** Devices that the model uses. */
  readonly devices: readonly string[];
  /** The Jinja chat template in use; null: none. */
  readonly chatTemplate: string | null;
  /**
   * Traits of the conversations so far that the chat template cannot render, and that the engine
   * folded: docs/concepts/templates.md.
   */
  readonly folds: readonly string[];
  /** True: the model generates text; false: it only computes vectors for texts. */
  readonly generates: boolean;
  /** True: the model can infill, which is to write the text between two texts. */
  readonly infills: boolean;
  /** The vectors that the model computes for texts. */
  readonly embedding: ModelEmbedding;
  /**
   * The things that the model can do. A call that needs another one ends with UNSUPPORTED_BY_MODEL.
   */
  readonly features: ModelFeatures;
  /** Milliseconds that the load took; 0: the model has not been loaded yet. */
  readonly loadMs: number;
  /**
   * Memory that llama.cpp allocated when the model was loaded, if it was; weights that another
   * model had loaded already are not counted.
   */
  readonly measured: MemoryBytes;
  /**
   * Memory that the model takes now, by device and purpose. Weights that several models share count
   * for the model that was loaded first.
   */
  readonly memory: readonly ModelMemory[];
  /** Ids of the loaded models that compute with the same weights. */
  readonly sharesWeightsWith: readonly string[];
  /** True: the model is never unloaded to make room. */
  readonly pinned: boolean;
  /**
   * The state of the model. "cold": it was unloaded to free memory or is lazy, and is loaded when
   * it is used.
   */
  readonly state: "loading" | "ready" | "unloading" | "cold";
}

/** The things that a model can do. */
export interface ModelFeatures {
  /** It calls tools. */
  readonly tools: boolean;
  /** Its output can be held to a JSON Schema. */
  readonly jsonSchema: boolean;
  /** It gives the probabilities of its tokens. */
  readonly logprobs: boolean;
  /** Its output can be held to a GBNF grammar. */
  readonly grammar: boolean;
  /** It goes on with a text, without a chat template. */
  readonly raw: boolean;
  /** It goes on with the last message, an assistant's. */
  readonly continueFinalMessage: boolean;
  /** It writes the text between two texts. */
  readonly infill: boolean;
  /** Adapters can be loaded for it. */
  readonly adapters: boolean;
  /** Texts can be tokenized. */
  readonly tokens: boolean;
  /** It computes vectors for texts. */
  readonly embeddings: boolean;
}

/** The vectors that the model computes for texts. */
export interface ModelEmbedding {
  /** Numbers in a vector; 0: a remote model, which gives no vectors. */
  readonly dimensions: number;
  /**
   * The method that combines the vectors of a text's tokens into one, unless a request sets
   * another; "rank": into a score.
   */
  readonly pooling: "none" | "mean" | "cls" | "last" | "rank";
  /** Maximum number of tokens of a text. */
  readonly maxTokens: number;
  /** True: the model can rank documents. */
  readonly reranks: boolean;
}

/** The relevance of a document to a query. */
export interface RerankScore {
  /** Index of the document in the request. */
  readonly index: number;
  /** Higher is more relevant. */
  readonly relevanceScore: number;
}

/** The documents, ordered by relevance to the query. */
export interface RerankResult {
  /** Id of the model that ranked the documents. */
  readonly modelId: string;
  /** The most relevant document first; equally relevant ones in the order of the request. */
  readonly results: readonly RerankScore[];
  /** Tokens that were read. */
  readonly tokens: number;
}

/** The estimate for loading a model: its memory and its settings. */
export interface ModelEstimate {
  /** Path of the model file. */
  readonly path: string;
  /** Architecture that the file names. */
  readonly architecture: string;
  /** llama.cpp's one-line description of the model. */
  readonly description: string;
  /** Size of the file. */
  readonly fileBytes: number;
  /** Number of weights. */
  readonly parameters: number;
  /** Number of blocks. */
  readonly layers: number;
  /** Layers on GPUs; the output layer counts as one. */
  readonly gpuLayers: number;
  /** Tokens of a sequence in the model's training. */
  readonly trainingContextSize: number;
  /** Number of tokens in the vocabulary. */
  readonly vocabularySize: number;
  /** Tokens that a sequence could hold. */
  readonly contextSize: number;
  /** Number of sequences that would be decoded together. */
  readonly parallel: number;
  /** Number of threads that would compute. */
  readonly threads: number;
  /** Devices that the model would use. */
  readonly devices: readonly string[];
  /** The Jinja chat template that the model would use; null: none. */
  readonly chatTemplate: string | null;
  /** True: the model generates text; false: it only computes vectors for texts. */
  readonly generates: boolean;
  /** True: the model can infill, which is to write the text between two texts. */
  readonly infills: boolean;
  /** The vectors that the model computes for texts. */
  readonly embedding: ModelEmbedding;
  /** The things that the model could do. */
  readonly features: ModelFeatures;
  /** Memory that the model would take; weights that a loaded model already has are not counted. */
  readonly estimate: MemoryBytes;
  /** The same memory, by device and purpose. */
  readonly memory: readonly ModelMemory[];
  /** True: the model fits now, without unloading anything. */
  readonly fits: boolean;
}

/** The memory that a model takes on one device, in bytes. */
export interface ModelMemory {
  /** Name of the device. */
  readonly device: string;
  /** Number of the model's blocks on this device. */
  readonly layers: number;
  /** Bytes of the weights. */
  readonly modelBytes: number;
  /** Bytes of the KV cache. */
  readonly contextBytes: number;
  /** Bytes of the compute buffers. */
  readonly computeBytes: number;
}

/** A device that can compute. */
export interface Device {
  /** Name of the device. */
  readonly name: string;
  /** Description of the device. */
  readonly description: string;
  /** "cpu", "gpu", "igpu" or "accel". */
  readonly type: string;
  /** Memory of the device. */
  readonly totalBytes: number;
  /** Free memory of the device. */
  readonly freeBytes: number;
}

/** The result of unloading a model. */
export interface ModelUnloadResult {
  /** Id that the model had. */
  readonly modelId: string;
  /**
   * Memory that was freed, as llama.cpp had allocated it; zero for a model that was cold, and
   * without weights that other models still use.
   */
  readonly freed: MemoryBytes;
}

/** A loaded adapter. */
export interface AdapterInfo {
  /** Id of the adapter. */
  readonly adapterId: string;
  /** Id of the model that the adapter is for. */
  readonly modelId: string;
  /** Path of the adapter file. */
  readonly path: string;
  /** Kind of the adapter; an aLoRA is a "lora" with `invocationTokens`. */
  readonly kind: "lora" | "control_vector";
  /** Size of the file, in bytes. */
  readonly fileBytes: number;
  /** Strength that applies if none is given; 1 is as trained. */
  readonly scale: number;
  /** The largest rank of its changes; 0 for a control vector. */
  readonly rank: number;
  /**
   * Number of tensors of the model that it changes; for a control vector, number of layers that it
   * steers.
   */
  readonly tensors: number;
  /**
   * Present for an aLoRA: it acts from the last place in the prompt where these tokens stand, and
   * not at all if the prompt does not contain them.
   */
  readonly invocationTokens?: readonly number[];
}

/** The result of a swap. */
export interface AdapterSwapResult {
  /** The adapters that are active now, as hooks left them. */
  readonly adapters: readonly Adapter[];
}

/** Memory of one device, in bytes. */
export interface DeviceMemory {
  /** Name of the device. */
  readonly device: string;
  /** Type of the device, as in a device. */
  readonly type: string;
  /** Memory of the device. */
  readonly totalBytes: number;
  /** Free memory of the device. */
  readonly freeBytes: number;
  /** Memory that this engine's models take. */
  readonly usedBytes: number;
  /** Part of usedBytes: main memory that idle conversations take (`cacheMemory`). */
  readonly conversationBytes: number;
  /** Memory that this engine's models may take; null: no limit. */
  readonly budgetBytes: number | null;
}

/** Versions and devices. */
export interface SystemInfo {
  /** Release of llama.cpp. */
  readonly llamaCpp: string;
  /** Version of the C ABI. */
  readonly abi: number;
  /** llama.cpp's own line about the features of the CPU. */
  readonly systemInfo: string;
  /** The devices that models of this engine can use. */
  readonly devices: readonly Device[];
  /**
   * The id of the engine's own process; null: models compute in this process, or the process has
   * died.
   */
  readonly process: number | null;
}

/** A model call begins: its prompt is made. A call that a hook has started anew begins again. */
export interface StartEvent {
  /** Type of the event. */
  readonly type: "start";
  /** Id of the run; outside a run, of the call. */
  readonly runId: string;
  /** Id of the model. */
  readonly modelId: string;
  /** Tokens of the prompt. */
  readonly promptTokens: number;
  /** Depth of delegation of the run; 0 is the run that the caller started. */
  readonly depth?: number;
}

/** A piece of text, as hooks left it. */
export interface TokenEvent {
  /** Type of the event. */
  readonly type: "token";
  /** Index of the token in the call; 0 for text that a hook gave in place of the model's. */
  readonly index: number;
  /** Number of the token in the model's vocabulary; -1 for text that a hook gave or changed. */
  readonly token: number;
  /** The text; empty while a character is incomplete. */
  readonly text: string;
  /** The part of the message that the text belongs to. */
  readonly kind: "content" | "reasoning" | "tool_call";
  /**
   * With `logprobs`: natural logarithm of the probability of the text's last token. Text that a
   * hook changed or joined, and text that only the end of the output releases, has none.
   */
  readonly logprob?: number;
  /**
   * With `topLogprobs`: the likeliest tokens in this place, the likeliest first. Absent from the
   * first change of the message's text by a hook on: text that a hook removed may be likely in
   * other places.
   */
  readonly topLogprobs?: readonly TopLogprob[];
  /**
   * With `logprobs`: the tokens whose text ends in this event, in order, with those of tags before
   * it; a text that was held back has several. Absent if there is none, for example because a hook
   * changed the text.
   */
  readonly logprobs?: readonly TokenLogprob[];
  /** Id of the run; absent outside a run. */
  readonly runId?: string;
  /** Depth of delegation of the run; 0 is the run that the caller started. */
  readonly depth?: number;
}

/** Sent while the model reads the prompt. */
export interface PromptProgressEvent {
  /** Type of the event. */
  readonly type: "promptProgress";
  /** Tokens read, cached ones included. */
  readonly processed: number;
  /** Tokens of the prompt. */
  readonly total: number;
  /** Tokens found in the KV cache. */
  readonly cached: number;
  /** Id of the run; absent outside a run. */
  readonly runId?: string;
  /** Depth of delegation of the run; 0 is the run that the caller started. */
  readonly depth?: number;
}

/**
 * The model writes a tool call: first its id and name, then pieces of the JSON of its arguments,
 * whatever form the model's template gives them. The pieces of a call, joined, are its arguments.
 * It is not yet decided whether the call runs.
 */
export interface ToolCallDeltaEvent {
  /** Type of the event. */
  readonly type: "toolCallDelta";
  /** Index of the call in its message. */
  readonly index: number;
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** The next piece of the arguments' JSON; empty in the first event of a call. */
  readonly argsText: string;
  /** Id of the run; absent outside a run. */
  readonly runId?: string;
  /** Depth of delegation of the run; 0 is the run that the caller started. */
  readonly depth?: number;
}

/**
 * The message is another one than was streamed: a `postGenerate` hook changed it, hooks at
 * `streamToken` changed a call, or the parser has revised what it made of the text. What this event
 * holds replaces everything that was streamed of the message. Never sent with stream "held".
 */
export interface ReplacedEvent {
  /** Type of the event. */
  readonly type: "replaced";
  /** The new text. */
  readonly text: string;
  /** The new reasoning. */
  readonly reasoning: string;
  /** The new tool calls. */
  readonly toolCalls: readonly ToolCall[];
  /** Id of the run; absent outside a run. */
  readonly runId?: string;
  /** Depth of delegation of the run; 0 is the run that the caller started. */
  readonly depth?: number;
}

/** The last event of every iteration. */
export interface EndEvent {
  /** Type of the event. */
  readonly type: "end";
  /** The result of the call. */
  readonly result: GenerateResult;
}

/** The loop of a run changes its state. */
export interface StateEvent {
  /** Type of the event. */
  readonly type: "state";
  /** The state before the transition. */
  readonly previous: LoopState;
  /** The state after the transition. */
  readonly current: LoopState;
  /** Id of the run. */
  readonly runId: string;
  /** Depth of delegation; 0 is the run that the caller started. */
  readonly depth: number;
}

/** An iteration of a run begins; the token events that follow belong to its model call. */
export interface IterationEvent {
  /** Type of the event. */
  readonly type: "iteration";
  /** Number of the iteration, from 1. */
  readonly iteration: number;
  /** Id of the run. */
  readonly runId: string;
  /** Depth of delegation; 0 is the run that the caller started. */
  readonly depth: number;
}

/** A tool begins to run, or a hook has answered in place of the tool. */
export interface ToolCallEvent {
  /** Type of the event. */
  readonly type: "toolCall";
  /** Connects the call with its result. */
  readonly id: string;
  /** Name of the tool, as hooks left it. */
  readonly name: string;
  /** Arguments of the call, as hooks left them; the keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Id of the run. */
  readonly runId: string;
  /** Depth of delegation; 0 is the run that the caller started. */
  readonly depth: number;
}

/**
 * A tool that runs has told how far it is. The events of a call come at most every 50 ms, each with
 * the newest progress; the last one is never left out.
 */
export interface ToolProgressEvent {
  /** Type of the event. */
  readonly type: "toolProgress";
  /** Id of the call. */
  readonly toolCallId: string;
  /** Name of the tool, as hooks left it. */
  readonly name: string;
  /** The amount done, in the tool's own unit. */
  readonly done: number;
  /** The amount in all, in the same unit; absent if the tool does not know it. */
  readonly total?: number;
  /** A text for people; absent if the tool gave none. */
  readonly message?: string;
  /** Id of the run. */
  readonly runId: string;
  /** Depth of delegation; 0 is the run that the caller started. */
  readonly depth: number;
}

/**
 * A tool call has its result. Refused calls have one, too. Results come in the order of the calls.
 */
export interface ToolResultEvent {
  /** Type of the event. */
  readonly type: "toolResult";
  /** The call and its result. */
  readonly record: ToolRecord;
  /** Id of the run. */
  readonly runId: string;
  /** Depth of delegation; 0 is the run that the caller started. */
  readonly depth: number;
}

/** A run delegates to a tier; the events of the child run follow, one level deeper. */
export interface DelegationEvent {
  /** Type of the event. */
  readonly type: "delegation";
  /** Name of the tier. */
  readonly tier: string;
  /** The task of the child run. */
  readonly task: string;
  /** Name of the child run's conversation, by which it can be resumed. */
  readonly child: string;
  /** Id of the run that delegates. */
  readonly runId: string;
  /** Depth of the run that delegates; 0 is the run that the caller started. */
  readonly depth: number;
}

/** The engine has shortened the part of the conversation that the model is shown. */
export interface CompactionEvent {
  /** Type of the event. */
  readonly type: "compaction";
  /** The strategy used. */
  readonly strategy: string;
  /** Tokens of the prompt before the compaction. */
  readonly tokensBefore: number;
  /** Tokens of the prompt after the compaction. */
  readonly tokensAfter: number;
  /** Number of messages that were left out or summarised. */
  readonly removed: number;
  /** Id of the run. */
  readonly runId: string;
  /** Depth of delegation; 0 is the run that the caller started. */
  readonly depth: number;
}

/** A tool tells the caller something, with the directive notify. */
export interface NotifyEvent {
  /** Type of the event. */
  readonly type: "notify";
  /** Name of the tool. */
  readonly tool: string;
  /** The tool's own fields. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Id of the run. */
  readonly runId: string;
  /** Depth of delegation; 0 is the run that the caller started. */
  readonly depth: number;
}

/** The last event of every iteration over a run. */
export interface RunEndEvent {
  /** Type of the event. */
  readonly type: "end";
  /** The result of the run. */
  readonly result: RunResult;
}

/** The options that decide how a model writes, under their own names, with defaults filled in. */
export interface CallParams {
  /** The option of this name. */
  readonly temperature: number;
  /** The option of this name. */
  readonly topK: number;
  /** The option of this name. */
  readonly topP: number;
  /** The option of this name. */
  readonly minP: number;
  /** The option of this name. */
  readonly repeatPenalty: number;
  /** The option of this name. */
  readonly presencePenalty: number;
  /** The option of this name. */
  readonly frequencyPenalty: number;
  /** The texts that end the output; empty: none. */
  readonly stop: readonly string[];
  /** The option of this name; absent if it is not set. */
  readonly maxTokens?: number;
  /** The option of this name; absent if it is not set. */
  readonly seed?: number;
}

/**
 * The load of a model begins, its hooks included; also the load of a cold model that is used again.
 */
export interface ModelLoadStartedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "modelLoadStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the end. */
  readonly span: number;
  /** The activity that this one is a part of; absent if its caller began it. */
  readonly parentSpan?: number;
  /**
   * Number of the call that the work is done for; absent if it is done for none. In C
   * lh_task_number() returns it. It connects the event with its caller.
   */
  readonly task?: number;
  /** Id of the model. */
  readonly modelId: string;
}

/** A model is ready for use. */
export interface ModelLoadedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "modelLoaded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the beginning. */
  readonly span: number;
  /** Microseconds from beginning to end. */
  readonly durationUs: number;
  /** Id of the model. */
  readonly modelId: string;
}

/** The load of a model failed, or a hook or its caller stopped it. */
export interface ModelLoadFailedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "modelLoadFailed";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the beginning. */
  readonly span: number;
  /** Microseconds from beginning to end. */
  readonly durationUs: number;
  /** Id of the model. */
  readonly modelId: string;
  /** Code of the error. */
  readonly code: ErrorCode;
}

/** A model was unloaded. */
export interface ModelUnloadedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "modelUnloaded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Id of the model. */
  readonly modelId: string;
  /** Why it was unloaded. */
  readonly reason: string;
}

/** A model call outside a run begins. */
export interface GenerationStartedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "generationStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the end. */
  readonly span: number;
  /**
   * Number of the call that the work is done for; absent if it is done for none. In C
   * lh_task_number() returns it. It connects the event with its caller.
   */
  readonly task?: number;
  /**
   * Milliseconds that the call waited for its turn, and for its model to be loaded, before it
   * began.
   */
  readonly queueMs: number;
  /** The form of the request: messages, a raw prompt, or a text between two others. */
  readonly kind: "chat" | "text" | "infill";
  /** How the model is to write, with defaults, before hooks change it. */
  readonly params: CallParams;
  /** Id of the call. */
  readonly runId: string;
  /** Id of the model. */
  readonly modelId: string;
}

/** A model call outside a run has ended. */
export interface GenerationEndedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "generationEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the beginning. */
  readonly span: number;
  /** Microseconds from beginning to end. */
  readonly durationUs: number;
  /** Id of the call. */
  readonly runId: string;
  /** How the model was to write in the last attempt, as hooks left it. */
  readonly params: CallParams;
  /**
   * Id of the model that answered: another one than the call's own if a hook chose it, or if it
   * took the place of an unreachable one. Absent if the call failed.
   */
  readonly answeredBy?: string;
  /** Why it ended; absent if it failed. */
  readonly finishReason?: "stop" | "length" | "cancelled";
  /** The cost of the call; absent if it failed. */
  readonly usage?: Usage;
  /** The hook or caller that cancelled, with `finishReason` "cancelled". */
  readonly cancel?: Stopper;
  /** The hook that ended the run here; absent if none did. */
  readonly halt?: Stopper;
  /** Code of the error; present only if it failed. */
  readonly code?: ErrorCode;
}

/** A run of a session begins, or a child run. */
export interface RunStartedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "runStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the end. */
  readonly span: number;
  /** The activity that this one is a part of; absent if its caller began it. */
  readonly parentSpan?: number;
  /**
   * Number of the call that the work is done for; absent if it is done for none. In C
   * lh_task_number() returns it. It connects the event with its caller.
   */
  readonly task?: number;
  /**
   * Milliseconds that the call waited for its turn, and for its model to be loaded, before it
   * began.
   */
  readonly queueMs?: number;
  /** Id of the run. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Id of the model that the run begins with. */
  readonly modelId: string;
  /** Id of the run that delegates to this run; absent if none does. */
  readonly parentRunId?: string;
  /** Id of the run that this run continues, as in hook metas; absent if it continues none. */
  readonly resumes?: string;
  /** Id of the tool call that this run is for; absent if no call delegates to it. */
  readonly toolCallId?: string;
  /** Name of the run's tier; absent if it has none. */
  readonly tier?: string;
}

/** A run of a session has ended, or a child run. */
export interface RunEndedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "runEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the beginning. */
  readonly span: number;
  /** Microseconds from beginning to end. */
  readonly durationUs: number;
  /** Id of the run. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Why it ended; absent if it failed. */
  readonly finishReason?: "complete" | "halted" | "cancelled" | "limit" | "waiting";
  /** The cost of the model calls; absent if it failed. */
  readonly usage?: Usage;
  /** The hook or caller that cancelled, with `finishReason` "cancelled". */
  readonly cancel?: Stopper;
  /** The hook that ended the run here; absent if none did. */
  readonly halt?: Stopper;
  /** Name of the limit that was reached, with `finishReason` "limit". */
  readonly limit?: string;
  /** Code of the error; present only if it failed. */
  readonly code?: ErrorCode;
}

/** A model call of a run begins. */
export interface ModelCallStartedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "modelCallStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the end. */
  readonly span: number;
  /** The activity that this one is a part of; absent if its caller began it. */
  readonly parentSpan?: number;
  /**
   * Number of the call that the work is done for; absent if it is done for none. In C
   * lh_task_number() returns it. It connects the event with its caller.
   */
  readonly task?: number;
  /** The form of the request: messages, a raw prompt, or a text between two others. */
  readonly kind: "chat" | "text" | "infill";
  /** How the model is to write, with defaults, before hooks change it. */
  readonly params: CallParams;
  /** Id of the run. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Id of the model. */
  readonly modelId: string;
  /** Iteration of the run's loop, from 1; null outside the loop. */
  readonly iteration: number | null;
}

/** A model call of a run has ended. */
export interface ModelCallEndedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "modelCallEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the beginning. */
  readonly span: number;
  /** Microseconds from beginning to end. */
  readonly durationUs: number;
  /** Id of the run. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Id of the model. */
  readonly modelId: string;
  /** Iteration of the run's loop, from 1; null outside the loop. */
  readonly iteration: number | null;
  /** How the model was to write in the last attempt, as hooks left it. */
  readonly params: CallParams;
  /**
   * Id of the model that answered: another one than the call's own if a hook chose it, or if it
   * took the place of an unreachable one. Absent if the call failed.
   */
  readonly answeredBy?: string;
  /** Why it ended; absent if it failed. */
  readonly finishReason?: "stop" | "length" | "cancelled";
  /** The cost of the call; absent if it failed. */
  readonly usage?: Usage;
  /** The hook or caller that cancelled, with `finishReason` "cancelled". */
  readonly cancel?: Stopper;
  /** The hook that ended the run here; absent if none did. */
  readonly halt?: Stopper;
  /** Code of the error; present only if it failed. */
  readonly code?: ErrorCode;
}

/** A tool begins to run. A call that is refused, or answered by a hook, has no such event. */
export interface ToolCallStartedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "toolCallStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the end. */
  readonly span: number;
  /** The activity that this one is a part of; absent if its caller began it. */
  readonly parentSpan?: number;
  /**
   * Number of the call that the work is done for; absent if it is done for none. In C
   * lh_task_number() returns it. It connects the event with its caller.
   */
  readonly task?: number;
  /** Id of the run. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Id of the call. */
  readonly toolCallId: string;
  /** Name of the tool, as hooks left it. */
  readonly toolName: string;
}

/** A tool has answered, or the engine no longer waits for it. */
export interface ToolCallEndedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "toolCallEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the beginning. */
  readonly span: number;
  /** Microseconds from beginning to end. */
  readonly durationUs: number;
  /** Id of the run. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Id of the call. */
  readonly toolCallId: string;
  /** Name of the tool, as hooks left it. */
  readonly toolName: string;
  /** The outcome before `postToolCall` hooks are called. */
  readonly resultKind: ResultKind;
  /** True: the tool failed. `postToolCall` hooks may change that afterwards. */
  readonly isError: boolean;
}

/**
 * A plan of a run begins: one of the tool `plan`, of the run's request, or a step of another plan.
 */
export interface PlanStartedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "planStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the end. */
  readonly span: number;
  /** The activity that this one is a part of; absent if its caller began it. */
  readonly parentSpan?: number;
  /**
   * Number of the call that the work is done for; absent if it is done for none. In C
   * lh_task_number() returns it. It connects the event with its caller.
   */
  readonly task?: number;
  /** Id of the run. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Id of the call of `plan`; absent if the caller gave the plan. */
  readonly toolCallId?: string;
  /** How its steps follow each other. */
  readonly flow: string;
  /** Number of its steps, before hooks change them. */
  readonly steps: number;
}

/** A plan of a run has ended. */
export interface PlanEndedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "planEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the beginning. */
  readonly span: number;
  /** Microseconds from beginning to end. */
  readonly durationUs: number;
  /** Id of the run. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** Number of the steps that succeeded. */
  readonly succeeded: number;
  /** The outcome of the plan. */
  readonly resultKind: ResultKind;
}

/** A call of `embed` begins. */
export interface EmbeddingStartedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "embeddingStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the end. */
  readonly span: number;
  /**
   * Number of the call that the work is done for; absent if it is done for none. In C
   * lh_task_number() returns it. It connects the event with its caller.
   */
  readonly task?: number;
  /**
   * Milliseconds that the call waited for its turn, and for its model to be loaded, before it
   * began.
   */
  readonly queueMs: number;
  /** Id of the model. */
  readonly modelId: string;
  /** Number of its texts. */
  readonly texts: number;
}

/** A call of `embed` has ended. */
export interface EmbeddingEndedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "embeddingEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the beginning. */
  readonly span: number;
  /** Microseconds from beginning to end. */
  readonly durationUs: number;
  /** Id of the model. */
  readonly modelId: string;
  /** Tokens of all texts; absent if it failed. */
  readonly tokens?: number;
  /** Numbers in each vector; absent if it failed. */
  readonly dimensions?: number;
  /** Code of the error; present only if it failed. */
  readonly code?: ErrorCode;
}

/** A call of `rerank` begins. */
export interface RerankStartedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "rerankStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the end. */
  readonly span: number;
  /**
   * Number of the call that the work is done for; absent if it is done for none. In C
   * lh_task_number() returns it. It connects the event with its caller.
   */
  readonly task?: number;
  /**
   * Milliseconds that the call waited for its turn, and for its model to be loaded, before it
   * began.
   */
  readonly queueMs: number;
  /** Id of the model. */
  readonly modelId: string;
  /** Number of its documents. */
  readonly documents: number;
}

/** A call of `rerank` has ended. */
export interface RerankEndedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "rerankEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Connects this event with the event of the beginning. */
  readonly span: number;
  /** Microseconds from beginning to end. */
  readonly durationUs: number;
  /** Id of the model. */
  readonly modelId: string;
  /** Tokens of the query with each document; absent if it failed. */
  readonly tokens?: number;
  /** Code of the error; present only if it failed. */
  readonly code?: ErrorCode;
}

/**
 * A hook is not called any more: it was removed, or the session, run, generation or engine that it
 * belongs to has ended. Its counts say how often it was called, and what kept it back.
 */
export interface HookEndedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "hookEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Id of the hook, as in decisions. */
  readonly id: number;
  /** Name of the hook. */
  readonly name: string;
  /** The point: in C its number, in TypeScript its name. */
  readonly point: PointName;
  /** Where it was registered; null: unknown. */
  readonly location: string | null;
  /** Its tests, as it was registered with; null: none. */
  readonly when: Readonly<Record<string, unknown>> | null;
  /**
   * Id of the session that it belongs to; null: it belongs to the engine, or to a single run or
   * generation.
   */
  readonly sessionId: string | null;
  /** How often its point fired in its engine, session, run or generation since it was added. */
  readonly fired: number;
  /**
   * How often the event also matched `when`. The rest was kept back by `when`, or by an earlier
   * hook that ended the dispatch.
   */
  readonly matched: number;
  /** Calls of it. */
  readonly calls: number;
  /** Calls whose answer changed something. */
  readonly modifications: number;
  /** Calls that cancelled, including failures that cancelled. */
  readonly cancels: number;
  /** Calls that failed, including those that cancelled. */
  readonly failures: number;
  /** Microseconds of all its calls, waiting included. */
  readonly totalUs: number;
}

/** A handler added with `observe` threw or rejected. */
export interface ObserverFailedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "observerFailed";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** Name of the handler. */
  readonly hook: string;
  /** Its point. */
  readonly point: PointName;
  /** The value that it threw or rejected with. */
  readonly cause?: unknown;
}

/** The reader was too slow, and events before this one were lost. */
export interface DroppedEvent {
  /** Type of the event. */
  readonly type: "lifecycle";
  /** Name of the event. */
  readonly event: "dropped";
  /** Number of lost events. */
  readonly count: number;
}

/** The events of an iteration over a model call. */
export type GenerateEvent =
  | StartEvent
  | TokenEvent
  | PromptProgressEvent
  | ToolCallDeltaEvent
  | ReplacedEvent
  | EndEvent;

/** The events of an iteration over a run. */
export type RunEvent =
  | ((
  | StartEvent
  | TokenEvent
  | PromptProgressEvent
  | ToolCallDeltaEvent
  | ReplacedEvent
  | StateEvent
  | IterationEvent
  | ToolCallEvent
  | ToolProgressEvent
  | ToolResultEvent
  | DelegationEvent
  | CompactionEvent
  | NotifyEvent
) & {
    /** Id of the run; absent outside a run. */
    readonly runId: NonNullable<TokenEvent["runId"]>;
    /** Depth of delegation of the run; 0 is the run that the caller started. */
    readonly depth: NonNullable<TokenEvent["depth"]>;
  })
  | RunEndEvent;

/** An event of the trace that is not a decision. */
export type LifecycleEvent =
  | ModelLoadStartedEvent
  | ModelLoadedEvent
  | ModelLoadFailedEvent
  | ModelUnloadedEvent
  | GenerationStartedEvent
  | GenerationEndedEvent
  | RunStartedEvent
  | RunEndedEvent
  | ModelCallStartedEvent
  | ModelCallEndedEvent
  | ToolCallStartedEvent
  | ToolCallEndedEvent
  | PlanStartedEvent
  | PlanEndedEvent
  | EmbeddingStartedEvent
  | EmbeddingEndedEvent
  | RerankStartedEvent
  | RerankEndedEvent
  | HookEndedEvent
  | ObserverFailedEvent
  | DroppedEvent;
