// Hook points as TypeScript sees them: one event and one answer type a point, and the table POINTS.
// Generated from native/contract/points.json by scripts/generate-contract.mjs; do not edit.

/**
 * What every context carries: which point fired, when, and for whom. What does not apply is null.
 */
export interface HookMeta {
  /** Number of the point. */
  readonly point: number;
  /** Name of the point, as in C without the prefix LH_HOOK_. */
  readonly name: string;
  /** Counts the dispatches of this engine, ascending. */
  readonly seq: number;
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** The run or generation. */
  readonly runId: string | null;
  /** The run that delegated to this one. */
  readonly parentRunId: string | null;
  /** The session. */
  readonly sessionId: string | null;
  /** The model in use. */
  readonly modelId: string | null;
  /** The tier in use. */
  readonly tier: string | null;
  /** Depth of delegation; 0 is the run that the caller started. */
  readonly depth: number | null;
  /** Iteration of the agent loop, from 1. */
  readonly iteration: number | null;
}

/** A call of a tool, as the model asked for it. */
export interface ToolCall {
  /** Joins the call with its result. Always there in what the engine itself made. */
  readonly id?: string | undefined;
  /** Name of the tool. */
  readonly name: string;
  /** The tool's arguments; keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** One message of a conversation. */
export interface Message {
  /** Who speaks. */
  readonly role: "system" | "user" | "assistant" | "tool";
  /** The text; empty when an assistant only calls tools. */
  readonly content: string;
  /** What an assistant thought before it answered. */
  readonly reasoning?: string | undefined;
  /** Tools that an assistant called. */
  readonly toolCalls?: readonly ToolCall[] | undefined;
  /** Role tool: the call that this is the result of. */
  readonly toolCallId?: string | undefined;
  /** Role tool: the tool that gave this result. */
  readonly toolName?: string | undefined;
}

/** A tool that the model may call. */
export interface ToolDefinition {
  /** 1 to 64 letters, digits, _ or -; unique among the tools of one call. */
  readonly name: string;
  /** What the model is told about it. */
  readonly description?: string | undefined;
  /** JSON Schema of its arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** How likely one token is made. */
export interface LogitBias {
  /** Token id. */
  readonly token: number;
  /** Added to the token's logit; null: never sampled. */
  readonly bias: number | null;
}

/** A loaded adapter, and how strongly it acts. */
export interface AdapterChoice {
  /** Name of the adapter. */
  readonly id: string;
  /** Its strength; 1 is as trained, 0 is without it. Left out: as it was loaded. */
  readonly scale?: number | undefined;
}

/** What model calls cost. */
export interface Usage {
  /** Tokens of the prompts, cached ones included. */
  readonly promptTokens: number;
  /** Of these, tokens found in the KV cache. */
  readonly cachedTokens: number;
  /** Tokens generated. */
  readonly completionTokens: number;
  /** Tokens guessed ahead, with `speculation`; absent when none. */
  readonly draftedTokens?: number | undefined;
  /** Of these, tokens that came true. */
  readonly acceptedTokens?: number | undefined;
  /** Milliseconds spent on prompts. */
  readonly promptMs: number;
  /** Milliseconds spent on generating. */
  readonly decodeMs: number;
}

/** Memory by place. */
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

/** How a tool call or a delegation came out. */
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

/** What a tool result tells the engine to do. */
export interface Directive {
  /** Type of the directive. */
  readonly type: string;
  /** Its parameters; keys are the directive's own. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** An adapter of the active set. */
export interface Adapter {
  /** Name of the adapter. */
  readonly adapterId: string;
  /** Its file. */
  readonly adapterPath: string;
  /** Its strength; 1 is as trained. */
  readonly scale: number;
}

/** A loaded model that could make room. */
export interface UnloadCandidate {
  /** Name of the model. */
  readonly modelId: string;
  /** Bytes that unloading it frees on the device. */
  readonly bytes: number;
  /** Microseconds since the Unix epoch. */
  readonly lastUsed: number;
  /** Whether it must stay. */
  readonly pinned: boolean;
}

/** A tool's result. */
export interface NamedResult {
  /** Name of the tool. */
  readonly name: string;
  /** Text of the result. */
  readonly content: string;
}

/** A part put after the history. It stands at the user's trust level. */
export interface Injection {
  /** The text. */
  readonly content: string;
  /** Stored as a message of its own; default: gone after this model call. */
  readonly durable?: boolean | undefined;
}

/** A step of a plan: a tool call, a task for a tier, or a plan. */
export interface PlanStep {
  /** Name of the step. */
  readonly name: string;
  /** The tool that is called. */
  readonly tool?: string | undefined;
  /** Its arguments; keys are the tool's own. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** The tier that does the task. */
  readonly tier?: string | undefined;
  /** What it is asked to do. */
  readonly task?: string | undefined;
  /** How the steps of a plan follow each other. */
  readonly flow?: "sequence" | "parallel" | "fallback" | undefined;
  /** The steps of a plan. */
  readonly steps?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/**
 * How a generation samples. In a context the defaults are filled in and what is not set is left
 * out; in an answer null resets a key that may be unset.
 */
export interface GenerateParams {
  /** Tokens to write at most; unset: what the context leaves. */
  readonly maxTokens?: number | null | undefined;
  /** How freely tokens are chosen; 0 is greedy: always the likeliest. */
  readonly temperature?: number | undefined;
  /** How far the temperature moves up and down with the model's uncertainty; 0: off. */
  readonly dynatempRange?: number | undefined;
  /** Only this many of the likeliest tokens are considered; 0: all. */
  readonly topK?: number | undefined;
  /** Only the likeliest tokens that make up this probability are considered. */
  readonly topP?: number | undefined;
  /** Tokens less likely than this share of the likeliest are left out. */
  readonly minP?: number | undefined;
  /** Locally typical sampling: the probability mass kept; 1: off. */
  readonly typicalP?: number | undefined;
  /** Only tokens within this many standard deviations of the best logit are considered; -1: off. */
  readonly topNSigma?: number | undefined;
  /**
   * The same seed gives the same text, where the same is computed: beside other generations, and
   * where a part of the prompt is cached, numbers are rounded otherwise, and a token may differ;
   * unset: random.
   */
  readonly seed?: number | null | undefined;
  /** Penalty for repeated tokens; 1: off. */
  readonly repeatPenalty?: number | undefined;
  /** Penalty for tokens that occurred; 0: off. */
  readonly presencePenalty?: number | undefined;
  /** Penalty for each time that a token occurred; 0: off. */
  readonly frequencyPenalty?: number | undefined;
  /** How many of the last tokens the penalties look at; 0: off. */
  readonly penaltyLastN?: number | undefined;
  /** Strength of the DRY penalty for repeated passages; 0: off. */
  readonly dryMultiplier?: number | undefined;
  /** Base of the DRY penalty's growth. */
  readonly dryBase?: number | undefined;
  /** Tokens that may repeat free of DRY. */
  readonly dryAllowedLength?: number | undefined;
  /** How many of the last tokens DRY looks at; 0: off. */
  readonly dryPenaltyLastN?: number | undefined;
  /** Texts at which DRY begins anew; unset: llama.cpp's own. */
  readonly drySequenceBreakers?: readonly string[] | null | undefined;
  /** Chance of leaving out the top choices (XTC); 0: off. */
  readonly xtcProbability?: number | undefined;
  /** Probability from which a choice is a top one. */
  readonly xtcThreshold?: number | undefined;
  /** Version of Mirostat; 0: off. */
  readonly mirostat?: 0 | 1 | 2 | undefined;
  /** Mirostat's target entropy. */
  readonly mirostatTau?: number | undefined;
  /** Mirostat's learning rate. */
  readonly mirostatEta?: number | undefined;
  /**
   * Adaptive-p: the probability that chosen tokens come near to; without effect on Mirostat; -1:
   * off.
   */
  readonly adaptiveTarget?: number | undefined;
  /** How long adaptive-p remembers: some 1 / (1 - decay) tokens. */
  readonly adaptiveDecay?: number | undefined;
  /** What is added to the logits of tokens; null bans one. */
  readonly logitBias?: readonly LogitBias[] | undefined;
  /**
   * Adapters (LoRA, aLoRA, control vectors) that the model runs with, each with its strength; an
   * empty list: none. ON_ADAPTER_SWAP fires when it is another set than the conversation had.
   */
  readonly adapters?: readonly AdapterChoice[] | undefined;
  /** Texts, none of them empty, that end the output; they are not part of it. */
  readonly stop?: readonly string[] | undefined;
  /** A GBNF grammar that the output follows; not together with `jsonSchema`; unset: none. */
  readonly grammar?: string | null | undefined;
  /**
   * A JSON Schema (in TypeScript also a zod schema) that the output follows, as far as
   * docs/reference/schemas.md says; not together with `grammar`; unset: none.
   */
  readonly jsonSchema?: Readonly<Record<string, unknown>> | boolean | null | undefined;
  /**
   * Refuse a `jsonSchema`, or a tool's parameters, with a keyword that the grammar made of it
   * cannot hold (INVALID_SCHEMA names it and its place); else such keywords have no effect.
   */
  readonly strictSchema?: boolean | undefined;
  /** Whether the model may, must not or must call a tool. */
  readonly toolChoice?: "auto" | "none" | "required" | undefined;
  /**
   * Write on past the model's end token, until `maxTokens`; for measuring. A grammar or schema that
   * allows nothing more ends the text all the same.
   */
  readonly ignoreEos?: boolean | undefined;
  /**
   * Each token's event has its log probability, and the result has those of all: the model's own,
   * before anything that these parameters change.
   */
  readonly logprobs?: boolean | undefined;
  /**
   * So many of the tokens that were likeliest in its place come with each token, `logprobs`
   * included.
   */
  readonly topLogprobs?: number | undefined;
  /**
   * False: the chat template is told that the model shall not think (`enable_thinking`); what the
   * model begins to think all the same is ended at once, where the template's marks of reasoning
   * are known.
   */
  readonly reasoning?: boolean | undefined;
  /**
   * Tokens of reasoning at most; then the mark that ends it is forced. Without effect on a raw
   * prompt, and where the chat template's marks of reasoning are not known; unset: no limit.
   */
  readonly reasoningBudget?: number | null | undefined;
  /**
   * Further variables for the chat template, by name (`chat_template_kwargs` elsewhere);
   * `enable_thinking: false` among them is as `reasoning: false`; unset: none.
   */
  readonly chatTemplateArgs?: Readonly<Record<string, unknown>> | null | undefined;
}

/** How a model is loaded, beside its `path`, which is required. */
export interface LoadParams {
  /**
   * Layers on the GPU, if there is one, the output counted as one; -1: all; `auto`: as many as
   * there is room for.
   */
  readonly gpuLayers?: number | "auto" | undefined;
  /**
   * Tokens a sequence can hold; 0: the model's own, at most 4096; `auto`: as many as there is room
   * for, at most the model's own.
   */
  readonly contextSize?: number | "auto" | undefined;
  /** Sequences decoded together. */
  readonly parallel?: number | undefined;
  /**
   * Prompt tokens a decode call; of texts to embed or rank the most that one may have, and that are
   * computed at a time.
   */
  readonly batchSize?: number | undefined;
  /**
   * Threads that compute; 0: one for each 8 MiB of weights. Never more than the cores that the
   * process may use: what is more is capped, with a warning in the log.
   */
  readonly threads?: number | undefined;
  /** Type of the KV cache. */
  readonly kvType?: "f16" | "q8_0" | "f32" | undefined;
  /**
   * `streams`: each sequence has its own part of the cache, and what idles slows nobody; `unified`:
   * all share one, where a prefix common to many is kept once.
   */
  readonly kvCache?: "streams" | "unified" | undefined;
  /**
   * MiB of host memory for what idle conversations have in the KV cache when others need their
   * sequences; 0: none, and they are read again; unset: as much as the KV cache takes, 16 to 1024.
   */
  readonly cacheMemory?: number | null | undefined;
  /**
   * `ngram`: where a generation repeats what its context has (code, quotes), several tokens are
   * guessed and checked at once; the text is the same (but where two tokens are likely within
   * rounding), and comes sooner. For one or two generations at a time while no prompt is read, and
   * where the KV cache can be cut back.
   */
  readonly speculation?: "off" | "ngram" | undefined;
  /**
   * Path of a small model with the same vocabulary, which guesses what this one will say: guesses
   * are checked as with `speculation`, and made by it where words do not repeat; unset: none.
   */
  readonly draftModel?: string | null | undefined;
  /** Never given up for want of memory. */
  readonly pinned?: boolean | undefined;
  /**
   * Seconds without use after which the model is given up; who uses it then loads it again; unset:
   * until its memory is needed.
   */
  readonly keepAlive?: number | null | undefined;
  /** Only look at the file, which is read when the model is used for the first time. */
  readonly lazy?: boolean | undefined;
  /** Map the file instead of reading it. */
  readonly mmap?: boolean | undefined;
  /** The GPUs that the model may use, by name, in this order; unset: every GPU of the process. */
  readonly devices?: readonly string[] | null | undefined;
  /**
   * How several GPUs share the model. `layer`: each has some of the layers; `row`: each has a part
   * of every matrix, where the backend can do that; `none`: one has all, see `mainDevice`.
   */
  readonly splitMode?: "layer" | "row" | "none" | undefined;
  /** The GPU that has all with `splitMode` `none`; unset: the first. */
  readonly mainDevice?: string | null | undefined;
  /**
   * How large a part each of the devices has, one number for each, in their order; unset: by the
   * memory that is free.
   */
  readonly tensorSplit?: readonly number[] | null | undefined;
  /**
   * Of a mixture of experts: of so many layers, the first ones, the experts stay in main memory;
   * -1: of all.
   */
  readonly cpuMoe?: number | undefined;
  /** A Jinja chat template in place of the model's own; unset: the model's own. */
  readonly chatTemplate?: string | null | undefined;
}

/** What every event has. */
export interface HookEvent {
  /** Which point fired, when, and for whom. */
  readonly meta: HookMeta;
}

/**
 * Fires before each model call; once per model call. Kind: pre. Cancel: The model is not called and
 * the run ends; the reason is in its result.
 */
export interface PreGenerateEvent extends HookEvent {
  /** The conversation that the model will be given; empty for a raw prompt. */
  readonly messages: readonly Message[];
  /**
   * Raw text given to the model without its chat template; only when the call was asked for with
   * one.
   */
  readonly prompt?: string | undefined;
  /**
   * How a generation samples. In a context the defaults are filled in and what is not set is left
   * out; in an answer null resets a key that may be unset.
   */
  readonly params: GenerateParams;
  /** Tools that the model may call. */
  readonly tools: readonly ToolDefinition[];
  /** The tier in use, or null. */
  readonly tier: string | null;
  /** Iteration of the loop, from 1; null outside a loop. */
  readonly iteration: number | null;
  /** What an earlier hook put in the model's stead; absent while the model will be called. */
  readonly response?: string | undefined;
}

/**
 * The changed messages, params and tools are checked like the caller's own, and are what the model
 * gets.
 */
export interface PreGenerateAnswer {
  /** The conversation that the model will be given; empty for a raw prompt. */
  readonly messages?: readonly Message[] | undefined;
  /**
   * Raw text given to the model without its chat template; only when the call was asked for with
   * one.
   */
  readonly prompt?: string | undefined;
  /**
   * How a generation samples. In a context the defaults are filled in and what is not set is left
   * out; in an answer null resets a key that may be unset.
   */
  readonly params?: GenerateParams | undefined;
  /** Tools that the model may call. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /**
   * Used as the model's answer; the model is not called. Hooks that come after, guards too, see it.
   */
  readonly response?: string | undefined;
}

/**
 * Fires after each model call, before its output is stored, returned or acted on; once per model
 * call; not when a hook gave the response. Kind: post.
 */
export interface PostGenerateEvent extends HookEvent {
  /** What the model answered, without reasoning and tool calls. */
  readonly content: string;
  /** What it thought before; empty if nothing. */
  readonly reasoning: string;
  /** Tools that it called. */
  readonly toolCalls: readonly ToolCall[];
  /** Why it ended; "error": the call failed, and the error follows. */
  readonly finishReason: "stop" | "length" | "cancelled" | "error";
  /** What model calls cost. */
  readonly usage: Usage;
  /** The tier in use, or null. */
  readonly tier: string | null;
  /** The system prompt it was given; empty if none. */
  readonly systemPrompt: string;
  /** Tools run so far and their results, as text, to check claims against; empty if none. */
  readonly toolContext: string;
}

/**
 * The text replaces content before tool calls are parsed: it is what is stored, returned and given
 * to the model. Tool calls written in it count; without any the model's own stay.
 */
export interface PostGenerateAnswer {
  /** What the model answered, without reasoning and tool calls. */
  readonly content?: string | undefined;
  /** A reason: the run ends here, and each tool call of this message gets a refusal. */
  readonly halt?: string | undefined;
  /**
   * Feedback: the model is asked again with it, within a limit. PRE_GENERATE then begins from the
   * messages as they were asked, the rejected answer and the feedback: what its hooks changed
   * before held for that attempt.
   */
  readonly retry?: string | undefined;
}

/**
 * Fires as tokens are generated, in order; once per token, not per byte; twice where a token ends
 * one part (reasoning, content) and begins the next; bytes of an unfinished character wait for the
 * token that completes it; once more, with final, at the end of a part for text that hooks hold:
 * for a hook that holds some, and those behind it. Kind: post.
 */
export interface StreamTokenEvent extends HookEvent {
  /** Position in this generation, from 0. */
  readonly tokenIndex: number;
  /** Token id. */
  readonly token: number;
  /**
   * Its text, behind the text of earlier tokens that this hook has held, or that a hook before it
   * has let go; whole characters, may be empty.
   */
  readonly text: string;
  /** What the text is part of. */
  readonly kind: "content" | "reasoning" | "tool_call";
  /** Natural logarithm of its probability; only if asked for. */
  readonly logprob?: number | undefined;
  /**
   * True where a part ends while hooks hold text of it: text is what this hook holds, behind it
   * what comes of the text that hooks before it held, and what it makes of that goes on, so that
   * hold has no effect. Absent otherwise.
   */
  readonly final?: boolean | undefined;
}

/**
 * The text is what is streamed, stored and returned alike; what the model itself has read of this
 * message stays as generated.
 */
export interface StreamTokenAnswer {
  /**
   * Its text, behind the text of earlier tokens that this hook has held, or that a hook before it
   * has let go; whole characters, may be empty.
   */
  readonly text?: string | undefined;
  /** The text is left out. Later hooks are not asked: nothing is left for them to see. */
  readonly drop?: boolean | undefined;
  /**
   * The text is kept back, and joined to the next token's before this hook is asked of that; where
   * its part or the output ends, it is asked once more with final. Later hooks are not asked: they
   * see the text when it is let go, as one piece. What a hook held that is gone, or that is not
   * asked, goes on to those behind it.
   */
  readonly hold?: boolean | undefined;
}

/**
 * Fires before a tool call is validated and permission-checked; once per tool call. Kind: pre.
 * Cancel: The tool does not run; the model is told the reason.
 */
export interface PreToolCallEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** The tool's arguments; keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Joins the call with its result. */
  readonly toolCallId: string;
  /** The tier in use, or null. */
  readonly tier: string | null;
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** What an earlier hook put in the tool's stead; absent while the tool will run. */
  readonly response?: string | undefined;
}

/** The new name and arguments are validated and permission-checked like the model's own. */
export interface PreToolCallAnswer {
  /** Name of the tool. */
  readonly toolName?: string | undefined;
  /** The tool's arguments; keys are the tool's own. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Used as the tool's result; the tool does not run. Hooks that come after, guards too, see it.
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
  /** The arguments it ran with; keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Joins the call with its result. */
  readonly toolCallId: string;
  /** Milliseconds that the tool took; 0 when it did not run. */
  readonly elapsedMs: number;
  /** The tier in use, or null. */
  readonly tier: string | null;
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** How a tool call or a delegation came out. */
  readonly resultKind: ResultKind;
  /** Whether the model is told that the call failed. */
  readonly isError: boolean;
  /** Text of the result. */
  readonly result: string;
  /** Directives that came with it. */
  readonly directives: readonly Directive[];
}

/**
 * The text replaces the result everywhere, before any cache, history, log or trace has it. Hooks
 * are shown all of it; what they leave is cut at max_result_bytes. The directives that hooks leave
 * are carried out, if the tool is trusted and has run.
 */
export interface PostToolCallAnswer {
  /** Text of the result. */
  readonly result?: string | undefined;
  /** Whether the model is told that the call failed. */
  readonly isError?: boolean | undefined;
  /** Directives that came with it. */
  readonly directives?: readonly Directive[] | undefined;
}

/** Fires at the top of each iteration of the loop; once per iteration. Kind: info. */
export interface LoopIterationEvent extends HookEvent {
  /** What the run was asked to do. */
  readonly goal: string;
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** Iterations that the run may take. */
  readonly maxIterations: number;
  /** A state of the loop's state machine. */
  readonly state: LoopState;
  /** Errors in a row until now. */
  readonly consecutiveErrors: number;
}

/** Fires at each transition of the loop's state machine; once per transition. Kind: info. */
export interface StateChangeEvent extends HookEvent {
  /** The state that was left. */
  readonly previous: LoopState;
  /** The state that was entered. */
  readonly current: LoopState;
}

/**
 * Fires after an error of a backend, tool, hook, load, delegation or MCP server; a call that is
 * refused before it begins is its caller's alone; once per error. Kind: info.
 */
export interface ErrorEvent extends HookEvent {
  /** Stable name of the error, as lh_status_name gives it. */
  readonly code: string;
  /** What happened, in words that may change. */
  readonly message: string;
  /** The place: "load", "adapter", "generate", "hook:<name>@<POINT>" and the like. */
  readonly where: string;
  /** Whether the work goes on. */
  readonly recoverable: boolean;
  /** Iteration of the loop, from 1; null outside a loop. */
  readonly iteration: number | null;
  /** Errors in a row, this one included. */
  readonly consecutive: number;
}

/**
 * Fires before a child run: delegation, pipeline stage or plan step; once per child run. Kind: pre.
 * Cancel: There is no child run; the model is told the reason.
 */
export interface DelegateEvent extends HookEvent {
  /** The tier that the child runs in. */
  readonly targetTier: string;
  /** What the child is asked to do. */
  readonly task: string;
  /** The child's depth of delegation, from 1. */
  readonly depth: number;
  /** What asked for the child. */
  readonly flow: "delegate" | "pipeline" | "plan";
}

/** The child run gets the new tier and task. */
export interface DelegateAnswer {
  /** The tier that the child runs in. */
  readonly targetTier?: string | undefined;
  /** What the child is asked to do. */
  readonly task?: string | undefined;
}

/** Fires after a child run ended, or was refused; once per child run or refusal. Kind: post. */
export interface DelegateCompleteEvent extends HookEvent {
  /** The tier that the child ran in. */
  readonly targetTier: string;
  /** What it was asked to do. */
  readonly task: string;
  /** Whether it succeeded. */
  readonly success: boolean;
  /** How a tool call or a delegation came out. */
  readonly resultKind: ResultKind;
  /** What it reports. */
  readonly summary: string;
  /** Milliseconds that it took. */
  readonly elapsedMs: number;
  /** What its model calls cost together. */
  readonly usage: Usage;
}

/** The text replaces the summary that the parent run gets. */
export interface DelegateCompleteAnswer {
  /** What it reports. */
  readonly summary?: string | undefined;
}

/**
 * Fires when the messages for the next model call are assembled; once per iteration. Kind: pre.
 * Cancel: The run ends with the reason.
 */
export interface ContextAssembleEvent extends HookEvent {
  /** The messages as assembled. */
  readonly messages: readonly Message[];
  /** Tokens that they take. */
  readonly tokenCount: number;
  /** Tokens that the context holds. */
  readonly limit: number;
  /** Tokens that the injected parts of all hooks may take together. */
  readonly budget: number;
}

/** The new messages are those of this model call; the stored history stays. */
export interface ContextAssembleAnswer {
  /** The messages as assembled. */
  readonly messages?: readonly Message[] | undefined;
  /**
   * Parts put after the history, past the cached part of the prompt; collected from all hooks in
   * order.
   */
  readonly inject?: readonly Injection[] | undefined;
}

/**
 * Fires when compaction is about to happen; once per compaction, not per iteration. Kind: pre.
 * Cancel: No compaction this time.
 */
export interface PreCompactEvent extends HookEvent {
  /** The messages to compact. */
  readonly messages: readonly Message[];
  /** Tokens that they take. */
  readonly tokenCount: number;
  /** Tokens above which compaction happens. */
  readonly threshold: number;
  /** Tokens that the context holds. */
  readonly limit: number;
  /** Whether it was asked for, whatever the count. */
  readonly force: boolean;
  /** How messages are compacted. */
  readonly strategy: "summarize" | "truncate" | "tool-results" | "given";
}

/**
 * The new messages are compacted, by the new strategy. With the strategy `given` they are what the
 * run goes on with: so a hook compacts by a way of its own.
 */
export interface PreCompactAnswer {
  /** The messages to compact. */
  readonly messages?: readonly Message[] | undefined;
  /** How messages are compacted. */
  readonly strategy?: "summarize" | "truncate" | "tool-results" | "given" | undefined;
  /** Told to whatever writes the summary. */
  readonly instructions?: string | undefined;
}

/** Fires after a compaction; once per compaction. Kind: post. */
export interface PostCompactEvent extends HookEvent {
  /** Tokens before it. */
  readonly tokensBefore: number;
  /** Tokens after it. */
  readonly tokensAfter: number;
  /** Messages removed. */
  readonly removed: number;
  /** What stands for them; empty if nothing. */
  readonly summary: string;
  /** The messages that remain. */
  readonly messages: readonly Message[];
}

/** The new summary and messages are what the run goes on with. */
export interface PostCompactAnswer {
  /** What stands for them; empty if nothing. */
  readonly summary?: string | undefined;
  /** The messages that remain. */
  readonly messages?: readonly Message[] | undefined;
}

/**
 * Fires before a model is loaded into the backend; once per load. Kind: pre. Cancel: The load fails
 * with LH_ERR_HOOK_CANCELLED and the reason.
 */
export interface ModelLoadEvent extends HookEvent {
  /** The name it will have. */
  readonly modelId: string;
  /** Its file. */
  readonly path: string;
  /** Size of the file. */
  readonly fileBytes: number;
  /** How a model is loaded, beside its `path`, which is required. */
  readonly params: LoadParams;
  /** What it is expected to take. */
  readonly estimate: MemoryBytes;
}

/** The model is loaded with the new params, checked like the caller's own. */
export interface ModelLoadAnswer {
  /** How a model is loaded, beside its `path`, which is required. */
  readonly params?: LoadParams | undefined;
}

/** Fires after a model was unloaded; once per unload. Kind: info. */
export interface ModelUnloadEvent extends HookEvent {
  /** The name it had. */
  readonly modelId: string;
  /** Its file. */
  readonly path: string;
  /** Why it was unloaded; "requested" when none was given. */
  readonly reason: string;
  /** Memory given back. */
  readonly freed: {
    /** Bytes on GPUs. */
    readonly deviceBytes: number;
    /** Bytes of main memory. */
    readonly hostBytes: number;
    /** Whether the figures were measured; left out or true: they were. */
    readonly measured?: boolean | undefined;
  };
}

/**
 * Fires at each permission decision, after a tool call was validated; once per decision. Kind: pre.
 * Cancel: Deny, with the reason.
 */
export interface PermissionCheckEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** The arguments it would run with; keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** What the rules say. */
  readonly permission: "allow" | "deny" | "ask";
  /** The rule that said so; null: the default. */
  readonly rule: string | null;
  /** The tier in use, or null. */
  readonly tier: string | null;
}

/** ask may become allow or deny, allow may become deny; a deny by rule stays. */
export interface PermissionCheckAnswer {
  /** What the rules say. */
  readonly permission?: "allow" | "deny" | "ask" | undefined;
  /** Why; the model is told it when the call is denied. */
  readonly reason?: string | undefined;
  /**
   * The permission answered with it holds from now on for this session, and is saved with it: for
   * calls of the tier like this one (`call`: of the same tool with the same arguments; `tool`: of
   * the same tool). A deny by rule stays.
   */
  readonly remember?: "call" | "tool" | undefined;
}

/**
 * Fires before the active set of adapters changes; once per change: at lh_adapter_swap, and at a
 * model call that asks for another set than the one before it in the conversation. Kind: pre.
 * Cancel: Nothing changes; the swap or the model call ends with LH_ERR_HOOK_CANCELLED.
 */
export interface AdapterSwapEvent extends HookEvent {
  /** The first adapter that is active; null: none. */
  readonly currentAdapter: string | null;
  /** The first adapter asked for; null: none. */
  readonly targetAdapter: string | null;
  /** Its file. */
  readonly adapterPath: string | null;
  /** Its strength; 1 is as trained. 0 where there is no target. */
  readonly scale: number;
  /** The whole set after the change. */
  readonly adapters: readonly Adapter[];
}

/**
 * The new scale and adapters are what becomes active: scale is the target's, an adapter that is
 * left out of the set is not used, and one more is, if it is loaded. Later calls that ask for the
 * same set get what was answered here, unasked.
 */
export interface AdapterSwapAnswer {
  /** Its strength; 1 is as trained. 0 where there is no target. */
  readonly scale?: number | undefined;
  /** The whole set after the change. */
  readonly adapters?: readonly Adapter[] | undefined;
}

/**
 * Fires when a load or a context would not fit, or free memory fell below the limit; once per
 * occasion. Kind: pre. Cancel: Nothing is given up; a load then fails with
 * LH_ERR_INSUFFICIENT_MEMORY.
 */
export interface VramPressureEvent extends HookEvent {
  /** Name of the device. */
  readonly device: string;
  /** Its memory in use, in MiB. */
  readonly vramUsedMb: number;
  /** Its memory, in MiB. */
  readonly vramTotalMb: number;
  /** How bad it is. */
  readonly pressureLevel: "warning" | "critical";
  /** Bytes asked for. */
  readonly neededBytes: number;
  /** Bytes free. */
  readonly freeBytes: number;
  /** Bytes that the engine may use; null: no limit. */
  readonly budgetBytes: number | null;
  /** What met the limit: a load (of a model, or of an adapter), a context, or `lowMemory`. */
  readonly cause: "load" | "context" | "low_memory";
  /** Models that could be unloaded. */
  readonly candidates: readonly UnloadCandidate[];
  /**
   * Bytes of idle conversations in main memory that go before any model; their prompts are read
   * again.
   */
  readonly conversationBytes: number;
  /** Models to unload, in order. */
  readonly plan: readonly string[];
}

/**
 * The models of the new plan are unloaded, in its order, and so many bytes of idle conversations
 * are dropped.
 */
export interface VramPressureAnswer {
  /**
   * Bytes of idle conversations in main memory that go before any model; their prompts are read
   * again.
   */
  readonly conversationBytes?: number | undefined;
  /** Models to unload, in order. */
  readonly plan?: readonly string[] | undefined;
}

/**
 * Fires before each directive of a tool result, of any type; once per directive. Kind: pre. Cancel:
 * The directive is suppressed.
 */
export interface DirectiveEvent extends HookEvent {
  /** Type of the directive. */
  readonly type: string;
  /** Its parameters; keys are the directive's own. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The directive is carried out with the new params. */
export interface DirectiveAnswer {
  /** Its parameters; keys are the directive's own. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Fires at a directive of a type that the engine does not know, after ON_DIRECTIVE; once per such
 * directive. Kind: pre. Cancel: The directive is suppressed.
 */
export interface CustomDirectiveEvent extends HookEvent {
  /** Type of the directive. */
  readonly type: string;
  /** Its parameters; keys are the directive's own. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A directive that no hook has handled is an error and fires ON_ERROR. */
export interface CustomDirectiveAnswer {
  /** The hook has carried it out. */
  readonly handled?: boolean | undefined;
  /** Told to the model. */
  readonly message?: string | undefined;
}

/**
 * Fires at loop entry, of child loops too; at depth 0 this is the start of a turn; once per loop.
 * Kind: info.
 */
export interface LoopStartEvent extends HookEvent {
  /** The conversation at the start. */
  readonly messages: readonly Message[];
  /** How many messages these are. */
  readonly messageCount: number;
  /** 0 for the run that the caller started. */
  readonly delegationDepth: number;
  /** The tier in use, or null. */
  readonly tier: string | null;
}

/** Fires at loop exit, on every path; exactly once per loop. Kind: info. */
export interface LoopEndEvent extends HookEvent {
  /** A state of the loop's state machine. */
  readonly finalState: LoopState;
  /** Why it ended, when something ended it. */
  readonly reason: string | null;
  /** Iterations done. */
  readonly iterations: number;
  /** The final answer; empty if there is none. */
  readonly response: string;
  /** What its model calls cost together. */
  readonly usage: Usage;
  /** Milliseconds that it took. */
  readonly durationMs: number;
}

/**
 * Fires when the model says that it is done, by calling the complete tool; once per such call.
 * Kind: pre. Cancel: The completion is rejected; the reason comes back to the model as the user
 * message "[CITATION VALIDATION] <reason>".
 */
export interface CompleteEvent extends HookEvent {
  /** What the model reports. */
  readonly summary: string;
  /** The tier in use, or null. */
  readonly tier: string | null;
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** Results of the tools of this run. */
  readonly toolResults: readonly NamedResult[];
}

/**
 * Fires when a session's first run begins, or it is closed without one; its history is in place;
 * once per session. Kind: info.
 */
export interface SessionStartEvent extends HookEvent {
  /** The restored history; empty if new. */
  readonly history: readonly Message[];
}

/** Fires when a session is closed, also with its engine; once per session. Kind: info. */
export interface SessionEndEvent extends HookEvent {
  /** The history at the end. */
  readonly history: readonly Message[];
  /** Iterations of all its runs. */
  readonly iterations: number;
}

/**
 * Fires when the system prompt is assembled, before the first ON_CONTEXT_ASSEMBLE; once per system
 * prompt. Kind: post.
 */
export interface BootstrapEvent extends HookEvent {
  /** The tier in use, or null. */
  readonly tier: string | null;
  /** The system prompt until now. */
  readonly systemPrompt: string;
  /** Parts that earlier hooks added. */
  readonly parts: readonly string[];
}

/** Parts of all hooks are appended to the system prompt, in order; return your own only. */
export interface BootstrapAnswer {
  /** Strings appended to the system prompt; collected from all hooks in order. */
  readonly parts?: readonly string[] | undefined;
}

/**
 * Fires after each iteration, also one that failed; once per iteration. Kind: pre. Cancel: The loop
 * stops here with the reason.
 */
export interface IterationEndEvent extends HookEvent {
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** How the run stands. */
  readonly status: "running" | "success" | "failure";
  /** Calls in this iteration, by name of the tool. */
  readonly toolCallCounts: Readonly<Record<string, number>>;
  /** Whether the run is done. */
  readonly taskCompleted: boolean;
  /** What the model answered in this iteration. */
  readonly output: string;
}

/** Fires after a reflection step; once per step. Kind: info. */
export interface ReflectionEvent extends HookEvent {
  /** Iteration of the loop, from 1. */
  readonly iteration: number;
  /** What the reflection said. */
  readonly monologue: string;
  /** What the reflector decided. */
  readonly shouldProceed: boolean;
}

/** Fires after a validator has judged a tool call; once per validator and tool call. Kind: info. */
export interface ToolValidationEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** The arguments judged; keys are the tool's own. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Who judged. */
  readonly validator: "schema" | "critic";
  /** Whether the call may go on. */
  readonly allowed: boolean;
  /** Why not. */
  readonly reason: string | null;
}

/**
 * Fires when a tool result is about to be stored in the history or a saved session; once per
 * result. Kind: post.
 */
export interface ToolResultPersistEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** Text of the result, as POST_TOOL_CALL left it. */
  readonly result: string;
  /** The tier in use, or null. */
  readonly tier: string | null;
}

/** The text is what is stored, and what the model is given from there on. */
export interface ToolResultPersistAnswer {
  /** Text of the result, as POST_TOOL_CALL left it. */
  readonly result?: string | undefined;
}

/** Fires when a dry run is done: the plan was made, no tool ran; once per dry run. Kind: info. */
export interface DryRunEvent extends HookEvent {
  /** Steps that the run would take. */
  readonly plannedSteps: number;
  /** Tools that it would use, each once. */
  readonly toolsUsed: readonly string[];
  /** Rough cost: medium above 5 tools used or 3 iterations, high above 10 or 5. */
  readonly estimatedCost: "low" | "medium" | "high";
}

/** Fires when a plan starts; once per plan. Kind: pre. Cancel: The plan does not run. */
export interface PlanExecutionEvent extends HookEvent {
  /** How the steps follow each other. */
  readonly flow: "sequence" | "parallel" | "fallback";
  /** How many steps there are. */
  readonly stepCount: number;
  /** Their names, in order. */
  readonly stepNames: readonly string[];
  /** The steps, in order. */
  readonly steps: readonly PlanStep[];
}

/** The new steps are the ones that run. */
export interface PlanExecutionAnswer {
  /** The steps, in order. */
  readonly steps?: readonly PlanStep[] | undefined;
}

/** Fires before each model call, before PRE_GENERATE; once per model call. Kind: info. */
export interface ContextBudgetEvent extends HookEvent {
  /** Tokens of the system prompt. */
  readonly personaTokens: number;
  /** Tokens of the tools' definitions. */
  readonly toolSchemaTokens: number;
  /** Tokens of everything else. */
  readonly historyTokens: number;
  /** Tokens of the prompt. */
  readonly totalTokens: number;
  /** Tokens that the context holds. */
  readonly maxTokens: number;
  /** totalTokens / maxTokens: 0 to 1, more when it does not fit. */
  readonly utilization: number;
  /** Whether utilization is strictly above 0.85. */
  readonly overBudget: boolean;
}

/**
 * Fires when a tool is called again exactly as before, though compaction had removed its earlier
 * output; once per such call. Kind: info.
 */
export interface CompactionMissEvent extends HookEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** Bytes of the earlier output. */
  readonly originalSize: number;
  /** Bytes that compaction left of it. */
  readonly compressedSize: number;
  /** Factor by which this tool's output may be larger from now on. */
  readonly boost: number;
}

/** Fires when a model is loaded and usable; once per load that succeeded. Kind: info. */
export interface ModelReadyEvent extends HookEvent {
  /** Its name. */
  readonly modelId: string;
  /** Its file. */
  readonly path: string;
  /** Milliseconds that the load took. */
  readonly loadMs: number;
  /** Names of the devices that it uses. */
  readonly devices: readonly string[];
  /** What it takes, as measured. */
  readonly measured: MemoryBytes;
  /** Tokens that a sequence holds. */
  readonly nCtx: number;
  /** Architecture named in the file. */
  readonly architecture: string;
}

/** Fires while a long prompt is evaluated; at most every 50 ms. Kind: info. */
export interface PromptProgressEvent extends HookEvent {
  /** Tokens evaluated, cached ones included. */
  readonly processed: number;
  /** Tokens of the prompt. */
  readonly total: number;
  /** Tokens found in the KV cache. */
  readonly cached: number;
}

/**
 * Fires when user input arrives (a run's input, a queued message), before it is stored anywhere;
 * once per input. Kind: pre. Cancel: The input is refused with the reason; nothing is stored.
 */
export interface UserMessageEvent extends HookEvent {
  /** The input. */
  readonly content: string;
  /** The tier in use, or null. */
  readonly tier: string | null;
  /** Whether it was queued while a run was going on. */
  readonly queued: boolean;
}

/** The new content is what is stored and given to the model. */
export interface UserMessageAnswer {
  /** The input. */
  readonly content?: string | undefined;
}

/** What a handler of each point is given. */
export interface HookEvents {
  /** Before each model call. */
  preGenerate: PreGenerateEvent;
  /** After each model call, before its output is stored, returned or acted on. */
  postGenerate: PostGenerateEvent;
  /** As tokens are generated, in order. */
  streamToken: StreamTokenEvent;
  /** Before a tool call is validated and permission-checked. */
  preToolCall: PreToolCallEvent;
  /** After a tool ran or was refused, before its result is stored anywhere. */
  postToolCall: PostToolCallEvent;
  /** At the top of each iteration of the loop. */
  loopIteration: LoopIterationEvent;
  /** At each transition of the loop's state machine. */
  stateChange: StateChangeEvent;
  /**
   * After an error of a backend, tool, hook, load, delegation or MCP server; a call that is refused
   * before it begins is its caller's alone.
   */
  error: ErrorEvent;
  /** Before a child run: delegation, pipeline stage or plan step. */
  delegate: DelegateEvent;
  /** After a child run ended, or was refused. */
  delegateComplete: DelegateCompleteEvent;
  /** When the messages for the next model call are assembled. */
  contextAssemble: ContextAssembleEvent;
  /** When compaction is about to happen. */
  preCompact: PreCompactEvent;
  /** After a compaction. */
  postCompact: PostCompactEvent;
  /** Before a model is loaded into the backend. */
  modelLoad: ModelLoadEvent;
  /** After a model was unloaded. */
  modelUnload: ModelUnloadEvent;
  /** At each permission decision, after a tool call was validated. */
  permissionCheck: PermissionCheckEvent;
  /** Before the active set of adapters changes. */
  adapterSwap: AdapterSwapEvent;
  /** When a load or a context would not fit, or free memory fell below the limit. */
  vramPressure: VramPressureEvent;
  /** Before each directive of a tool result, of any type. */
  directive: DirectiveEvent;
  /** At a directive of a type that the engine does not know, after ON_DIRECTIVE. */
  customDirective: CustomDirectiveEvent;
  /** At loop entry, of child loops too; at depth 0 this is the start of a turn. */
  loopStart: LoopStartEvent;
  /** At loop exit, on every path. */
  loopEnd: LoopEndEvent;
  /** When the model says that it is done, by calling the complete tool. */
  complete: CompleteEvent;
  /** When a session's first run begins, or it is closed without one; its history is in place. */
  sessionStart: SessionStartEvent;
  /** When a session is closed, also with its engine. */
  sessionEnd: SessionEndEvent;
  /** When the system prompt is assembled, before the first ON_CONTEXT_ASSEMBLE. */
  bootstrap: BootstrapEvent;
  /** After each iteration, also one that failed. */
  iterationEnd: IterationEndEvent;
  /** After a reflection step. */
  reflection: ReflectionEvent;
  /** After a validator has judged a tool call. */
  toolValidation: ToolValidationEvent;
  /** When a tool result is about to be stored in the history or a saved session. */
  toolResultPersist: ToolResultPersistEvent;
  /** When a dry run is done: the plan was made, no tool ran. */
  dryRun: DryRunEvent;
  /** When a plan starts. */
  planExecution: PlanExecutionEvent;
  /** Before each model call, before PRE_GENERATE. */
  contextBudget: ContextBudgetEvent;
  /**
   * When a tool is called again exactly as before, though compaction had removed its earlier
   * output.
   */
  compactionMiss: CompactionMissEvent;
  /** When a model is loaded and usable. */
  modelReady: ModelReadyEvent;
  /** While a long prompt is evaluated. */
  promptProgress: PromptProgressEvent;
  /** When user input arrives (a run's input, a queued message), before it is stored anywhere. */
  userMessage: UserMessageEvent;
}

/** What a handler of each point may answer; undefined where there is nothing to change. */
export interface HookAnswers {
  /** Kind pre: `messages`, `prompt`, `params`, `tools`, `response`, `cancel()`. */
  preGenerate: PreGenerateAnswer;
  /** Kind post: `content`, `halt`, `retry`. */
  postGenerate: PostGenerateAnswer;
  /** Kind post: `text`, `drop`, `hold`. */
  streamToken: StreamTokenAnswer;
  /** Kind pre: `toolName`, `args`, `response`, `cancel()`. */
  preToolCall: PreToolCallAnswer;
  /** Kind post: `result`, `isError`, `directives`. */
  postToolCall: PostToolCallAnswer;
  /** Kind info: nothing. */
  loopIteration: undefined;
  /** Kind info: nothing. */
  stateChange: undefined;
  /** Kind info: nothing. */
  error: undefined;
  /** Kind pre: `targetTier`, `task`, `cancel()`. */
  delegate: DelegateAnswer;
  /** Kind post: `summary`. */
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
  /** Kind pre: `permission`, `reason`, `remember`, `cancel()`. */
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
  /** Kind pre: `cancel()`. */
  iterationEnd: undefined;
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
  /** Kind pre: `content`, `cancel()`. */
  userMessage: UserMessageAnswer;
}

/**
 * Where keys change between C's snake_case and TypeScript's camelCase: `p` lists the properties of an
 * object under their C names, `i` is the shape of an array's items. A value whose shape has neither
 * (arguments of tools, JSON Schemas, texts) passes untouched, with everything inside it.
 */
export interface Shape {
  /** Of an object: the shape of each property, by its C name. */
  readonly p?: Readonly<Record<string, Shape>>;
  /** Of an array: the shape of its items. */
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
  /** Where in the engine it fires. */
  readonly group: "generate" | "load" | "error" | "memory" | "adapter" | "agent";
  /** Whether this version fires it. */
  readonly fires: boolean;
  /** On which occasion it fires. */
  readonly when: string;
  /** The field that a C hook's plain text answer replaces; null: C hooks answer with JSON. */
  readonly textField: string | null;
  /** The fields of the event, beside meta. */
  readonly fields: readonly string[];
  /** The fields of the event that an answer may replace. */
  readonly mutable: readonly string[];
  /** The fields that only an answer has. */
  readonly answerOnly: readonly string[];
  /** Those of an answer that are joined with what other hooks give there. */
  readonly collected: readonly string[];
  /** Of the event. */
  readonly context: Shape;
  /** Of an answer. */
  readonly answer: Shape;
}

const LEAF: Shape = {};
const HOOK_META_SHAPE: Shape = { p: { point: LEAF, name: LEAF, seq: LEAF, time_us: LEAF, run_id: LEAF, parent_run_id: LEAF, session_id: LEAF, model_id: LEAF, tier: LEAF, depth: LEAF, iteration: LEAF } };
const TOOL_CALL_SHAPE: Shape = { p: { id: LEAF, name: LEAF, args: LEAF } };
const MESSAGE_SHAPE: Shape = { p: { role: LEAF, content: LEAF, reasoning: LEAF, tool_calls: { i: TOOL_CALL_SHAPE }, tool_call_id: LEAF, tool_name: LEAF } };
const TOOL_DEFINITION_SHAPE: Shape = { p: { name: LEAF, description: LEAF, parameters: LEAF } };
const LOGIT_BIAS_SHAPE: Shape = { p: { token: LEAF, bias: LEAF } };
const ADAPTER_CHOICE_SHAPE: Shape = { p: { id: LEAF, scale: LEAF } };
const USAGE_SHAPE: Shape = { p: { prompt_tokens: LEAF, cached_tokens: LEAF, completion_tokens: LEAF, drafted_tokens: LEAF, accepted_tokens: LEAF, prompt_ms: LEAF, decode_ms: LEAF } };
const MEMORY_BYTES_SHAPE: Shape = { p: { device_bytes: LEAF, host_bytes: LEAF } };
const DIRECTIVE_SHAPE: Shape = { p: { type: LEAF, params: LEAF } };
const ADAPTER_SHAPE: Shape = { p: { adapter_id: LEAF, adapter_path: LEAF, scale: LEAF } };
const UNLOAD_CANDIDATE_SHAPE: Shape = { p: { model_id: LEAF, bytes: LEAF, last_used: LEAF, pinned: LEAF } };
const NAMED_RESULT_SHAPE: Shape = { p: { name: LEAF, content: LEAF } };
const INJECTION_SHAPE: Shape = { p: { content: LEAF, durable: LEAF } };
const PLAN_STEP_SHAPE: Shape = { p: { name: LEAF, tool: LEAF, args: LEAF, tier: LEAF, task: LEAF, flow: LEAF, steps: LEAF } };
const GENERATE_PARAMS_SHAPE: Shape = { p: { max_tokens: LEAF, temperature: LEAF, dynatemp_range: LEAF, top_k: LEAF, top_p: LEAF, min_p: LEAF, typical_p: LEAF, top_n_sigma: LEAF, seed: LEAF, repeat_penalty: LEAF, presence_penalty: LEAF, frequency_penalty: LEAF, penalty_last_n: LEAF, dry_multiplier: LEAF, dry_base: LEAF, dry_allowed_length: LEAF, dry_penalty_last_n: LEAF, dry_sequence_breakers: LEAF, xtc_probability: LEAF, xtc_threshold: LEAF, mirostat: LEAF, mirostat_tau: LEAF, mirostat_eta: LEAF, adaptive_target: LEAF, adaptive_decay: LEAF, logit_bias: { i: LOGIT_BIAS_SHAPE }, adapters: { i: ADAPTER_CHOICE_SHAPE }, stop: LEAF, grammar: LEAF, json_schema: LEAF, strict_schema: LEAF, tool_choice: LEAF, ignore_eos: LEAF, logprobs: LEAF, top_logprobs: LEAF, reasoning: LEAF, reasoning_budget: LEAF, chat_template_args: LEAF } };
const LOAD_PARAMS_SHAPE: Shape = { p: { gpu_layers: LEAF, context_size: LEAF, parallel: LEAF, batch_size: LEAF, threads: LEAF, kv_type: LEAF, kv_cache: LEAF, cache_memory: LEAF, speculation: LEAF, draft_model: LEAF, pinned: LEAF, keep_alive: LEAF, lazy: LEAF, mmap: LEAF, devices: LEAF, split_mode: LEAF, main_device: LEAF, tensor_split: LEAF, cpu_moe: LEAF, chat_template: LEAF } };

/** The points by their TypeScript names, in ascending order of number. */
export const POINTS = {
  preGenerate: {
    number: 0,
    name: "PRE_GENERATE",
    tsName: "preGenerate",
    kind: "pre",
    group: "generate",
    fires: true,
    when: "Before each model call",
    textField: null,
    fields: ["messages", "prompt", "params", "tools", "tier", "iteration", "response"],
    mutable: ["messages", "prompt", "params", "tools"],
    answerOnly: ["response"],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, messages: { i: MESSAGE_SHAPE }, prompt: LEAF, params: GENERATE_PARAMS_SHAPE, tools: { i: TOOL_DEFINITION_SHAPE }, tier: LEAF, iteration: LEAF, response: LEAF } },
    answer: { p: { messages: { i: MESSAGE_SHAPE }, prompt: LEAF, params: GENERATE_PARAMS_SHAPE, tools: { i: TOOL_DEFINITION_SHAPE }, response: LEAF } },
  },
  postGenerate: {
    number: 1,
    name: "POST_GENERATE",
    tsName: "postGenerate",
    kind: "post",
    group: "generate",
    fires: true,
    when: "After each model call, before its output is stored, returned or acted on",
    textField: "content",
    fields: ["content", "reasoning", "toolCalls", "finishReason", "usage", "tier", "systemPrompt", "toolContext"],
    mutable: ["content"],
    answerOnly: ["halt", "retry"],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, content: LEAF, reasoning: LEAF, tool_calls: { i: TOOL_CALL_SHAPE }, finish_reason: LEAF, usage: USAGE_SHAPE, tier: LEAF, system_prompt: LEAF, tool_context: LEAF } },
    answer: { p: { content: LEAF, halt: LEAF, retry: LEAF } },
  },
  streamToken: {
    number: 2,
    name: "ON_STREAM_TOKEN",
    tsName: "streamToken",
    kind: "post",
    group: "generate",
    fires: true,
    when: "As tokens are generated, in order",
    textField: "text",
    fields: ["tokenIndex", "token", "text", "kind", "logprob", "final"],
    mutable: ["text"],
    answerOnly: ["drop", "hold"],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, token_index: LEAF, token: LEAF, text: LEAF, kind: LEAF, logprob: LEAF, final: LEAF } },
    answer: { p: { text: LEAF, drop: LEAF, hold: LEAF } },
  },
  preToolCall: {
    number: 3,
    name: "PRE_TOOL_CALL",
    tsName: "preToolCall",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "Before a tool call is validated and permission-checked",
    textField: null,
    fields: ["toolName", "args", "toolCallId", "tier", "iteration", "response"],
    mutable: ["toolName", "args"],
    answerOnly: ["response"],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, args: LEAF, tool_call_id: LEAF, tier: LEAF, iteration: LEAF, response: LEAF } },
    answer: { p: { tool_name: LEAF, args: LEAF, response: LEAF } },
  },
  postToolCall: {
    number: 4,
    name: "POST_TOOL_CALL",
    tsName: "postToolCall",
    kind: "post",
    group: "agent",
    fires: true,
    when: "After a tool ran or was refused, before its result is stored anywhere",
    textField: "result",
    fields: ["toolName", "args", "toolCallId", "elapsedMs", "tier", "iteration", "resultKind", "isError", "result", "directives"],
    mutable: ["result", "isError", "directives"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, args: LEAF, tool_call_id: LEAF, elapsed_ms: LEAF, tier: LEAF, iteration: LEAF, result_kind: LEAF, is_error: LEAF, result: LEAF, directives: { i: DIRECTIVE_SHAPE } } },
    answer: { p: { result: LEAF, is_error: LEAF, directives: { i: DIRECTIVE_SHAPE } } },
  },
  loopIteration: {
    number: 5,
    name: "ON_LOOP_ITERATION",
    tsName: "loopIteration",
    kind: "info",
    group: "agent",
    fires: true,
    when: "At the top of each iteration of the loop",
    textField: null,
    fields: ["goal", "iteration", "maxIterations", "state", "consecutiveErrors"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, goal: LEAF, iteration: LEAF, max_iterations: LEAF, state: LEAF, consecutive_errors: LEAF } },
    answer: LEAF,
  },
  stateChange: {
    number: 6,
    name: "ON_STATE_CHANGE",
    tsName: "stateChange",
    kind: "info",
    group: "agent",
    fires: true,
    when: "At each transition of the loop's state machine",
    textField: null,
    fields: ["previous", "current"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, previous: LEAF, current: LEAF } },
    answer: LEAF,
  },
  error: {
    number: 7,
    name: "ON_ERROR",
    tsName: "error",
    kind: "info",
    group: "error",
    fires: true,
    when: "After an error of a backend, tool, hook, load, delegation or MCP server; a call that is refused before it begins is its caller's alone",
    textField: null,
    fields: ["code", "message", "where", "recoverable", "iteration", "consecutive"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, code: LEAF, message: LEAF, where: LEAF, recoverable: LEAF, iteration: LEAF, consecutive: LEAF } },
    answer: LEAF,
  },
  delegate: {
    number: 8,
    name: "ON_DELEGATE",
    tsName: "delegate",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "Before a child run: delegation, pipeline stage or plan step",
    textField: null,
    fields: ["targetTier", "task", "depth", "flow"],
    mutable: ["targetTier", "task"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, target_tier: LEAF, task: LEAF, depth: LEAF, flow: LEAF } },
    answer: { p: { target_tier: LEAF, task: LEAF } },
  },
  delegateComplete: {
    number: 9,
    name: "ON_DELEGATE_COMPLETE",
    tsName: "delegateComplete",
    kind: "post",
    group: "agent",
    fires: true,
    when: "After a child run ended, or was refused",
    textField: "summary",
    fields: ["targetTier", "task", "success", "resultKind", "summary", "elapsedMs", "usage"],
    mutable: ["summary"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, target_tier: LEAF, task: LEAF, success: LEAF, result_kind: LEAF, summary: LEAF, elapsed_ms: LEAF, usage: USAGE_SHAPE } },
    answer: { p: { summary: LEAF } },
  },
  contextAssemble: {
    number: 10,
    name: "ON_CONTEXT_ASSEMBLE",
    tsName: "contextAssemble",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "When the messages for the next model call are assembled",
    textField: null,
    fields: ["messages", "tokenCount", "limit", "budget"],
    mutable: ["messages"],
    answerOnly: ["inject"],
    collected: ["inject"],
    context: { p: { meta: HOOK_META_SHAPE, messages: { i: MESSAGE_SHAPE }, token_count: LEAF, limit: LEAF, budget: LEAF } },
    answer: { p: { messages: { i: MESSAGE_SHAPE }, inject: { i: INJECTION_SHAPE } } },
  },
  preCompact: {
    number: 11,
    name: "ON_PRE_COMPACT",
    tsName: "preCompact",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "When compaction is about to happen",
    textField: null,
    fields: ["messages", "tokenCount", "threshold", "limit", "force", "strategy"],
    mutable: ["messages", "strategy"],
    answerOnly: ["instructions"],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, messages: { i: MESSAGE_SHAPE }, token_count: LEAF, threshold: LEAF, limit: LEAF, force: LEAF, strategy: LEAF } },
    answer: { p: { messages: { i: MESSAGE_SHAPE }, strategy: LEAF, instructions: LEAF } },
  },
  postCompact: {
    number: 12,
    name: "ON_POST_COMPACT",
    tsName: "postCompact",
    kind: "post",
    group: "agent",
    fires: true,
    when: "After a compaction",
    textField: null,
    fields: ["tokensBefore", "tokensAfter", "removed", "summary", "messages"],
    mutable: ["summary", "messages"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, tokens_before: LEAF, tokens_after: LEAF, removed: LEAF, summary: LEAF, messages: { i: MESSAGE_SHAPE } } },
    answer: { p: { summary: LEAF, messages: { i: MESSAGE_SHAPE } } },
  },
  modelLoad: {
    number: 13,
    name: "ON_MODEL_LOAD",
    tsName: "modelLoad",
    kind: "pre",
    group: "load",
    fires: true,
    when: "Before a model is loaded into the backend",
    textField: null,
    fields: ["modelId", "path", "fileBytes", "params", "estimate"],
    mutable: ["params"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, model_id: LEAF, path: LEAF, file_bytes: LEAF, params: LOAD_PARAMS_SHAPE, estimate: MEMORY_BYTES_SHAPE } },
    answer: { p: { params: LOAD_PARAMS_SHAPE } },
  },
  modelUnload: {
    number: 14,
    name: "ON_MODEL_UNLOAD",
    tsName: "modelUnload",
    kind: "info",
    group: "load",
    fires: true,
    when: "After a model was unloaded",
    textField: null,
    fields: ["modelId", "path", "reason", "freed"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, model_id: LEAF, path: LEAF, reason: LEAF, freed: { p: { device_bytes: LEAF, host_bytes: LEAF, measured: LEAF } } } },
    answer: LEAF,
  },
  permissionCheck: {
    number: 15,
    name: "ON_PERMISSION_CHECK",
    tsName: "permissionCheck",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "At each permission decision, after a tool call was validated",
    textField: null,
    fields: ["toolName", "args", "permission", "rule", "tier"],
    mutable: ["permission"],
    answerOnly: ["reason", "remember"],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, args: LEAF, permission: LEAF, rule: LEAF, tier: LEAF } },
    answer: { p: { permission: LEAF, reason: LEAF, remember: LEAF } },
  },
  adapterSwap: {
    number: 16,
    name: "ON_ADAPTER_SWAP",
    tsName: "adapterSwap",
    kind: "pre",
    group: "adapter",
    fires: true,
    when: "Before the active set of adapters changes",
    textField: null,
    fields: ["currentAdapter", "targetAdapter", "adapterPath", "scale", "adapters"],
    mutable: ["scale", "adapters"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, current_adapter: LEAF, target_adapter: LEAF, adapter_path: LEAF, scale: LEAF, adapters: { i: ADAPTER_SHAPE } } },
    answer: { p: { scale: LEAF, adapters: { i: ADAPTER_SHAPE } } },
  },
  vramPressure: {
    number: 17,
    name: "ON_VRAM_PRESSURE",
    tsName: "vramPressure",
    kind: "pre",
    group: "memory",
    fires: true,
    when: "When a load or a context would not fit, or free memory fell below the limit",
    textField: null,
    fields: ["device", "vramUsedMb", "vramTotalMb", "pressureLevel", "neededBytes", "freeBytes", "budgetBytes", "cause", "candidates", "conversationBytes", "plan"],
    mutable: ["conversationBytes", "plan"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, device: LEAF, vram_used_mb: LEAF, vram_total_mb: LEAF, pressure_level: LEAF, needed_bytes: LEAF, free_bytes: LEAF, budget_bytes: LEAF, cause: LEAF, candidates: { i: UNLOAD_CANDIDATE_SHAPE }, conversation_bytes: LEAF, plan: LEAF } },
    answer: { p: { conversation_bytes: LEAF, plan: LEAF } },
  },
  directive: {
    number: 18,
    name: "ON_DIRECTIVE",
    tsName: "directive",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "Before each directive of a tool result, of any type",
    textField: null,
    fields: ["type", "params"],
    mutable: ["params"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, type: LEAF, params: LEAF } },
    answer: { p: { params: LEAF } },
  },
  customDirective: {
    number: 19,
    name: "ON_CUSTOM_DIRECTIVE",
    tsName: "customDirective",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "At a directive of a type that the engine does not know, after ON_DIRECTIVE",
    textField: null,
    fields: ["type", "params"],
    mutable: [],
    answerOnly: ["handled", "message"],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, type: LEAF, params: LEAF } },
    answer: { p: { handled: LEAF, message: LEAF } },
  },
  loopStart: {
    number: 20,
    name: "ON_LOOP_START",
    tsName: "loopStart",
    kind: "info",
    group: "agent",
    fires: true,
    when: "At loop entry, of child loops too; at depth 0 this is the start of a turn",
    textField: null,
    fields: ["messages", "messageCount", "delegationDepth", "tier"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, messages: { i: MESSAGE_SHAPE }, message_count: LEAF, delegation_depth: LEAF, tier: LEAF } },
    answer: LEAF,
  },
  loopEnd: {
    number: 21,
    name: "ON_LOOP_END",
    tsName: "loopEnd",
    kind: "info",
    group: "agent",
    fires: true,
    when: "At loop exit, on every path",
    textField: null,
    fields: ["finalState", "reason", "iterations", "response", "usage", "durationMs"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, final_state: LEAF, reason: LEAF, iterations: LEAF, response: LEAF, usage: USAGE_SHAPE, duration_ms: LEAF } },
    answer: LEAF,
  },
  complete: {
    number: 22,
    name: "ON_COMPLETE",
    tsName: "complete",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "When the model says that it is done, by calling the complete tool",
    textField: null,
    fields: ["summary", "tier", "iteration", "toolResults"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, summary: LEAF, tier: LEAF, iteration: LEAF, tool_results: { i: NAMED_RESULT_SHAPE } } },
    answer: LEAF,
  },
  sessionStart: {
    number: 1000,
    name: "ON_SESSION_START",
    tsName: "sessionStart",
    kind: "info",
    group: "agent",
    fires: true,
    when: "When a session's first run begins, or it is closed without one; its history is in place",
    textField: null,
    fields: ["history"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, history: { i: MESSAGE_SHAPE } } },
    answer: LEAF,
  },
  sessionEnd: {
    number: 1001,
    name: "ON_SESSION_END",
    tsName: "sessionEnd",
    kind: "info",
    group: "agent",
    fires: true,
    when: "When a session is closed, also with its engine",
    textField: null,
    fields: ["history", "iterations"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, history: { i: MESSAGE_SHAPE }, iterations: LEAF } },
    answer: LEAF,
  },
  bootstrap: {
    number: 1002,
    name: "ON_BOOTSTRAP",
    tsName: "bootstrap",
    kind: "post",
    group: "agent",
    fires: true,
    when: "When the system prompt is assembled, before the first ON_CONTEXT_ASSEMBLE",
    textField: null,
    fields: ["tier", "systemPrompt", "parts"],
    mutable: [],
    answerOnly: ["parts"],
    collected: ["parts"],
    context: { p: { meta: HOOK_META_SHAPE, tier: LEAF, system_prompt: LEAF, parts: LEAF } },
    answer: { p: { parts: LEAF } },
  },
  iterationEnd: {
    number: 1003,
    name: "ON_ITERATION_END",
    tsName: "iterationEnd",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "After each iteration, also one that failed",
    textField: null,
    fields: ["iteration", "status", "toolCallCounts", "taskCompleted", "output"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, iteration: LEAF, status: LEAF, tool_call_counts: LEAF, task_completed: LEAF, output: LEAF } },
    answer: LEAF,
  },
  reflection: {
    number: 1004,
    name: "ON_REFLECTION",
    tsName: "reflection",
    kind: "info",
    group: "agent",
    fires: true,
    when: "After a reflection step",
    textField: null,
    fields: ["iteration", "monologue", "shouldProceed"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, iteration: LEAF, monologue: LEAF, should_proceed: LEAF } },
    answer: LEAF,
  },
  toolValidation: {
    number: 1005,
    name: "ON_TOOL_VALIDATION",
    tsName: "toolValidation",
    kind: "info",
    group: "agent",
    fires: true,
    when: "After a validator has judged a tool call",
    textField: null,
    fields: ["toolName", "args", "validator", "allowed", "reason"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, args: LEAF, validator: LEAF, allowed: LEAF, reason: LEAF } },
    answer: LEAF,
  },
  toolResultPersist: {
    number: 1006,
    name: "ON_TOOL_RESULT_PERSIST",
    tsName: "toolResultPersist",
    kind: "post",
    group: "agent",
    fires: true,
    when: "When a tool result is about to be stored in the history or a saved session",
    textField: "result",
    fields: ["toolName", "result", "tier"],
    mutable: ["result"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, result: LEAF, tier: LEAF } },
    answer: { p: { result: LEAF } },
  },
  dryRun: {
    number: 1007,
    name: "ON_DRY_RUN",
    tsName: "dryRun",
    kind: "info",
    group: "agent",
    fires: true,
    when: "When a dry run is done: the plan was made, no tool ran",
    textField: null,
    fields: ["plannedSteps", "toolsUsed", "estimatedCost"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, planned_steps: LEAF, tools_used: LEAF, estimated_cost: LEAF } },
    answer: LEAF,
  },
  planExecution: {
    number: 1008,
    name: "ON_PLAN_EXECUTION",
    tsName: "planExecution",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "When a plan starts",
    textField: null,
    fields: ["flow", "stepCount", "stepNames", "steps"],
    mutable: ["steps"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, flow: LEAF, step_count: LEAF, step_names: LEAF, steps: { i: PLAN_STEP_SHAPE } } },
    answer: { p: { steps: { i: PLAN_STEP_SHAPE } } },
  },
  contextBudget: {
    number: 1009,
    name: "ON_CONTEXT_BUDGET",
    tsName: "contextBudget",
    kind: "info",
    group: "generate",
    fires: true,
    when: "Before each model call, before PRE_GENERATE",
    textField: null,
    fields: ["personaTokens", "toolSchemaTokens", "historyTokens", "totalTokens", "maxTokens", "utilization", "overBudget"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, persona_tokens: LEAF, tool_schema_tokens: LEAF, history_tokens: LEAF, total_tokens: LEAF, max_tokens: LEAF, utilization: LEAF, over_budget: LEAF } },
    answer: LEAF,
  },
  compactionMiss: {
    number: 1010,
    name: "ON_COMPACTION_MISS",
    tsName: "compactionMiss",
    kind: "info",
    group: "agent",
    fires: true,
    when: "When a tool is called again exactly as before, though compaction had removed its earlier output",
    textField: null,
    fields: ["toolName", "originalSize", "compressedSize", "boost"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, tool_name: LEAF, original_size: LEAF, compressed_size: LEAF, boost: LEAF } },
    answer: LEAF,
  },
  modelReady: {
    number: 1011,
    name: "ON_MODEL_READY",
    tsName: "modelReady",
    kind: "info",
    group: "load",
    fires: true,
    when: "When a model is loaded and usable",
    textField: null,
    fields: ["modelId", "path", "loadMs", "devices", "measured", "nCtx", "architecture"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, model_id: LEAF, path: LEAF, load_ms: LEAF, devices: LEAF, measured: MEMORY_BYTES_SHAPE, n_ctx: LEAF, architecture: LEAF } },
    answer: LEAF,
  },
  promptProgress: {
    number: 1012,
    name: "ON_PROMPT_PROGRESS",
    tsName: "promptProgress",
    kind: "info",
    group: "generate",
    fires: true,
    when: "While a long prompt is evaluated",
    textField: null,
    fields: ["processed", "total", "cached"],
    mutable: [],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, processed: LEAF, total: LEAF, cached: LEAF } },
    answer: LEAF,
  },
  userMessage: {
    number: 1013,
    name: "ON_USER_MESSAGE",
    tsName: "userMessage",
    kind: "pre",
    group: "agent",
    fires: true,
    when: "When user input arrives (a run's input, a queued message), before it is stored anywhere",
    textField: null,
    fields: ["content", "tier", "queued"],
    mutable: ["content"],
    answerOnly: [],
    collected: [],
    context: { p: { meta: HOOK_META_SHAPE, content: LEAF, tier: LEAF, queued: LEAF } },
    answer: { p: { content: LEAF } },
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
