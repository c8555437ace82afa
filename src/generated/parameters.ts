// What callers may set: option types, and what each option is checked by.
// Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
import type { AdapterChoice, LogitBias } from "./points.js";

/** What an option must be. */
export interface ParameterCheck {
  readonly type: string;
  /** Of a number: the least and the greatest that is taken. */
  readonly min?: number;
  readonly max?: number;
  /** The word "auto" is taken, too. */
  readonly auto?: boolean;
  /** Of an enumeration. */
  readonly values?: readonly string[];
}

/** `lh_engine_create`, `createEngine()`. Defaults are in brackets. */
export interface EngineParameters {
  /** Generations of one model that may wait for their turn; one more is BUSY [1024]. */
  readonly maxQueued?: number;
  /**
   * MiB that models may take of main memory, and as much of each GPU; what nobody uses is given up
   * for what does not fit (vramPressure) [what it has free].
   */
  readonly memoryBudget?: number;
  /**
   * MiB that models may take of the devices that are named (`CPU`: main memory), in place of
   * memoryBudget [memoryBudget for each].
   */
  readonly deviceBudgets?: Readonly<Record<string, number>>;
  /**
   * MiB of a device: when less is left, models that nobody uses are given up (vramPressure); 0:
   * nobody looks [0].
   */
  readonly lowMemory?: number;
  /** What of the log, ours and llama.cpp's, goes to stderr, for the whole process ["none"]. */
  readonly logLevel?: "none" | "error" | "warn" | "info" | "debug";
}

export const engineChecks = {
  maxQueued: { type: "integer", min: 0, max: 1048576 },
  memoryBudget: { type: "integer", min: 1, max: 16777216 },
  deviceBudgets: { type: "integers_by_name", min: 1, max: 16777216 },
  lowMemory: { type: "integer", min: 0, max: 16777216 },
  logLevel: { type: "enum", values: ["none","error","warn","info","debug"] },
} as const satisfies Record<keyof EngineParameters, ParameterCheck>;

/** How a model is loaded, beside its `path`, which is required. Defaults are in brackets. */
export interface LoadOptions {
  /**
   * Layers on the GPU, if there is one, the output counted as one; -1: all; `auto`: as many as
   * there is room for [-1].
   */
  readonly gpuLayers?: number | "auto";
  /**
   * Tokens a sequence can hold; 0: the model's own, at most 4096; `auto`: as many as there is room
   * for, at most the model's own [0].
   */
  readonly contextSize?: number | "auto";
  /** Sequences decoded together [4]. */
  readonly parallel?: number;
  /**
   * Prompt tokens a decode call; of texts to embed or rank the most that one may have, and that are
   * computed at a time [512].
   */
  readonly batchSize?: number;
  /**
   * Threads that compute; 0: one for each 8 MiB of weights. Never more than the cores that the
   * process may use: what is more is capped, with a warning in the log [0].
   */
  readonly threads?: number;
  /** Type of the KV cache ["f16"]. */
  readonly kvType?: "f16" | "q8_0" | "f32";
  /**
   * `streams`: each sequence has its own part of the cache, and what idles slows nobody; `unified`:
   * all share one, where a prefix common to many is kept once ["streams"].
   */
  readonly kvCache?: "streams" | "unified";
  /**
   * MiB of host memory for what idle conversations have in the KV cache when others need their
   * sequences; 0: none, and they are read again [as much as the KV cache takes, 16 to 1024].
   */
  readonly cacheMemory?: number;
  /**
   * `ngram`: where a generation repeats what its context has (code, quotes), several tokens are
   * guessed and checked at once; the text is the same (but where two tokens are likely within
   * rounding), and comes sooner. For one or two generations at a time while no prompt is read, and
   * where the KV cache can be cut back ["off"].
   */
  readonly speculation?: "off" | "ngram";
  /**
   * Path of a small model with the same vocabulary, which guesses what this one will say: guesses
   * are checked as with `speculation`, and made by it where words do not repeat [none].
   */
  readonly draftModel?: string;
  /** Never given up for want of memory [false]. */
  readonly pinned?: boolean;
  /**
   * Seconds without use after which the model is given up; who uses it then loads it again [until
   * its memory is needed].
   */
  readonly keepAlive?: number;
  /** Only look at the file, which is read when the model is used for the first time [false]. */
  readonly lazy?: boolean;
  /** Map the file instead of reading it [true]. */
  readonly mmap?: boolean;
  /** The GPUs that the model may use, by name, in this order [every GPU of the process]. */
  readonly devices?: readonly string[];
  /**
   * How several GPUs share the model. `layer`: each has some of the layers; `row`: each has a part
   * of every matrix, where the backend can do that; `none`: one has all, see `mainDevice`
   * ["layer"].
   */
  readonly splitMode?: "layer" | "row" | "none";
  /** The GPU that has all with `splitMode` `none` [the first]. */
  readonly mainDevice?: string;
  /**
   * How large a part each of the devices has, one number for each, in their order [by the memory
   * that is free].
   */
  readonly tensorSplit?: readonly number[];
  /**
   * Of a mixture of experts: of so many layers, the first ones, the experts stay in main memory;
   * -1: of all [0].
   */
  readonly cpuMoe?: number;
  /** A Jinja chat template in place of the model's own [the model's own]. */
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
  speculation: { type: "enum", values: ["off","ngram"] },
  draftModel: { type: "string" },
  pinned: { type: "boolean" },
  keepAlive: { type: "integer", min: 0, max: 31536000 },
  lazy: { type: "boolean" },
  mmap: { type: "boolean" },
  devices: { type: "strings" },
  splitMode: { type: "enum", values: ["layer","row","none"] },
  mainDevice: { type: "string" },
  tensorSplit: { type: "numbers", min: 0, max: 1000000 },
  cpuMoe: { type: "integer", min: -1, max: 1048576 },
  chatTemplate: { type: "string" },
} as const satisfies Record<keyof LoadOptions, ParameterCheck>;

/** How an adapter is loaded, beside its `path`, which is required. Defaults are in brackets. */
export interface AdapterParameters {
  /** For which model: its id [the only one loaded]. */
  readonly model?: string;
  /** Its strength where none is given; 1 is as trained [1]. */
  readonly scale?: number;
}

export const adapterChecks = {
  model: { type: "string" },
  scale: { type: "number", min: -1000, max: 1000 },
} as const satisfies Record<keyof AdapterParameters, ParameterCheck>;

/**
 * How a generation samples. In a context the defaults are filled in and what is not set is left
 * out; in an answer null resets a key that may be unset. Defaults are in brackets.
 */
export interface SamplingParameters<Schema> {
  /** Tokens to write at most [what the context leaves]. */
  readonly maxTokens?: number;
  /** How freely tokens are chosen; 0 is greedy: always the likeliest [0.8]. */
  readonly temperature?: number;
  /** How far the temperature moves up and down with the model's uncertainty; 0: off [0]. */
  readonly dynatempRange?: number;
  /** Only this many of the likeliest tokens are considered; 0: all [40]. */
  readonly topK?: number;
  /** Only the likeliest tokens that make up this probability are considered [0.95]. */
  readonly topP?: number;
  /** Tokens less likely than this share of the likeliest are left out [0.05]. */
  readonly minP?: number;
  /** Locally typical sampling: the probability mass kept; 1: off [1]. */
  readonly typicalP?: number;
  /**
   * Only tokens within this many standard deviations of the best logit are considered; -1: off
   * [-1].
   */
  readonly topNSigma?: number;
  /**
   * The same seed gives the same text, where the same is computed: beside other generations, and
   * where a part of the prompt is cached, numbers are rounded otherwise, and a token may differ
   * [random].
   */
  readonly seed?: number;
  /** Penalty for repeated tokens; 1: off [1]. */
  readonly repeatPenalty?: number;
  /** Penalty for tokens that occurred; 0: off [0]. */
  readonly presencePenalty?: number;
  /** Penalty for each time that a token occurred; 0: off [0]. */
  readonly frequencyPenalty?: number;
  /** How many of the last tokens the penalties look at; 0: off [64]. */
  readonly penaltyLastN?: number;
  /** Strength of the DRY penalty for repeated passages; 0: off [0]. */
  readonly dryMultiplier?: number;
  /** Base of the DRY penalty's growth [1.75]. */
  readonly dryBase?: number;
  /** Tokens that may repeat free of DRY [2]. */
  readonly dryAllowedLength?: number;
  /** How many of the last tokens DRY looks at; 0: off [64]. */
  readonly dryPenaltyLastN?: number;
  /** Texts at which DRY begins anew [llama.cpp's own]. */
  readonly drySequenceBreakers?: readonly string[];
  /** Chance of leaving out the top choices (XTC); 0: off [0]. */
  readonly xtcProbability?: number;
  /** Probability from which a choice is a top one [0.1]. */
  readonly xtcThreshold?: number;
  /** Version of Mirostat; 0: off [0]. */
  readonly mirostat?: 0 | 1 | 2;
  /** Mirostat's target entropy [5]. */
  readonly mirostatTau?: number;
  /** Mirostat's learning rate [0.1]. */
  readonly mirostatEta?: number;
  /**
   * Adaptive-p: the probability that chosen tokens come near to; without effect on Mirostat; -1:
   * off [-1].
   */
  readonly adaptiveTarget?: number;
  /** How long adaptive-p remembers: some 1 / (1 - decay) tokens [0.9]. */
  readonly adaptiveDecay?: number;
  /** What is added to the logits of tokens; null bans one. */
  readonly logitBias?: readonly LogitBias[];
  /**
   * Adapters (LoRA, aLoRA, control vectors) that the model runs with, each with its strength; an
   * empty list: none. adapterSwap fires when it is another set than the conversation had.
   */
  readonly adapters?: readonly AdapterChoice[];
  /** Texts, none of them empty, that end the output; they are not part of it. */
  readonly stop?: string | readonly string[];
  /** A GBNF grammar that the output follows; not together with `jsonSchema` [none]. */
  readonly grammar?: string;
  /**
   * A JSON Schema (in TypeScript also a zod schema) that the output follows, as far as
   * docs/reference/schemas.md says; not together with `grammar` [none].
   */
  readonly jsonSchema?: Schema;
  /**
   * Refuse a `jsonSchema`, or a tool's parameters, with a keyword that the grammar made of it
   * cannot hold (INVALID_SCHEMA names it and its place); else such keywords have no effect [false].
   */
  readonly strictSchema?: boolean;
  /** Whether the model may, must not or must call a tool ["auto"]. */
  readonly toolChoice?: "auto" | "none" | "required";
  /**
   * Write on past the model's end token, until `maxTokens`; for measuring. A grammar or schema that
   * allows nothing more ends the text all the same [false].
   */
  readonly ignoreEos?: boolean;
  /**
   * Each token's event has its log probability, and the result has those of all: the model's own,
   * before anything that these parameters change [false].
   */
  readonly logprobs?: boolean;
  /**
   * So many of the tokens that were likeliest in its place come with each token, `logprobs`
   * included [0].
   */
  readonly topLogprobs?: number;
  /**
   * False: the chat template is told that the model shall not think (`enable_thinking`); what the
   * model begins to think all the same is ended at once, where the template's marks of reasoning
   * are known [true].
   */
  readonly reasoning?: boolean;
  /**
   * Tokens of reasoning at most; then the mark that ends it is forced. Without effect on a raw
   * prompt, and where the chat template's marks of reasoning are not known [no limit].
   */
  readonly reasoningBudget?: number;
  /**
   * Further variables for the chat template, by name (`chat_template_kwargs` elsewhere);
   * `enable_thinking: false` among them is as `reasoning: false` [none].
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
  grammar: { type: "string" },
  jsonSchema: { type: "schema" },
  strictSchema: { type: "boolean" },
  toolChoice: { type: "enum", values: ["auto","none","required"] },
  ignoreEos: { type: "boolean" },
  logprobs: { type: "boolean" },
  topLogprobs: { type: "integer", min: 0, max: 20 },
  reasoning: { type: "boolean" },
  reasoningBudget: { type: "integer", min: 0, max: 2147483647 },
  chatTemplateArgs: { type: "object" },
} as const satisfies Record<keyof SamplingParameters<unknown>, ParameterCheck>;

/** One model call: `lh_generate`, `engine.generate()`. Defaults are in brackets. */
export interface RequestOptions {
  /** Which model: its id [the only one loaded]. */
  readonly model?: string;
  /** Give a prompt to the model as it is, without its chat template [false]. */
  readonly raw?: boolean;
  /**
   * "held": token events come only after the postGenerate hooks have answered, so that nothing is
   * streamed that they then change ["live"].
   */
  readonly stream?: "live" | "held";
  /** Shown to hooks as `tier` [none]. */
  readonly tier?: string;
  /**
   * Among generations that wait for their turn the lowest comes first; of equals, who came first
   * [0].
   */
  readonly priority?: number;
}

export const generateChecks = {
  model: { type: "string" },
  raw: { type: "boolean" },
  stream: { type: "enum", values: ["live","held"] },
  tier: { type: "string" },
  priority: { type: "integer", min: -1000000, max: 1000000 },
} as const satisfies Record<keyof RequestOptions, ParameterCheck>;

/** `lh_embed`, `engine.embed()`. Defaults are in brackets. */
export interface EmbedParameters {
  /** Which model: its id [the only one loaded]. */
  readonly model?: string;
  /**
   * How the vectors of a text's tokens become one: their mean, or that of the first (cls) or last
   * token; `none`: they do not, and each token has its own; `model`: as the model's file names it,
   * else last, and mean where a model does not read from left to right ["model"].
   */
  readonly pooling?: "model" | "none" | "mean" | "cls" | "last";
  /**
   * Vectors of length 1, so that a dot product is the cosine similarity; those of single tokens
   * stay as they are [true].
   */
  readonly normalize?: boolean;
}

export const embedChecks = {
  model: { type: "string" },
  pooling: { type: "enum", values: ["model","none","mean","cls","last"] },
  normalize: { type: "boolean" },
} as const satisfies Record<keyof EmbedParameters, ParameterCheck>;

/** `lh_rerank`, `engine.rerank()`. Defaults are in brackets. */
export interface RerankParameters {
  /** Which model: its id [the only one loaded]. */
  readonly model?: string;
  /** Only so many of the most relevant documents are in the result [all]. */
  readonly topN?: number;
  /** Scores between 0 and 1 (their logistic function); false: as the model gives them [false]. */
  readonly normalize?: boolean;
}

export const rerankChecks = {
  model: { type: "string" },
  topN: { type: "integer", min: 1, max: 2147483647 },
  normalize: { type: "boolean" },
} as const satisfies Record<keyof RerankParameters, ParameterCheck>;

/**
 * A conversation with an agent: `lh_session_open`, `engine.session()`. Defaults are in brackets.
 */
export interface SessionParameters {
  /** Which model: its id [the only one loaded]. */
  readonly model?: string;
  /** The system prompt; BOOTSTRAP hooks append to it [none]. */
  readonly system?: string;
  /**
   * Who the session is: one of `tiers`; without these a name that is only shown to hooks [none].
   */
  readonly tier?: string;
  /**
   * Model calls of a run at most, retries of hooks left out; then it ends with the limit
   * `maxIterations` [25].
   */
  readonly maxIterations?: number;
  /** Tools that run at most in a run; the model is told of each call more [100]. */
  readonly maxToolCalls?: number;
  /**
   * How often at most a run may call one tool without another in between; the model is told two
   * before, and of each call more [7].
   */
  readonly maxCallsInARow?: number;
  /**
   * How often at most a run may call a tool with the same arguments; then the model is given the
   * last result again [3].
   */
  readonly maxIdenticalCalls?: number;
  /**
   * Bytes of a tool's result at most; of a longer one the model gets the beginning, and is told;
   * `context_inspect` gives it the rest [16384].
   */
  readonly maxResultBytes?: number;
  /**
   * Tokens that CONTEXT_ASSEMBLE hooks may inject into a model call, all of them together; more is
   * INJECTION_OVERFLOW [1024].
   */
  readonly injectionReserve?: number;
  /**
   * What is done when the prompt passes `compactAt`. First earlier results of tools are shortened;
   * where that is not enough, `summarize` has the model write a summary of what was said, and
   * `truncate` leaves it out, oldest first; what the user said stays ["summarize"].
   */
  readonly compaction?: "summarize" | "truncate" | "tool-results" | "off";
  /**
   * The share of the context, less `answerReserve`, above which a prompt is compacted before it is
   * given to the model [0.75].
   */
  readonly compactAt?: number;
  /** Tokens of the context that are kept for the answer [0]. */
  readonly answerReserve?: number;
  /**
   * After each iteration with tool calls the model is asked, beside the conversation, whether to go
   * on; when it says HALT the run ends [false].
   */
  readonly reflect?: boolean;
  /** What it is asked then [the engine's own]. */
  readonly reflectionPrompt?: string;
  /**
   * What the model is asked, beside the conversation, of each tool call whose arguments fit: DENY
   * refuses it, and it is told why. Unset: it is not asked [none].
   */
  readonly criticPrompt?: string;
  /** How deep runs may delegate to runs that delegate; the model is told of what is refused [3]. */
  readonly maxDelegationDepth?: number;
  /** Delegations of a run that may fail; the model is told, and may delegate no more [2]. */
  readonly maxFailedDelegations?: number;
  /**
   * Completions that hooks may reject in a run, answers that `explicitCompletion` sends back with
   * them; one more ends it with the limit `maxCompletionRejections` [3].
   */
  readonly maxCompletionRejections?: number;
  /**
   * Tokens that the model may generate in a run, those that it delegates to, compactions and
   * reflections with it: a message that would be longer is cut off, and the run ends with the limit
   * `maxRunTokens`; 0: any [0].
   */
  readonly maxRunTokens?: number;
  /**
   * Milliseconds that a run may take, hooks, tools, pauses and runs that it delegates to with it
   * (the load of a tier's model, too; not the wait for its turn, the load of the model that it
   * begins with, and sessionStart): then what is under way is cancelled, and it ends with the limit
   * `maxRunMs`; 0: any [0].
   */
  readonly maxRunMs?: number;
  /**
   * A run ends only when the model calls `complete`: an answer without a tool call is sent back, up
   * to `maxCompletionRejections` times [false].
   */
  readonly explicitCompletion?: boolean;
  /** Milliseconds that a tool may take that has no deadline of its own; 0: any [60000]. */
  readonly toolDeadlineMs?: number;
}

export const sessionChecks = {
  model: { type: "string" },
  system: { type: "string" },
  tier: { type: "string" },
  maxIterations: { type: "integer", min: 1, max: 100000 },
  maxToolCalls: { type: "integer", min: 0, max: 1000000 },
  maxCallsInARow: { type: "integer", min: 1, max: 1000000 },
  maxIdenticalCalls: { type: "integer", min: 1, max: 1000000 },
  maxResultBytes: { type: "integer", min: 256, max: 67108864 },
  injectionReserve: { type: "integer", min: 0, max: 16777216 },
  compaction: { type: "enum", values: ["summarize","truncate","tool-results","off"] },
  compactAt: { type: "number", min: 0.05, max: 1 },
  answerReserve: { type: "integer", min: 0, max: 16777216 },
  reflect: { type: "boolean" },
  reflectionPrompt: { type: "string" },
  criticPrompt: { type: "string" },
  maxDelegationDepth: { type: "integer", min: 0, max: 64 },
  maxFailedDelegations: { type: "integer", min: 1, max: 1000000 },
  maxCompletionRejections: { type: "integer", min: 0, max: 1000000 },
  maxRunTokens: { type: "integer", min: 0, max: 2147483647 },
  maxRunMs: { type: "integer", min: 0, max: 2147483647 },
  explicitCompletion: { type: "boolean" },
  toolDeadlineMs: { type: "integer", min: 0, max: 2147483647 },
} as const satisfies Record<keyof SessionParameters, ParameterCheck>;

/**
 * Who a session can be, or delegate to; what it leaves out is the session's. Defaults are in
 * brackets.
 */
export interface TierParameters {
  /** What it is for: told to the models that may delegate to it [none]. */
  readonly description?: string;
  /** Which model: its id [the session's]. */
  readonly model?: string;
  /** The system prompt [the session's]. */
  readonly system?: string;
  /** Whether a run of it ends only when the model calls `complete` [the session's]. */
  readonly explicitCompletion?: boolean;
}

export const tierChecks = {
  description: { type: "string" },
  model: { type: "string" },
  system: { type: "string" },
  explicitCompletion: { type: "boolean" },
} as const satisfies Record<keyof TierParameters, ParameterCheck>;

/** What changes in a phase; what it leaves out is the tier's. Defaults are in brackets. */
export interface PhaseParameters {
  /** What it is for: told to the model that may go over to it [none]. */
  readonly description?: string;
}

export const phaseChecks = {
  description: { type: "string" },
} as const satisfies Record<keyof PhaseParameters, ParameterCheck>;

/** One run of a session: `lh_session_run`, `session.run()`. Defaults are in brackets. */
export interface RunParameters {
  /**
   * Every tool is answered without running, `complete` left out; DRY_RUN fires at the end [false].
   */
  readonly dryRun?: boolean;
  /**
   * Among runs and generations that wait for their turn the lowest comes first; of equals, who came
   * first [0].
   */
  readonly priority?: number;
}

export const runChecks = {
  dryRun: { type: "boolean" },
  priority: { type: "integer", min: -1000000, max: 1000000 },
} as const satisfies Record<keyof RunParameters, ParameterCheck>;

/**
 * What was said in a session: `lh_session_history`, `session.history()`. Defaults are in brackets.
 */
export interface HistoryParameters {
  /**
   * As the model is shown it; false: with all that compactions have left out or shortened, and
   * without what stands for it [true].
   */
  readonly compacted?: boolean;
}

export const historyChecks = {
  compacted: { type: "boolean" },
} as const satisfies Record<keyof HistoryParameters, ParameterCheck>;

/**
 * A compaction on request, whatever the size: `lh_session_compact`, `session.compact()`. Defaults
 * are in brackets.
 */
export interface CompactParameters {
  /** `summarize`, `truncate` or `tool-results` [the session's]. */
  readonly strategy?: string;
  /** Told to the model that writes the summary, beside what it is told anyway [none]. */
  readonly instructions?: string;
}

export const compactChecks = {
  strategy: { type: "string" },
  instructions: { type: "string" },
} as const satisfies Record<keyof CompactParameters, ParameterCheck>;

/** `lh_tokenize`, `engine.tokenize()`. Defaults are in brackets. */
export interface TokenizeOptions {
  /** Add the model's begin and end tokens, where it has them [false]. */
  readonly addSpecial?: boolean;
  /** Read control tokens as such, not as plain text [false]. */
  readonly parseSpecial?: boolean;
}

export const tokenizeChecks = {
  addSpecial: { type: "boolean" },
  parseSpecial: { type: "boolean" },
} as const satisfies Record<keyof TokenizeOptions, ParameterCheck>;

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
  /** End with the beginning of the model's answer [true]. */
  readonly addGenerationPrompt?: boolean;
  /** False: the chat template is told that the model shall not think [true]. */
  readonly reasoning?: boolean;
  /** Further variables for the chat template, by name [none]. */
  readonly chatTemplateArgs?: Readonly<Record<string, unknown>>;
}

export const renderChecks = {
  addGenerationPrompt: { type: "boolean" },
  reasoning: { type: "boolean" },
  chatTemplateArgs: { type: "object" },
} as const satisfies Record<keyof RenderOptions, ParameterCheck>;
