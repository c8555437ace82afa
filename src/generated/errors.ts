// The codes of errors. Generated from native/contract/errors.json by scripts/generate-contract.mjs; do not edit.

/** Every code a {@link LlamaHooksError} can have. Stable: match these, never a message. `docs/errors.md` explains each. */
export const errorCodes = [
  /** A value that only the engine could judge; the message names it. */
  "INVALID_ARGUMENT",
  /** No hook, task, session or adapter of that number or id. */
  "NOT_FOUND",
  /** The engine is closed or closing. */
  "CLOSED",
  /** The caller cancelled, or its signal aborted; `cause` is the signal's reason. */
  "CANCELLED",
  /** A hook called something that would wait for what the hook holds up. */
  "REENTRANT",
  /** A defect of this library; the message says what is known. */
  "INTERNAL",
  /** More work is queued than `maxQueued` allows. */
  "BUSY",
  /** No thread could be started: the process is at its limit of threads, or of memory. */
  "NO_THREAD",
  /** No readable file at that path. */
  "MODEL_FILE_NOT_FOUND",
  /** Not GGUF, truncated, or with contents that cannot be loaded safely. */
  "MODEL_FILE_INVALID",
  /** A GGUF of an architecture that this llama.cpp does not know, or of an encoder-decoder (T5). */
  "UNSUPPORTED_ARCHITECTURE",
  /** Llama.cpp refused the model; the message carries its words. */
  "MODEL_LOAD_FAILED",
  /**
   * Weights, context or an adapter do not fit, or memory ran out in the midst of something; the
   * message says what is known.
   */
  "INSUFFICIENT_MEMORY",
  /** No model of that id is loaded; or none is named, and not exactly one is loaded. */
  "MODEL_NOT_LOADED",
  /**
   * A model of that id is loaded already, or being loaded: with other options, or by work that
   * waits for this hook.
   */
  "MODEL_IN_USE",
  /** An adapter that does not fit the model; the message says what of it. */
  "ADAPTER_INCOMPATIBLE",
  /** An adapter of that id is loaded, or being loaded, already. */
  "ADAPTER_IN_USE",
  /** The prompt does not fit the context; the message has both sizes. */
  "PROMPT_TOO_LONG",
  /** A GBNF grammar that does not parse; the message has line and column. */
  "INVALID_GRAMMAR",
  /**
   * A JSON schema that cannot be made a grammar, or is none; the message names the tool, if it is
   * one's, and the place. Of a session's tool: at ON_ERROR, and the session goes on without it.
   */
  "INVALID_SCHEMA",
  /** A message of unknown role or shape; the error's message gives its index. */
  "INVALID_MESSAGES",
  /** The model's chat template does not parse, or failed on these messages. */
  "TEMPLATE_FAILED",
  /** Llama.cpp could not decode; the message has its code. */
  "DECODE_FAILED",
  /**
   * The chat template cannot do it: tools at all, or two calls in one message; the message says
   * which.
   */
  "TOOLS_UNSUPPORTED",
  /**
   * The output nests brackets deeper than 128 levels: it stays text, and no tool call is looked for
   * in it; reported at the point `error`.
   */
  "OUTPUT_TOO_DEEP",
  /**
   * The model lacks what the call needs: a rank head to rerank with, tokens for an infill, a
   * decoder to write with; the message says what.
   */
  "UNSUPPORTED_BY_MODEL",
  /**
   * A text to embed or rank has more tokens than are computed at a time; the message has its index,
   * its tokens and the limit.
   */
  "TEXT_TOO_LONG",
  /** A hook cancelled the operation; the decision says which and why. */
  "HOOK_CANCELLED",
  /** A handler threw or rejected; `cause` is what it threw. */
  "HOOK_FAILED",
  /** A hook passed its deadline. */
  "HOOK_TIMEOUT",
  /** A hook answered with something that its point does not take; the message names the field. */
  "HOOK_BAD_ANSWER",
  /** No hook point of that number. */
  "UNKNOWN_HOOK_POINT",
  /** A native hook library that cannot be opened. */
  "LIBRARY_NOT_LOADED",
  /** A native hook library without that symbol. */
  "SYMBOL_NOT_FOUND",
  /** PostGenerate hooks asked for more than three retries; the last answer stands. */
  "RETRY_LIMIT",
  /** A hook at a point that this version does not fire, where it would never run. */
  "POINT_NOT_FIRED",
  /** Llama.cpp's libraries, or the GPU module asked for, cannot be used. */
  "BACKEND_UNAVAILABLE",
  /**
   * A package of llama.cpp's libraries, or of the addon, is not of the version that this one needs.
   */
  "VERSION_MISMATCH",
  /** A run of the session is under way. */
  "SESSION_BUSY",
  /**
   * A tool, or its check of arguments, threw or gave what is no result: at ON_ERROR, the run goes
   * on and the model is told.
   */
  "TOOL_FAILED",
  /** A tool passed its deadline: at ON_ERROR, the run goes on and the model is told. */
  "TOOL_TIMEOUT",
  /**
   * What hooks injected at CONTEXT_ASSEMBLE takes more tokens than `injectionReserve`; the message
   * names the hook that went beyond it.
   */
  "INJECTION_OVERFLOW",
  /**
   * A directive of a tool that is not carried out: of a tool that is not trusted or came to no
   * result, of a type that nobody knows, with wrong params, or of a run that was cancelled; at
   * ON_ERROR, the run goes on.
   */
  "INVALID_DIRECTIVE",
  /**
   * A run that a task was delegated to did not come to an answer: at ON_ERROR, the run goes on and
   * the model is told why.
   */
  "DELEGATION_FAILED",
  /**
   * A file is no saved session, or not one that this version reads; the message names place and
   * reason.
   */
  "SESSION_FILE_INVALID",
  /**
   * The model gave nothing, or no JSON, where it was asked for a summary, a reflection or a
   * judgement.
   */
  "EMPTY_ANSWER",
  /**
   * A model could not be fetched; the message says why, `details.status` is what a server answered,
   * `cause` what lies behind.
   */
  "DOWNLOAD_FAILED",
  /**
   * A file is no recording of `recordRun()`, or not one that this version reads; the message names
   * place and reason.
   */
  "RECORDING_INVALID",
  /**
   * A replay cannot go on: a model call of the recording cannot be said again; the message names
   * it.
   */
  "REPLAY_FAILED",
  /**
   * The native addon is not there: the platform's package is not installed, or a clone has not been
   * built.
   */
  "ADDON_MISSING",
  /**
   * The native addon is there and cannot be loaded, or a bundler has taken the package apart;
   * `cause` has the loader's words.
   */
  "ADDON_NOT_LOADED",
  /**
   * There is no prebuilt package for this platform, or its C and C++ libraries are too old or
   * others than glibc and libstdc++.
   */
  "PLATFORM_UNSUPPORTED",
] as const;

/** One of `errorCodes`. */
export type ErrorCode = (typeof errorCodes)[number];
