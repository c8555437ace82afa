// The codes of errors. Must not: hold anything else.

/** Every code a {@link LlamaHooksError} can have. Stable: match these, never a message. `docs/errors.md` explains each. */
export const errorCodes = [
  /** A value that the engine does not take and that only it could judge; the message names it. */
  "INVALID_ARGUMENT",
  /** No hook or task of that number. */
  "NOT_FOUND",
  /** The engine is closed or closing. */
  "CLOSED",
  /** The caller cancelled, or its signal aborted. `cause` is the signal's reason. */
  "CANCELLED",
  /** A hook called something that would wait for what the hook itself holds up. */
  "REENTRANT",
  /** A defect of this library. */
  "INTERNAL",
  /** No readable file at the model's path. */
  "MODEL_FILE_NOT_FOUND",
  /** Not a GGUF file, a truncated one, or one that cannot be loaded safely. */
  "MODEL_FILE_INVALID",
  /** A GGUF file of an architecture that this llama.cpp does not know. */
  "UNSUPPORTED_ARCHITECTURE",
  /** llama.cpp refused the model. */
  "MODEL_LOAD_FAILED",
  /** The weights or the context do not fit. */
  "INSUFFICIENT_MEMORY",
  /** No model of that id is loaded. */
  "MODEL_NOT_LOADED",
  /** A model of that id is loaded, or being loaded, already. */
  "MODEL_IN_USE",
  /** The prompt does not fit the context. */
  "PROMPT_TOO_LONG",
  /** A GBNF grammar that does not parse. */
  "INVALID_GRAMMAR",
  /** A JSON schema that cannot be turned into a grammar. */
  "INVALID_SCHEMA",
  /** A message of unknown role or shape; the message of the error gives its index. */
  "INVALID_MESSAGES",
  /** The model's chat template failed on these messages. */
  "TEMPLATE_FAILED",
  /** llama.cpp could not decode. */
  "DECODE_FAILED",
  /** The model's chat template cannot do it: tools at all, or two calls in one message. The message says which. */
  "TOOLS_UNSUPPORTED",
  /** What was written nests brackets too deep to be searched for tool calls: it stays text. Reported at `error`. */
  "OUTPUT_TOO_DEEP",
  /** A hook cancelled the operation: see `decision`. */
  "HOOK_CANCELLED",
  /** A hook threw or rejected. `cause` is what it threw. */
  "HOOK_FAILED",
  /** A hook passed its deadline. */
  "HOOK_TIMEOUT",
  /** A hook answered with something that its point does not take. */
  "HOOK_BAD_ANSWER",
  /** postGenerate hooks asked for another try once too often; the last answer stands. */
  "RETRY_LIMIT",
  /** No hook point of that number. */
  "UNKNOWN_HOOK_POINT",
  /** A native hook library that cannot be opened. */
  "LIBRARY_NOT_LOADED",
  /** A native hook library without that symbol. */
  "SYMBOL_NOT_FOUND",
  /** llama.cpp's libraries, or the GPU module asked for, cannot be used. */
  "BACKEND_UNAVAILABLE",
  /** llama.cpp's libraries are not of the release this package was built for. */
  "VERSION_MISMATCH",
  /** The native addon is missing, or was built for another platform. */
  "ADDON_NOT_LOADED",
] as const;

export type ErrorCode = (typeof errorCodes)[number];
