// What the engine gives back, and what it tells while work goes on.
// Generated from native/contract/{results,events}.json by scripts/generate-contract.mjs; do not edit.
import type { ErrorCode } from "./errors.js";
import type { Adapter, LoopState, MemoryBytes, Message, PointName, ResultKind, ToolCall, Usage } from "./points.js";

/** Who stopped something, and why. */
export interface Stopper {
  /**
   * Name of the hook; "caller" for the caller. In TypeScript "signal" for an abort signal, "caller"
   * for `cancel()` or an iteration that was left.
   */
  readonly by: string;
  /** Why; null: none was given. */
  readonly reason: string | null;
}

/** Why one hook failed. */
export interface HookFailure {
  /**
   * HOOK_FAILED, HOOK_TIMEOUT, HOOK_BAD_ANSWER, or CANCELLED when the operation ended before the
   * hook answered.
   */
  readonly code: ErrorCode;
  /** What is known of it. */
  readonly message: string;
  /**
   * What the handler threw or rejected with: any value. Absent for native hooks, and when it is too
   * long ago.
   */
  readonly cause?: unknown;
}

/** What one hook did in a dispatch. */
export interface HookRecord {
  /** Its number. */
  readonly id: number;
  /** Its name. */
  readonly name: string;
  /**
   * "observed": its answer does not count. "failed": it was skipped; a failure that cancels is
   * "cancelled".
   */
  readonly outcome: "proceed" | "modified" | "cancelled" | "failed" | "observed";
  /** The fields that it changed or set. */
  readonly fields: readonly string[];
  /** When it was called, by the clock of the decision. */
  readonly clockUs: number;
  /** Microseconds that it took. */
  readonly durationUs: number;
  /** A native hook that passed its deadline. */
  readonly late?: boolean;
  /** With outcome "failed", or "cancelled" by a failure. */
  readonly error?: HookFailure;
}

/**
 * What the hooks of one point decided on one occasion: who did what, in order, how long it took,
 * and why.
 */
export interface Decision {
  /** Tells it from other events of the trace. */
  readonly type: "decision";
  /** Counts the dispatches of the engine; the same as `meta.seq` of the event. */
  readonly seq: number;
  /** The point: its number; in TypeScript its name. */
  readonly point: PointName;
  /** The run or generation. */
  readonly runId: string | null;
  /** The session. */
  readonly sessionId: string | null;
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it began, by a clock that never goes back: microseconds since the library was loaded. */
  readonly clockUs: number;
  /** What came of it. */
  readonly action: "proceed" | "modified" | "cancelled";
  /**
   * Who cancelled; null where the operation itself was cancelled while a hook held it up, which is
   * no veto.
   */
  readonly decidedBy: {
    /** Its number. */
    readonly id: number;
    /** Its name. */
    readonly name: string;
  } | null;
  /** Why it was cancelled. */
  readonly reason: string | null;
  /** With a hook that failed closed: how it failed. CANCELLED where the operation was cancelled. */
  readonly status: ErrorCode | null;
  /** The hooks that were called, in order. */
  readonly hooks: readonly HookRecord[];
  /** Microseconds that all took together. */
  readonly durationUs: number;
}

/** A token that the model might have chosen. */
export interface TopLogprob {
  /** Its number in the model's vocabulary. */
  readonly token: number;
  /** Its text, of a control token its name; bytes that are no whole character are U+FFFD here. */
  readonly text: string;
  /** Natural logarithm of its probability. */
  readonly logprob: number;
}

/**
 * How likely a token was to the model itself, before temperature, penalties, grammar and all else
 * that samples.
 */
export interface TokenLogprob {
  /** As in its event. */
  readonly index: number;
  /** Its number in the model's vocabulary. */
  readonly token: number;
  /** As in its event. */
  readonly text: string;
  /** What it is a part of. */
  readonly kind: "content" | "reasoning" | "tool_call";
  /** Natural logarithm of its probability. */
  readonly logprob: number;
  /**
   * With `topLogprobs`: the likeliest tokens in its place, the likeliest first; not where a hook
   * has changed text of the message.
   */
  readonly topLogprobs?: readonly TopLogprob[];
}

/** What one model call gives. */
export interface GenerateResult {
  /** The name of the call in contexts, decisions and events. */
  readonly runId: string;
  /** The model. */
  readonly modelId: string;
  /** As the hooks left it, and as it was streamed. */
  readonly text: string;
  /** What the model thought before it answered, likewise. */
  readonly reasoning: string;
  /** The tools that the model called. They are not run here. */
  readonly toolCalls: readonly ToolCall[];
  /** "cancelled": by a hook, a signal or the caller: see `cancel`. The text so far is kept. */
  readonly finishReason: "stop" | "length" | "cancelled";
  /** What it cost. */
  readonly usage: Usage;
  /**
   * With `logprobs`: one for each token whose text stands here as the model wrote it, in order.
   * Where text is held back until it is whole (a stop text may have begun, a character is made of
   * several tokens), one entry has the text of all of its tokens and the numbers of the last; what
   * the end lets go has none. Absent when there is none, as where the whole text was replaced.
   */
  readonly logprobs?: readonly TokenLogprob[];
  /** Who cancelled, with `finishReason` "cancelled". */
  readonly cancel?: Stopper;
  /** A postGenerate hook ended the run here: no tool call of this message may be carried out. */
  readonly halt?: Stopper;
  /**
   * What this call adds to the conversation: the answer, if there is one, and after `halt` or
   * `cancel` a refusal for each tool call, so that none is without a result.
   */
  readonly messages: readonly Message[];
  /**
   * What hooks decided during this call, in order. Points without hooks leave none, and of
   * streamToken only decisions in which a hook failed are kept; the trace has them all.
   */
  readonly decisions: readonly Decision[];
}

/** What a compaction on request came to. */
export interface CompactionResult {
  /** False: there was nothing that may be made smaller, or a hook refused. */
  readonly compacted: boolean;
  /** Tokens of the prompt before it. */
  readonly tokensBefore: number;
  /** Tokens of the prompt after it. */
  readonly tokensAfter: number;
  /** Messages that were left out or summarised. */
  readonly removed: number;
  /** What stands for them; empty if nothing. */
  readonly summary: string;
  /** What hooks decided. */
  readonly decisions: readonly Decision[];
}

/** What one tool call of a run came to. */
export interface ToolRecord {
  /** Joins the call with its result in the messages. */
  readonly id: string;
  /** The tool, as hooks left it. */
  readonly name: string;
  /** Its arguments, as hooks left them; keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** What the model is told, as hooks left it. */
  readonly result: string;
  /** How it came out. */
  readonly resultKind: ResultKind;
  /** Whether the model is told that the call failed. */
  readonly isError: boolean;
  /** Milliseconds that the tool took; 0 when it did not run. */
  readonly elapsedMs: number;
  /** Name of the hook that refused the call, or answered in the tool's stead; null: none did. */
  readonly decidedBy: string | null;
  /**
   * What the tool threw or rejected with: any value. Absent for native tools, where a hook has
   * replaced the result, and when it is too long ago.
   */
  readonly cause?: unknown;
}

/** What one run of a session gives. */
export interface RunResult {
  /** The name of the run in contexts, decisions and events. */
  readonly runId: string;
  /** The session. */
  readonly sessionId: string;
  /** The model. */
  readonly modelId: string;
  /** The model's last answer, as the hooks left it. */
  readonly text: string;
  /** What the model thought before it, likewise. */
  readonly reasoning: string;
  /**
   * "complete": the model answered. "halted": a hook ended it, see `halt`; "cancelled": a signal or
   * the caller, see `cancel`; "limit": see `limit`.
   */
  readonly finishReason: "complete" | "halted" | "cancelled" | "limit";
  /** Who cancelled, with `finishReason` "cancelled". */
  readonly cancel?: Stopper;
  /** Which hook ended it and why, with `finishReason` "halted". */
  readonly halt?: Stopper;
  /**
   * With `finishReason` "limit": `max_iterations`, `max_completion_rejections`, `max_run_tokens`,
   * `max_run_ms`, or `maxTokens` where the last answer was cut off at that or at the end of the
   * context; in TypeScript in camel case; null with any other.
   */
  readonly limit: "maxIterations" | "maxTokens" | "maxCompletionRejections" | "maxRunTokens" | "maxRunMs" | null;
  /**
   * What the run adds to the history, the user's message first. Empty for a run in which the model
   * said nothing: it leaves the history as it was.
   */
  readonly messages: readonly Message[];
  /** Every tool call of this run in order, those that were refused too. */
  readonly toolCalls: readonly ToolRecord[];
  /**
   * Every tool call of the runs that it delegated to, and of those that they delegated to, a run's
   * together, in the order in which these runs ended.
   */
  readonly childToolCalls: readonly ToolRecord[];
  /** What its model calls cost together. */
  readonly usage: Usage;
  /**
   * With `logprobs`: of the model's last message, its reasoning and tool calls included, one for
   * each token whose text stands there as the model wrote it, in order. Where text is held back
   * until it is whole (a stop text may have begun, a character is made of several tokens), one
   * entry has the text of all of its tokens and the numbers of the last; what the end lets go has
   * none. Absent when there is none.
   */
  readonly logprobs?: readonly TokenLogprob[];
  /** Iterations begun. */
  readonly iterations: number;
  /** What hooks decided during the run, in order, as in a generate result. */
  readonly decisions: readonly Decision[];
}

/** A model that is loaded, or is when it is used. Sizes are in bytes unless they say otherwise. */
export interface ModelInfo {
  /** Its name. */
  readonly modelId: string;
  /** Its file. */
  readonly path: string;
  /** As the file names it. */
  readonly architecture: string;
  /** llama.cpp's line about it. */
  readonly description: string;
  /** Size of the file. */
  readonly fileBytes: number;
  /** Number of its weights. */
  readonly parameters: number;
  /** Number of its blocks. */
  readonly layers: number;
  /** Of these, on GPUs, the output counted as one. */
  readonly gpuLayers: number;
  /** Tokens a sequence can hold. */
  readonly contextSize: number;
  /** Tokens of a sequence in its training. */
  readonly trainingContextSize: number;
  /** Number of its tokens. */
  readonly vocabularySize: number;
  /** Sequences decoded together. */
  readonly parallel: number;
  /** Threads that compute. */
  readonly threads: number;
  /** The devices that it uses. */
  readonly devices: readonly string[];
  /** The Jinja chat template in use. */
  readonly chatTemplate: string | null;
  /** Whether it writes; false: it makes vectors of texts alone. */
  readonly generates: boolean;
  /** Whether it can be asked for what belongs between two texts. */
  readonly infills: boolean;
  /** What it makes of texts. */
  readonly embedding: ModelEmbedding;
  /** Milliseconds that the load took; 0: it was not loaded yet. */
  readonly loadMs: number;
  /**
   * What llama.cpp allocated for it when it was loaded, if it was; weights that were there are not
   * counted.
   */
  readonly measured: MemoryBytes;
  /**
   * What it takes now, by device, and by what it is for. Weights that several models share are
   * counted with the one that was loaded first.
   */
  readonly memory: readonly ModelMemory[];
  /** Ids of the loaded models that compute with the same weights. */
  readonly sharesWeightsWith: readonly string[];
  /** Whether it is never given up. */
  readonly pinned: boolean;
  /** Cold: it was given up for its memory or is lazy, and is loaded when it is used. */
  readonly state: "loading" | "ready" | "unloading" | "cold";
}

/** What a model makes of texts. */
export interface ModelEmbedding {
  /** Numbers of a vector. */
  readonly dimensions: number;
  /**
   * How the vectors of a text's tokens become one where nothing else is asked for; rank: they
   * become a score.
   */
  readonly pooling: "none" | "mean" | "cls" | "last" | "rank";
  /** Tokens that a text may have. */
  readonly maxTokens: number;
  /** Whether it can rank documents. */
  readonly reranks: boolean;
}

/** How relevant a document is to a query. */
export interface RerankScore {
  /** The document's place in the request. */
  readonly index: number;
  /** The more the better. */
  readonly relevanceScore: number;
}

/** Documents by how relevant they are to a query. */
export interface RerankResult {
  /** The model that ranked them. */
  readonly modelId: string;
  /** The most relevant first; of equals the one that was given first. */
  readonly results: readonly RerankScore[];
  /** Tokens that were read for it. */
  readonly tokens: number;
}

/** What loading a model would take. */
export interface ModelEstimate {
  /** Its file. */
  readonly path: string;
  /** As the file names it. */
  readonly architecture: string;
  /** llama.cpp's line about it. */
  readonly description: string;
  /** Size of the file. */
  readonly fileBytes: number;
  /** Number of its weights. */
  readonly parameters: number;
  /** Number of its blocks. */
  readonly layers: number;
  /** Of these, on GPUs, the output counted as one. */
  readonly gpuLayers: number;
  /** Tokens of a sequence in its training. */
  readonly trainingContextSize: number;
  /** Number of its tokens. */
  readonly vocabularySize: number;
  /** Tokens a sequence could hold. */
  readonly contextSize: number;
  /** Sequences decoded together. */
  readonly parallel: number;
  /** Threads that would compute. */
  readonly threads: number;
  /** The devices that it would use. */
  readonly devices: readonly string[];
  /** The Jinja chat template that it would use. */
  readonly chatTemplate: string | null;
  /** Whether it writes; false: it makes vectors of texts alone. */
  readonly generates: boolean;
  /** Whether it can be asked for what belongs between two texts. */
  readonly infills: boolean;
  /** What it makes of texts. */
  readonly embedding: ModelEmbedding;
  /** Bytes that it would take; weights that a loaded model has are not counted. */
  readonly estimate: MemoryBytes;
  /** The same by device, and by what it is for. */
  readonly memory: readonly ModelMemory[];
  /** Whether there is room for it now, without anything given up. */
  readonly fits: boolean;
}

/** What a model takes of one device, in bytes. */
export interface ModelMemory {
  /** Name of the device. */
  readonly device: string;
  /** How many of its blocks are there. */
  readonly layers: number;
  /** Its weights. */
  readonly modelBytes: number;
  /** Its KV cache. */
  readonly contextBytes: number;
  /** Buffers of its computations. */
  readonly computeBytes: number;
}

/** A device that can compute. */
export interface Device {
  /** Its name. */
  readonly name: string;
  /** What it is. */
  readonly description: string;
  /** "cpu", "gpu", "igpu", "accel". */
  readonly type: string;
  /** Its memory. */
  readonly totalBytes: number;
  /** Of this, free. */
  readonly freeBytes: number;
}

/** What unloading a model came to. */
export interface ModelUnloadResult {
  /** The name it had. */
  readonly modelId: string;
  /**
   * Memory that is free now, as llama.cpp had allocated it; none of a model that was given up
   * before, and no weights that others have.
   */
  readonly freed: MemoryBytes;
}

/** A loaded adapter. */
export interface AdapterInfo {
  /** Its name. */
  readonly adapterId: string;
  /** The model that it is for. */
  readonly modelId: string;
  /** Its file. */
  readonly path: string;
  /** What it is; an aLoRA is a "lora" with `invocationTokens`. */
  readonly kind: "lora" | "control_vector";
  /** Size of the file, in bytes. */
  readonly fileBytes: number;
  /** Its strength where none is given; 1 is as trained. */
  readonly scale: number;
  /** The largest rank of its changes; 0 of a control vector. */
  readonly rank: number;
  /** How many tensors of the model it changes; of a control vector, how many layers it steers. */
  readonly tensors: number;
  /**
   * Of an aLoRA: it acts from the last place on where a prompt has these tokens, and nowhere in a
   * prompt that has them not. Absent otherwise.
   */
  readonly invocationTokens?: readonly number[];
}

/** What a swap came to. */
export interface AdapterSwapResult {
  /** The adapters that are active now, as hooks left them. */
  readonly adapters: readonly Adapter[];
}

/** Memory of one device, in bytes. */
export interface DeviceMemory {
  /** Its name. */
  readonly device: string;
  /** As in a device. */
  readonly type: string;
  /** Its memory. */
  readonly totalBytes: number;
  /** Of this, free. */
  readonly freeBytes: number;
  /** Taken by this engine's models. */
  readonly usedBytes: number;
  /** Of these, what idle conversations take of main memory (`cache_memory`). */
  readonly conversationBytes: number;
  /** Bytes that they may take; null: no limit. */
  readonly budgetBytes: number | null;
}

/** Versions and devices. */
export interface SystemInfo {
  /** The release of llama.cpp. */
  readonly llamaCpp: string;
  /** Version of the C ABI. */
  readonly abi: number;
  /** llama.cpp's own line about the CPU's features. */
  readonly systemInfo: string;
  /** The devices that this process can use. */
  readonly devices: readonly Device[];
}

/** A piece of text, as hooks left it. */
export interface TokenEvent {
  /** The kind of event. */
  readonly type: "token";
  /** Counts the tokens of the call; text that a hook put in the stead of others has 0. */
  readonly index: number;
  /**
   * Number of the token in the model's vocabulary; -1 for text of a hook, or that a hook has
   * changed.
   */
  readonly token: number;
  /** The text; empty while a character is incomplete. */
  readonly text: string;
  /** What it is a part of. */
  readonly kind: "content" | "reasoning" | "tool_call";
  /**
   * Natural logarithm of its probability, with `logprobs`. Text that a hook has changed has none,
   * nor text of several tokens that a hook has joined.
   */
  readonly logprob?: number;
  /**
   * With `topLogprobs`: the likeliest tokens in its place, the likeliest first. None any more once
   * a hook has changed text of the message: what was taken out may be likely elsewhere.
   */
  readonly topLogprobs?: readonly TopLogprob[];
  /** Of a run: its name. */
  readonly runId?: string;
  /** Of a run: how deep it is delegated; 0 for the caller's. */
  readonly depth?: number;
}

/** While the prompt is read. */
export interface PromptProgressEvent {
  /** The kind of event. */
  readonly type: "promptProgress";
  /** Tokens read, cached ones included. */
  readonly processed: number;
  /** Tokens of the prompt. */
  readonly total: number;
  /** Of these, tokens found in the KV cache. */
  readonly cached: number;
  /** Of a run: its name. */
  readonly runId?: string;
  /** Of a run: how deep it is delegated; 0 for the caller's. */
  readonly depth?: number;
}

/**
 * A postGenerate hook changed what was streamed already: this is what holds. Never with stream
 * "held".
 */
export interface ReplacedEvent {
  /** The kind of event. */
  readonly type: "replaced";
  /** The text. */
  readonly text: string;
  /** The reasoning. */
  readonly reasoning: string;
  /** Of a run: its name. */
  readonly runId?: string;
  /** Of a run: how deep it is delegated; 0 for the caller's. */
  readonly depth?: number;
}

/** Always the last event of an iteration. */
export interface EndEvent {
  /** The kind of event. */
  readonly type: "end";
  /** What the call gives. */
  readonly result: GenerateResult;
}

/** The loop of a run goes from one state to another. */
export interface StateEvent {
  /** The kind of event. */
  readonly type: "state";
  /** The state that was left. */
  readonly previous: LoopState;
  /** The state that was entered. */
  readonly current: LoopState;
  /** Name of the run. */
  readonly runId: string;
  /** How deep it is delegated; 0 for the caller's. */
  readonly depth: number;
}

/** An iteration of a run begins: token events that follow are of its model call. */
export interface IterationEvent {
  /** The kind of event. */
  readonly type: "iteration";
  /** Which, from 1. */
  readonly iteration: number;
  /** Name of the run. */
  readonly runId: string;
  /** How deep it is delegated; 0 for the caller's. */
  readonly depth: number;
}

/** A tool begins to run, or a hook has answered in its stead. */
export interface ToolCallEvent {
  /** The kind of event. */
  readonly type: "toolCall";
  /** Joins the call with its result. */
  readonly id: string;
  /** The tool, as hooks left it. */
  readonly name: string;
  /** Its arguments, as hooks left them; keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Name of the run. */
  readonly runId: string;
  /** How deep it is delegated; 0 for the caller's. */
  readonly depth: number;
}

/** What a tool call came to, refused ones too, in the order of the calls. */
export interface ToolResultEvent {
  /** The kind of event. */
  readonly type: "toolResult";
  /** The call and its result. */
  readonly record: ToolRecord;
  /** Name of the run. */
  readonly runId: string;
  /** How deep it is delegated; 0 for the caller's. */
  readonly depth: number;
}

/** A run delegates to a tier: events of the run that does the task follow, one level deeper. */
export interface DelegationEvent {
  /** The kind of event. */
  readonly type: "delegation";
  /** The tier. */
  readonly tier: string;
  /** What it is to do. */
  readonly task: string;
  /** Name of its conversation, by which it can be resumed. */
  readonly child: string;
  /** Name of the run that delegates. */
  readonly runId: string;
  /** How deep that run is delegated; 0 for the caller's. */
  readonly depth: number;
}

/** What the model is shown of the conversation was made smaller. */
export interface CompactionEvent {
  /** The kind of event. */
  readonly type: "compaction";
  /** How. */
  readonly strategy: string;
  /** Tokens of the prompt before it. */
  readonly tokensBefore: number;
  /** Tokens of the prompt after it. */
  readonly tokensAfter: number;
  /** Messages that were left out or summarised. */
  readonly removed: number;
  /** Name of the run. */
  readonly runId: string;
  /** How deep it is delegated; 0 for the caller's. */
  readonly depth: number;
}

/** What a tool tells the caller, by the directive notify. */
export interface NotifyEvent {
  /** The kind of event. */
  readonly type: "notify";
  /** Name of the tool. */
  readonly tool: string;
  /** What it tells; keys are the tool's own. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Name of the run. */
  readonly runId: string;
  /** How deep it is delegated; 0 for the caller's. */
  readonly depth: number;
}

/** Always the last event of an iteration over a run. */
export interface RunEndEvent {
  /** The kind of event. */
  readonly type: "end";
  /** What the run gives. */
  readonly result: RunResult;
}

/** A model begins to be loaded, hooks included; also one that was given up and is needed again. */
export interface ModelLoadStartedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "modelLoadStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its end. */
  readonly span: number;
  /** The model. */
  readonly modelId: string;
}

/** A model is ready for use. */
export interface ModelLoadedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "modelLoaded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its beginning. */
  readonly span: number;
  /** Microseconds that it took. */
  readonly durationUs: number;
  /** The model. */
  readonly modelId: string;
}

/** A model could not be loaded, or a hook or its caller stopped it. */
export interface ModelLoadFailedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "modelLoadFailed";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its beginning. */
  readonly span: number;
  /** Microseconds that it took. */
  readonly durationUs: number;
  /** The model. */
  readonly modelId: string;
  /** Why. */
  readonly code: ErrorCode;
}

/** A model is gone. */
export interface ModelUnloadedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "modelUnloaded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** The model. */
  readonly modelId: string;
  /** Why. */
  readonly reason: string;
}

/** A model call that is no part of a run begins. */
export interface GenerationStartedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "generationStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its end. */
  readonly span: number;
  /** The call. */
  readonly runId: string;
  /** Its model. */
  readonly modelId: string;
}

/** A model call that is no part of a run has ended. */
export interface GenerationEndedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "generationEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its beginning. */
  readonly span: number;
  /** Microseconds that it took. */
  readonly durationUs: number;
  /** The call. */
  readonly runId: string;
  /** Of a generation that has a result. */
  readonly finishReason?: "stop" | "length" | "cancelled";
  /** Of a generation that has a result. */
  readonly usage?: Usage;
  /** Of a generation that failed. */
  readonly code?: ErrorCode;
}

/** A run of a session begins, or one that a run delegates to. */
export interface RunStartedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "runStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its end. */
  readonly span: number;
  /** The run. */
  readonly runId: string;
  /** Its session. */
  readonly sessionId: string;
  /** The model that it begins with. */
  readonly modelId: string;
  /** The run that delegates to it, if one does. */
  readonly parentRunId?: string;
  /** Its tier, if it has one. */
  readonly tier?: string;
}

/** A run of a session has ended, or one that a run delegates to. */
export interface RunEndedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "runEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its beginning. */
  readonly span: number;
  /** Microseconds that it took. */
  readonly durationUs: number;
  /** The run. */
  readonly runId: string;
  /** The session. */
  readonly sessionId: string;
  /** Of a run that has a result. */
  readonly finishReason?: "complete" | "halted" | "cancelled" | "limit";
  /** Of a run that has a result. */
  readonly usage?: Usage;
  /** Of a run that failed. */
  readonly code?: ErrorCode;
}

/** A model call of a run begins. */
export interface ModelCallStartedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "modelCallStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its end. */
  readonly span: number;
  /** The run. */
  readonly runId: string;
  /** The session. */
  readonly sessionId: string;
  /** The model. */
  readonly modelId: string;
  /** Of the run's loop, from 1; null outside of it. */
  readonly iteration: number | null;
}

/** A model call of a run has ended. */
export interface ModelCallEndedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "modelCallEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its beginning. */
  readonly span: number;
  /** Microseconds that it took. */
  readonly durationUs: number;
  /** The run. */
  readonly runId: string;
  /** The session. */
  readonly sessionId: string;
  /** The model. */
  readonly modelId: string;
  /** Of the run's loop, from 1; null outside of it. */
  readonly iteration: number | null;
  /** Of a call that has a result. */
  readonly finishReason?: "stop" | "length" | "cancelled";
  /** Of a call that has a result. */
  readonly usage?: Usage;
  /** Of a call that failed. */
  readonly code?: ErrorCode;
}

/** A tool begins to run. Calls that are refused or answered by a hook never do. */
export interface ToolCallStartedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "toolCallStarted";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its end. */
  readonly span: number;
  /** The run. */
  readonly runId: string;
  /** The session. */
  readonly sessionId: string;
  /** The call. */
  readonly toolCallId: string;
  /** The tool, as hooks left it. */
  readonly toolName: string;
}

/** A tool has answered, or is given up. */
export interface ToolCallEndedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "toolCallEnded";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** When it happened, by the clock of decisions. */
  readonly clockUs: number;
  /** Joins it with its beginning. */
  readonly span: number;
  /** Microseconds that it took. */
  readonly durationUs: number;
  /** The run. */
  readonly runId: string;
  /** The session. */
  readonly sessionId: string;
  /** The call. */
  readonly toolCallId: string;
  /** The tool, as hooks left it. */
  readonly toolName: string;
  /** How, as the tool left it: hooks have not been asked yet. */
  readonly resultKind: ResultKind;
  /** Whether it is an error, as the tool left it. */
  readonly isError: boolean;
}

/** A handler added with `observe` threw or rejected. */
export interface ObserverFailedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "observerFailed";
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** Its name. */
  readonly hook: string;
  /** Its point. */
  readonly point: PointName;
  /** What it threw. */
  readonly cause?: unknown;
}

/** The reader was so slow that events before this one were lost. */
export interface DroppedEvent {
  /** The kind of event. */
  readonly type: "lifecycle";
  /** What happened. */
  readonly event: "dropped";
  /** How many. */
  readonly count: number;
}

/** What an iteration over a model call gives. */
export type GenerateEvent =
  | TokenEvent
  | PromptProgressEvent
  | ReplacedEvent
  | EndEvent;

/** What an iteration over a run gives. */
export type RunEvent =
  | ((
  | TokenEvent
  | PromptProgressEvent
  | ReplacedEvent
  | StateEvent
  | IterationEvent
  | ToolCallEvent
  | ToolResultEvent
  | DelegationEvent
  | CompactionEvent
  | NotifyEvent
) & {
    /** Of a run: its name. */
    readonly runId: NonNullable<TokenEvent["runId"]>;
    /** Of a run: how deep it is delegated; 0 for the caller's. */
    readonly depth: NonNullable<TokenEvent["depth"]>;
  })
  | RunEndEvent;

/** What happened beside decisions. */
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
  | ObserverFailedEvent
  | DroppedEvent;
