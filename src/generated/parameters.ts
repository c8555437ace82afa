// The types of the options that callers may set, and the facts by which each value is checked.
// Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
import type { AdapterChoice, LogitBias, Tags, ToolChoice } from "./points.js";

/** The valid values of an option. */
export interface ParameterCheck {
  readonly type: string;
  /** For a number: the least and the greatest valid value. */
  readonly min?: number;
  readonly max?: number;
  /** The word "auto" is taken, too. */
  readonly auto?: boolean;
  /** For an enumeration: its values. */
  readonly values?: readonly string[];
}

/** `lh_engine_create`, `createEngine()`. Defaults are in brackets. */
export interface EngineParameters {
  /**
   * `process`: models are loaded, and compute, in a process of the engine's own. If that dies,
   * calls that compute fail with ENGINE_CRASHED, and the next call starts it again ["none"].
   */
  readonly isolation?: "none" | "process";
  /**
   * With isolation: milliseconds after which a step of a model counts as stuck and the engine ends
   * its process. The engine also ends a process that sends nothing for ten seconds. 0: it ends a
   * process only if, for ten seconds, the process does not react to an abort, or holds up a call
   * that takes no signal [120000].
   */
  readonly stepTimeoutMs?: number;
  /**
   * Addresses (`host:port`) of RPC servers of llama.cpp, at most 16, whose devices models may use
   * like GPUs of this machine. Requires isolation, because a server that fails ends the process.
   * The protocol has no authentication and no encryption: reach servers through a tunnel [none].
   */
  readonly rpc?: readonly string[];
  /** Maximum number of queued generations of one model; beyond it, calls fail with BUSY [1024]. */
  readonly maxQueued?: number;
  /**
   * Milliseconds that a close, or the end of the process or worker, waits for cancelled work,
   * besides waits for hooks that answer later; then the work is left behind, with STUCK. 0: without
   * end [5000].
   */
  readonly closeTimeoutMs?: number;
  /**
   * MiB that models may take of main memory, and of each GPU. If a model does not fit, the engine
   * unloads idle models (`vramPressure`) [the free memory of each device].
   */
  readonly memoryBudget?: number;
  /**
   * MiB that models may take of each named device (`CPU`: main memory), in place of memoryBudget
   * [memoryBudget for each].
   */
  readonly deviceBudgets?: Readonly<Record<string, number>>;
  /**
   * MiB: if a device has less free memory, the engine unloads idle models (`vramPressure`); 0: the
   * engine does not check [0].
   */
  readonly lowMemory?: number;
  /**
   * `warn`: the engine warns of the first failure of each hook, unless a hook at `error` receives
   * it. `ignore`: it does not warn ["warn"].
   */
  readonly onHookFailure?: "warn" | "ignore";
  /**
   * The log lines of llama-hooks and llama.cpp that go to stderr, for the whole process ["none"].
   */
  readonly logLevel?: "none" | "error" | "warn" | "info" | "debug";
}

export const engineChecks = {
  isolation: { type: "enum", values: ["none","process"] },
  stepTimeoutMs: { type: "integer", min: 0, max: 86400000 },
  rpc: { type: "strings" },
  maxQueued: { type: "integer", min: 0, max: 1048576 },
  closeTimeoutMs: { type: "integer", min: 0, max: 86400000 },
  memoryBudget: { type: "integer", min: 1, max: 16777216 },
  deviceBudgets: { type: "integers_by_name", min: 1, max: 16777216 },
  lowMemory: { type: "integer", min: 0, max: 16777216 },
  onHookFailure: { type: "enum", values: ["warn","ignore"] },
  logLevel: { type: "enum", values: ["none","error","warn","info","debug"] },
} as const satisfies Record<keyof EngineParameters, ParameterCheck>;

/**
 * Settings for loading a model, in addition to its `path`, which is required. Defaults are in
 * brackets.
 */
export interface LoadOptions {
  /**
   * Layers on the GPU, if there is one; the output layer counts as one; -1: all; `auto`: as many as
   * fit [-1].
   */
  readonly gpuLayers?: number | "auto";
  /**
   * Tokens that a sequence can hold; 0: the context size of the model, at most 4096; `auto`: as
   * many as fit, at most the context size of the model [0].
   */
  readonly contextSize?: number | "auto";
  /** Number of sequences that are decoded together [4]. */
  readonly parallel?: number;
  /**
   * Prompt tokens per decode call. Also the maximum of tokens in a text to embed or rank, and of
   * tokens of such texts that are computed at a time [512].
   */
  readonly batchSize?: number;
  /**
   * Number of threads that compute; 0: one per 8 MiB of weights. A number above the cores that the
   * process may use is capped, with a warning in the log [0].
   */
  readonly threads?: number;
  /** Type of the KV cache ["f16"]. */
  readonly kvType?: "f16" | "q8_0" | "f32";
  /**
   * `streams`: each sequence has a separate part of the cache, and idle sequences slow nothing
   * down; `unified`: all sequences share one cache, which keeps a common prefix once ["streams"].
   */
  readonly kvCache?: "streams" | "unified";
  /**
   * MiB of host memory for the KV cache of idle conversations whose sequences are needed by others;
   * 0: none, so that their prompts are read again [the size of the KV cache, from 16 to 1024].
   */
  readonly cacheMemory?: number;
  /**
   * Share of the computing time that running generations keep while a prompt is read. 1:
   * generations wait as little as possible; 0: the prompt is read at full speed, and generations
   * wait for whole batches [0.125].
   */
  readonly fairness?: number;
  /**
   * `ngram`: if a generation repeats parts of its context (code, quotes), the engine guesses
   * several tokens and checks them at once. The text comes sooner and stays the same, unless two
   * tokens are equally likely up to rounding. Works for one or two generations at a time, while no
   * prompt is read, if the KV cache can be cut back ["off"].
   */
  readonly speculation?: "off" | "ngram";
  /**
   * Path of a small model with the same vocabulary. It guesses tokens where the text does not
   * repeat; guesses are checked as with `speculation` [none].
   */
  readonly draftModel?: string;
  /** The model is never unloaded to free memory [false]. */
  readonly pinned?: boolean;
  /**
   * Seconds without use after which the model is unloaded; the next use loads it again [until its
   * memory is needed].
   */
  readonly keepAlive?: number;
  /** Inspect the file now, but load the model only when it is first used [false]. */
  readonly lazy?: boolean;
  /** Map the file instead of reading it [true]. */
  readonly mmap?: boolean;
  /** Names of the GPUs that the model may use, in this order [every GPU of the process]. */
  readonly devices?: readonly string[];
  /**
   * The way in which several GPUs share the model. `layer`: each has some of the layers; `row`:
   * each has a part of every matrix, if the backend can do that; `none`: one GPU has the whole
   * model, see `mainDevice` ["layer"].
   */
  readonly splitMode?: "layer" | "row" | "none";
  /** The GPU that has the whole model with `splitMode` `none` [the first]. */
  readonly mainDevice?: string;
  /** Share of each device, one number per device, in the order of the devices [by free memory]. */
  readonly tensorSplit?: readonly number[];
  /**
   * For a mixture of experts: number of layers, from the first on, whose experts stay in main
   * memory; -1: all layers [0].
   */
  readonly cpuMoe?: number;
  /**
   * A Jinja chat template that replaces the template in the model file [the template in the model
   * file].
   */
  readonly chatTemplate?: string;
}

export const loadChecks = {
  gpuLayers: { type: "integer", auto: true, min: -1, max: 1048576 },
  contextSize: { type: "integer", auto: true, min: 0, max: 16777216 },
  parallel: { type: "integer", min: 1, max: 64 },
  batchSize: { type: "integer", min: 1, max: 65536 },
  threads: { type: "integer", min: 0, max: 512 },
  kvType: { type: "enum", values: ["f16","q8_0","f32"] },
  kvCache: { type: "enum", values: ["streams","unified"] },
  cacheMemory: { type: "integer", min: 0, max: 16777216 },
  fairness: { type: "number", min: 0, max: 1 },
  speculation: { type: "enum", values: ["off","ngram"] },
  draftModel: { type: "name" },
  pinned: { type: "boolean" },
  keepAlive: { type: "integer", min: 0, max: 31536000 },
  lazy: { type: "boolean" },
  mmap: { type: "boolean" },
  devices: { type: "strings" },
  splitMode: { type: "enum", values: ["layer","row","none"] },
  mainDevice: { type: "name" },
  tensorSplit: { type: "numbers", min: 0, max: 1000000 },
  cpuMoe: { type: "integer", min: -1, max: 1048576 },
  chatTemplate: { type: "name" },
} as const satisfies Record<keyof LoadOptions, ParameterCheck>;

/**
 * Settings for loading an adapter, in addition to its `path`, which is required. Defaults are in
 * brackets.
 */
export interface AdapterParameters {
  /** Id of the model that the adapter is for [the only loaded model]. */
  readonly model?: string;
  /** Strength that applies if none is given; 1 is as trained [1]. */
  readonly scale?: number;
}

export const adapterChecks = {
  model: { type: "name" },
  scale: { type: "number", min: -1000, max: 1000 },
} as const satisfies Record<keyof AdapterParameters, ParameterCheck>;

/** `lh_model_add`: a model that functions of the caller compute. Defaults are in brackets. */
export interface OwnModelParameters {
  /**
   * The place where the model computes, as `modelLoad` and `lh_model_describe` show it. It must not
   * contain a password or a key: of a URL, user and password, query and fragment are left out
   * [none].
   */
  readonly address?: string;
  /** One line about the model, such as its name at that address [none]. */
  readonly description?: string;
  /**
   * Id of the model that answers when this one is unreachable before its answer begins: a stream
   * that ends with REMOTE_UNREACHABLE and without a piece. `error` tells of both, and the model
   * call begins again with the other [none].
   */
  readonly fallback?: string;
  /**
   * Tokens that the prompt and the answer may have together. The engine compacts a conversation
   * before it is longer [32768].
   */
  readonly contextSize?: number;
  /**
   * Answers at a time; each has a thread of this process. Further ones wait, by priority.
   * `modelLoad` shows 64 at most [16].
   */
  readonly parallel?: number;
  /**
   * The features that the model has, of: "tools", "json_schema", "logprobs", "grammar", "raw",
   * "continue_final_message". A call that needs another one ends with UNSUPPORTED_BY_MODEL [tools].
   */
  readonly features?: readonly string[];
  /**
   * Names of the sampling parameters that the model follows, besides those that are features. A
   * call that sets another one ends with UNSUPPORTED_BY_MODEL ["max_tokens", "temperature",
   * "top_p", "seed" and "stop"].
   */
  readonly parameters?: readonly string[];
}

export const ownChecks = {
  address: { type: "string" },
  description: { type: "string" },
  fallback: { type: "name" },
  contextSize: { type: "integer", min: 16, max: 16777216 },
  parallel: { type: "integer", min: 1, max: 4096 },
  features: { type: "strings" },
  parameters: { type: "strings" },
} as const satisfies Record<keyof OwnModelParameters, ParameterCheck>;

/**
 * Settings for sampling the text of a generation. A context shows every default, and leaves out
 * parameters that are not set. In an answer, null resets a key that may be unset. Defaults are in
 * brackets.
 */
export interface SamplingParameters<Schema> {
  /** Maximum number of tokens to generate [as many as fit into the context]. */
  readonly maxTokens?: number;
  /** Randomness of the choice of tokens; 0 is greedy: always the likeliest token [0.8]. */
  readonly temperature?: number;
  /**
   * The temperature moves up and down by at most this much with the model's uncertainty; 0: off
   * [0].
   */
  readonly dynatempRange?: number;
  /** Only this many of the likeliest tokens are considered; 0: all [40]. */
  readonly topK?: number;
  /** Only the likeliest tokens that together reach this probability are considered [0.95]. */
  readonly topP?: number;
  /** Tokens are left out if they are less likely than this share of the likeliest token [0.05]. */
  readonly minP?: number;
  /** Locally typical sampling: the probability mass that is kept; 1: off [1]. */
  readonly typicalP?: number;
  /**
   * Only tokens within this many standard deviations of the best logit are considered; -1: off
   * [-1].
   */
  readonly topNSigma?: number;
  /**
   * The same seed gives the same text if the computation is the same. Other generations at the same
   * time, or a cached part of the prompt, change the rounding of numbers, and a token may differ
   * [random].
   */
  readonly seed?: number;
  /** Penalty for repeated tokens; 1: off [1]. */
  readonly repeatPenalty?: number;
  /** Penalty for tokens that have occurred; 0: off [0]. */
  readonly presencePenalty?: number;
  /** Penalty for each occurrence of a token; 0: off [0]. */
  readonly frequencyPenalty?: number;
  /** Number of last tokens that the penalties look at; 0: off [64]. */
  readonly penaltyLastN?: number;
  /** Strength of the DRY penalty for repeated passages; 0: off [0]. */
  readonly dryMultiplier?: number;
  /** Base of the DRY penalty's growth [1.75]. */
  readonly dryBase?: number;
  /** Tokens that may repeat without a DRY penalty [2]. */
  readonly dryAllowedLength?: number;
  /** Number of last tokens that DRY looks at; 0: off [64]. */
  readonly dryPenaltyLastN?: number;
  /** Texts at which DRY starts again [llama.cpp's own]. */
  readonly drySequenceBreakers?: readonly string[];
  /** Probability of leaving out the top choices (XTC); 0: off [0]. */
  readonly xtcProbability?: number;
  /** Probability from which on a token counts as a top choice [0.1]. */
  readonly xtcThreshold?: number;
  /** Version of Mirostat; 0: off [0]. */
  readonly mirostat?: 0 | 1 | 2;
  /** Mirostat's target entropy [5]. */
  readonly mirostatTau?: number;
  /** Mirostat's learning rate [0.1]. */
  readonly mirostatEta?: number;
  /**
   * Adaptive-p: the probability that chosen tokens approach; no effect with Mirostat; -1: off [-1].
   */
  readonly adaptiveTarget?: number;
  /** Memory of adaptive-p: about 1 / (1 - decay) tokens [0.9]. */
  readonly adaptiveDecay?: number;
  /** Numbers to add to the logits of tokens; null bans a token. */
  readonly logitBias?: readonly LogitBias[];
  /**
   * Adapters (LoRA, aLoRA, control vectors) that the model runs with, each with its strength; an
   * empty list: none. `adapterSwap` fires if the set differs from the conversation's set so far.
   */
  readonly adapters?: readonly AdapterChoice[];
  /** Texts that end the output and are not part of it; none of them may be empty. */
  readonly stop?: string | readonly string[];
  /**
   * The parts of an answer that the texts of `stop` end: its text, or with `all` also its reasoning
   * and its tool calls ["text"].
   */
  readonly stopIn?: "text" | "all";
  /** A GBNF grammar that the output follows; not together with `jsonSchema` [none]. */
  readonly grammar?: string;
  /**
   * A JSON Schema (in TypeScript also a zod schema) that the output follows, as far as
   * docs/reference/schemas.md says; not together with `grammar`. With tools that the model may
   * call, the output is either calls or follows the schema; with tools that it must call, it is
   * calls [none].
   */
  readonly jsonSchema?: Schema;
  /**
   * True: refuse a `jsonSchema`, or a tool's parameters, with a keyword that the grammar cannot
   * enforce; INVALID_SCHEMA names the keyword and its place. False: such keywords have no effect
   * [false].
   */
  readonly strictSchema?: boolean;
  /**
   * The model may (`auto`), must not (`none`) or must (`required`) call a tool; `{ tool }`: it must
   * call the tool of that name. No text comes before a call that it must make, unless the model
   * thinks first. The grammar sees to it: the prompt is the same for every choice ["auto"].
   */
  readonly toolChoice?: ToolChoice;
  /** False: a message has one tool call at most; the text ends where a second one begins [true]. */
  readonly parallelToolCalls?: boolean;
  /**
   * How control tokens that messages and tools spell out are read: as plain text, or, with `allow`,
   * as control tokens. No effect on a raw prompt, whose control tokens are always read as such
   * ["text"].
   */
  readonly specialTokens?: "text" | "allow";
  /**
   * Generate past the model's end token, until `maxTokens`; for measurements. The text still ends
   * if a grammar or schema allows no further token [false].
   */
  readonly ignoreEos?: boolean;
  /**
   * Each token event has the token's log probability, and the result has those of all tokens: the
   * model's own, before any of these parameters apply [false].
   */
  readonly logprobs?: boolean;
  /** Number of the likeliest alternatives that come with each token; includes `logprobs` [0]. */
  readonly topLogprobs?: number;
  /**
   * False: the chat template is told that the model must not reason (`enable_thinking`). If the
   * model begins to reason anyway, the engine ends the reasoning at once, provided that it knows
   * the template's reasoning marks [true].
   */
  readonly reasoning?: boolean;
  /**
   * True: the prompt has the reasoning of earlier answers, too, where the chat template can keep
   * it; false: as the template does by itself [true].
   */
  readonly preserveReasoning?: boolean;
  /**
   * Maximum number of reasoning tokens; then the engine forces the mark that ends it. No effect on
   * a raw prompt, or if the engine does not know the chat template's reasoning marks [no limit].
   */
  readonly reasoningBudget?: number;
  /**
   * Additional variables for the chat template, by name (elsewhere called `chat_template_kwargs`);
   * `enable_thinking: false` among them has the effect of `reasoning: false` [none].
   */
  readonly chatTemplateArgs?: Readonly<Record<string, unknown>>;
}

export const samplingChecks = {
  maxTokens: { type: "integer", min: 1, max: 2147483647 },
  temperature: { type: "number", min: 0 },
  dynatempRange: { type: "number", min: 0 },
  topK: { type: "integer", min: 0, max: 2147483647 },
  topP: { type: "number", min: 0, max: 1 },
  minP: { type: "number", min: 0, max: 1 },
  typicalP: { type: "number", min: 0, max: 1 },
  topNSigma: { type: "number", min: -1 },
  seed: { type: "integer", min: 0, max: 4294967294 },
  repeatPenalty: { type: "number", min: 0.01, max: 100 },
  presencePenalty: { type: "number", min: -100, max: 100 },
  frequencyPenalty: { type: "number", min: -100, max: 100 },
  penaltyLastN: { type: "integer", min: 0, max: 1048576 },
  dryMultiplier: { type: "number", min: 0, max: 100 },
  dryBase: { type: "number", min: 1, max: 100 },
  dryAllowedLength: { type: "integer", min: 0, max: 1048576 },
  dryPenaltyLastN: { type: "integer", min: 0, max: 1048576 },
  drySequenceBreakers: { type: "strings" },
  xtcProbability: { type: "number", min: 0, max: 1 },
  xtcThreshold: { type: "number", min: 0, max: 1 },
  mirostat: { type: "integer", min: 0, max: 2 },
  mirostatTau: { type: "number", min: 0, max: 1000 },
  mirostatEta: { type: "number", min: 0, max: 1 },
  adaptiveTarget: { type: "number", min: -1, max: 1 },
  adaptiveDecay: { type: "number", min: 0, max: 0.99 },
  logitBias: { type: "logit_bias" },
  adapters: { type: "adapter_choice" },
  stop: { type: "stops" },
  stopIn: { type: "enum", values: ["text","all"] },
  grammar: { type: "string" },
  jsonSchema: { type: "schema" },
  strictSchema: { type: "boolean" },
  toolChoice: { type: "tool_choice" },
  parallelToolCalls: { type: "boolean" },
  specialTokens: { type: "enum", values: ["text","allow"] },
  ignoreEos: { type: "boolean" },
  logprobs: { type: "boolean" },
  topLogprobs: { type: "integer", min: 0, max: 20 },
  reasoning: { type: "boolean" },
  preserveReasoning: { type: "boolean" },
  reasoningBudget: { type: "integer", min: 0, max: 2147483647 },
  chatTemplateArgs: { type: "object" },
} as const satisfies Record<keyof SamplingParameters<unknown>, ParameterCheck>;

/** One model call: `lh_generate`, `engine.generate()`. Defaults are in brackets. */
export interface RequestOptions<Schema> {
  /** Id of the model [the only loaded model]. */
  readonly model?: string;
  /** Give a prompt to the model as it is, without its chat template [false]. */
  readonly raw?: boolean;
  /**
   * The system prompt, as the first message. Not together with a system message in `messages`, and
   * not with `raw` [none].
   */
  readonly system?: string;
  /**
   * A JSON Schema or a zod schema that the text follows, as with `jsonSchema`; the result then has
   * the value as its `answer`. Not together with `grammar` and `jsonSchema` [none].
   */
  readonly answer?: Schema;
  /**
   * The model continues the last message, which must be an assistant's without tool calls: the
   * prompt ends with its text. The result's text is the continuation alone; `messages` has the
   * whole message, which takes the place of the last one. Not together with a raw prompt,
   * `jsonSchema` and a `toolChoice` that requires a call; a `grammar` holds for the continuation
   * [false].
   */
  readonly continueFinalMessage?: boolean;
  /**
   * "held": token events come only after the `postGenerate` hooks have answered, so that no
   * streamed text is changed afterwards ["live"].
   */
  readonly stream?: "live" | "held";
  /** Name that hooks see as `tier` [none]. */
  readonly tier?: string;
  /**
   * Among generations that wait for their turn, the lowest priority runs first; at equal priority,
   * the one that came first [0].
   */
  readonly priority?: number;
  /** Tags that every event of the call has in its `meta` [none]. */
  readonly tags?: Tags;
}

export const generateChecks = {
  model: { type: "name" },
  raw: { type: "boolean" },
  system: { type: "string" },
  answer: { type: "schema" },
  continueFinalMessage: { type: "boolean" },
  stream: { type: "enum", values: ["live","held"] },
  tier: { type: "name" },
  priority: { type: "integer", min: -1000000, max: 1000000 },
  tags: { type: "tags" },
} as const satisfies Record<keyof RequestOptions<unknown>, ParameterCheck>;

/** `lh_embed`, `engine.embed()`. Defaults are in brackets. */
export interface EmbedParameters {
  /** Id of the model [the only loaded model]. */
  readonly model?: string;
  /**
   * The method that combines the vectors of a text's tokens into one. `mean`: their mean; `cls`:
   * the first token's vector; `last`: the last token's; `none`: not at all, each token keeps its
   * vector; `model`: the way that the model's file names, otherwise `last`, or `mean` for a model
   * that does not read from left to right ["model"].
   */
  readonly pooling?: "model" | "none" | "mean" | "cls" | "last";
  /**
   * Scale vectors to length 1, so that a dot product is the cosine similarity; vectors of single
   * tokens (pooling `none`) stay as they are [true].
   */
  readonly normalize?: boolean;
}

export const embedChecks = {
  model: { type: "name" },
  pooling: { type: "enum", values: ["model","none","mean","cls","last"] },
  normalize: { type: "boolean" },
} as const satisfies Record<keyof EmbedParameters, ParameterCheck>;

/** `lh_rerank`, `engine.rerank()`. Defaults are in brackets. */
export interface RerankParameters {
  /** Id of the model [the only loaded model]. */
  readonly model?: string;
  /** Return only this many documents, the most relevant ones [all]. */
  readonly topN?: number;
  /** Scores between 0 and 1 (their logistic function); false: the model's own scores [false]. */
  readonly normalize?: boolean;
}

export const rerankChecks = {
  model: { type: "name" },
  topN: { type: "integer", min: 1, max: 2147483647 },
  normalize: { type: "boolean" },
} as const satisfies Record<keyof RerankParameters, ParameterCheck>;

/**
 * A conversation with an agent: `lh_session_open`, `engine.session()`. Defaults are in brackets.
 */
export interface SessionParameters {
  /** Id of the model [the only loaded model]. */
  readonly model?: string;
  /** The system prompt; `bootstrap` hooks append to it [none]. */
  readonly system?: string;
  /**
   * Id of the session, which no open session of the engine has: 1 to 100 letters, digits, `-`, `_`
   * and `.`, the first a letter or digit [a new id].
   */
  readonly id?: string;
  /** Tier of the session: one of `tiers`. Without `tiers`, a name that only hooks see [none]. */
  readonly tier?: string;
  /**
   * Tags that every event of the session's runs, and of the runs that they delegate to, has in its
   * `meta` [none].
   */
  readonly tags?: Tags;
  /**
   * Maximum number of model calls of a run, not counting retries that hooks ask for; the run then
   * ends with the limit `maxIterations` [25].
   */
  readonly maxIterations?: number;
  /**
   * Maximum number of tool calls that a run carries out; each further call is refused, which its
   * result says [100].
   */
  readonly maxToolCalls?: number;
  /**
   * The end of a run that reaches `maxIterations`, or in which a call was refused because of
   * `maxToolCalls`. `stop`: the run ends, or goes on without further calls; `answer`: the model is
   * called once more, without tools, and the run ends with the limit and that answer. A delegated
   * run stops ["stop"].
   */
  readonly onLimit?: "stop" | "answer";
  /**
   * Maximum number of calls of one tool in a run without another tool in between. The model is
   * warned two calls before the limit; calls beyond it are refused, which their results say [7].
   */
  readonly maxCallsInARow?: number;
  /**
   * Maximum number of calls of a tool with the same arguments in a run; after that, the model gets
   * the last result again [3].
   */
  readonly maxIdenticalCalls?: number;
  /**
   * Maximum bytes of a tool's result, and of a text that hooks or directives add to the
   * conversation. If a result or text is longer, the model sees its beginning and a note; with
   * `context_inspect` it can read the rest [16384].
   */
  readonly maxResultBytes?: number;
  /**
   * Maximum number of calls of one message that run at once; the others begin as those end, and the
   * results come in the order of the calls [all].
   */
  readonly maxParallelTools?: number;
  /**
   * Maximum size of the parts of a tool's result as JSON, in bytes; a call with a larger result
   * fails [16777216].
   */
  readonly maxPartsBytes?: number;
  /**
   * Tokens that all `contextAssemble` hooks together may inject into a model call; more fails with
   * INJECTION_OVERFLOW [1024].
   */
  readonly injectionReserve?: number;
  /**
   * The engine's strategy if the prompt exceeds `compactAt`. It first shortens earlier tool
   * results; docs/concepts/compaction.md says what each strategy does if that is not enough. The
   * user's messages stay ["summarize"].
   */
  readonly compaction?: "summarize" | "truncate" | "tool-results" | "off";
  /**
   * The engine compacts a prompt before the model call if it exceeds this share of the context,
   * less `answerReserve` [0.75].
   */
  readonly compactAt?: number;
  /** Tokens of the context that are kept free for the answer [0]. */
  readonly answerReserve?: number;
  /**
   * After each iteration with tool calls the engine asks the model, outside the conversation,
   * whether to go on; if the model answers HALT, the run ends [false].
   */
  readonly reflect?: boolean;
  /** The question that the model is then asked [the engine's own]. */
  readonly reflectionPrompt?: string;
  /**
   * The question that the model is asked, outside the conversation, about each tool call with valid
   * arguments. If it answers DENY, the call is refused and the model is told why [no question is
   * asked].
   */
  readonly criticPrompt?: string;
  /**
   * Greatest depth of delegated runs; beyond that, delegation is refused and the model is told [3].
   */
  readonly maxDelegationDepth?: number;
  /**
   * Maximum number of failed delegations of a run; after that, each further one is refused, which
   * its result says [2].
   */
  readonly maxFailedDelegations?: number;
  /**
   * Maximum number of times that `delegateComplete` hooks send a task back with `retry`; one more
   * is RETRY_LIMIT at `error`, and has no effect [3].
   */
  readonly maxDelegationRetries?: number;
  /**
   * Maximum number of times in a run that `iterationEnd` hooks continue it with `continue`; one
   * more is RETRY_LIMIT at `error`, and has no effect [10].
   */
  readonly maxContinuations?: number;
  /**
   * Maximum number of rejected completions of a run, by hooks or by `explicitCompletion`; one more
   * ends the run with the limit `maxCompletionRejections` [3].
   */
  readonly maxCompletionRejections?: number;
  /**
   * Maximum number of tokens that the model generates in a run, including child runs, compactions
   * and reflections. The message that exceeds it is cut off, and the run ends with the limit
   * `maxRunTokens`; 0: no limit [0].
   */
  readonly maxRunTokens?: number;
  /**
   * Maximum duration of a run in milliseconds, including hooks, tools, pauses, child runs and the
   * loads of their models. The wait for its turn, the load of the run's first model and
   * `sessionStart` do not count. After that, the work under way is cancelled and the run ends with
   * the limit `maxRunMs`; 0: no limit [0].
   */
  readonly maxRunMs?: number;
  /**
   * A run ends only when the model calls `complete`. An answer without a tool call is sent back, up
   * to `maxCompletionRejections` times [false].
   */
  readonly explicitCompletion?: boolean;
  /** Milliseconds that a tool may take if it has no deadline of its own; 0: no limit [60000]. */
  readonly toolDeadlineMs?: number;
}

export const sessionChecks = {
  model: { type: "name" },
  system: { type: "string" },
  id: { type: "name" },
  tier: { type: "name" },
  tags: { type: "tags" },
  maxIterations: { type: "integer", min: 1, max: 100000 },
  maxToolCalls: { type: "integer", min: 0, max: 1000000 },
  onLimit: { type: "enum", values: ["stop","answer"] },
  maxCallsInARow: { type: "integer", min: 1, max: 1000000 },
  maxIdenticalCalls: { type: "integer", min: 1, max: 1000000 },
  maxResultBytes: { type: "integer", min: 256, max: 67108864 },
  maxParallelTools: { type: "integer", min: 1, max: 1000000 },
  maxPartsBytes: { type: "integer", min: 0, max: 1073741824 },
  injectionReserve: { type: "integer", min: 0, max: 16777216 },
  compaction: { type: "enum", values: ["summarize","truncate","tool-results","off"] },
  compactAt: { type: "number", min: 0.05, max: 1 },
  answerReserve: { type: "integer", min: 0, max: 16777216 },
  reflect: { type: "boolean" },
  reflectionPrompt: { type: "string" },
  criticPrompt: { type: "string" },
  maxDelegationDepth: { type: "integer", min: 0, max: 64 },
  maxFailedDelegations: { type: "integer", min: 1, max: 1000000 },
  maxDelegationRetries: { type: "integer", min: 0, max: 1000000 },
  maxContinuations: { type: "integer", min: 0, max: 1000000 },
  maxCompletionRejections: { type: "integer", min: 0, max: 1000000 },
  maxRunTokens: { type: "integer", min: 0, max: 2147483647 },
  maxRunMs: { type: "integer", min: 0, max: 2147483647 },
  explicitCompletion: { type: "boolean" },
  toolDeadlineMs: { type: "integer", min: 0, max: 2147483647 },
} as const satisfies Record<keyof SessionParameters, ParameterCheck>;

/**
 * A tier: a role with its own model, system prompt, tools, rules and sampling. A setting that the
 * tier leaves out is the session's. Defaults are in brackets.
 */
export interface TierParameters {
  /** Purpose of the tier; shown to the models that may delegate to it [none]. */
  readonly description?: string;
  /** Id of the model [the session's]. */
  readonly model?: string;
  /** The system prompt [the session's]. */
  readonly system?: string;
  /** True: a run of the tier ends only when the model calls `complete` [the session's]. */
  readonly explicitCompletion?: boolean;
}

export const tierChecks = {
  description: { type: "string" },
  model: { type: "name" },
  system: { type: "string" },
  explicitCompletion: { type: "boolean" },
} as const satisfies Record<keyof TierParameters, ParameterCheck>;

/**
 * Settings of a phase. The tier's setting applies where the phase has none. Defaults are in
 * brackets.
 */
export interface PhaseParameters {
  /** Purpose of the phase; shown to the model that may switch to it [none]. */
  readonly description?: string;
}

export const phaseChecks = {
  description: { type: "string" },
} as const satisfies Record<keyof PhaseParameters, ParameterCheck>;

/** One run of a session: `lh_session_run`, `session.run()`. Defaults are in brackets. */
export interface RunParameters<Schema> {
  /**
   * A JSON Schema (in TypeScript also a zod schema) that the run's last message follows; `complete`
   * fires for it. Messages before it may be tool calls. For a tier that completes explicitly, it is
   * the schema of the `answer` that the tool `complete` takes in place of a summary. Not together
   * with `grammar` [none].
   */
  readonly answer?: Schema;
  /**
   * No tool runs, except `complete`: each call gets a result that says so; `dryRun` fires at the
   * end [false].
   */
  readonly dryRun?: boolean;
  /**
   * Among runs and generations that wait for their turn, the lowest priority runs first; at equal
   * priority, the one that came first [0].
   */
  readonly priority?: number;
  /**
   * Tags of this run, in addition to the session's; a tag of the same name replaces the session's
   * [none].
   */
  readonly tags?: Tags;
}

export const runChecks = {
  answer: { type: "schema" },
  dryRun: { type: "boolean" },
  priority: { type: "integer", min: -1000000, max: 1000000 },
  tags: { type: "tags" },
} as const satisfies Record<keyof RunParameters<unknown>, ParameterCheck>;

/**
 * The messages of a session: `lh_session_history`, `session.history()`. Defaults are in brackets.
 */
export interface HistoryParameters {
  /**
   * True: the messages as the model is shown them. False: all messages, with everything that
   * compactions dropped or shortened, and without the texts that stand for it [true].
   */
  readonly compacted?: boolean;
}

export const historyChecks = {
  compacted: { type: "boolean" },
} as const satisfies Record<keyof HistoryParameters, ParameterCheck>;

/**
 * A compaction on request, whatever the size of the prompt: `lh_session_compact`,
 * `session.compact()`. Defaults are in brackets.
 */
export interface CompactParameters {
  /** The strategy for compacting the conversation [the session's]. */
  readonly strategy?: "summarize" | "truncate" | "tool-results";
  /** Additional instructions for the model that writes the summary [none]. */
  readonly instructions?: string;
}

export const compactChecks = {
  strategy: { type: "name", values: ["summarize","truncate","tool-results"] },
  instructions: { type: "string" },
} as const satisfies Record<keyof CompactParameters, ParameterCheck>;

/**
 * A question of a tool for the user: `lh_tool_elicit`, `elicit()` of a tool's context. Defaults are
 * in brackets.
 */
export interface ElicitParameters<Schema> {
  /** The question, for people. */
  readonly message?: string;
  /**
   * A JSON Schema (in TypeScript also a zod schema) of the input, which is an object [any object].
   */
  readonly schema?: Schema;
}

export const elicitChecks = {
  message: { type: "string" },
  schema: { type: "schema" },
} as const satisfies Record<keyof ElicitParameters<unknown>, ParameterCheck>;

/** `lh_tokenize`, `lh_tokenize_start`, `engine.tokenize()`. Defaults are in brackets. */
export interface TokenizeParameters {
  /** Add the model's begin and end tokens, if it has them [false]. */
  readonly addSpecial?: boolean;
  /** Read control tokens in the text as tokens, not as plain text [false]. */
  readonly parseSpecial?: boolean;
}

export const tokenizeChecks = {
  addSpecial: { type: "boolean" },
  parseSpecial: { type: "boolean" },
} as const satisfies Record<keyof TokenizeParameters, ParameterCheck>;

/** `lh_detokenize`, `engine.detokenize()`. Defaults are in brackets. */
export interface DetokenizeOptions {
  /** Write control tokens out [false]. */
  readonly special?: boolean;
}

export const detokenizeChecks = {
  special: { type: "boolean" },
} as const satisfies Record<keyof DetokenizeOptions, ParameterCheck>;

/** `lh_render_prompt`, `engine.models.renderPrompt()`. Defaults are in brackets. */
export interface RenderOptions {
  /** End the prompt with the beginning of the model's answer [true]. */
  readonly addGenerationPrompt?: boolean;
  /**
   * End the prompt with the text of the last message, which must be an assistant's without tool
   * calls; `addGenerationPrompt` then has no effect [false].
   */
  readonly continueFinalMessage?: boolean;
  /** False: the chat template is told that the model must not reason [true]. */
  readonly reasoning?: boolean;
  /**
   * True: the prompt has the reasoning of earlier answers, too, where the chat template can keep
   * it; false: as the template does by itself [true].
   */
  readonly preserveReasoning?: boolean;
  /** Additional variables for the chat template, by name [none]. */
  readonly chatTemplateArgs?: Readonly<Record<string, unknown>>;
}

export const renderChecks = {
  addGenerationPrompt: { type: "boolean" },
  continueFinalMessage: { type: "boolean" },
  reasoning: { type: "boolean" },
  preserveReasoning: { type: "boolean" },
  chatTemplateArgs: { type: "object" },
} as const satisfies Record<keyof RenderOptions, ParameterCheck>;
