// Hook points as TypeScript sees them: one event and one answer type a point, and the table POINTS.
// Generated from native/contract/points.json by scripts/generate-contract.mjs; do not edit.

/**
 * Part of every context: which point fired, when, and for which work. A field that does not apply
 * is null.
 */
export interface HookMeta {
  /** Number of the point. */
  readonly point: number;
  /** Name of the point, as in C without the prefix LH_HOOK_. */
  readonly name: string;
  /** Number of the dispatch; it ascends within an engine. */
  readonly seq: number;
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** Id of the run or generation. */
  readonly runId: string | null;
  /** Id of the run that delegated to this run. */
  readonly parentRunId: string | null;
  /**
   * Id of the run that this run continues after its tool calls waited; if a chain of runs waited,
   * the first. Absent if this run continues none.
   */
  readonly resumes?: string | undefined;
  /** The caller's tags; absent if there are none. */
  readonly tags?: Tags | undefined;
  /** Id of the session. */
  readonly sessionId: string | null;
  /** Id of the model in use. */
  readonly modelId: string | null;
  /** Name of the tier in use. */
  readonly tier: string | null;
  /** Depth of delegation; 0 is the run that the caller started. */
  readonly depth: number | null;
  /** Iteration of the agent loop, from 1. */
  readonly iteration: number | null;
}

/** A tool call that the model asks for. */
export interface ToolCall {
  /** Connects the call with its result. Every call that the engine itself makes has an id. */
  readonly id?: string | undefined;
  /** Name of the tool. */
  readonly name: string;
  /** Arguments of the call; the keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** One message of a conversation. */
export interface Message {
  /** The speaker. */
  readonly role: "system" | "user" | "assistant" | "tool";
  /** The text; empty if an assistant only calls tools. */
  readonly content: string;
  /** The assistant's reasoning before its answer. */
  readonly reasoning?: string | undefined;
  /** The tool calls of an assistant. */
  readonly toolCalls?: readonly ToolCall[] | undefined;
  /** Role tool: id of the call that this message is the result of. */
  readonly toolCallId?: string | undefined;
  /** Role tool: name of the tool that gave this result. */
  readonly toolName?: string | undefined;
  /** Id of a message of a session's history, for `rewind` and `fork`; hooks do not see it. */
  readonly id?: string | undefined;
  /**
   * Time at which it was said in the session, in milliseconds since the Unix epoch; hooks do not
   * see it.
   */
  readonly timeMs?: number | undefined;
  /**
   * With role user: who added the message in place of the user. Compaction may drop such a message,
   * but not an `anchor`. Absent: the user. Hooks do not see it.
   */
  readonly origin?: "hook" | "tool" | "engine" | "anchor" | undefined;
}

/** A tool that the model may call. */
export interface ToolDefinition {
  /** 1 to 128 letters, digits, _ or -; unique among the tools of one call. */
  readonly name: string;
  /** The description that the model reads. */
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** A change to the likelihood of one token. */
export interface LogitBias {
  /** Token id. */
  readonly token: number;
  /** Added to the token's logit; null: the token is never sampled. */
  readonly bias: number | null;
}

/** A loaded adapter and its strength. */
export interface AdapterChoice {
  /** Id of the adapter. */
  readonly id: string;
  /**
   * Strength; 1 is as trained, 0 switches the adapter off. Left out: the scale that it was loaded
   * with.
   */
  readonly scale?: number | undefined;
}

/**
 * Facts that a caller gives with a call, such as who asked: texts of at most 512 bytes, numbers and
 * booleans. A call, a session and a run may have 32 each. Names have 1 to 64 letters, digits, `_`,
 * `-` or `.`.
 */
export type Tags = Readonly<Record<string, string | number | boolean>>;

/**
 * The model may (`auto`), must not (`none`) or must (`required`) call a tool, or must call the tool
 * that an object names.
 */
export type ToolChoice = "auto" | "none" | "required" | {
  /** Name of the tool that the model must call. */
  readonly tool: string;
};

/** The cost of model calls. */
export interface Usage {
  /** Tokens of the prompts, cached ones included. */
  readonly promptTokens: number;
  /** Prompt tokens that were found in the KV cache. */
  readonly cachedTokens: number;
  /** Tokens generated. */
  readonly completionTokens: number;
  /** Tokens guessed ahead by `speculation`; absent if there are none. */
  readonly draftedTokens?: number | undefined;
  /** Guessed tokens that proved right. */
  readonly acceptedTokens?: number | undefined;
  /** Tokens generated before the answer, with the marks around them; absent if there are none. */
  readonly reasoningTokens?: number | undefined;
  /**
   * Milliseconds of waiting for its turn, for a place in the batch, and for tokens that the prompt
   * of another call has, too. Absent in what earlier versions have written.
   */
  readonly queueMs?: number | undefined;
  /** Milliseconds spent on reading prompts. */
  readonly promptMs: number;
  /** Milliseconds spent on generating. */
  readonly decodeMs: number;
  /**
   * Milliseconds from the beginning of the call to its first token, with hooks and waits; of a run:
   * of its first model call. Absent if no token came.
   */
  readonly firstTokenMs?: number | undefined;
}

/** Memory on GPUs and in main memory. */
export interface MemoryBytes {
  /** Bytes on GPUs. */
  readonly deviceBytes: number;
  /** Bytes of main memory. */
  readonly hostBytes: number;
}

/** A state of the loop's state machine. */
export type LoopState =
  | "IDLE"
  | "PLANNING"
  | "EXECUTING"
  | "WAITING_TOOL"
  | "VERIFYING"
  | "DELEGATING"
  | "COMPLETE"
  | "ERROR"
  | "INTERRUPTED"
  | "PAUSED";

/** The outcome of a tool call or a delegation. */
export type ResultKind =
  | "ok"
  | "ok_empty"
  | "error"
  | "rejected_hook"
  | "rejected_schema"
  | "rejected_permission"
  | "rejected_duplicate"
  | "rejected_limit"
  | "timeout"
  | "cancelled"
  | "delegation_failed";

/** A request to the engine in a tool's result. */
export interface Directive {
  /** Type of the directive. */
  readonly type: string;
  /** Parameters of the directive; the keys depend on its type. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** An adapter of the active set. */
export interface Adapter {
  /** Id of the adapter. */
  readonly adapterId: string;
  /** Path of its file. */
  readonly adapterPath: string;
  /** Strength; 1 is as trained. */
  readonly scale: number;
}

/** A loaded model that could be unloaded to make room. */
export interface UnloadCandidate {
  /** Id of the model. */
  readonly modelId: string;
  /** Bytes that unloading the model frees on the device. */
  readonly bytes: number;
  /** Time of its last use, in microseconds since the Unix epoch. */
  readonly lastUsed: number;
  /** True: the model must stay loaded. */
  readonly pinned: boolean;
}

/** The result of a tool. */
export interface NamedResult {
  /** Name of the tool. */
  readonly name: string;
  /** Text of the result. */
  readonly content: string;
}

/** A part of the prompt after the history. The model trusts it as much as the user's text. */
export interface Injection {
  /** The text. */
  readonly content: string;
  /**
   * True: the part stays in the history as a separate message. Default: it is gone after this model
   * call.
   */
  readonly durable?: boolean | undefined;
}

/** A step of a plan: a tool call, a task for a tier, or a nested plan. */
export interface PlanStep {
  /** Name of the step. */
  readonly name: string;
  /** Name of the tool to call. */
  readonly tool?: string | undefined;
  /** Arguments of the tool call; the keys are the tool's own. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** Name of the tier that does the task. */
  readonly tier?: string | undefined;
  /** The task. */
  readonly task?: string | undefined;
  /** Order in which the steps of a nested plan run. */
  readonly flow?: "sequence" | "parallel" | "fallback" | undefined;
  /** The steps of a nested plan. */
  readonly steps?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/**
 * The hints that the tool's owner gives about it, with the meanings that MCP gives them; null:
 * none. Nobody has checked them.
 */
export type ToolAnnotations = {
  /** A name for people. */
  readonly title?: string | undefined;
  /** True: the tool changes nothing. */
  readonly readOnlyHint?: boolean | undefined;
  /** True: the tool may destroy something. */
  readonly destructiveHint?: boolean | undefined;
  /** True: a second call with the same arguments has no further effect. */
  readonly idempotentHint?: boolean | undefined;
  /** True: the tool deals with things outside, such as the web. */
  readonly openWorldHint?: boolean | undefined;
} | null;

/**
 * Settings for sampling the text of a generation. A context shows every default, and leaves out
 * parameters that are not set. In an answer, null resets a key that may be unset.
 */
export interface GenerateParams {
  /** Maximum number of tokens to generate; unset: as many as fit into the context. */
  readonly maxTokens?: number | null | undefined;
  /** Randomness of the choice of tokens; 0 is greedy: always the likeliest token. */
  readonly temperature?: number | undefined;
  /**
   * The temperature moves up and down by at most this much with the model's uncertainty; 0: off.
   */
  readonly dynatempRange?: number | undefined;
  /** Only this many of the likeliest tokens are considered; 0: all. */
  readonly topK?: number | undefined;
  /** Only the likeliest tokens that together reach this probability are considered. */
  readonly topP?: number | undefined;
  /** Tokens are left out if they are less likely than this share of the likeliest token. */
  readonly minP?: number | undefined;
  /** Locally typical sampling: the probability mass that is kept; 1: off. */
  readonly typicalP?: number | undefined;
  /** Only tokens within this many standard deviations of the best logit are considered; -1: off. */
  readonly topNSigma?: number | undefined;
  /**
   * The same seed gives the same text if the computation is the same. Other generations at the same
   * time, or a cached part of the prompt, change the rounding of numbers, and a token may differ;
   * unset: random.
   */
  readonly seed?: number | null | undefined;
  /** Penalty for repeated tokens; 1: off. */
  readonly repeatPenalty?: number | undefined;
  /** Penalty for tokens that have occurred; 0: off. */
  readonly presencePenalty?: number | undefined;
  /** Penalty for each occurrence of a token; 0: off. */
  readonly frequencyPenalty?: number | undefined;
  /** Number of last tokens that the penalties look at; 0: off. */
  readonly penaltyLastN?: number | undefined;
  /** Strength of the DRY penalty for repeated passages; 0: off. */
  readonly dryMultiplier?: number | undefined;
  /** Base of the DRY penalty's growth. */
  readonly dryBase?: number | undefined;
  /** Tokens that may repeat without a DRY penalty. */
  readonly dryAllowedLength?: number | undefined;
  /** Number of last tokens that DRY looks at; 0: off. */
  readonly dryPenaltyLastN?: number | undefined;
  /** Texts at which DRY starts again; unset: llama.cpp's own. */
  readonly drySequenceBreakers?: readonly string[] | null | undefined;
  /** Probability of leaving out the top choices (XTC); 0: off. */
  readonly xtcProbability?: number | undefined;
  /** Probability from which on a token counts as a top choice. */
  readonly xtcThreshold?: number | undefined;
  /** Version of Mirostat; 0: off. */
  readonly mirostat?: 0 | 1 | 2 | undefined;
  /** Mirostat's target entropy. */
  readonly mirostatTau?: number | undefined;
  /** Mirostat's learning rate. */
  readonly mirostatEta?: number | undefined;
  /** Adaptive-p: the probability that chosen tokens approach; no effect with Mirostat; -1: off. */
  readonly adaptiveTarget?: number | undefined;
  /** Memory of adaptive-p: about 1 / (1 - decay) tokens. */
  readonly adaptiveDecay?: number | undefined;
  /** Numbers to add to the logits of tokens; null bans a token. */
  readonly logitBias?: readonly LogitBias[] | undefined;
  /**
   * Adapters (LoRA, aLoRA, control vectors) that the model runs with, each with its strength; an
   * empty list: none. `adapterSwap` fires if the set differs from the conversation's set so far.
   */
  readonly adapters?: readonly AdapterChoice[] | undefined;
  /** Texts that end the output and are not part of it; none of them may be empty. */
  readonly stop?: readonly string[] | undefined;
  /**
   * The parts of an answer that the texts of `stop` end: its text, or with `all` also its reasoning
   * and its tool calls.
   */
  readonly stopIn?: "text" | "all" | undefined;
  /** A GBNF grammar that the output follows; not together with `jsonSchema`; unset: none. */
  readonly grammar?: string | null | undefined;
  /**
   * A JSON Schema (in TypeScript also a zod schema) that the output follows, as far as
   * docs/reference/schemas.md says; not together with `grammar`. With tools that the model may
   * call, the output is either calls or follows the schema; with tools that it must call, it is
   * calls; unset: none.
   */
  readonly jsonSchema?: Readonly<Record<string, unknown>> | boolean | null | undefined;
  /**
   * True: refuse a `jsonSchema`, or a tool's parameters, with a keyword that the grammar cannot
   * enforce; INVALID_SCHEMA names the keyword and its place. False: such keywords have no effect.
   */
  readonly strictSchema?: boolean | undefined;
  /**
   * The model may (`auto`), must not (`none`) or must (`required`) call a tool; `{ tool }`: it must
   * call the tool of that name. No text comes before a call that it must make, unless the model
   * thinks first. The grammar sees to it: the prompt is the same for every choice.
   */
  readonly toolChoice?: ToolChoice | undefined;
  /** False: a message has one tool call at most; the text ends where a second one begins. */
  readonly parallelToolCalls?: boolean | undefined;
  /**
   * How control tokens that messages and tools spell out are read: as plain text, or, with `allow`,
   * as control tokens. No effect on a raw prompt, whose control tokens are always read as such.
   */
  readonly specialTokens?: "text" | "allow" | undefined;
  /**
   * Generate past the model's end token, until `maxTokens`; for measurements. The text still ends
   * if a grammar or schema allows no further token.
   */
  readonly ignoreEos?: boolean | undefined;
  /**
   * Each token event has the token's log probability, and the result has those of all tokens: the
   * model's own, before any of these parameters apply.
   */
  readonly logprobs?: boolean | undefined;
  /** Number of the likeliest alternatives that come with each token; includes `logprobs`. */
  readonly topLogprobs?: number | undefined;
  /**
   * False: the chat template is told that the model must not reason (`enable_thinking`). If the
   * model begins to reason anyway, the engine ends the reasoning at once, provided that it knows
   * the template's reasoning marks.
   */
  readonly reasoning?: boolean | undefined;
  /**
   * True: the prompt has the reasoning of earlier answers, too, where the chat template can keep
   * it; false: as the template does by itself.
   */
  readonly preserveReasoning?: boolean | undefined;
  /**
   * Maximum number of reasoning tokens; then the engine forces the mark that ends it. No effect on
   * a raw prompt, or if the engine does not know the chat template's reasoning marks; unset: no
   * limit.
   */
  readonly reasoningBudget?: number | null | undefined;
  /**
   * Additional variables for the chat template, by name (elsewhere called `chat_template_kwargs`);
   * `enable_thinking: false` among them has the effect of `reasoning: false`; unset: none.
   */
  readonly chatTemplateArgs?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Settings for loading a model, in addition to its `path`, which is required. */
export interface LoadParams {
  /**
   * Layers on the GPU, if there is one; the output layer counts as one; -1: all; `auto`: as many as
   * fit.
   */
  readonly gpuLayers?: number | "auto" | undefined;
  /**
   * Tokens that a sequence can hold; 0: the context size of the model, at most 4096; `auto`: as
   * many as fit, at most the context size of the model.
   */
  readonly contextSize?: number | "auto" | undefined;
  /** Number of sequences that are decoded together. */
  readonly parallel?: number | undefined;
  /**
   * Prompt tokens per decode call. Also the maximum of tokens in a text to embed or rank, and of
   * tokens of such texts that are computed at a time.
   */
  readonly batchSize?: number | undefined;
  /**
   * Number of threads that compute; 0: one per 8 MiB of weights. A number above the cores that the
   * process may use is capped, with a warning in the log.
   */
  readonly threads?: number | undefined;
  /** Type of the KV cache. */
  readonly kvType?: "f16" | "q8_0" | "f32" | undefined;
  /**
   * `streams`: each sequence has a separate part of the cache, and idle sequences slow nothing
   * down; `unified`: all sequences share one cache, which keeps a common prefix once.
   */
  readonly kvCache?: "streams" | "unified" | undefined;
  /**
   * MiB of host memory for the KV cache of idle conversations whose sequences are needed by others;
   * 0: none, so that their prompts are read again; unset: the size of the KV cache, from 16 to
   * 1024.
   */
  readonly cacheMemory?: number | null | undefined;
  /**
   * Share of the computing time that running generations keep while a prompt is read. 1:
   * generations wait as little as possible; 0: the prompt is read at full speed, and generations
   * wait for whole batches.
   */
  readonly fairness?: number | undefined;
  /**
   * `ngram`: if a generation repeats parts of its context (code, quotes), the engine guesses
   * several tokens and checks them at once. The text comes sooner and stays the same, unless two
   * tokens are equally likely up to rounding. Works for one or two generations at a time, while no
   * prompt is read, if the KV cache can be cut back.
   */
  readonly speculation?: "off" | "ngram" | undefined;
  /**
   * Path of a small model with the same vocabulary. It guesses tokens where the text does not
   * repeat; guesses are checked as with `speculation`; unset: none.
   */
  readonly draftModel?: string | null | undefined;
  /** The model is never unloaded to free memory. */
  readonly pinned?: boolean | undefined;
  /**
   * Seconds without use after which the model is unloaded; the next use loads it again; unset:
   * until its memory is needed.
   */
  readonly keepAlive?: number | null | undefined;
  /** Inspect the file now, but load the model only when it is first used. */
  readonly lazy?: boolean | undefined;
  /** Map the file instead of reading it. */
  readonly mmap?: boolean | undefined;
  /** Names of the GPUs that the model may use, in this order; unset: every GPU of the process. */
  readonly devices?: readonly string[] | null | undefined;
  /**
   * The way in which several GPUs share the model. `layer`: each has some of the layers; `row`:
   * each has a part of every matrix, if the backend can do that; `none`: one GPU has the whole
   * model, see `mainDevice`.
   */
  readonly splitMode?: "layer" | "row" | "none" | undefined;
  /** The GPU that has the whole model with `splitMode` `none`; unset: the first. */
  readonly mainDevice?: string | null | undefined;
  /**
   * Share of each device, one number per device, in the order of the devices; unset: by free
   * memory.
   */
  readonly tensorSplit?: readonly number[] | null | undefined;
  /**
   * For a mixture of experts: number of layers, from the first on, whose experts stay in main
   * memory; -1: all layers.
   */
  readonly cpuMoe?: number | undefined;
  /**
   * A Jinja chat template that replaces the template in the model file; unset: the template in the
   * model file.
   */
  readonly chatTemplate?: string | null | undefined;
}

/** The base of every event. */
export interface HookEvent {
  /** The point that fired, with the time and the run. */
  readonly meta: HookMeta;
}

/**
 * Fires before each model call; once per model call. Kind: pre. Cancel: The model is not called,
 * and the run ends; its result has the reason.
 */
export interface PreGenerateEvent extends HookEvent {
  /** The conversation that the model will get; empty for a raw prompt. */
  readonly messages: readonly Message[];
  /**
   * Raw text that the model gets without its chat template; present only if the call has a raw
   * prompt.
   */
  readonly prompt?: string | undefined;
  /**
   * Settings for sampling the text of a generation. A context shows every default, and leaves out
   * parameters that are not set. In an answer, null resets a key that may be unset.
   */
  readonly params: GenerateParams;
  /** Tools that the model may call. */
  readonly tools: readonly ToolDefinition[];
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
  /** Iteration of the loop, from 1; null outside a loop. */
  readonly iteration: number | null;
  /**
   * The answer that an earlier hook gave in place of the model; absent as long as the model will be
   * called.
   */
  readonly response?: string | undefined;
  /** Id of the model that an earlier hook chose; absent as long as it is the call's own. */
  readonly model?: string | undefined;
}

/**
 * The engine checks the changed messages, params and tools like the caller's own, and gives them to
 * the model.
 */
export interface PreGenerateAnswer {
  /** The conversation that the model will get; empty for a raw prompt. */
  readonly messages?: readonly Message[] | undefined;
  /**
   * Raw text that the model gets without its chat template; present only if the call has a raw
   * prompt.
   */
  readonly prompt?: string | undefined;
  /**
   * Settings for sampling the text of a generation. A context shows every default, and leaves out
   * parameters that are not set. In an answer, null resets a key that may be unset.
   */
  readonly params?: GenerateParams | undefined;
  /** Tools that the model may call. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /**
   * Id of another model for this call, which is loaded if it is not: its chat template makes the
   * prompt, which `contextBudget` counts anew, and its KV cache serves it. Adapters of the call's
   * own model do not apply. Later hooks, guards too, see it. An unknown model is MODEL_NOT_LOADED.
   */
  readonly model?: string | undefined;
  /**
   * The engine takes this text as the model's answer and does not call the model. Later hooks,
   * guards too, see it.
   */
  readonly response?: string | undefined;
}

/**
 * Fires after each model call, before its output is stored, returned or acted on; once per model
 * call, but not if a hook gave the response. Kind: post.
 */
export interface PostGenerateEvent extends HookEvent {
  /** The model's answer, without reasoning and tool calls. */
  readonly content: string;
  /** The model's reasoning before the answer; empty if there is none. */
  readonly reasoning: string;
  /** Tool calls of the model. */
  readonly toolCalls: readonly ToolCall[];
  /**
   * Why the model call ended; "error": it failed, and the call returns the error after this point.
   */
  readonly finishReason: "stop" | "length" | "cancelled" | "error";
  /** The cost of model calls. */
  readonly usage: Usage;
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
  /** The system prompt of the call; empty if there is none. */
  readonly systemPrompt: string;
  /**
   * Tools that have run so far and their results, as text, to check claims against; empty if there
   * are none.
   */
  readonly toolContext: string;
}

/**
 * The text replaces content before the engine parses tool calls. The engine stores it, returns it
 * and gives it to the model. If it contains tool calls, they replace the model's own; otherwise the
 * model's own calls stay.
 */
export interface PostGenerateAnswer {
  /** The model's answer, without reasoning and tool calls. */
  readonly content?: string | undefined;
  /**
   * A reason. The run ends here, and each tool call of this message gets a refusal as its result.
   */
  readonly halt?: string | undefined;
  /**
   * Feedback. The engine calls the model again with it, up to three times per answer. The new
   * attempt begins with the messages as they were before `preGenerate` hooks changed them, the
   * rejected answer and the feedback. `preGenerate` fires again: the earlier changes of its hooks
   * applied to the rejected attempt only.
   */
  readonly retry?: string | undefined;
}

/**
 * Fires as tokens are generated, in order; once per token, not per byte. It fires twice for a token
 * that ends one part (reasoning, content) and begins the next. The bytes of an unfinished character
 * wait for the token that completes it. At the end of a part, it fires once more, with final, for
 * each hook that holds text and for the hooks after that hook. Kind: post.
 */
export interface StreamTokenEvent extends HookEvent {
  /** Position in this generation, from 0. */
  readonly tokenIndex: number;
  /** Token id. */
  readonly token: number;
  /**
   * Text of the token; before it comes the text that this hook has held, and text that an earlier
   * hook has held and now let go. Whole characters; may be empty.
   */
  readonly text: string;
  /** The part of the message that the text belongs to. */
  readonly kind: "content" | "reasoning" | "tool_call";
  /** Natural logarithm of the token's probability; present only if the caller asked for it. */
  readonly logprob?: number | undefined;
  /**
   * True: the part has ended, and hooks still hold text of it. `text` is then the text that this
   * hook holds, followed by the text that earlier hooks held, as they answered it. This hook's
   * answer goes on to later hooks; `hold` has no effect. Absent otherwise.
   */
  readonly final?: boolean | undefined;
}

/**
 * The engine streams, stores and returns the new text. The model itself writes on from the text
 * that it generated.
 */
export interface StreamTokenAnswer {
  /**
   * Text of the token; before it comes the text that this hook has held, and text that an earlier
   * hook has held and now let go. Whole characters; may be empty.
   */
  readonly text?: string | undefined;
  /**
   * True: the engine drops the text. Later hooks are not called, because no text is left for them.
   */
  readonly drop?: boolean | undefined;
  /**
   * True: the hook holds the text back. The engine joins it with the next token's text and calls
   * this hook again with both; at the end of the part or of the output it calls the hook once more,
   * with final. Later hooks are not called: they see the text as one piece when the hook lets it
   * go. If the hook is removed, fails or is no longer called, its held text goes on to the later
   * hooks.
   */
  readonly hold?: boolean | undefined;
}

/**
 * Fires before a tool call is validated and its permission is checked; once per tool call. Kind:
 * pre. Cancel: The tool does not run, and the model is told the reason.
 */
export interface PreToolCallEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** Arguments of the tool call; the keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Connects the call with its result. */
  readonly toolCallId: string;
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /**
   * The hints that the tool's owner gives about it, with the meanings that MCP gives them; null:
   * none. Nobody has checked them.
   */
  readonly annotations: ToolAnnotations;
  /**
   * The place that the tool comes from, as its owner names it, for example mcp:files; null: not
   * named.
   */
  readonly origin: string | null;
  /**
   * The result that an earlier hook gave in place of the tool; absent as long as the tool will run.
   */
  readonly response?: string | undefined;
}

/**
 * The engine validates the new name and arguments, and checks their permission, as it does for the
 * model's own.
 */
export interface PreToolCallAnswer {
  /** Name of the tool. */
  readonly toolName?: string | undefined;
  /** Arguments of the tool call; the keys are the tool's own. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Texts that the model is told, each as a user message of its own that stays in the history:
   * after the results of the calls of this message. The texts of all hooks are joined, in order.
   */
  readonly additionalContext?: readonly string[] | undefined;
  /**
   * Decides, if no rule denies the call: in place of the rules and of answers that the session
   * remembers. Of several hooks the strictest counts: deny, ask, allow. `permissionCheck` is shown
   * it.
   */
  readonly permission?: "allow" | "deny" | "ask" | undefined;
  /**
   * The engine takes this text as the tool's result and does not run the tool. Later hooks, guards
   * too, see it.
   */
  readonly response?: string | undefined;
}

/**
 * Fires after a tool ran or was refused, before its result is stored anywhere; once per tool call.
 * Kind: post.
 */
export interface PostToolCallEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** The arguments that the tool ran with; the keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Connects the call with its result. */
  readonly toolCallId: string;
  /** Milliseconds that the tool took; 0 if it did not run. */
  readonly elapsedMs: number;
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** The outcome of a tool call or a delegation. */
  readonly resultKind: ResultKind;
  /** True: the model is told that the call failed. */
  readonly isError: boolean;
  /** Text of the result. */
  readonly result: string;
  /** Directives that came with the result. */
  readonly directives: readonly Directive[];
  /**
   * The hints that the tool's owner gives about it, with the meanings that MCP gives them; null:
   * none. Nobody has checked them.
   */
  readonly annotations: ToolAnnotations;
  /**
   * The place that the tool comes from, as its owner names it, for example mcp:files; null: not
   * named.
   */
  readonly origin: string | null;
  /**
   * The parts that the tool gave beside the text, for the caller; the model is not told them.
   * Absent if there are none, and for hooks after one that has replaced the result.
   */
  readonly parts?: readonly unknown[] | undefined;
}

/**
 * The text replaces the result everywhere: no cache, history, log or trace gets the old one, and
 * the parts of the result are dropped. Hooks see the whole result; the engine then cuts what they
 * leave at maxResultBytes. The engine carries out the directives that hooks leave, if the tool is
 * trusted and has run.
 */
export interface PostToolCallAnswer {
  /** Text of the result. */
  readonly result?: string | undefined;
  /** True: the model is told that the call failed. */
  readonly isError?: boolean | undefined;
  /** Directives that came with the result. */
  readonly directives?: readonly Directive[] | undefined;
  /**
   * Texts that the model is told, each as a user message of its own that stays in the history:
   * after the results of the calls of this message. The texts of all hooks are joined, in order.
   */
  readonly additionalContext?: readonly string[] | undefined;
}

/** Fires at the start of each iteration of the loop; once per iteration. Kind: info. */
export interface LoopIterationEvent extends HookEvent {
  /** The task of the run. */
  readonly goal: string;
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** Maximum number of iterations of the run. */
  readonly maxIterations: number;
  /** A state of the loop's state machine. */
  readonly state: LoopState;
  /** Errors in a row so far. */
  readonly consecutiveErrors: number;
}

/** Fires at each transition of the loop's state machine; once per transition. Kind: info. */
export interface StateChangeEvent extends HookEvent {
  /** The state before the transition. */
  readonly previous: LoopState;
  /** The state after the transition. */
  readonly current: LoopState;
}

/**
 * Fires after an error of a backend, tool, hook, load, delegation or save; once per error, but not
 * for a call that is refused before it begins: only its caller gets that error. Kind: info.
 */
export interface ErrorEvent extends HookEvent {
  /**
   * Stable name of the error: as lh_status_name returns it, or as lh_session_report was given it.
   */
  readonly code: string;
  /** Text of the error; the wording may change. */
  readonly message: string;
  /**
   * The place of the error: "load", "adapter", "generate", "save", "hook:<name>@<point>" and the
   * like.
   */
  readonly where: string;
  /** True: the work goes on. */
  readonly recoverable: boolean;
  /** Iteration of the loop, from 1; null outside a loop. */
  readonly iteration: number | null;
  /** Errors in a row, this one included. */
  readonly consecutive: number;
}

/**
 * Fires before a child run: a delegation, a pipeline stage or a plan step; once per child run.
 * Kind: pre. Cancel: The child run does not start, and the model is told the reason.
 */
export interface DelegateEvent extends HookEvent {
  /** Tier of the child run. */
  readonly targetTier: string;
  /** Task of the child run. */
  readonly task: string;
  /** Depth of delegation of the child run, from 1. */
  readonly depth: number;
  /** The feature that asked for the child run. */
  readonly flow: "delegate" | "pipeline" | "plan";
}

/** The child run gets the new tier and task. */
export interface DelegateAnswer {
  /** Tier of the child run. */
  readonly targetTier?: string | undefined;
  /** Task of the child run. */
  readonly task?: string | undefined;
}

/** Fires after a child run ended or was refused; once per child run or refusal. Kind: post. */
export interface DelegateCompleteEvent extends HookEvent {
  /** Tier of the child run. */
  readonly targetTier: string;
  /** Task of the child run. */
  readonly task: string;
  /** True: the child run succeeded. */
  readonly success: boolean;
  /** The outcome of a tool call or a delegation. */
  readonly resultKind: ResultKind;
  /** Summary that the child run returned. */
  readonly summary: string;
  /** Milliseconds that the child run took. */
  readonly elapsedMs: number;
  /** Total cost of its model calls. */
  readonly usage: Usage;
}

/** The text replaces the summary that the parent run gets. */
export interface DelegateCompleteAnswer {
  /** Summary that the child run returned. */
  readonly summary?: string | undefined;
  /**
   * The child run's conversation goes on, in a new run, with this text as the user's message, and
   * its end passes this point again: at most `maxDelegationRetries` times for a task, then it is
   * RETRY_LIMIT and the answer stands. Without effect if no run took place, or if it was cancelled.
   */
  readonly retry?: string | undefined;
}

/**
 * Fires when the messages for the next model call are assembled; once per iteration. Kind: pre.
 * Cancel: The run ends with the reason.
 */
export interface ContextAssembleEvent extends HookEvent {
  /** The assembled messages. */
  readonly messages: readonly Message[];
  /** Tokens of these messages. */
  readonly tokenCount: number;
  /** True: the tokens are estimated, because a remote model does not count them. */
  readonly estimated: boolean;
  /** Tokens that fit into the context. */
  readonly limit: number;
  /** Tokens that the injected parts of all hooks may take together. */
  readonly budget: number;
}

/** This model call gets the new messages; the stored history stays as it is. */
export interface ContextAssembleAnswer {
  /** The assembled messages. */
  readonly messages?: readonly Message[] | undefined;
  /**
   * Parts that the engine puts after the history, behind the cached part of the prompt. The parts
   * of all hooks are joined, in order.
   */
  readonly inject?: readonly Injection[] | undefined;
}

/**
 * Fires before a compaction; once per compaction, not per iteration. Kind: pre. Cancel: The
 * conversation is not compacted this time.
 */
export interface PreCompactEvent extends HookEvent {
  /** The messages to compact. */
  readonly messages: readonly Message[];
  /** Tokens of these messages. */
  readonly tokenCount: number;
  /** True: the tokens are estimated, because a remote model does not count them. */
  readonly estimated: boolean;
  /** Tokens above which the engine compacts. */
  readonly threshold: number;
  /** Tokens that fit into the context. */
  readonly limit: number;
  /** True: the caller asked for this compaction, whatever the token count. */
  readonly force: boolean;
  /** The engine's strategy for compacting the messages. */
  readonly strategy: "summarize" | "truncate" | "tool-results" | "given";
}

/**
 * The engine compacts the new messages with the new strategy. With the strategy `given`, the run
 * goes on with the hook's messages as they are: a hook can so apply a strategy of its own.
 */
export interface PreCompactAnswer {
  /** The messages to compact. */
  readonly messages?: readonly Message[] | undefined;
  /** The engine's strategy for compacting the messages. */
  readonly strategy?: "summarize" | "truncate" | "tool-results" | "given" | undefined;
  /** Instructions for the model that writes the summary. */
  readonly instructions?: string | undefined;
}

/** Fires after a compaction; once per compaction. Kind: post. */
export interface PostCompactEvent extends HookEvent {
  /** Tokens before the compaction. */
  readonly tokensBefore: number;
  /** Tokens after the compaction. */
  readonly tokensAfter: number;
  /** Number of messages removed. */
  readonly removed: number;
  /** The text that stands for the removed messages; empty if there is none. */
  readonly summary: string;
  /** The messages that remain. */
  readonly messages: readonly Message[];
}

/** The run goes on with the new summary and messages. */
export interface PostCompactAnswer {
  /** The text that stands for the removed messages; empty if there is none. */
  readonly summary?: string | undefined;
  /** The messages that remain. */
  readonly messages?: readonly Message[] | undefined;
}

/**
 * Fires before a model is loaded into the backend; once per load. Kind: pre. Cancel: The load fails
 * with LH_ERR_HOOK_CANCELLED and the reason.
 */
export interface ModelLoadEvent extends HookEvent {
  /** Id that the model will have. */
  readonly modelId: string;
  /** Path of the model file, or address of the remote model. */
  readonly path: string;
  /** Address of the remote model; null: the model is loaded from a file. */
  readonly address: string | null;
  /** Size of the file; 0: there is none. */
  readonly fileBytes: number;
  /** Settings for loading a model, in addition to its `path`, which is required. */
  readonly params: LoadParams;
  /** Memory that the model is expected to take. */
  readonly estimate: MemoryBytes;
}

/**
 * The engine checks the new params like the caller's own and loads the model with them. Of a remote
 * model only `contextSize`, `parallel` and `pinned` may change.
 */
export interface ModelLoadAnswer {
  /** Settings for loading a model, in addition to its `path`, which is required. */
  readonly params?: LoadParams | undefined;
}

/** Fires after a model was unloaded; once per unload. Kind: info. */
export interface ModelUnloadEvent extends HookEvent {
  /** Id that the model had. */
  readonly modelId: string;
  /** Path of the model file. */
  readonly path: string;
  /** Why the model was unloaded; "requested" if the caller gave no reason. */
  readonly reason: string;
  /** Memory that was freed. */
  readonly freed: {
    /** Bytes on GPUs. */
    readonly deviceBytes: number;
    /** Bytes of main memory. */
    readonly hostBytes: number;
    /** False: the figures were not measured; absent or true: they were. */
    readonly measured?: boolean | undefined;
  };
}

/**
 * Fires at each permission decision, after the tool call was validated; also when a waiting call
 * has received its answer, before it runs; once per decision. Kind: pre. Cancel: The call is
 * denied, with the reason.
 */
export interface PermissionCheckEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** The arguments that the tool would run with; the keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * Connects the call with its result; null: the question is about a task that is handed on, and
   * not about a call.
   */
  readonly toolCallId: string | null;
  /** The decision of the rules. */
  readonly permission: "allow" | "deny" | "ask";
  /** The rule that decided; null: no rule matched. */
  readonly rule: string | null;
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
  /**
   * The hints that the tool's owner gives about it, with the meanings that MCP gives them; null:
   * none. Nobody has checked them.
   */
  readonly annotations: ToolAnnotations;
  /**
   * The place that the tool comes from, as its owner names it, for example mcp:files; null: not
   * named.
   */
  readonly origin: string | null;
  /**
   * The answer that this call received while it waited. `permission` follows it, unless a rule
   * denies the call. `defer` then has no effect. Absent: the call did not wait.
   */
  readonly answered?: {
    /** The answer; `cancel` ends the run. */
    readonly permission: "allow" | "deny" | "cancel";
    /**
     * Who answered: the name in the answer, else the name that the call waited for; null: neither
     * is known.
     */
    readonly by: string | null;
    /** The reason of a denial; null: there is none. */
    readonly reason: string | null;
    /**
     * The arguments in the answer, which replace the call's own; null: the answer has none. The
     * keys are those of the tool's schema.
     */
    readonly args: Readonly<Record<string, unknown>> | null;
  } | undefined;
}

/**
 * A hook may change ask to allow or deny, and allow to deny, or have the call wait. If a rule
 * denies the call, no hook can allow it. If the answer to a waiting call denies it, it stays
 * denied.
 */
export interface PermissionCheckAnswer {
  /** The decision of the rules. */
  readonly permission?: "allow" | "deny" | "ask" | undefined;
  /** The reason, which the model is told if the call is denied. */
  readonly reason?: string | undefined;
  /**
   * The session remembers the answered permission, and saves it, for this tier's calls of the same
   * tool: `call` for calls with the same arguments, `tool` for all calls. It never allows a call
   * that a rule denies.
   */
  readonly remember?: "call" | "tool" | undefined;
  /**
   * True: nobody decides now. No call of the message runs, the run ends as `waiting`, and the
   * session keeps its calls until the run is resumed with answers (the request's `resume`,
   * `session.resume()`), in this process or another one. Without effect if the call is denied. In a
   * delegated run and in a plan, calls cannot wait: the call is denied, with HOOK_BAD_ANSWER at
   * `error`.
   */
  readonly defer?: boolean | undefined;
  /** With `defer`, the name of whoever is to decide; `session.waiting` tells it. */
  readonly waitsFor?: string | undefined;
}

/**
 * Fires before the active set of adapters changes; once per change: at lh_adapter_swap, and at a
 * model call that asks for another set than the model call before it in the conversation. Kind:
 * pre. Cancel: Nothing changes; the swap or the model call ends with LH_ERR_HOOK_CANCELLED.
 */
export interface AdapterSwapEvent extends HookEvent {
  /** The first active adapter; null: none. */
  readonly currentAdapter: string | null;
  /** The first adapter of the requested set; null: none. */
  readonly targetAdapter: string | null;
  /** Path of the target adapter's file. */
  readonly adapterPath: string | null;
  /** Strength of the target adapter; 1 is as trained. 0 if there is no target. */
  readonly scale: number;
  /** The whole set after the change. */
  readonly adapters: readonly Adapter[];
}

/**
 * The new scale and adapters become active. scale is the strength of the target adapter. Adapters
 * that the new set leaves out are not used; adapters that it adds are used, if they are loaded. The
 * changed set also applies to later calls that ask for the same set; the point does not fire again
 * for them.
 */
export interface AdapterSwapAnswer {
  /** Strength of the target adapter; 1 is as trained. 0 if there is no target. */
  readonly scale?: number | undefined;
  /** The whole set after the change. */
  readonly adapters?: readonly Adapter[] | undefined;
}

/**
 * Fires when a load or a context does not fit, or free memory is below the limit; once per
 * shortage. Kind: pre. Cancel: Nothing is unloaded or dropped; a load then fails with
 * LH_ERR_INSUFFICIENT_MEMORY.
 */
export interface VramPressureEvent extends HookEvent {
  /** Name of the device. */
  readonly device: string;
  /** Memory in use on the device, in MiB. */
  readonly vramUsedMb: number;
  /** Memory of the device, in MiB. */
  readonly vramTotalMb: number;
  /** Severity of the shortage. */
  readonly pressureLevel: "warning" | "critical";
  /** Bytes that are needed. */
  readonly neededBytes: number;
  /** Bytes that are free. */
  readonly freeBytes: number;
  /** Bytes that the engine may use; null: no limit. */
  readonly budgetBytes: number | null;
  /**
   * The request that ran short: a load (of a model or an adapter), a context, or the free memory
   * that `lowMemory` asks for.
   */
  readonly cause: "load" | "context" | "low_memory";
  /** Models that could be unloaded. */
  readonly candidates: readonly UnloadCandidate[];
  /**
   * Bytes of idle conversations in main memory that are dropped before any model is unloaded; the
   * model reads their prompts again when they go on.
   */
  readonly conversationBytes: number;
  /** Models to unload, in order. */
  readonly plan: readonly string[];
}

/**
 * The engine unloads the models of the new plan, in its order, and drops as many bytes of idle
 * conversations as conversationBytes says.
 */
export interface VramPressureAnswer {
  /**
   * Bytes of idle conversations in main memory that are dropped before any model is unloaded; the
   * model reads their prompts again when they go on.
   */
  readonly conversationBytes?: number | undefined;
  /** Models to unload, in order. */
  readonly plan?: readonly string[] | undefined;
}

/**
 * Fires before each directive of a tool result, whatever its type; once per directive. Kind: pre.
 * Cancel: The directive is not carried out.
 */
export interface DirectiveEvent extends HookEvent {
  /** Type of the directive. */
  readonly type: string;
  /** Parameters of the directive; the keys depend on its type. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The engine carries the directive out with the new params. */
export interface DirectiveAnswer {
  /** Parameters of the directive; the keys depend on its type. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Fires at a directive of a type that the engine does not know, after `directive`; once per such
 * directive. Kind: pre. Cancel: The directive is not carried out.
 */
export interface CustomDirectiveEvent extends HookEvent {
  /** Type of the directive. */
  readonly type: string;
  /** Parameters of the directive; the keys depend on its type. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A directive that no hook handles is an error, and `error` fires. */
export interface CustomDirectiveAnswer {
  /** True: the hook has carried out the directive. */
  readonly handled?: boolean | undefined;
  /** A text that the model is told with the tool's result. */
  readonly message?: string | undefined;
}

/**
 * Fires when the loop of a run begins, child runs included; at depth 0 this is the start of a turn;
 * once per loop. Kind: info.
 */
export interface LoopStartEvent extends HookEvent {
  /** The conversation at the start. */
  readonly messages: readonly Message[];
  /** Number of these messages. */
  readonly messageCount: number;
  /** 0 for the run that the caller started. */
  readonly delegationDepth: number;
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
}

/** Fires when the loop of a run ends, on every path; exactly once per loop. Kind: info. */
export interface LoopEndEvent extends HookEvent {
  /** A state of the loop's state machine. */
  readonly finalState: LoopState;
  /** Why something ended the loop; null if nothing did. */
  readonly reason: string | null;
  /** Iterations done. */
  readonly iterations: number;
  /** The final answer; empty if there is none. */
  readonly response: string;
  /** Total cost of the model calls. */
  readonly usage: Usage;
  /** Milliseconds that the loop took. */
  readonly durationMs: number;
}

/**
 * Fires when the model calls the tool complete to say that it is done, or has written the answer
 * that the run's `answer` wants; once per such call or answer. Kind: pre. Cancel: The completion is
 * rejected: a call's result is "rejected: <reason>", and the model gets the user message "[CITATION
 * VALIDATION] <reason>".
 */
export interface CompleteEvent extends HookEvent {
  /** The summary that the model reports, or the JSON of its answer. */
  readonly summary: string;
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** Results of the tools of this run. */
  readonly toolResults: readonly NamedResult[];
}

/**
 * Fires when the first run of a session begins, or when the session is closed without a run; a
 * restored history is there already; once per session. Kind: info.
 */
export interface SessionStartEvent extends HookEvent {
  /** The restored history; empty if the session is new. */
  readonly history: readonly Message[];
}

/**
 * Fires when a session is closed, also by the close of its engine; once per session. Kind: info.
 */
export interface SessionEndEvent extends HookEvent {
  /** The history at the end. */
  readonly history: readonly Message[];
  /** Iterations of all runs of the session. */
  readonly iterations: number;
}

/**
 * Fires when the system prompt is assembled, before the first `contextAssemble`; once per system
 * prompt. Kind: post.
 */
export interface BootstrapEvent extends HookEvent {
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
  /** The system prompt so far. */
  readonly systemPrompt: string;
  /** Parts that earlier hooks added. */
  readonly parts: readonly string[];
}

/**
 * The engine appends the parts of all hooks to the system prompt, in order. Answer your own parts
 * only.
 */
export interface BootstrapAnswer {
  /** Strings to append to the system prompt. The parts of all hooks are joined, in order. */
  readonly parts?: readonly string[] | undefined;
}

/**
 * Fires after each iteration, also if it failed; once per iteration. Kind: pre. Cancel: The loop
 * ends here, with the reason.
 */
export interface IterationEndEvent extends HookEvent {
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** State of the run. */
  readonly status: "running" | "success" | "failure";
  /** Tool calls of this iteration, by name of the tool. */
  readonly toolCallCounts: Readonly<Record<string, number>>;
  /** True: the run is done. */
  readonly taskCompleted: boolean;
  /**
   * The number of times that the run has continued because a hook answered `continue` here; 0: the
   * model still works on the user's message. A hook that checks the work can use it to end its own
   * loop.
   */
  readonly continuations: number;
  /** The model's answer in this iteration. */
  readonly output: string;
}

/** The run goes on, also if the model has answered. */
export interface IterationEndAnswer {
  /**
   * True: the run ends here as `complete`, also if the model has called tools. It goes before
   * `continue`. Without effect on a run that ends anyway.
   */
  readonly complete?: boolean | undefined;
  /**
   * The model is told this text, as a user message, and is called again: at most `maxContinuations`
   * times in a run, then it is RETRY_LIMIT. Without effect on a run that ends for another reason
   * than the model's answer.
   */
  readonly continue?: string | undefined;
}

/** Fires after a reflection step; once per step. Kind: info. */
export interface ReflectionEvent extends HookEvent {
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** Text of the reflection. */
  readonly monologue: string;
  /** True: the reflection decided to go on. */
  readonly shouldProceed: boolean;
}

/** Fires after a validator has judged a tool call; once per validator and tool call. Kind: info. */
export interface ToolValidationEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** The arguments that were judged; the keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Connects the call with its result. */
  readonly toolCallId: string;
  /** The validator. */
  readonly validator: "schema" | "critic";
  /** True: the call may go on. */
  readonly allowed: boolean;
  /** Why the call was refused; null if it was not. */
  readonly reason: string | null;
}

/**
 * Fires before a tool result is stored in the history or in a saved session; once per result. Kind:
 * post.
 */
export interface ToolResultPersistEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** Connects the call with its result. */
  readonly toolCallId: string;
  /** Text of the result, as `postToolCall` left it. */
  readonly result: string;
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
}

/** The engine stores the new text, and the model gets it from then on. */
export interface ToolResultPersistAnswer {
  /** Text of the result, as `postToolCall` left it. */
  readonly result?: string | undefined;
}

/** Fires at the end of a dry run: the plan was made, no tool ran; once per dry run. Kind: info. */
export interface DryRunEvent extends HookEvent {
  /** Number of steps that the run would take. */
  readonly plannedSteps: number;
  /** Tools that the run would use, each once. */
  readonly toolsUsed: readonly string[];
  /** Rough cost: medium above 5 tools used or 3 iterations, high above 10 tools or 5 iterations. */
  readonly estimatedCost: "low" | "medium" | "high";
}

/** Fires before a plan starts; once per plan. Kind: pre. Cancel: The plan does not run. */
export interface PlanExecutionEvent extends HookEvent {
  /** Order in which the steps run. */
  readonly flow: "sequence" | "parallel" | "fallback";
  /** Number of steps. */
  readonly stepCount: number;
  /** Names of the steps, in order. */
  readonly stepNames: readonly string[];
  /** The steps, in order. */
  readonly steps: readonly PlanStep[];
}

/** The new steps run. */
export interface PlanExecutionAnswer {
  /** The steps, in order. */
  readonly steps?: readonly PlanStep[] | undefined;
}

/** Fires before each model call, before `preGenerate`; once per model call. Kind: info. */
export interface ContextBudgetEvent extends HookEvent {
  /** Tokens of the system prompt. */
  readonly personaTokens: number;
  /** Tokens of the tools' definitions. */
  readonly toolSchemaTokens: number;
  /** Tokens of the rest of the prompt. */
  readonly historyTokens: number;
  /** Tokens of the whole prompt. */
  readonly totalTokens: number;
  /** Tokens that fit into the context. */
  readonly maxTokens: number;
  /** totalTokens / maxTokens: 0 to 1, or more if the prompt does not fit. */
  readonly utilization: number;
  /** True: utilization is above 0.85. */
  readonly overBudget: boolean;
  /** True: the tokens are estimated, because a remote model does not count them. */
  readonly estimated: boolean;
}

/**
 * Fires when the model calls a tool again with the same arguments, after compaction has removed the
 * earlier result; once per such call. Kind: info.
 */
export interface CompactionMissEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** Connects the call with its result. */
  readonly toolCallId: string;
  /** Bytes of the earlier result. */
  readonly originalSize: number;
  /** Bytes of it that compaction left. */
  readonly compressedSize: number;
  /** Factor by which compaction may keep more of this tool's results from now on. */
  readonly boost: number;
}

/** Fires when a model is loaded and usable; once per load that succeeded. Kind: info. */
export interface ModelReadyEvent extends HookEvent {
  /** Id of the model. */
  readonly modelId: string;
  /** Path of the model file. */
  readonly path: string;
  /** Milliseconds that the load took. */
  readonly loadMs: number;
  /** Names of the devices that the model uses. */
  readonly devices: readonly string[];
  /** Memory that the model takes, as measured. */
  readonly measured: MemoryBytes;
  /** Tokens that a sequence can hold. */
  readonly nCtx: number;
  /** Architecture that the file names. */
  readonly architecture: string;
}

/** Fires while the model reads a long prompt; at most every 50 ms. Kind: info. */
export interface PromptProgressEvent extends HookEvent {
  /** Tokens read, cached ones included. */
  readonly processed: number;
  /** Tokens of the prompt. */
  readonly total: number;
  /** Tokens found in the KV cache. */
  readonly cached: number;
}

/**
 * Fires when user input arrives (the input of a run, or a queued message), before it is stored
 * anywhere; once per input. Kind: pre. Cancel: The input is refused with the reason, and nothing is
 * stored.
 */
export interface UserMessageEvent extends HookEvent {
  /** The input. */
  readonly content: string;
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
  /** True: a queued message; false: the input of a run. */
  readonly queued: boolean;
}

/** The engine stores the new content and gives it to the model. */
export interface UserMessageAnswer {
  /** The input. */
  readonly content?: string | undefined;
  /**
   * Texts that the model is told, each as a user message of its own that stays in the history:
   * after the input. The texts of all hooks are joined, in order.
   */
  readonly additionalContext?: readonly string[] | undefined;
}

/**
 * Fires when a tool asks the user for input while it runs; once per question. Kind: pre. Cancel:
 * The tool is told `cancel`, with the reason.
 */
export interface ElicitationEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** Connects the call with its result. */
  readonly toolCallId: string;
  /** The question, for people. */
  readonly message: string;
  /** JSON Schema of the input that the tool asks for. */
  readonly schema: Readonly<Record<string, unknown>>;
  /**
   * The user's decision: `accept` gives the content, `decline` refuses, `cancel` decides nothing.
   * It is `decline` until a hook changes it.
   */
  readonly action: "accept" | "decline" | "cancel";
  /**
   * The input, for `accept`; the keys are those of the schema. Null: none, which counts as an empty
   * object.
   */
  readonly content: Readonly<Record<string, unknown>> | null;
  /** Name of the tier in use, or null. */
  readonly tier: string | null;
  /**
   * The hints that the tool's owner gives about it, with the meanings that MCP gives them; null:
   * none. Nobody has checked them.
   */
  readonly annotations: ToolAnnotations;
  /**
   * The place that the tool comes from, as its owner names it, for example mcp:files; null: not
   * named.
   */
  readonly origin: string | null;
}

/**
 * The tool gets the action and the content. Content that does not fit the schema is HOOK_BAD_ANSWER
 * at `error`, and the tool is told `decline`.
 */
export interface ElicitationAnswer {
  /**
   * The user's decision: `accept` gives the content, `decline` refuses, `cancel` decides nothing.
   * It is `decline` until a hook changes it.
   */
  readonly action?: "accept" | "decline" | "cancel" | undefined;
  /**
   * The input, for `accept`; the keys are those of the schema. Null: none, which counts as an empty
   * object.
   */
  readonly content?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The event that a handler of each point gets. */
export interface HookEvents {
  /** Before each model call. */
  preGenerate: PreGenerateEvent;
  /** After each model call, before its output is stored, returned or acted on. */
  postGenerate: PostGenerateEvent;
  /** As tokens are generated, in order. */
  streamToken: StreamTokenEvent;
  /** Before a tool call is validated and its permission is checked. */
  preToolCall: PreToolCallEvent;
  /** After a tool ran or was refused, before its result is stored anywhere. */
  postToolCall: PostToolCallEvent;
  /** At the start of each iteration of the loop. */
  loopIteration: LoopIterationEvent;
  /** At each transition of the loop's state machine. */
  stateChange: StateChangeEvent;
  /** After an error of a backend, tool, hook, load, delegation or save. */
  error: ErrorEvent;
  /** Before a child run: a delegation, a pipeline stage or a plan step. */
  delegate: DelegateEvent;
  /** After a child run ended or was refused. */
  delegateComplete: DelegateCompleteEvent;
  /** When the messages for the next model call are assembled. */
  contextAssemble: ContextAssembleEvent;
  /** Before a compaction. */
  preCompact: PreCompactEvent;
  /** After a compaction. */
  postCompact: PostCompactEvent;
  /** Before a model is loaded into the backend. */
  modelLoad: ModelLoadEvent;
  /** After a model was unloaded. */
  modelUnload: ModelUnloadEvent;
  /**
   * At each permission decision, after the tool call was validated; also when a waiting call has
   * received its answer, before it runs.
   */
  permissionCheck: PermissionCheckEvent;
  /** Before the active set of adapters changes. */
  adapterSwap: AdapterSwapEvent;
  /** When a load or a context does not fit, or free memory is below the limit. */
  vramPressure: VramPressureEvent;
  /** Before each directive of a tool result, whatever its type. */
  directive: DirectiveEvent;
  /** At a directive of a type that the engine does not know, after `directive`. */
  customDirective: CustomDirectiveEvent;
  /** When the loop of a run begins, child runs included; at depth 0 this is the start of a turn. */
  loopStart: LoopStartEvent;
  /** When the loop of a run ends, on every path. */
  loopEnd: LoopEndEvent;
  /**
   * When the model calls the tool complete to say that it is done, or has written the answer that
   * the run's `answer` wants.
   */
  complete: CompleteEvent;
  /**
   * When the first run of a session begins, or when the session is closed without a run; a restored
   * history is there already.
   */
  sessionStart: SessionStartEvent;
  /** When a session is closed, also by the close of its engine. */
  sessionEnd: SessionEndEvent;
  /** When the system prompt is assembled, before the first `contextAssemble`. */
  bootstrap: BootstrapEvent;
  /** After each iteration, also if it failed. */
  iterationEnd: IterationEndEvent;
  /** After a reflection step. */
  reflection: ReflectionEvent;
  /** After a validator has judged a tool call. */
  toolValidation: ToolValidationEvent;
  /** Before a tool result is stored in the history or in a saved session. */
  toolResultPersist: ToolResultPersistEvent;
  /** At the end of a dry run: the plan was made, no tool ran. */
  dryRun: DryRunEvent;
  /** Before a plan starts. */
  planExecution: PlanExecutionEvent;
  /** Before each model call, before `preGenerate`. */
  contextBudget: ContextBudgetEvent;
  /**
   * When the model calls a tool again with the same arguments, after compaction has removed the
   * earlier result.
   */
  compactionMiss: CompactionMissEvent;
  /** When a model is loaded and usable. */
  modelReady: ModelReadyEvent;
  /** While the model reads a long prompt. */
  promptProgress: PromptProgressEvent;
  /**
   * When user input arrives (the input of a run, or a queued message), before it is stored
   * anywhere.
   */
  userMessage: UserMessageEvent;
  /** When a tool asks the user for input while it runs. */
  elicitation: ElicitationEvent;
}

/** The answer that a handler of each point may give; undefined if it can change nothing. */
export interface HookAnswers {
  /** Kind pre: `messages`, `prompt`, `params`, `tools`, `model`, `response`, `cancel()`. */
  preGenerate: PreGenerateAnswer;
  /** Kind post: `content`, `halt`, `retry`. */
  postGenerate: PostGenerateAnswer;
  /** Kind post: `text`, `drop`, `hold`. */
  streamToken: StreamTokenAnswer;
  /** Kind pre: `toolName`, `args`, `additionalContext`, `permission`, `response`, `cancel()`. */
  preToolCall: PreToolCallAnswer;
  /** Kind post: `result`, `isError`, `directives`, `additionalContext`. */
  postToolCall: PostToolCallAnswer;
  /** Kind info: nothing. */
  loopIteration: undefined;
  /** Kind info: nothing. */
  stateChange: undefined;
  /** Kind info: nothing. */
  error: undefined;
  /** Kind pre: `targetTier`, `task`, `cancel()`. */
  delegate: DelegateAnswer;
  /** Kind post: `summary`, `retry`. */
  delegateComplete: DelegateCompleteAnswer;
  /** Kind pre: `messages`, `inject`, `cancel()`. */
  contextAssemble: ContextAssembleAnswer;
  /** Kind pre: `messages`, `strategy`, `instructions`, `cancel()`. */
  preCompact: PreCompactAnswer;
  /** Kind post: `summary`, `messages`. */
  postCompact: PostCompactAnswer;
  /** Kind pre: `params`, `cancel()`. */
  modelLoad: ModelLoadAnswer;
  /** Kind info: nothing. */
  modelUnload: undefined;
  /** Kind pre: `permission`, `reason`, `remember`, `defer`, `waitsFor`, `cancel()`. */
  permissionCheck: PermissionCheckAnswer;
  /** Kind pre: `scale`, `adapters`, `cancel()`. */
  adapterSwap: AdapterSwapAnswer;
  /** Kind pre: `conversationBytes`, `plan`, `cancel()`. */
  vramPressure: VramPressureAnswer;
  /** Kind pre: `params`, `cancel()`. */
  directive: DirectiveAnswer;
  /** Kind pre: `handled`, `message`, `cancel()`. */
  customDirective: CustomDirectiveAnswer;
  /** Kind info: nothing. */
  loopStart: undefined;
  /** Kind info: nothing. */
  loopEnd: undefined;
  /** Kind pre: `cancel()`. */
  complete: undefined;
  /** Kind info: nothing. */
  sessionStart: undefined;
  /** Kind info: nothing. */
  sessionEnd: undefined;
  /** Kind post: `parts`. */
  bootstrap: BootstrapAnswer;
  /** Kind pre: `complete`, `continue`, `cancel()`. */
  iterationEnd: IterationEndAnswer;
  /** Kind info: nothing. */
  reflection: undefined;
  /** Kind info: nothing. */
  toolValidation: undefined;
  /** Kind post: `result`. */
  toolResultPersist: ToolResultPersistAnswer;
  /** Kind info: nothing. */
  dryRun: undefined;
  /** Kind pre: `steps`, `cancel()`. */
  planExecution: PlanExecutionAnswer;
  /** Kind info: nothing. */
  contextBudget: undefined;
  /** Kind info: nothing. */
  compactionMiss: undefined;
  /** Kind info: nothing. */
  modelReady: undefined;
  /** Kind info: nothing. */
  promptProgress: undefined;
  /** Kind pre: `content`, `additionalContext`, `cancel()`. */
  userMessage: UserMessageAnswer;
  /** Kind pre: `action`, `content`, `cancel()`. */
  elicitation: ElicitationAnswer;
}

/**
 * The keys that change between C's snake_case and TypeScript's camelCase: `p` lists the properties of an
 * object under their C names, `i` is the shape of an array's items. A value whose shape has neither
 * (arguments of tools, JSON Schemas, texts) passes untouched, with everything inside it.
 */
export interface Shape {
  /** For an object: the shape of each property, by its C name. */
  readonly p?: Readonly<Record<string, Shape>>;
  /** For an array: the shape of its items. */
  readonly i?: Shape;
}

/** One row of POINTS. Field names are the TypeScript ones. */
export interface PointInfo {
  /** The number in C; never changes. */
  readonly number: number;
  /** The name in C, without the prefix LH_HOOK_. */
  readonly name: string;
  /** The name in TypeScript. */
  readonly tsName: string;
  /** pre: may change and cancel; post: may change; info: observes. */
  readonly kind: "pre" | "post" | "info";
  /** The part of the engine that fires it. */
  readonly group: "generate" | "load" | "error" | "memory" | "adapter" | "agent";
  /** The occasion on which it fires. */
  readonly when: string;
  /** The field that a C hook's plain text answer replaces; null: C hooks answer with JSON. */
  readonly textField: string | null;
  /** The fields of the event, beside meta. */
  readonly fields: readonly string[];
  /** The fields of the event that an answer may replace. */
  readonly mutable: readonly string[];
  /** The fields that only an answer has. */
  readonly answerOnly: readonly string[];
  /** The fields of an answer that are joined with the same fields of other hooks' answers. */
  readonly collected: readonly string[];
  /** The fields of an answer that refuse something: they count even if the rest of the answer is wrong. */
  readonly vetoes: readonly string[];
  /** The shape of the event. */
  readonly context: Shape;
  /** The shape of an answer. */
  readonly answer: Shape;
}

const LEAF: Shape = {};
const HOOK_META_SHAPE: Shape = { p: { point: LEAF, name: LEAF, seq: LEAF, time_us: LEAF, run_id: LEAF, parent_run_id: LEAF, resumes: LEAF, tags: LEAF, session_id: LEAF, model_id: LEAF, tier: LEAF, depth: LEAF, iteration: LEAF } };
const TOOL_CALL_SHAPE: Shape = { p: { id: LEAF, name: LEAF, args: LEAF } };
const MESSAGE_SHAPE: Shape = { p: { role: LEAF, content: LEAF, reasoning: LEAF, tool_calls: { i: TOOL_CALL_SHAPE }, tool_call_id: LEAF, tool_name: LEAF, id: LEAF, time_ms: LEAF, origin: LEAF } };
const TOOL_DEFINITION_SHAPE: Shape = { p: { name: LEAF, description: LEAF, parameters: LEAF } };
const LOGIT_BIAS_SHAPE: Shape = { p: { token: LEAF, bias: LEAF } };
const ADAPTER_CHOICE_SHAPE: Shape = { p: { id: LEAF, scale: LEAF } };
const TOOL_CHOICE_SHAPE: Shape = { p: { tool: LEAF } };
const USAGE_SHAPE: Shape = { p: { prompt_tokens: LEAF, cached_tokens: LEAF, completion_tokens: LEAF, drafted_tokens: LEAF, accepted_tokens: LEAF, reasoning_tokens: LEAF, queue_ms: LEAF, prompt_ms: LEAF, decode_ms: LEAF, first_token_ms: LEAF } };
const MEMORY_BYTES_SHAPE: Shape = { p: { device_bytes: LEAF, host_bytes: LEAF } };
const DIRECTIVE_SHAPE: Shape = { p: { type: LEAF, params: LEAF } };
const ADAPTER_SHAPE: Shape = { p: { adapter_id: LEAF, adapter_path: LEAF, scale: LEAF } };
const UNLOAD_CANDIDATE_SHAPE: Shape = { p: { model_id: LEAF, bytes: LEAF, last_used: LEAF, pinned: LEAF } };
const NAMED_RESULT_SHAPE: Shape = { p: { name: LEAF, content: LEAF } };
const INJECTION_SHAPE: Shape = { p: { content: LEAF, durable: LEAF } };
const PLAN_STEP_SHAPE: Shape = { p: { name: LEAF, tool: LEAF, args: LEAF, tier: LEAF, task: LEAF, flow: LEAF, steps: LEAF } };
const TOOL_ANNOTATIONS_SHAPE: Shape = { p: { title: LEAF, read_only_hint: LEAF, destructive_hint: LEAF, idempotent_hint: LEAF, open_world_hint: LEAF } };
const GENERATE_PARAMS_SHAPE: Shape = { p: { max_tokens: LEAF, temperature: LEAF, dynatemp_range: LEAF, top_k: LEAF, top_p: LEAF, min_p: LEAF, typical_p: LEAF, top_n_sigma: LEAF, seed: LEAF, repeat_penalty: LEAF, presence_penalty: LEAF, frequency_penalty: LEAF, penalty_last_n: LEAF, dry_multiplier: LEAF, dry_base: LEAF, dry_allowed_length: LEAF, dry_penalty_last_n: LEAF, dry_sequence_breakers: LEAF, xtc_probability: LEAF, xtc_threshold: LEAF, mirostat: LEAF, mirostat_tau: LEAF, mirostat_eta: LEAF, adaptive_target: LEAF, adaptive_decay: LEAF, logit_bias: { i: LOGIT_BIAS_SHAPE }, adapters: { i: ADAPTER_CHOICE_SHAPE }, stop: LEAF, stop_in: LEAF, grammar: LEAF, json_schema: LEAF, strict_schema: LEAF, tool_choice: TOOL_CHOICE_SHAPE, parallel_tool_calls: LEAF, special_tokens: LEAF, ignore_eos: LEAF, logprobs: LEAF, top_logprobs: LEAF, reasoning: LEAF, preserve_reasoning: LEAF, reasoning_budget: LEAF, chat_template_args: LEAF } };
const LOAD_PARAMS_SHAPE: Shape = { p: { gpu_layers: LEAF, context_size: LEAF, parallel: LEAF, batch_size: LEAF, threads: LEAF, kv_type: LEAF, kv_cache: LEAF, cache_memory: LEAF, fairness: LEAF, speculation: LEAF, draft_model: LEAF, pinned: LEAF, keep_alive: LEAF, lazy: LEAF, mmap: LEAF, devices: LEAF, split_mode: LEAF, main_device: LEAF, tensor_split: LEAF, cpu_moe: LEAF, chat_template: LEAF } };

/** The points by their TypeScript names, in ascending order of number. */
export const POINTS = {
  preGenerate: {
    number: 0,
    name: "PRE_GENERATE",
    tsName: "preGenerate",
    kind: "pre",
    group: "generate",
    when: "Before each model call",
    textField: null,
    fields: ["messages", "prompt", "params", "tools", "tier", "iteration", "response", "model"],
    mutable: ["messages", "prompt", "params", "tools"],
    answerOnly: ["model", "response"],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, messages: { i: MESSAGE_SHAPE }, prompt: LEAF, params: GENERATE_PARAMS_SHAPE, tools: { i: TOOL_DEFINITION_SHAPE }, tier: LEAF, iteration: LEAF, response: LEAF, model: LEAF } },
    answer: { p: { messages: { i: MESSAGE_SHAPE }, prompt: LEAF, params: GENERATE_PARAMS_SHAPE, tools: { i: TOOL_DEFINITION_SHAPE }, model: LEAF, response: LEAF } },
  },
  postGenerate: {
    number: 1,
    name: "POST_GENERATE",
    tsName: "postGenerate",
    kind: "post",
    group: "generate",
    when: "After each model call, before its output is stored, returned or acted on",
    textField: "content",
    fields: ["content", "reasoning", "toolCalls", "finishReason", "usage", "tier", "systemPrompt", "toolContext"],
    mutable: ["content"],
    answerOnly: ["halt", "retry"],
    collected: [],
    vetoes: ["halt", "retry"],
    context: { p: { meta: HOOK_META_SHAPE, content: LEAF, reasoning: LEAF, tool_calls: { i: TOOL_CALL_SHAPE }, finish_reason: LEAF, usage: USAGE_SHAPE, tier: LEAF, system_prompt: LEAF, tool_context: LEAF } },
    answer: { p: { content: LEAF, halt: LEAF, retry: LEAF } },
  },
  streamToken: {
    number: 2,
    name: "ON_STREAM_TOKEN",
    tsName: "streamToken",
    kind: "post",
    group: "generate",
    when: "As tokens are generated, in order",
    textField: "text",
    fields: ["tokenIndex", "token", "text", "kind", "logprob", "final"],
    mutable: ["text"],
    answerOnly: ["drop", "hold"],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, token_index: LEAF, token: LEAF, text: LEAF, kind: LEAF, logprob: LEAF, final: LEAF } },
    answer: { p: { text: LEAF, drop: LEAF, hold: LEAF } },
  },
  preToolCall: {
    number: 3,
    name: "PRE_TOOL_CALL",
    tsName: "preToolCall",
    kind: "pre",
    group: "agent",
    when: "Before a tool call is validated and its permission is checked",
    textField: null,
    fields: ["toolName", "args", "toolCallId", "tier", "iteration", "annotations", "origin", "response"],
    mutable: ["toolName", "args"],
    answerOnly: ["additionalContext", "permission", "response"],
    collected: ["additionalContext"],
    vetoes: ["permission"],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, args: LEAF, tool_call_id: LEAF, tier: LEAF, iteration: LEAF, annotations: TOOL_ANNOTATIONS_SHAPE, origin: LEAF, response: LEAF } },
    answer: { p: { tool_name: LEAF, args: LEAF, additional_context: LEAF, permission: LEAF, response: LEAF } },
  },
  postToolCall: {
    number: 4,
    name: "POST_TOOL_CALL",
    tsName: "postToolCall",
    kind: "post",
    group: "agent",
    when: "After a tool ran or was refused, before its result is stored anywhere",
    textField: "result",
    fields: ["toolName", "args", "toolCallId", "elapsedMs", "tier", "iteration", "resultKind", "isError", "result", "directives", "annotations", "origin", "parts"],
    mutable: ["result", "isError", "directives"],
    answerOnly: ["additionalContext"],
    collected: ["additionalContext"],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, args: LEAF, tool_call_id: LEAF, elapsed_ms: LEAF, tier: LEAF, iteration: LEAF, result_kind: LEAF, is_error: LEAF, result: LEAF, directives: { i: DIRECTIVE_SHAPE }, annotations: TOOL_ANNOTATIONS_SHAPE, origin: LEAF, parts: LEAF } },
    answer: { p: { result: LEAF, is_error: LEAF, directives: { i: DIRECTIVE_SHAPE }, additional_context: LEAF } },
  },
  loopIteration: {
    number: 5,
    name: "ON_LOOP_ITERATION",
    tsName: "loopIteration",
    kind: "info",
    group: "agent",
    when: "At the start of each iteration of the loop",
    textField: null,
    fields: ["goal", "iteration", "maxIterations", "state", "consecutiveErrors"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, goal: LEAF, iteration: LEAF, max_iterations: LEAF, state: LEAF, consecutive_errors: LEAF } },
    answer: LEAF,
  },
  stateChange: {
    number: 6,
    name: "ON_STATE_CHANGE",
    tsName: "stateChange",
    kind: "info",
    group: "agent",
    when: "At each transition of the loop's state machine",
    textField: null,
    fields: ["previous", "current"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, previous: LEAF, current: LEAF } },
    answer: LEAF,
  },
  error: {
    number: 7,
    name: "ON_ERROR",
    tsName: "error",
    kind: "info",
    group: "error",
    when: "After an error of a backend, tool, hook, load, delegation or save",
    textField: null,
    fields: ["code", "message", "where", "recoverable", "iteration", "consecutive"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, code: LEAF, message: LEAF, where: LEAF, recoverable: LEAF, iteration: LEAF, consecutive: LEAF } },
    answer: LEAF,
  },
  delegate: {
    number: 8,
    name: "ON_DELEGATE",
    tsName: "delegate",
    kind: "pre",
    group: "agent",
    when: "Before a child run: a delegation, a pipeline stage or a plan step",
    textField: null,
    fields: ["targetTier", "task", "depth", "flow"],
    mutable: ["targetTier", "task"],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, target_tier: LEAF, task: LEAF, depth: LEAF, flow: LEAF } },
    answer: { p: { target_tier: LEAF, task: LEAF } },
  },
  delegateComplete: {
    number: 9,
    name: "ON_DELEGATE_COMPLETE",
    tsName: "delegateComplete",
    kind: "post",
    group: "agent",
    when: "After a child run ended or was refused",
    textField: "summary",
    fields: ["targetTier", "task", "success", "resultKind", "summary", "elapsedMs", "usage"],
    mutable: ["summary"],
    answerOnly: ["retry"],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, target_tier: LEAF, task: LEAF, success: LEAF, result_kind: LEAF, summary: LEAF, elapsed_ms: LEAF, usage: USAGE_SHAPE } },
    answer: { p: { summary: LEAF, retry: LEAF } },
  },
  contextAssemble: {
    number: 10,
    name: "ON_CONTEXT_ASSEMBLE",
    tsName: "contextAssemble",
    kind: "pre",
    group: "agent",
    when: "When the messages for the next model call are assembled",
    textField: null,
    fields: ["messages", "tokenCount", "estimated", "limit", "budget"],
    mutable: ["messages"],
    answerOnly: ["inject"],
    collected: ["inject"],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, messages: { i: MESSAGE_SHAPE }, token_count: LEAF, estimated: LEAF, limit: LEAF, budget: LEAF } },
    answer: { p: { messages: { i: MESSAGE_SHAPE }, inject: { i: INJECTION_SHAPE } } },
  },
  preCompact: {
    number: 11,
    name: "ON_PRE_COMPACT",
    tsName: "preCompact",
    kind: "pre",
    group: "agent",
    when: "Before a compaction",
    textField: null,
    fields: ["messages", "tokenCount", "estimated", "threshold", "limit", "force", "strategy"],
    mutable: ["messages", "strategy"],
    answerOnly: ["instructions"],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, messages: { i: MESSAGE_SHAPE }, token_count: LEAF, estimated: LEAF, threshold: LEAF, limit: LEAF, force: LEAF, strategy: LEAF } },
    answer: { p: { messages: { i: MESSAGE_SHAPE }, strategy: LEAF, instructions: LEAF } },
  },
  postCompact: {
    number: 12,
    name: "ON_POST_COMPACT",
    tsName: "postCompact",
    kind: "post",
    group: "agent",
    when: "After a compaction",
    textField: null,
    fields: ["tokensBefore", "tokensAfter", "removed", "summary", "messages"],
    mutable: ["summary", "messages"],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, tokens_before: LEAF, tokens_after: LEAF, removed: LEAF, summary: LEAF, messages: { i: MESSAGE_SHAPE } } },
    answer: { p: { summary: LEAF, messages: { i: MESSAGE_SHAPE } } },
  },
  modelLoad: {
    number: 13,
    name: "ON_MODEL_LOAD",
    tsName: "modelLoad",
    kind: "pre",
    group: "load",
    when: "Before a model is loaded into the backend",
    textField: null,
    fields: ["modelId", "path", "address", "fileBytes", "params", "estimate"],
    mutable: ["params"],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, model_id: LEAF, path: LEAF, address: LEAF, file_bytes: LEAF, params: LOAD_PARAMS_SHAPE, estimate: MEMORY_BYTES_SHAPE } },
    answer: { p: { params: LOAD_PARAMS_SHAPE } },
  },
  modelUnload: {
    number: 14,
    name: "ON_MODEL_UNLOAD",
    tsName: "modelUnload",
    kind: "info",
    group: "load",
    when: "After a model was unloaded",
    textField: null,
    fields: ["modelId", "path", "reason", "freed"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, model_id: LEAF, path: LEAF, reason: LEAF, freed: { p: { device_bytes: LEAF, host_bytes: LEAF, measured: LEAF } } } },
    answer: LEAF,
  },
  permissionCheck: {
    number: 15,
    name: "ON_PERMISSION_CHECK",
    tsName: "permissionCheck",
    kind: "pre",
    group: "agent",
    when: "At each permission decision, after the tool call was validated; also when a waiting call has received its answer, before it runs",
    textField: null,
    fields: ["toolName", "args", "toolCallId", "permission", "rule", "tier", "annotations", "origin", "answered"],
    mutable: ["permission"],
    answerOnly: ["reason", "remember", "defer", "waitsFor"],
    collected: [],
    vetoes: ["permission", "defer"],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, args: LEAF, tool_call_id: LEAF, permission: LEAF, rule: LEAF, tier: LEAF, annotations: TOOL_ANNOTATIONS_SHAPE, origin: LEAF, answered: { p: { permission: LEAF, by: LEAF, reason: LEAF, args: LEAF } } } },
    answer: { p: { permission: LEAF, reason: LEAF, remember: LEAF, defer: LEAF, waits_for: LEAF } },
  },
  adapterSwap: {
    number: 16,
    name: "ON_ADAPTER_SWAP",
    tsName: "adapterSwap",
    kind: "pre",
    group: "adapter",
    when: "Before the active set of adapters changes",
    textField: null,
    fields: ["currentAdapter", "targetAdapter", "adapterPath", "scale", "adapters"],
    mutable: ["scale", "adapters"],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, current_adapter: LEAF, target_adapter: LEAF, adapter_path: LEAF, scale: LEAF, adapters: { i: ADAPTER_SHAPE } } },
    answer: { p: { scale: LEAF, adapters: { i: ADAPTER_SHAPE } } },
  },
  vramPressure: {
    number: 17,
    name: "ON_VRAM_PRESSURE",
    tsName: "vramPressure",
    kind: "pre",
    group: "memory",
    when: "When a load or a context does not fit, or free memory is below the limit",
    textField: null,
    fields: ["device", "vramUsedMb", "vramTotalMb", "pressureLevel", "neededBytes", "freeBytes", "budgetBytes", "cause", "candidates", "conversationBytes", "plan"],
    mutable: ["conversationBytes", "plan"],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, device: LEAF, vram_used_mb: LEAF, vram_total_mb: LEAF, pressure_level: LEAF, needed_bytes: LEAF, free_bytes: LEAF, budget_bytes: LEAF, cause: LEAF, candidates: { i: UNLOAD_CANDIDATE_SHAPE }, conversation_bytes: LEAF, plan: LEAF } },
    answer: { p: { conversation_bytes: LEAF, plan: LEAF } },
  },
  directive: {
    number: 18,
    name: "ON_DIRECTIVE",
    tsName: "directive",
    kind: "pre",
    group: "agent",
    when: "Before each directive of a tool result, whatever its type",
    textField: null,
    fields: ["type", "params"],
    mutable: ["params"],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, type: LEAF, params: LEAF } },
    answer: { p: { params: LEAF } },
  },
  customDirective: {
    number: 19,
    name: "ON_CUSTOM_DIRECTIVE",
    tsName: "customDirective",
    kind: "pre",
    group: "agent",
    when: "At a directive of a type that the engine does not know, after `directive`",
    textField: null,
    fields: ["type", "params"],
    mutable: [],
    answerOnly: ["handled", "message"],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, type: LEAF, params: LEAF } },
    answer: { p: { handled: LEAF, message: LEAF } },
  },
  loopStart: {
    number: 20,
    name: "ON_LOOP_START",
    tsName: "loopStart",
    kind: "info",
    group: "agent",
    when: "When the loop of a run begins, child runs included; at depth 0 this is the start of a turn",
    textField: null,
    fields: ["messages", "messageCount", "delegationDepth", "tier"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, messages: { i: MESSAGE_SHAPE }, message_count: LEAF, delegation_depth: LEAF, tier: LEAF } },
    answer: LEAF,
  },
  loopEnd: {
    number: 21,
    name: "ON_LOOP_END",
    tsName: "loopEnd",
    kind: "info",
    group: "agent",
    when: "When the loop of a run ends, on every path",
    textField: null,
    fields: ["finalState", "reason", "iterations", "response", "usage", "durationMs"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, final_state: LEAF, reason: LEAF, iterations: LEAF, response: LEAF, usage: USAGE_SHAPE, duration_ms: LEAF } },
    answer: LEAF,
  },
  complete: {
    number: 22,
    name: "ON_COMPLETE",
    tsName: "complete",
    kind: "pre",
    group: "agent",
    when: "When the model calls the tool complete to say that it is done, or has written the answer that the run's `answer` wants",
    textField: null,
    fields: ["summary", "tier", "iteration", "toolResults"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, summary: LEAF, tier: LEAF, iteration: LEAF, tool_results: { i: NAMED_RESULT_SHAPE } } },
    answer: LEAF,
  },
  sessionStart: {
    number: 1000,
    name: "ON_SESSION_START",
    tsName: "sessionStart",
    kind: "info",
    group: "agent",
    when: "When the first run of a session begins, or when the session is closed without a run; a restored history is there already",
    textField: null,
    fields: ["history"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, history: { i: MESSAGE_SHAPE } } },
    answer: LEAF,
  },
  sessionEnd: {
    number: 1001,
    name: "ON_SESSION_END",
    tsName: "sessionEnd",
    kind: "info",
    group: "agent",
    when: "When a session is closed, also by the close of its engine",
    textField: null,
    fields: ["history", "iterations"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, history: { i: MESSAGE_SHAPE }, iterations: LEAF } },
    answer: LEAF,
  },
  bootstrap: {
    number: 1002,
    name: "ON_BOOTSTRAP",
    tsName: "bootstrap",
    kind: "post",
    group: "agent",
    when: "When the system prompt is assembled, before the first `contextAssemble`",
    textField: null,
    fields: ["tier", "systemPrompt", "parts"],
    mutable: [],
    answerOnly: ["parts"],
    collected: ["parts"],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, tier: LEAF, system_prompt: LEAF, parts: LEAF } },
    answer: { p: { parts: LEAF } },
  },
  iterationEnd: {
    number: 1003,
    name: "ON_ITERATION_END",
    tsName: "iterationEnd",
    kind: "pre",
    group: "agent",
    when: "After each iteration, also if it failed",
    textField: null,
    fields: ["iteration", "status", "toolCallCounts", "taskCompleted", "continuations", "output"],
    mutable: [],
    answerOnly: ["complete", "continue"],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, iteration: LEAF, status: LEAF, tool_call_counts: LEAF, task_completed: LEAF, continuations: LEAF, output: LEAF } },
    answer: { p: { complete: LEAF, continue: LEAF } },
  },
  reflection: {
    number: 1004,
    name: "ON_REFLECTION",
    tsName: "reflection",
    kind: "info",
    group: "agent",
    when: "After a reflection step",
    textField: null,
    fields: ["iteration", "monologue", "shouldProceed"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, iteration: LEAF, monologue: LEAF, should_proceed: LEAF } },
    answer: LEAF,
  },
  toolValidation: {
    number: 1005,
    name: "ON_TOOL_VALIDATION",
    tsName: "toolValidation",
    kind: "info",
    group: "agent",
    when: "After a validator has judged a tool call",
    textField: null,
    fields: ["toolName", "args", "toolCallId", "validator", "allowed", "reason"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, args: LEAF, tool_call_id: LEAF, validator: LEAF, allowed: LEAF, reason: LEAF } },
    answer: LEAF,
  },
  toolResultPersist: {
    number: 1006,
    name: "ON_TOOL_RESULT_PERSIST",
    tsName: "toolResultPersist",
    kind: "post",
    group: "agent",
    when: "Before a tool result is stored in the history or in a saved session",
    textField: "result",
    fields: ["toolName", "toolCallId", "result", "tier"],
    mutable: ["result"],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, tool_call_id: LEAF, result: LEAF, tier: LEAF } },
    answer: { p: { result: LEAF } },
  },
  dryRun: {
    number: 1007,
    name: "ON_DRY_RUN",
    tsName: "dryRun",
    kind: "info",
    group: "agent",
    when: "At the end of a dry run: the plan was made, no tool ran",
    textField: null,
    fields: ["plannedSteps", "toolsUsed", "estimatedCost"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, planned_steps: LEAF, tools_used: LEAF, estimated_cost: LEAF } },
    answer: LEAF,
  },
  planExecution: {
    number: 1008,
    name: "ON_PLAN_EXECUTION",
    tsName: "planExecution",
    kind: "pre",
    group: "agent",
    when: "Before a plan starts",
    textField: null,
    fields: ["flow", "stepCount", "stepNames", "steps"],
    mutable: ["steps"],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, flow: LEAF, step_count: LEAF, step_names: LEAF, steps: { i: PLAN_STEP_SHAPE } } },
    answer: { p: { steps: { i: PLAN_STEP_SHAPE } } },
  },
  contextBudget: {
    number: 1009,
    name: "ON_CONTEXT_BUDGET",
    tsName: "contextBudget",
    kind: "info",
    group: "generate",
    when: "Before each model call, before `preGenerate`",
    textField: null,
    fields: ["personaTokens", "toolSchemaTokens", "historyTokens", "totalTokens", "maxTokens", "utilization", "overBudget", "estimated"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, persona_tokens: LEAF, tool_schema_tokens: LEAF, history_tokens: LEAF, total_tokens: LEAF, max_tokens: LEAF, utilization: LEAF, over_budget: LEAF, estimated: LEAF } },
    answer: LEAF,
  },
  compactionMiss: {
    number: 1010,
    name: "ON_COMPACTION_MISS",
    tsName: "compactionMiss",
    kind: "info",
    group: "agent",
    when: "When the model calls a tool again with the same arguments, after compaction has removed the earlier result",
    textField: null,
    fields: ["toolName", "toolCallId", "originalSize", "compressedSize", "boost"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, tool_call_id: LEAF, original_size: LEAF, compressed_size: LEAF, boost: LEAF } },
    answer: LEAF,
  },
  modelReady: {
    number: 1011,
    name: "ON_MODEL_READY",
    tsName: "modelReady",
    kind: "info",
    group: "load",
    when: "When a model is loaded and usable",
    textField: null,
    fields: ["modelId", "path", "loadMs", "devices", "measured", "nCtx", "architecture"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, model_id: LEAF, path: LEAF, load_ms: LEAF, devices: LEAF, measured: MEMORY_BYTES_SHAPE, n_ctx: LEAF, architecture: LEAF } },
    answer: LEAF,
  },
  promptProgress: {
    number: 1012,
    name: "ON_PROMPT_PROGRESS",
    tsName: "promptProgress",
    kind: "info",
    group: "generate",
    when: "While the model reads a long prompt",
    textField: null,
    fields: ["processed", "total", "cached"],
    mutable: [],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, processed: LEAF, total: LEAF, cached: LEAF } },
    answer: LEAF,
  },
  userMessage: {
    number: 1013,
    name: "ON_USER_MESSAGE",
    tsName: "userMessage",
    kind: "pre",
    group: "agent",
    when: "When user input arrives (the input of a run, or a queued message), before it is stored anywhere",
    textField: null,
    fields: ["content", "tier", "queued"],
    mutable: ["content"],
    answerOnly: ["additionalContext"],
    collected: ["additionalContext"],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, content: LEAF, tier: LEAF, queued: LEAF } },
    answer: { p: { content: LEAF, additional_context: LEAF } },
  },
  elicitation: {
    number: 1014,
    name: "ON_ELICITATION",
    tsName: "elicitation",
    kind: "pre",
    group: "agent",
    when: "When a tool asks the user for input while it runs",
    textField: null,
    fields: ["toolName", "toolCallId", "message", "schema", "action", "content", "tier", "annotations", "origin"],
    mutable: ["action", "content"],
    answerOnly: [],
    collected: [],
    vetoes: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, tool_call_id: LEAF, message: LEAF, schema: LEAF, action: LEAF, content: LEAF, tier: LEAF, annotations: TOOL_ANNOTATIONS_SHAPE, origin: LEAF } },
    answer: { p: { action: LEAF, content: LEAF } },
  },
} as const satisfies Readonly<Record<keyof HookEvents, PointInfo>>;

/** The name of a point, as `engine.hooks.on()` takes it and events give it. */
export type PointName = keyof typeof POINTS;

type PointOfKind<Kind extends PointInfo["kind"]> = {
  [Name in PointName]: (typeof POINTS)[Name]["kind"] extends Kind ? Name : never;
}[PointName];

/** Points whose handlers may change and cancel. */
export type PrePoint = PointOfKind<"pre">;
/** Points whose handlers may change, not cancel. */
export type PostPoint = PointOfKind<"post">;
/** Points whose handlers observe. */
export type InfoPoint = PointOfKind<"info">;
