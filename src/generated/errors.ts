// The codes of errors. Generated from native/contract/errors.json by scripts/generate-contract.mjs; do not edit.

/** Every code a {@link LlamaHooksError} can have. Stable: match these, never a message. `docs/reference/errors.md` explains each. */
export const errorCodes = [
  /** The engine rejects a value that TypeScript could not check; the message names the value. */
  "INVALID_ARGUMENT",
  /** No hook, task, session or adapter has that number or id. */
  "NOT_FOUND",
  /** The engine is closed or closing. */
  "CLOSED",
  /** The caller cancelled the call, or its signal aborted; `cause` is the signal's reason. */
  "CANCELLED",
  /** A hook made a call that would wait for the operation that the hook holds up. */
  "REENTRANT",
  /** This library has a defect; the message says what is known. */
  "INTERNAL",
  /** More work is queued than `maxQueued` allows. */
  "BUSY",
  /**
   * No thread could be started: the process has reached its limit of threads, or is out of memory.
   */
  "NO_THREAD",
  /**
   * Work did not end in the time that a close grants (`closeTimeoutMs`): a thread is still inside
   * llama.cpp, or inside a native hook or tool; what it uses stays in memory until it comes back.
   */
  "STUCK",
  /** There is no readable file at that path. */
  "MODEL_FILE_NOT_FOUND",
  /**
   * The file is not GGUF, is truncated, or cannot be loaded safely; also if its chat template does
   * more than a template may.
   */
  "MODEL_FILE_INVALID",
  /**
   * This llama.cpp does not know the architecture of the GGUF, or it is an encoder-decoder (T5).
   */
  "UNSUPPORTED_ARCHITECTURE",
  /** Llama.cpp refused the model; the message quotes llama.cpp. */
  "MODEL_LOAD_FAILED",
  /**
   * The weights, the context or an adapter do not fit, or memory ran out during an operation; the
   * message says what is known.
   */
  "INSUFFICIENT_MEMORY",
  /**
   * The named model is not loaded; or the call names no model, while none or several are loaded.
   */
  "MODEL_NOT_LOADED",
  /**
   * The id is taken: a model is loaded under it, or is being loaded with other options, or by work
   * that waits for this hook.
   */
  "MODEL_IN_USE",
  /** The adapter does not fit the model; the message says what does not fit. */
  "ADAPTER_INCOMPATIBLE",
  /** An adapter with that id is loaded or being loaded already. */
  "ADAPTER_IN_USE",
  /** The prompt does not fit into the context; the message has both sizes. */
  "PROMPT_TOO_LONG",
  /** The GBNF grammar does not parse; the message has line and column. */
  "INVALID_GRAMMAR",
  /**
   * A JSON schema is invalid, or cannot be turned into a grammar; the message names the place, and
   * the tool if the schema belongs to one. For a tool of a session the engine reports this at
   * `error`, and the session continues without the tool.
   */
  "INVALID_SCHEMA",
  /** A message has an unknown role or shape; the error's message gives its index. */
  "INVALID_MESSAGES",
  /**
   * The chat template does not parse, failed on these messages, or takes more steps or memory than
   * a template may.
   */
  "TEMPLATE_FAILED",
  /** Llama.cpp could not decode; the message has its error code. */
  "DECODE_FAILED",
  /** The chat template cannot render tools, or two calls in one message; the message says which. */
  "TOOLS_UNSUPPORTED",
  /**
   * The output nests brackets deeper than 128 levels: it stays text, and the engine looks for no
   * tool call in it; reported at `error`.
   */
  "OUTPUT_TOO_DEEP",
  /**
   * The model lacks what the call needs: a rank head to rerank, tokens to infill, a decoder to
   * generate, an option that a remote model does not have, or, for a script model, a reply that
   * fits the request; the message names it and the model.
   */
  "UNSUPPORTED_BY_MODEL",
  /**
   * A text to embed or rank has more tokens than can be computed at once; the message has its
   * index, its tokens and the limit.
   */
  "TEXT_TOO_LONG",
  /**
   * No connection to a remote model: the name is unknown, no server listens at the address, or the
   * connection broke before an answer began.
   */
  "REMOTE_UNREACHABLE",
  /** A remote model refused the request; the message has the status and the server's words. */
  "REMOTE_REFUSED",
  /**
   * A remote model failed: its server reported a fault, the connection broke in the middle of an
   * answer, or the answer made no sense; the part that had come is kept.
   */
  "REMOTE_FAILED",
  /** A remote model sent nothing for longer than the limits allow; the message names the limit. */
  "REMOTE_TIMEOUT",
  /**
   * A process of its own that used a model crashed, hung or could not be started. With `isolation`
   * the message has the signal or exit code, the models that it worked for and its last lines; of
   * `models.probe()` `details` has the `file`, the `exitCode`, the `signal` and the last lines of
   * the `log`.
   */
  "ENGINE_CRASHED",
  /**
   * The model wrote something that the format of its chat template has no place for; it is text of
   * the answer, and the message has the format, the place and the rest.
   */
  "OUTPUT_UNPARSED",
  /** A hook cancelled the operation; the decision names the hook and its reason. */
  "HOOK_CANCELLED",
  /** A handler threw or rejected; `cause` is the value that it threw. */
  "HOOK_FAILED",
  /** A hook passed its deadline. */
  "HOOK_TIMEOUT",
  /** A hook gave an answer that its point does not take; the message names the field. */
  "HOOK_BAD_ANSWER",
  /** No hook point has that number. */
  "UNKNOWN_HOOK_POINT",
  /** A native hook library cannot be opened. */
  "LIBRARY_NOT_LOADED",
  /** A native hook library does not have that symbol. */
  "SYMBOL_NOT_FOUND",
  /**
   * `postGenerate` hooks asked for more than three retries of one answer; the engine keeps the last
   * answer.
   */
  "RETRY_LIMIT",
  /** A hook was added to a session, a run or a generation, at a point that never fires for it. */
  "POINT_NOT_FIRED",
  /** Llama.cpp's libraries, or the requested GPU module, cannot be used. */
  "BACKEND_UNAVAILABLE",
  /**
   * A package with llama.cpp's libraries, or with the addon, does not have the version that this
   * package needs.
   */
  "VERSION_MISMATCH",
  /**
   * A run of the session is under way; or a live process holds the stored session, which the
   * message names.
   */
  "SESSION_BUSY",
  /**
   * A tool, or its check of arguments, threw or returned something that is not a result: reported
   * at `error`; the run continues, and the model receives the error.
   */
  "TOOL_FAILED",
  /**
   * A tool passed its deadline: reported at `error`; the run continues, and the model receives the
   * error.
   */
  "TOOL_TIMEOUT",
  /**
   * The parts that `contextAssemble` hooks injected take more tokens than `injectionReserve`; the
   * message names the hook that exceeded it.
   */
  "INJECTION_OVERFLOW",
  /**
   * The engine does not carry out a tool's directive: the tool is not trusted or ended without a
   * result, no hook handles the type, the params are wrong, or the run was cancelled; reported at
   * `error`, and the run goes on.
   */
  "INVALID_DIRECTIVE",
  /**
   * A task was delegated to a run that ended without an answer: reported at `error`; the run that
   * delegated goes on, and the model is told why.
   */
  "DELEGATION_FAILED",
  /**
   * The file, or the record of a store, is not a saved session, or not one that this version reads;
   * the message names the place and the reason.
   */
  "SESSION_FILE_INVALID",
  /**
   * Asked for a summary, a reflection or a judgement, the model answered with nothing, or with
   * something other than the JSON it was asked for.
   */
  "EMPTY_ANSWER",
  /**
   * The store of sessions failed or did not answer in time; the message names the store and the
   * session, `cause` is the store's error. After a failed autosave it is also reported at `error`,
   * and the run keeps its result.
   */
  "SESSION_STORE_FAILED",
  /**
   * Another process has taken over the stored session, because this one did not renew its lease in
   * time; this one may no longer run or save it.
   */
  "SESSION_LOST",
  /**
   * An MCP server refused a request, broke off the connection, did not answer in time, or answered
   * with something that MCP does not have; the message names the server, `cause` is the client's
   * error.
   */
  "MCP_FAILED",
  /**
   * An MCP server goes beyond a limit of `mcpTools()`: too many tools, a list without an end, too
   * many questions, a call that takes too long; the message names the server and the limit.
   */
  "MCP_LIMIT",
  /** This Node.js lacks what the call needs; the message names the version that has it. */
  "UNSUPPORTED",
  /**
   * A model could not be downloaded; the message says why, `details.status` is the status that a
   * server answered, `cause` the underlying error.
   */
  "DOWNLOAD_FAILED",
  /**
   * The file is not a recording of `recordRun()`, or not one that this version reads; the message
   * names the place and the reason.
   */
  "RECORDING_INVALID",
  /**
   * The replay cannot go on, because it cannot repeat a model call of the recording; the message
   * names the call.
   */
  "REPLAY_FAILED",
  /**
   * A hook was never called although its point fired, because its `when` has a name that no tool or
   * tier has; the code of a process warning when the engine or the session closes.
   */
  "HOOK_NEVER_MATCHED",
  /**
   * The native addon is missing: the platform's package is not installed, or the clone has not been
   * built.
   */
  "ADDON_MISSING",
  /**
   * The native addon is there but cannot be loaded, or a bundler has separated it from the package;
   * `cause` has the loader's message.
   */
  "ADDON_NOT_LOADED",
  /**
   * There is no prebuilt package for this platform, or the platform's C and C++ libraries are too
   * old or are not glibc and libstdc++.
   */
  "PLATFORM_UNSUPPORTED",
] as const;

/** One of `errorCodes`. */
export type ErrorCode = (typeof errorCodes)[number];

/** The numbers LH_ERR_* of the codes that C has. */
export const errorNumbers = {
  INVALID_ARGUMENT: 1,
  NOT_FOUND: 2,
  CLOSED: 3,
  CANCELLED: 4,
  REENTRANT: 5,
  INTERNAL: 6,
  BUSY: 7,
  NO_THREAD: 8,
  STUCK: 9,
  MODEL_FILE_NOT_FOUND: 20,
  MODEL_FILE_INVALID: 21,
  UNSUPPORTED_ARCHITECTURE: 22,
  MODEL_LOAD_FAILED: 23,
  INSUFFICIENT_MEMORY: 24,
  MODEL_NOT_LOADED: 25,
  MODEL_IN_USE: 26,
  ADAPTER_INCOMPATIBLE: 27,
  ADAPTER_IN_USE: 28,
  PROMPT_TOO_LONG: 40,
  INVALID_GRAMMAR: 41,
  INVALID_SCHEMA: 42,
  INVALID_MESSAGES: 43,
  TEMPLATE_FAILED: 44,
  DECODE_FAILED: 45,
  TOOLS_UNSUPPORTED: 46,
  OUTPUT_TOO_DEEP: 47,
  UNSUPPORTED_BY_MODEL: 48,
  TEXT_TOO_LONG: 49,
  REMOTE_UNREACHABLE: 50,
  REMOTE_REFUSED: 51,
  REMOTE_FAILED: 52,
  REMOTE_TIMEOUT: 53,
  ENGINE_CRASHED: 54,
  OUTPUT_UNPARSED: 55,
  HOOK_CANCELLED: 60,
  HOOK_FAILED: 61,
  HOOK_TIMEOUT: 62,
  HOOK_BAD_ANSWER: 63,
  UNKNOWN_HOOK_POINT: 64,
  LIBRARY_NOT_LOADED: 65,
  SYMBOL_NOT_FOUND: 66,
  RETRY_LIMIT: 67,
  POINT_NOT_FIRED: 68,
  BACKEND_UNAVAILABLE: 80,
  VERSION_MISMATCH: 81,
  SESSION_BUSY: 100,
  TOOL_FAILED: 101,
  TOOL_TIMEOUT: 102,
  INJECTION_OVERFLOW: 103,
  INVALID_DIRECTIVE: 104,
  DELEGATION_FAILED: 105,
  SESSION_FILE_INVALID: 106,
  EMPTY_ANSWER: 107,
} as const satisfies Readonly<Partial<Record<ErrorCode, number>>>;
