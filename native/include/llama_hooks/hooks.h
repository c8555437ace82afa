/* llama-hooks: the hook ABI.
 *
 * A local inference engine calls hooks, the callbacks of a program, at named points of its work. A hook may observe,
 * change or veto the next step. This header has the points, the type of a hook, the allocator for answers, and the
 * registry that holds the hooks. engine.h is the other public header. If a name is not in these two headers, it is not
 * public.
 *
 * A program that adds a hook and shows what it answers:
 *
 *     #include <llama_hooks/hooks.h>
 *     #include <stdio.h>
 *
 *     // A hook at PRE_GENERATE. It answers that the model may write at most 64 tokens.
 *     static int keep_short(int32_t point, const char *context_json, char **modified_json, void *user_data) {
 *       (void)point, (void)context_json, (void)user_data;
 *       *modified_json = lh_strdup("{\"params\": {\"max_tokens\": 64}}"); // the library frees it
 *       return 0;                                                         // continue; non-zero would cancel
 *     }
 *
 *     int main(void) {
 *       lh_registry *hooks = NULL;
 *       lh_hook_options options = LH_HOOK_OPTIONS_INIT;
 *       uint64_t id = 0;
 *       char *outcome = NULL;
 *       lh_status status = lh_registry_create(&hooks); // a program with an engine calls lh_engine_hooks instead
 *
 *       options.name = "keep-short";
 *       options.location = LH_HERE;
 *       if (status == LH_OK)
 *         status = lh_hook_add(hooks, LH_HOOK_PRE_GENERATE, keep_short, NULL, &options, &id, NULL);
 *
 *       // An engine calls the hooks itself, before each model call. Here the program calls them.
 *       if (status == LH_OK) status = lh_hook_dispatch(hooks, LH_HOOK_PRE_GENERATE, "{}", &outcome, NULL);
 *       puts(status == LH_OK ? outcome : lh_status_name(status));
 *
 *       lh_free(outcome);
 *       lh_registry_free(hooks);
 *       return status == LH_OK ? 0 : 1;
 *     }
 *
 * It prints JSON: {"decision": {..., "action": "modified", ...}, "context": {"params": {"max_tokens": 64}}, ...}
 *
 * Conventions
 *  1. All text is UTF-8 and NUL-terminated. JSON keys are snake_case.
 *  2. Functions that can fail return lh_status. Results come through trailing `out` parameters, which stay untouched on
 *     failure. Match the status, never a message: messages may change. A comment names statuses without LH_ERR_.
 *  3. `char **error_json`, where a function has one, may be NULL. On failure it receives
 *     {"code": "...", "message": "...", ...}, allocated with lh_alloc: the caller frees it with lh_free.
 *  4. Every string that the library returns through an `out` parameter is allocated with lh_alloc; the caller frees it
 *     with lh_free. Strings passed to a callback belong to the library and are valid for that call only.
 *  5. Freeing NULL is a no-op, for a block, a registry, an engine and a task.
 *  6. A structure that the caller fills begins with `struct_size` and has an _INIT macro, whose zeros mean the default.
 *     Later versions only add fields at the end, so that a program and the library may be of different versions. If the
 *     program's structure is shorter, the missing fields have the values of _INIT. If it is longer, the fields that the
 *     library does not know must be zero: otherwise the call returns INVALID_ARGUMENT, because the library could not do
 *     what they ask for. lh_host is the reverse, because the library fills it: read only what its struct_size covers.
 *  7. Numbers are append-only and never reused. 0 to 22 are those of Entropic's hooks.h; those of this library start
 *     at 1000.
 *  8. No function of this header throws. A C++ exception or longjmp of a callback must not pass through one.
 *  9. The comment above a function has a summary and a line for each parameter (`name: ...`), then `Returns` or, for a
 *     task, `Result`, and the errors. These parameters have a line only where there is more to say: the object that the
 *     function acts on, `callbacks`, the `out` of a task, and `error_json`.
 */
#ifndef LLAMA_HOOKS_HOOKS_H
#define LLAMA_HOOKS_HOOKS_H

#include <stddef.h>
#include <stdint.h>

/* LH_EXPORT marks what a shared library exports, such as a hook or the entry of a plug-in. LH_API marks the functions
 * of these headers. Define LH_STATIC if the library is linked into the program; LH_BUILD is for building the library.
 */
#if defined(_WIN32)
#define LH_EXPORT __declspec(dllexport)
#else
#define LH_EXPORT __attribute__((visibility("default")))
#endif
#if defined(LH_STATIC)
#define LH_API
#elif defined(_WIN32) && !defined(LH_BUILD)
#define LH_API __declspec(dllimport)
#else
#define LH_API LH_EXPORT
#endif

#if defined(__cplusplus)
#define LH_NOEXCEPT noexcept
extern "C" {
#else
#define LH_NOEXCEPT
#endif

/* --------------------------------------------------------------- version */

/* The version of this ABI, that is, of both headers. It rises when something is added, so that a program can ask for at
 * least version N. Nothing that a lower version has is ever changed or removed. */
#define LH_ABI_VERSION 1

/* LH_ABI_VERSION of the library, which may differ from the header's. Any thread. */
LH_API int32_t lh_abi_version(void) LH_NOEXCEPT;

/* ---------------------------------------------------------------- status */

/* The outcome of a call. 0 is success; every other number is an error with a stable name (lh_status_name). */
typedef int32_t lh_status;
enum {
  /* generated: errors begin */
  /* Generated from native/contract/errors.json by scripts/generate-contract.mjs; do not edit. */
  LH_OK = 0,
  LH_ERR_INVALID_ARGUMENT = 1,          /* the function does not accept a value; the message names it */
  LH_ERR_NOT_FOUND = 2,                 /* no hook, model, adapter, task or session has that name or number */
  LH_ERR_CLOSED = 3,                    /* the engine is closed or closing */
  LH_ERR_CANCELLED = 4,                 /* the caller cancelled the operation */
  LH_ERR_REENTRANT = 5,                 /* a hook made a call that would wait for that same hook */
  LH_ERR_INTERNAL = 6,                  /* this library has a defect; the message says what is known */
  LH_ERR_BUSY = 7,                      /* more work is queued than `max_queued` allows; of `lh_stream_piece`: the
                                           reader is behind */
  LH_ERR_NO_THREAD = 8,                 /* no thread could be started: the process has reached its limit of threads,
                                           or is out of memory */
  LH_ERR_STUCK = 9,                     /* work did not end in the time that a close grants (`close_timeout_ms`): a
                                           thread is still inside llama.cpp or a callback, and what it uses stays in
                                           memory until it comes back */
  LH_ERR_MODEL_FILE_NOT_FOUND = 20,     /* there is no readable file at that path */
  LH_ERR_MODEL_FILE_INVALID = 21,       /* the file is not GGUF, is truncated, or cannot be loaded safely; also if
                                           its chat template does more than a template may */
  LH_ERR_UNSUPPORTED_ARCHITECTURE = 22, /* this llama.cpp does not know the architecture of the GGUF, or it is an
                                           encoder-decoder (T5) */
  LH_ERR_MODEL_LOAD_FAILED = 23,        /* llama.cpp refused the model; the message quotes llama.cpp */
  LH_ERR_INSUFFICIENT_MEMORY = 24,      /* the weights, the context or an adapter do not fit, or memory ran out
                                           during an operation; the message says what is known */
  LH_ERR_MODEL_NOT_LOADED = 25,         /* the named model is not loaded; or the call names no model, while none or
                                           several are loaded */
  LH_ERR_MODEL_IN_USE = 26,             /* the id is taken: a model is loaded under it, or is being loaded with other
                                           options, or by work that waits for this hook */
  LH_ERR_ADAPTER_INCOMPATIBLE = 27,     /* the adapter does not fit the model; the message says what does not fit */
  LH_ERR_ADAPTER_IN_USE = 28,           /* an adapter with that id is loaded or being loaded already */
  LH_ERR_PROMPT_TOO_LONG = 40,          /* the prompt does not fit into the context; the message has both sizes */
  LH_ERR_INVALID_GRAMMAR = 41,          /* the GBNF grammar does not parse; the message has line and column */
  LH_ERR_INVALID_SCHEMA = 42,           /* a JSON schema cannot be turned into a grammar; the message names the
                                           place, and the tool if the schema belongs to one */
  LH_ERR_INVALID_MESSAGES = 43,         /* a message has an unknown role or shape; the error's message gives its
                                           index */
  LH_ERR_TEMPLATE_FAILED = 44,          /* the chat template does not parse, failed on these messages, or takes more
                                           steps or memory than a template may */
  LH_ERR_DECODE_FAILED = 45,            /* llama_decode failed; the message has its error code */
  LH_ERR_TOOLS_UNSUPPORTED = 46,        /* the chat template cannot render tools, or two calls in one message; the
                                           message says which */
  LH_ERR_OUTPUT_TOO_DEEP = 47,          /* the output nests brackets deeper than 128 levels: it stays text, and the
                                           engine looks for no tool call in it; reported at ON_ERROR */
  LH_ERR_UNSUPPORTED_BY_MODEL = 48,     /* the model lacks what the call needs: a rank head to rerank, tokens to
                                           infill, a decoder to generate, an option that a remote model does not
                                           have, or, for a script model, a reply that fits the request; the message
                                           names it and the model */
  LH_ERR_TEXT_TOO_LONG = 49,            /* a text to embed or rank has more tokens than can be computed at once; the
                                           message has its index, its tokens and the limit */
  LH_ERR_REMOTE_UNREACHABLE = 50,       /* no connection to a remote model: the name is unknown, no server listens at
                                           the address, or the connection broke before an answer began */
  LH_ERR_REMOTE_REFUSED = 51,           /* a remote model refused the request; the message has the status and the
                                           server's words */
  LH_ERR_REMOTE_FAILED = 52,            /* a remote model failed: its server reported a fault, the connection broke
                                           in the middle of an answer, or the answer made no sense; the part that had
                                           come is kept */
  LH_ERR_REMOTE_TIMEOUT = 53,           /* a remote model sent nothing for longer than the limits allow; the message
                                           names the limit */
  LH_ERR_ENGINE_CRASHED = 54,           /* a process of its own that used a model crashed, hung or could not be
                                           started. With `isolation` the message has the signal or exit code, the
                                           models that it worked for and its last lines; of `models.probe()`
                                           `details` has the `file`, the `exitCode`, the `signal` and the last lines
                                           of the `log` */
  LH_ERR_OUTPUT_UNPARSED = 55,          /* the output left its format; what is left over is text of the answer */
  LH_ERR_HOOK_CANCELLED = 60,           /* a hook cancelled the operation; the decision names the hook and its reason */
  LH_ERR_HOOK_FAILED = 61,              /* a hook threw, or reported a failure itself */
  LH_ERR_HOOK_TIMEOUT = 62,             /* a hook passed its deadline */
  LH_ERR_HOOK_BAD_ANSWER = 63,          /* a hook gave an answer that its point does not take */
  LH_ERR_UNKNOWN_HOOK_POINT = 64,       /* no point has that number or name */
  LH_ERR_LIBRARY_NOT_LOADED = 65,       /* a native hook library cannot be opened */
  LH_ERR_SYMBOL_NOT_FOUND = 66,         /* a native hook library does not have that symbol */
  LH_ERR_RETRY_LIMIT = 67,              /* hooks asked for more retries of one answer than are allowed */
  LH_ERR_POINT_NOT_FIRED = 68,          /* a hook was added to a session, a run or a generation, at a point that
                                           never fires for it */
  LH_ERR_BACKEND_UNAVAILABLE = 80,      /* llama.cpp's libraries, or the requested GPU module, cannot be used */
  LH_ERR_VERSION_MISMATCH = 81,         /* llama.cpp's libraries are not of the release that this library was built
                                           for */
  LH_ERR_SESSION_BUSY = 100,            /* a run of the session is under way */
  LH_ERR_TOOL_FAILED = 101,             /* a tool, or its check of arguments, threw or returned something that is not
                                           a result: reported at ON_ERROR; the run continues, and the model receives
                                           the error */
  LH_ERR_TOOL_TIMEOUT = 102,            /* a tool passed its deadline: reported at ON_ERROR; the run continues, and
                                           the model receives the error */
  LH_ERR_INJECTION_OVERFLOW = 103,      /* the parts that ON_CONTEXT_ASSEMBLE hooks injected take more tokens than
                                           `injection_reserve`; the message names the hook that exceeded it */
  LH_ERR_INVALID_DIRECTIVE = 104,       /* the engine does not carry out a tool's directive: the tool is not trusted
                                           or ended without a result, no hook handles the type, the params are wrong,
                                           or the run was cancelled; reported at ON_ERROR, and the run goes on */
  LH_ERR_DELEGATION_FAILED = 105,       /* a task was delegated to a run that ended without an answer: reported at
                                           ON_ERROR; the run that delegated goes on, and the model is told why */
  LH_ERR_SESSION_FILE_INVALID = 106,    /* the file, or the record of a store, is not a saved session, or not one
                                           that this version reads; the message names the place and the reason */
  LH_ERR_EMPTY_ANSWER = 107             /* asked for a summary, a reflection or a judgement, the model answered with
                                           nothing, or with something other than the JSON it was asked for */
/* generated: errors end */
};

/* Returns the name of a status without its prefix ("PROMPT_TOO_LONG"), or "UNKNOWN". The text is static. Any thread. */
LH_API const char* lh_status_name(lh_status status) LH_NOEXCEPT;

/* ------------------------------------------------------------- allocator */

/* Allocates a block for an answer. Any thread. entropic_alloc is the older name of this function.
 * size: the number of bytes.
 * Returns: the block, or NULL if memory is exhausted. Only such blocks may be stored in *modified_json. */
LH_API void* lh_alloc(size_t size) LH_NOEXCEPT;

/* Frees a block of lh_alloc. Any thread.
 * block: the block; NULL is a no-op. A pointer that is not a live block of lh_alloc is not freed, because that would
 *   corrupt another allocator's heap; the log reports it. */
LH_API void lh_free(void* block) LH_NOEXCEPT;

/* Copies `text` into a block of lh_alloc.
 * Returns: the copy, or NULL if memory is exhausted or `text` is NULL. */
LH_API char* lh_strdup(const char* text) LH_NOEXCEPT;

/* Returns the number of live blocks of lh_alloc in this process. If it keeps growing, there is a leak. Any thread. */
LH_API int64_t lh_alloc_balance(void) LH_NOEXCEPT;

/* ---------------------------------------------------------------- points */

/* A point's number. Kinds: "pre" may change and may cancel; "post" may change but not cancel; "info" only observes.
 * Unless its card says otherwise, for every point:
 *  - it fires on the thread that does the work (for a generation, its run thread), never on two threads at once for one
 *    run, and no lock is held while a callback runs;
 *  - its callbacks run one after the other, by priority; the work waits for them, so a callback may block, and the work
 *    takes that much longer;
 *  - the context lives for the call only;
 *  - the engine skips a failing callback, counts and logs the failure, and reports it at LH_HOOK_ON_ERROR or, the first
 *    time, in a warning (lh_registry_warnings); at a pre point, the failure of a hook with LH_HOOK_FAIL_CLOSED or
 *    LH_HOOK_GUARD counts as a cancel;
 *  - a callback may add and remove hooks and call the functions of both headers; a call that would wait for the
 *    operation that this callback holds up returns LH_ERR_REENTRANT. */
typedef int32_t lh_hook_point;
enum {
  /* generated: points begin */
  /* Generated from native/contract/points.json by scripts/generate-contract.mjs; do not edit. */

  /* Fires before each model call; once per model call. Kind: pre.
   * Context: messages, prompt (may be absent), params, tools, tier, iteration, response (may be absent), model (may
   *   be absent).
   * Cancel: The model is not called, and the run ends; its result has the reason.
   * Modify: messages, prompt, params, tools. The engine checks the changed messages, params and tools like the
   *   caller's own, and gives them to the model.
   * Answer `model` (string): Id of another model for this call, which is loaded if it is not: its chat template
   *   makes the prompt, which ON_CONTEXT_BUDGET counts anew, and its KV cache serves it. Adapters of the call's own
   *   model do not apply. Later hooks, guards too, see it. An unknown model is MODEL_NOT_LOADED.
   * Answer `response` (string): The engine takes this text as the model's answer and does not call the model. Later
   *   hooks, guards too, see it. */
  LH_HOOK_PRE_GENERATE = 0,

  /* Fires after each model call, before its output is stored, returned or acted on; once per model call, but not if
   *   a hook gave the response. Kind: post.
   * Context: content, reasoning, tool_calls, finish_reason, usage, tier, system_prompt, tool_context.
   * Modify: plain text, the new content. The text replaces content before the engine parses tool calls. The engine
   *   stores it, returns it and gives it to the model. If it contains tool calls, they replace the model's own;
   *   otherwise the model's own calls stay.
   * Answer `halt` (string): A reason. The run ends here, and each tool call of this message gets a refusal as its
   *   result.
   * Answer `retry` (string): Feedback. The engine calls the model again with it, up to three times per answer. The
   *   new attempt begins with the messages as they were before PRE_GENERATE hooks changed them, the rejected answer
   *   and the feedback. PRE_GENERATE fires again: the earlier changes of its hooks applied to the rejected attempt
   *   only. */
  LH_HOOK_POST_GENERATE = 1,

  /* Fires as tokens are generated, in order; once per token, not per byte. It fires twice for a token that ends one
   *   part (reasoning, content) and begins the next. The bytes of an unfinished character wait for the token that
   *   completes it. At the end of a part, it fires once more, with final, for each hook that holds text and for the
   *   hooks after that hook. Kind: post.
   * Context: token_index, token, text, kind, logprob (may be absent), final (may be absent).
   * Modify: plain text, the new text. The engine streams, stores and returns the new text. The model itself writes
   *   on from the text that it generated.
   * Answer `drop` (boolean): True: the engine drops the text. Later hooks are not called, because no text is left
   *   for them.
   * Answer `hold` (boolean): True: the hook holds the text back. The engine joins it with the next token's text and
   *   calls this hook again with both; at the end of the part or of the output it calls the hook once more, with
   *   final. Later hooks are not called: they see the text as one piece when the hook lets it go. If the hook is
   *   removed, fails or is no longer called, its held text goes on to the later hooks.
   * Thread: The run thread, while the decode thread computes the next token.
   * Block: May block. Throughput drops only if the hook is slower than the model. */
  LH_HOOK_ON_STREAM_TOKEN = 2,

  /* Fires before a tool call is validated and its permission is checked; once per tool call. Kind: pre.
   * Context: tool_name, args, tool_call_id, tier, iteration, annotations, origin, response (may be absent).
   * Cancel: The tool does not run, and the model is told the reason.
   * Modify: tool_name, args. The engine validates the new name and arguments, and checks their permission, as it
   *   does for the model's own.
   * Answer `additional_context` (array): Texts that the model is told, each as a user message of its own that stays
   *   in the history: after the results of the calls of this message. The texts of all hooks are joined, in order.
   * Answer `permission` (string): Decides, if no rule denies the call: in place of the rules and of answers that the
   *   session remembers. Of several hooks the strictest counts: deny, ask, allow. ON_PERMISSION_CHECK is shown it.
   * Answer `response` (string): The engine takes this text as the tool's result and does not run the tool. Later
   *   hooks, guards too, see it. */
  LH_HOOK_PRE_TOOL_CALL = 3,

  /* Fires after a tool ran or was refused, before its result is stored anywhere; once per tool call. Kind: post.
   * Context: tool_name, args, tool_call_id, elapsed_ms, tier, iteration, result_kind, is_error, result, directives,
   *   annotations, origin, parts (may be absent).
   * Modify: plain text, the new result; as JSON also is_error, directives. The text replaces the result everywhere:
   *   no cache, history, log or trace gets the old one, and the parts of the result are dropped. Hooks see the whole
   *   result; the engine then cuts what they leave at max_result_bytes. The engine carries out the directives that
   *   hooks leave, if the tool is trusted and has run.
   * Answer `additional_context` (array): Texts that the model is told, each as a user message of its own that stays
   *   in the history: after the results of the calls of this message. The texts of all hooks are joined, in order. */
  LH_HOOK_POST_TOOL_CALL = 4,

  /* Fires at the start of each iteration of the loop; once per iteration. Kind: info.
   * Context: goal, iteration, max_iterations, state, consecutive_errors. */
  LH_HOOK_ON_LOOP_ITERATION = 5,

  /* Fires at each transition of the loop's state machine; once per transition. Kind: info.
   * Context: previous, current. */
  LH_HOOK_ON_STATE_CHANGE = 6,

  /* Fires after an error of a backend, tool, hook, load, delegation or save; once per error, but not for a call that
   *   is refused before it begins: only its caller gets that error. Kind: info.
   * Context: code, message, where, recoverable, iteration, consecutive.
   * Thread: The thread on which the error occurred.
   * Failure: The engine only counts and logs it: a failure at this point does not fire the point again. */
  LH_HOOK_ON_ERROR = 7,

  /* Fires before a child run: a delegation, a pipeline stage or a plan step; once per child run. Kind: pre.
   * Context: target_tier, task, depth, flow.
   * Cancel: The child run does not start, and the model is told the reason.
   * Modify: target_tier, task. The child run gets the new tier and task. */
  LH_HOOK_ON_DELEGATE = 8,

  /* Fires after a child run ended or was refused; once per child run or refusal. Kind: post.
   * Context: target_tier, task, success, result_kind, summary, elapsed_ms, usage.
   * Modify: plain text, the new summary. The text replaces the summary that the parent run gets.
   * Answer `retry` (string): The child run's conversation goes on, in a new run, with this text as the user's
   *   message, and its end passes this point again: at most `max_delegation_retries` times for a task, then it is
   *   RETRY_LIMIT and the answer stands. Without effect if no run took place, or if it was cancelled. */
  LH_HOOK_ON_DELEGATE_COMPLETE = 9,

  /* Fires when the messages for the next model call are assembled; once per iteration. Kind: pre.
   * Context: messages, token_count, estimated, limit, budget.
   * Cancel: The run ends with the reason.
   * Modify: messages. This model call gets the new messages; the stored history stays as it is.
   * Answer `inject` (array): Parts that the engine puts after the history, behind the cached part of the prompt. The
   *   parts of all hooks are joined, in order. */
  LH_HOOK_ON_CONTEXT_ASSEMBLE = 10,

  /* Fires before a compaction; once per compaction, not per iteration. Kind: pre.
   * Context: messages, token_count, estimated, threshold, limit, force, strategy.
   * Cancel: The conversation is not compacted this time.
   * Modify: messages, strategy. The engine compacts the new messages with the new strategy. With the strategy
   *   `given`, the run goes on with the hook's messages as they are: a hook can so apply a strategy of its own.
   * Answer `instructions` (string): Instructions for the model that writes the summary. */
  LH_HOOK_ON_PRE_COMPACT = 11,

  /* Fires after a compaction; once per compaction. Kind: post.
   * Context: tokens_before, tokens_after, removed, summary, messages.
   * Modify: summary, messages. The run goes on with the new summary and messages. */
  LH_HOOK_ON_POST_COMPACT = 12,

  /* Fires before a model is loaded into the backend; once per load. Kind: pre.
   * Context: model_id, path, address, file_bytes, params, estimate.
   * Cancel: The load fails with LH_ERR_HOOK_CANCELLED and the reason.
   * Modify: params. The engine checks the new params like the caller's own and loads the model with them. Of a
   *   remote model only `context_size`, `parallel` and `pinned` may change.
   * Thread: The thread of the load. */
  LH_HOOK_ON_MODEL_LOAD = 13,

  /* Fires after a model was unloaded; once per unload. Kind: info.
   * Context: model_id, path, reason, freed.
   * Thread: The thread of the unload, or of the close. */
  LH_HOOK_ON_MODEL_UNLOAD = 14,

  /* Fires at each permission decision, after the tool call was validated; also when a waiting call has received its
   *   answer, before it runs; once per decision. Kind: pre.
   * Context: tool_name, args, tool_call_id, permission, rule, tier, annotations, origin, answered (may be absent).
   * Cancel: The call is denied, with the reason.
   * Modify: permission. A hook may change ask to allow or deny, and allow to deny, or have the call wait. If a rule
   *   denies the call, no hook can allow it. If the answer to a waiting call denies it, it stays denied.
   * Answer `reason` (string): The reason, which the model is told if the call is denied.
   * Answer `remember` (string): The session remembers the answered permission, and saves it, for this tier's calls
   *   of the same tool: `call` for calls with the same arguments, `tool` for all calls. It never allows a call that
   *   a rule denies.
   * Answer `defer` (boolean): True: nobody decides now. No call of the message runs, the run ends as `waiting`, and
   *   the session keeps its calls until the run is resumed with answers (the request's `resume`,
   *   `session.resume()`), in this process or another one. Without effect if the call is denied. In a delegated run
   *   and in a plan, calls cannot wait: the call is denied, with HOOK_BAD_ANSWER at ON_ERROR.
   * Answer `waits_for` (string): With `defer`, the name of whoever is to decide; `session.waiting` tells it. */
  LH_HOOK_ON_PERMISSION_CHECK = 15,

  /* Fires before the active set of adapters changes; once per change: at lh_adapter_swap, and at a model call that
   *   asks for another set than the model call before it in the conversation. Kind: pre.
   * Context: current_adapter, target_adapter, adapter_path, scale, adapters.
   * Cancel: Nothing changes; the swap or the model call ends with LH_ERR_HOOK_CANCELLED.
   * Modify: scale, adapters. The new scale and adapters become active. scale is the strength of the target adapter.
   *   Adapters that the new set leaves out are not used; adapters that it adds are used, if they are loaded. The
   *   changed set also applies to later calls that ask for the same set; the point does not fire again for them.
   * Thread: The run thread; for lh_adapter_swap, the thread of the swap. */
  LH_HOOK_ON_ADAPTER_SWAP = 16,

  /* Fires when a load or a context does not fit, or free memory is below the limit; once per shortage. Kind: pre.
   * Context: device, vram_used_mb, vram_total_mb, pressure_level, needed_bytes, free_bytes, budget_bytes, cause,
   *   candidates, conversation_bytes, plan.
   * Cancel: Nothing is unloaded or dropped; a load then fails with LH_ERR_INSUFFICIENT_MEMORY.
   * Modify: conversation_bytes, plan. The engine unloads the models of the new plan, in its order, and drops as many
   *   bytes of idle conversations as conversation_bytes says.
   * Thread: The thread that needs the memory. */
  LH_HOOK_ON_VRAM_PRESSURE = 17,

  /* Fires before each directive of a tool result, whatever its type; once per directive. Kind: pre.
   * Context: type, params.
   * Cancel: The directive is not carried out.
   * Modify: params. The engine carries the directive out with the new params. */
  LH_HOOK_ON_DIRECTIVE = 18,

  /* Fires at a directive of a type that the engine does not know, after ON_DIRECTIVE; once per such directive. Kind:
   *   pre.
   * Context: type, params.
   * Cancel: The directive is not carried out.
   * Modify: nothing of the context. A directive that no hook handles is an error, and ON_ERROR fires.
   * Answer `handled` (boolean): True: the hook has carried out the directive.
   * Answer `message` (string): A text that the model is told with the tool's result. */
  LH_HOOK_ON_CUSTOM_DIRECTIVE = 19,

  /* Fires when the loop of a run begins, child runs included; at depth 0 this is the start of a turn; once per loop.
   *   Kind: info.
   * Context: messages, message_count, delegation_depth, tier. */
  LH_HOOK_ON_LOOP_START = 20,

  /* Fires when the loop of a run ends, on every path; exactly once per loop. Kind: info.
   * Context: final_state, reason, iterations, response, usage, duration_ms. */
  LH_HOOK_ON_LOOP_END = 21,

  /* Fires when the model calls the tool complete to say that it is done, or has written the answer that the run's
   *   `answer` wants; once per such call or answer. Kind: pre.
   * Context: summary, tier, iteration, tool_results.
   * Cancel: The completion is rejected: a call's result is "rejected: <reason>", and the model gets the user message
   *   "[CITATION VALIDATION] <reason>". */
  LH_HOOK_ON_COMPLETE = 22,

  /* Fires when the first run of a session begins, or when the session is closed without a run; a restored history is
   *   there already; once per session. Kind: info.
   * Context: history. */
  LH_HOOK_ON_SESSION_START = 1000,

  /* Fires when a session is closed, also by the close of its engine; once per session. Kind: info.
   * Context: history, iterations. */
  LH_HOOK_ON_SESSION_END = 1001,

  /* Fires when the system prompt is assembled, before the first ON_CONTEXT_ASSEMBLE; once per system prompt. Kind:
   *   post.
   * Context: tier, system_prompt, parts.
   * Modify: nothing of the context. The engine appends the parts of all hooks to the system prompt, in order. Answer
   *   your own parts only.
   * Answer `parts` (array): Strings to append to the system prompt. The parts of all hooks are joined, in order. */
  LH_HOOK_ON_BOOTSTRAP = 1002,

  /* Fires after each iteration, also if it failed; once per iteration. Kind: pre.
   * Context: iteration, status, tool_call_counts, task_completed, continuations, output.
   * Cancel: The loop ends here, with the reason.
   * Modify: nothing of the context. The run goes on, also if the model has answered.
   * Answer `complete` (boolean): True: the run ends here as `complete`, also if the model has called tools. It goes
   *   before `continue`. Without effect on a run that ends anyway.
   * Answer `continue` (string): The model is told this text, as a user message, and is called again: at most
   *   `max_continuations` times in a run, then it is RETRY_LIMIT. Without effect on a run that ends for another
   *   reason than the model's answer. */
  LH_HOOK_ON_ITERATION_END = 1003,

  /* Fires after a reflection step; once per step. Kind: info.
   * Context: iteration, monologue, should_proceed. */
  LH_HOOK_ON_REFLECTION = 1004,

  /* Fires after a validator has judged a tool call; once per validator and tool call. Kind: info.
   * Context: tool_name, args, tool_call_id, validator, allowed, reason. */
  LH_HOOK_ON_TOOL_VALIDATION = 1005,

  /* Fires before a tool result is stored in the history or in a saved session; once per result. Kind: post.
   * Context: tool_name, tool_call_id, result, tier.
   * Modify: plain text, the new result. The engine stores the new text, and the model gets it from then on. */
  LH_HOOK_ON_TOOL_RESULT_PERSIST = 1006,

  /* Fires at the end of a dry run: the plan was made, no tool ran; once per dry run. Kind: info.
   * Context: planned_steps, tools_used, estimated_cost. */
  LH_HOOK_ON_DRY_RUN = 1007,

  /* Fires before a plan starts; once per plan. Kind: pre.
   * Context: flow, step_count, step_names, steps.
   * Cancel: The plan does not run.
   * Modify: steps. The new steps run. */
  LH_HOOK_ON_PLAN_EXECUTION = 1008,

  /* Fires before each model call, before PRE_GENERATE; once per model call. Kind: info.
   * Context: persona_tokens, tool_schema_tokens, history_tokens, total_tokens, max_tokens, utilization, over_budget,
   *   estimated. */
  LH_HOOK_ON_CONTEXT_BUDGET = 1009,

  /* Fires when the model calls a tool again with the same arguments, after compaction has removed the earlier
   *   result; once per such call. Kind: info.
   * Context: tool_name, tool_call_id, original_size, compressed_size, boost. */
  LH_HOOK_ON_COMPACTION_MISS = 1010,

  /* Fires when a model is loaded and usable; once per load that succeeded. Kind: info.
   * Context: model_id, path, load_ms, devices, measured, n_ctx, architecture.
   * Thread: The thread of the load. */
  LH_HOOK_ON_MODEL_READY = 1011,

  /* Fires while the model reads a long prompt; at most every 50 ms. Kind: info.
   * Context: processed, total, cached. */
  LH_HOOK_ON_PROMPT_PROGRESS = 1012,

  /* Fires when user input arrives (the input of a run, or a queued message), before it is stored anywhere; once per
   *   input. Kind: pre.
   * Context: content, tier, queued.
   * Cancel: The input is refused with the reason, and nothing is stored.
   * Modify: content. The engine stores the new content and gives it to the model.
   * Answer `additional_context` (array): Texts that the model is told, each as a user message of its own that stays
   *   in the history: after the input. The texts of all hooks are joined, in order. */
  LH_HOOK_ON_USER_MESSAGE = 1013,

  /* Fires when a tool asks the user for input while it runs; once per question. Kind: pre.
   * Context: tool_name, tool_call_id, message, schema, action, content, tier, annotations, origin.
   * Cancel: The tool is told `cancel`, with the reason.
   * Modify: action, content. The tool gets the action and the content. Content that does not fit the schema is
   *   HOOK_BAD_ANSWER at ON_ERROR, and the tool is told `decline`.
   * Thread: A thread of the question, while the run waits for its tools; for one question of a run, and of the runs
   *   below it, at a time.
   * Block: May block, and may wait for a person: the tool waits, and its deadline stands still. The wait for a
   *   deferred answer ends when the tool's call is over, or the run is cancelled; a hook that blocks has to watch
   *   lh_call_cancelled for that, because the run waits for it. */
  LH_HOOK_ON_ELICITATION = 1014
/* generated: points end */
};

/* -------------------------------------------------------------- callback */

/* A hook: the function that the engine calls when a point fires.
 * hook_point: the number of the point.
 * context_json: valid JSON with "meta" and the fields of the card. It belongs to the engine and lives for this call
 *   only.
 * modified_json: `*modified_json` is NULL on entry. The callback stores its answer there, in a block of lh_alloc. The
 *   engine frees the block on every path, also if it ignores the answer.
 * user_data: as given to lh_hook_add.
 * Returns: 0 to continue. Non-zero cancels at a pre point: *modified_json is then the reason, as plain text (not JSON),
 *   or NULL. A veto without a reason is a veto, too: the reason is then "no reason given". The engine ignores what
 *   callbacks of post and info points return.
 *
 * An answer is a JSON object. Each mutable field in it replaces that field of the context; fields left out stay. The
 * callback may return the whole context with changes: a field that equals the one that this hook was shown is a no-op.
 * An answer that refuses something ("permission" other than "allow", "halt", "retry") does so even if other fields, or
 * the text of the refusal, are wrong: nothing else of the answer counts, and the failure is recorded beside it.
 *
 * At POST_GENERATE, ON_STREAM_TOKEN, POST_TOOL_CALL, ON_TOOL_RESULT_PERSIST and ON_DELEGATE_COMPLETE the answer is the
 * replacement text itself (a no-op if it equals the text shown), unless the hook has LH_HOOK_JSON_RESULT.
 *
 * A callback that cannot answer at once answers later: lh_call_defer. A hook may cause dispatches that call other
 * hooks. A call nested deeper than 16 is not made and fails with LH_ERR_HOOK_FAILED. Nesting counts across threads: a
 * generation that is started inside a hook call is nested in it until that call is over. */
typedef int (*lh_hook_fn)(int32_t hook_point, const char* context_json, char** modified_json, void* user_data);

/* How a hook is run. Combine flags with bitwise or. */
enum {
  /* generated: flags begin */
  /* Generated from native/contract/flags.json by scripts/generate-contract.mjs; do not edit. */
  LH_HOOK_GUARD = 1,            /* pre points: the hook runs after all hooks that are not guards, sees what will
                                   really happen, may cancel but not change, and fails closed */
  LH_HOOK_FAIL_CLOSED = 2,      /* pre points: a failure of the hook counts as a cancel */
  LH_HOOK_OBSERVE = 4,          /* the engine ignores the answer, and does not wait for an observer written in
                                   TypeScript */
  LH_HOOK_ORIGINAL_CONTEXT = 8, /* the hook sees the context as it was before other hooks changed it; the last writer
                                   wins */
  LH_HOOK_JSON_RESULT = 16,     /* the hook answers with a JSON object also at the points whose answer is plain text */
  LH_HOOK_PARALLEL = 32,        /* points that collect parts (CONTEXT_ASSEMBLE, BOOTSTRAP, USER_MESSAGE,
                                   PRE_TOOL_CALL, POST_TOOL_CALL): the engine calls neighbouring hooks with this flag
                                   at the same time and joins their parts in the order of the hooks; such a hook may
                                   only answer parts, not change or cancel */
  LH_HOOK_ONCE = 64             /* called at most once, across concurrent runs, and then removed; dispatches
                                   meanwhile skip it; a call that the hook passes (lh_call_pass) does not count */
/* generated: flags end */
};

/* How a hook is registered. Begin from LH_HOOK_OPTIONS_INIT. The library copies what it keeps. */
typedef struct lh_hook_options {
  size_t struct_size;
  const char* name;    /* shown in decisions and errors; NULL: "hook <id>" */
  int32_t priority;    /* ascending; equal priorities run in the order of registration */
  int64_t deadline_ms; /* 0: none. A C callback runs in place and cannot be interrupted: if it is late, the engine only
                          reports that. A callback that answers later (lh_call_defer) fails with LH_ERR_HOOK_TIMEOUT
                          at the deadline */
  uint32_t flags;      /* LH_HOOK_* */
  void (*release)(void* user_data); /* or NULL; called once, when the hook is removed and no call of it runs any more */
  const char*
      when; /* or NULL: always. A JSON object of tests: the hook is called if all of them hold. A key is a field
               of the point's context, or of its meta: tier, model_id, depth, iteration, session_id, run_id,
               parent_run_id, tags.<name>. A test is a string, a number, a boolean or null, which the field must equal;
               {"starts_with": s}, {"ends_with": s} or {"contains": s}, for text; or an array of these, one
               of which must hold. Tests see the context as the hook would, with the changes of earlier hooks.
               Tests of meta, and of the tool's name at points of a tool call, are evaluated before a context
               is built. Calls that do not match are not counted. */
  const char* location; /* where the hook is registered, for messages: LH_HERE; NULL: unknown */
  const char* fields;   /* or NULL: all. A JSON array of names of the context's fields that the hook reads, such as
                           ["params"]: its context has only these, and meta. Fields that grow with the conversation,
                           such as messages, are not made if no hook reads them. Answers may still change all that the
                           point lets them change */
} lh_hook_options;

#define LH_HOOK_OPTIONS_INIT \
  { sizeof(lh_hook_options), NULL, 0, 0, 0, NULL, NULL, NULL, NULL }

/* "file:line" of this place in the source, for `location`. */
#define LH_HERE __FILE__ ":" LH_HERE_LINE(__LINE__)
#define LH_HERE_LINE(line) LH_HERE_TEXT(line)
#define LH_HERE_TEXT(line) #line

/* -------------------------------------------------------------- registry */

/* The hooks of one engine. Any thread may use it, hooks included. Changes apply from the next dispatch on: a dispatch
 * under way runs the hooks that it began with, except that it does not start a hook that has been removed. */
typedef struct lh_registry lh_registry;

/* Creates a registry for lh_hook_dispatch. For the registry of an engine, see lh_engine_hooks.
 * out: the registry, which the caller frees with lh_registry_free. It takes hooks at every point, as an engine's
 *   registry does. */
LH_API lh_status lh_registry_create(lh_registry** out) LH_NOEXCEPT;

/* Frees a registry.
 * registry: a registry of lh_registry_create, lh_registry_scope or lh_session_hooks, or NULL. For one of
 *   lh_registry_create the function waits for running calls, and must not be called inside a hook. */
LH_API void lh_registry_free(lh_registry* registry) LH_NOEXCEPT;

/* The scope of a registry of lh_registry_scope. */
typedef int32_t lh_hook_scope;
enum {
  LH_SCOPE_RUN = 1,       /* one run and its child runs: lh_session_run */
  LH_SCOPE_GENERATION = 2 /* one call of lh_generate */
};

/* Creates a registry for the hooks of single calls: those whose lh_task_callbacks name it.
 * registry: an engine's (lh_engine_hooks), or one of lh_registry_create.
 * scope: LH_SCOPE_RUN or LH_SCOPE_GENERATION.
 * out: the registry. Free it with lh_registry_free, at any time, also inside a hook, and before the registry that it
 *   was created from; its hooks are retired when no call uses it any more.
 * Errors: INVALID_ARGUMENT, CLOSED.
 *
 * A registry of a scope, such as that of lh_session_hooks, takes hooks at the points that fire for the scope.
 * lh_hook_list, _has and _clear see only the hooks of this registry; lh_hook_dispatch also calls the engine's. At equal
 * priority the engine's hooks run first, then the session's, then the run's. */
LH_API lh_status lh_registry_scope(lh_registry* registry, lh_hook_scope scope, lh_registry** out) LH_NOEXCEPT;

/* Receives a warning on the thread of its cause. Must not block.
 * warning_json: {"code", "message"} and, for a hook's failure, {"hook_id", "hook", "point", "location", "effect":
 *   "skipped", "cancelled", "refused" or "counted", "cause_id"}.
 * user_data: as given to lh_registry_warnings. */
typedef void (*lh_warning_fn)(const char* warning_json, void* user_data);

/* Sets the receiver of the warnings of a registry. Returns when no call of the former receiver is running.
 * registry: the registry; for an engine's, see lh_engine_hooks.
 * receiver: the function. NULL: a warning is one line on stderr, or a line of the log if lh_log_set was called.
 * user_data: for the receiver.
 *
 * The engine warns of the first failure of each hook, unless a hook at LH_HOOK_ON_ERROR receives the failure or the
 * engine's option `on_hook_failure` is "ignore". It also warns of each tool that is not offered because its schema
 * cannot be used. Hooks of sessions, runs and generations with the same name, point and location count as one hook. */
LH_API lh_status lh_registry_warnings(lh_registry* registry, lh_warning_fn receiver, void* user_data) LH_NOEXCEPT;

/* Chooses the names of points, fields and options in messages, for the whole process. For bindings.
 * typescript: 0: names of C ("PRE_GENERATE", "top_p"), the default. Otherwise names of TypeScript ("preGenerate",
 *   "topP"). */
LH_API void lh_names_set(int typescript) LH_NOEXCEPT;

/* Adds a hook at a point.
 * registry: the registry of an engine, a session or a scope, or one of lh_registry_create.
 * point: the point.
 * hook: the function to call.
 * user_data: for the hook. On failure it stays the caller's, and `release` is not called.
 * options: name, priority, deadline, flags and the like; may be NULL.
 * out_id: the number of the hook, never 0 and never used again.
 * Errors: UNKNOWN_HOOK_POINT; POINT_NOT_FIRED in the registry of a session or a scope (the point never fires there, and
 *   a guard that never runs protects nothing); CLOSED (an engine's registry from lh_engine_close on; a closed
 *   session's); INVALID_ARGUMENT for:
 *   - no hook, an unknown flag, a negative deadline, or a test of `when` that is not possible;
 *   - a guard at a point that is not pre, or with LH_HOOK_ORIGINAL_CONTEXT;
 *   - a guard or LH_HOOK_FAIL_CLOSED together with LH_HOOK_OBSERVE. */
LH_API lh_status lh_hook_add(lh_registry* registry, lh_hook_point point, lh_hook_fn hook, void* user_data,
                             const lh_hook_options* options, uint64_t* out_id, char** error_json) LH_NOEXCEPT;

/* Opens a shared library and adds one of its functions as a hook, or lets it add its hooks as a plug-in.
 * registry: as for lh_hook_add.
 * path: the shared library. Libraries stay open until the process ends, because a removed callback may still be
 *   running. A library built for Entropic resolves entropic_alloc and entropic_free from this one.
 * symbol: the name of a function in the library, an lh_hook_fn. NULL, with point -1: the library is a plug-in, and its
 *   entry adds the hooks and chooses their options.
 * point: the point; -1 for a plug-in.
 * options: as for lh_hook_add. For a plug-in NULL, or equal to LH_HOOK_OPTIONS_INIT, otherwise INVALID_ARGUMENT.
 * out_id: the number of the hook; 0 for a plug-in.
 * Errors: LIBRARY_NOT_LOADED, SYMBOL_NOT_FOUND, HOOK_FAILED (the entry threw, or returned a number that is not a
 *   status), the status that the entry returned, and those of lh_hook_add. */
LH_API lh_status lh_hook_add_native(lh_registry* registry, const char* path, const char* symbol, lh_hook_point point,
                                    const lh_hook_options* options, uint64_t* out_id, char** error_json) LH_NOEXCEPT;

/* Removes a hook and returns when no call of it is running, so that its user data may be freed.
 * id: the number of the hook. Called from inside that hook, the function returns at once.
 * Errors: NOT_FOUND; REENTRANT if a call of the hook waits, through others, for this call: the hook is removed, and its
 *   `release` is called when its last call has ended. */
LH_API lh_status lh_hook_remove(lh_registry* registry, uint64_t id) LH_NOEXCEPT;

/* Removes a hook without waiting; its `release` is called when its last call has ended.
 * id: the number of the hook.
 * Errors: NOT_FOUND. */
LH_API lh_status lh_hook_retire(lh_registry* registry, uint64_t id) LH_NOEXCEPT;

/* Retires every hook of a point.
 * point: the point; -1: all points.
 * Errors: UNKNOWN_HOOK_POINT. */
LH_API lh_status lh_hook_clear(lh_registry* registry, lh_hook_point point) LH_NOEXCEPT;

/* Returns 1 if a hook is registered at `point`, otherwise 0, also for an unknown point. Without a hook it costs one
 * atomic load. */
LH_API int lh_hook_has(const lh_registry* registry, lh_hook_point point) LH_NOEXCEPT;

/* Lists the hooks of a registry.
 * out_json: a JSON array, in order of execution, of {"id", "name", "point", "point_name", "level", "session_id",
 *   "priority", "deadline_ms", "flags": ["guard", ...], "location", "when", "fields", "fired", "matched", "calls",
 *   "modifications", "cancels", "failures", "total_us"}:
 *   - `level`: "engine", "session", "run" or "generation";
 *   - `location` and `when`: as given, or null; `fields`: names of the context's fields, or null for all;
 *   - `fired`: how often the point fired in the hook's scope since the hook was added; `matched`: how often the event
 *     also matched `when`. If a hook matched less often than its point fired, the other events did not match `when`, or
 *     an earlier hook ended the dispatch. */
LH_API lh_status lh_hook_list(const lh_registry* registry, char** out_json) LH_NOEXCEPT;

/* Runs the hooks of a point on a context of the caller. For loops other than the engine's, and for tests.
 * point: the point.
 * context_json: a JSON object without "meta".
 * out_json: {"decision": {...}, "context": {...}, "answers": {...}}: what was decided and by which hook, the changed
 *   context, and the fields that exist only in answers ("response", "halt", ...).
 * Errors: UNKNOWN_HOOK_POINT, INVALID_ARGUMENT (not a JSON object, or one with "meta", which the dispatcher adds). */
LH_API lh_status lh_hook_dispatch(lh_registry* registry, lh_hook_point point, const char* context_json, char** out_json,
                                  char** error_json) LH_NOEXCEPT;

/* Returns the table of points as JSON: number, name, kind, mutable fields, schemas of context and answer. Static. */
LH_API const char* lh_hook_points_json(void) LH_NOEXCEPT;

/* ---------------------------------------------- from inside a callback */

/* Makes the hook call that is running on this thread fail, whatever it returns.
 * status: LH_ERR_HOOK_FAILED, LH_ERR_HOOK_TIMEOUT, LH_ERR_HOOK_BAD_ANSWER, LH_ERR_HOOK_CANCELLED, LH_ERR_CANCELLED or
 *   LH_ERR_CLOSED.
 * message: what happened, or NULL; it is copied.
 * cause_id: appears unchanged in the decision, for a binding that knows more; 0: nothing.
 * Errors: INVALID_ARGUMENT outside a hook call. */
LH_API lh_status lh_call_fail(lh_status status, const char* message, uint64_t cause_id) LH_NOEXCEPT;

/* Returns 1 if the operation of this hook call has been cancelled, or if no hook call runs on this thread; otherwise 0.
 */
LH_API int lh_call_cancelled(void) LH_NOEXCEPT;

/* Registers a function that wakes the callback, which waits for something, when its operation is cancelled.
 * wake: called on another thread; at once if the operation is cancelled already. The registration ends when the hook
 *   call returns; the return waits for a `wake` that is running.
 * user_data: for `wake`.
 * Errors: INVALID_ARGUMENT outside a hook call. */
LH_API lh_status lh_call_on_cancel(void (*wake)(void* user_data), void* user_data) LH_NOEXCEPT;

/* Declares that the hook call running on this thread is not meant for this hook.
 * Errors: INVALID_ARGUMENT outside a hook call.
 *
 * A hook that filters its calls itself needs it. The engine ignores the call's answer and does not count it, and no
 * decision mentions it. A failure of the call still counts. */
LH_API lh_status lh_call_pass(void) LH_NOEXCEPT;

/* Returns the number of the hook call that this thread acts in: the call that it entered last, or the one that runs on
 * it. The number is never used again in this process. 0: it acts in none. Other threads pass the number to
 * lh_call_enter. */
LH_API uint64_t lh_call_id(void) LH_NOEXCEPT;

/* Lets this thread act in a hook call until lh_call_leave. For a callback that hands its work to another thread.
 * call_id: the number that lh_call_id returned inside the hook call. When the hook call ends, or its deadline passes,
 *   the number has no effect any more, also on a thread that still has to leave.
 * Errors: NOT_FOUND if the hook call is over or never existed; then do not leave.
 *
 * Work that the thread starts, and waits, are judged as if the callback itself did them (LH_ERR_REENTRANT, the depth of
 * nesting). Enters nest; each needs one leave. */
LH_API lh_status lh_call_enter(uint64_t call_id) LH_NOEXCEPT;

/* Ends the effect of the last lh_call_enter on this thread. */
LH_API void lh_call_leave(void) LH_NOEXCEPT;

/* -------------------------------------------------- answering later */

/* The open answer of a deferred call. Any thread may use it. Only lh_pending_finish, lh_pending_fail and
 * lh_pending_pass free it: if it is never finished, it is never freed. It may outlive the hook, the registry and the
 * engine. */
typedef struct lh_pending lh_pending;

/* Defers the answer of the hook call that is running on this thread.
 * on_over: called exactly once, when the wait has ended, on the thread of the hook call, before the operation
 *   continues: with LH_OK for an answer in time, otherwise with the status below. It must not block. It may free
 *   `user_data`, which is not used afterwards, and may finish the pending answer. NULL: not needed.
 * user_data: for `on_over`.
 * out: the open answer. The caller must finish it also if the wait ends without an answer.
 * Errors: INVALID_ARGUMENT outside a hook call, for the second time in one, or in a hook with LH_HOOK_OBSERVE, because
 *   the engine does not wait for its answer. After an error the callback answers as usual.
 *
 * Any thread gives the answer later (this one too, before or after the callback returns). The callback then returns;
 * the engine ignores what it returns and frees an answer that it has written. The run thread waits until the first of
 * these:
 *   - lh_pending_finish, lh_pending_fail or lh_pending_pass gives the answer;
 *   - the hook's deadline passes: the call has failed with LH_ERR_HOOK_TIMEOUT;
 *   - the operation is cancelled: LH_ERR_CANCELLED, or LH_ERR_CLOSED if the close of the engine cancels it;
 *   - the engine closes, at a point that nothing cancels (ON_MODEL_UNLOAD; ON_SESSION_START and ON_SESSION_END in a
 *     close; ON_ERROR for a load), and the hook has no deadline: LH_ERR_CLOSED, 5 seconds after the close began, or
 *     after the call began if that is later;
 *   - the callback itself fails (lh_call_fail): that failure.
 * If none of these happens, it waits forever. A call whose wait ends without an answer has failed; the hook's flags say
 * what that means. `context_json` is no longer valid when the callback has returned: copy what you need. */
LH_API lh_status lh_call_defer(void (*on_over)(lh_status status, void* user_data), void* user_data,
                               lh_pending** out) LH_NOEXCEPT;

/* Gives the answer of a deferred call, once for each lh_pending, from any thread.
 * pending: freed on every path.
 * result: what the callback would have returned.
 * modified_json: what the callback would have written, or NULL: a block of lh_alloc, which belongs to the engine from
 *   here on, whatever this returns.
 * Errors: the status that ended the wait before (HOOK_TIMEOUT, CANCELLED, CLOSED, ...); the answer then has no effect.
 */
LH_API lh_status lh_pending_finish(lh_pending* pending, int result, char* modified_json) LH_NOEXCEPT;

/* Gives a failure as the answer, as lh_call_fail does.
 * pending: freed on every path but one, see Errors.
 * status, message, cause_id: as for lh_call_fail.
 * Errors: those of lh_pending_finish; INVALID_ARGUMENT for a status that lh_call_fail does not take: `pending` is then
 *   not freed and must still be finished. */
LH_API lh_status lh_pending_fail(lh_pending* pending, lh_status status, const char* message,
                                 uint64_t cause_id) LH_NOEXCEPT;

/* Answers that the call was not meant for this hook, as lh_call_pass does.
 * pending: freed on every path.
 * Errors: those of lh_pending_finish. */
LH_API lh_status lh_pending_pass(lh_pending* pending) LH_NOEXCEPT;

/* Reports that the work of a deferred call has not begun; it begins with lh_pending_begin.
 * pending: the open answer of the call.
 * Errors: INVALID_ARGUMENT.
 *
 * A callback that queues deferred calls itself needs it. Call it inside the callback. If the run of a tool is cancelled
 * before the work begins, the model sees that the call was not run. */
LH_API lh_status lh_pending_queue(lh_pending* pending) LH_NOEXCEPT;

/* Asks whether the work of a deferred call may begin. Call it before the work begins. Any thread.
 * pending: never freed. The function may be called again while the work runs.
 * Returns: LH_OK: the work may begin. Otherwise the work must not begin, because the engine no longer waits for the
 *   answer or is cancelling the operation; the status is the one that ends the wait (CANCELLED, CLOSED, HOOK_TIMEOUT,
 *   ...). */
LH_API lh_status lh_pending_begin(lh_pending* pending) LH_NOEXCEPT;

/* -------------------------------------------------------------- plug-ins */

/* The functions of this header, for a plug-in, so that it needs no symbol of the process that loads it. The library
 * fills it. It lives until the process ends, so a plug-in may keep the pointer. Before a plug-in uses a function of a
 * later version, it checks that `struct_size` covers it. Each member is the function lh_<name>, except alloc_block,
 * free_block and copy_text, which are lh_alloc, lh_free and lh_strdup: C libraries have macros of the shorter names. */
typedef struct lh_host {
  size_t struct_size;  /* of the library's lh_host */
  int32_t abi_version; /* LH_ABI_VERSION of the library */
  int32_t reserved;    /* 0 */
  const char* (*status_name)(lh_status status);
  void* (*alloc_block)(size_t size);
  void (*free_block)(void* block);
  char* (*copy_text)(const char* text);
  lh_status (*hook_add)(lh_registry* registry, lh_hook_point point, lh_hook_fn hook, void* user_data,
                        const lh_hook_options* options, uint64_t* out_id, char** error_json);
  lh_status (*hook_remove)(lh_registry* registry, uint64_t id);
  lh_status (*hook_retire)(lh_registry* registry, uint64_t id);
  lh_status (*hook_clear)(lh_registry* registry, lh_hook_point point);
  int (*hook_has)(const lh_registry* registry, lh_hook_point point);
  lh_status (*hook_list)(const lh_registry* registry, char** out_json);
  lh_status (*hook_dispatch)(lh_registry* registry, lh_hook_point point, const char* context_json, char** out_json,
                             char** error_json);
  const char* (*hook_points_json)(void);
  lh_status (*call_fail)(lh_status status, const char* message, uint64_t cause_id);
  lh_status (*call_pass)(void);
  int (*call_cancelled)(void);
  lh_status (*call_on_cancel)(void (*wake)(void* user_data), void* user_data);
  uint64_t (*call_id)(void);
  lh_status (*call_enter)(uint64_t call_id);
  void (*call_leave)(void);
  lh_status (*call_defer)(void (*on_over)(lh_status status, void* user_data), void* user_data, lh_pending** out);
  lh_status (*pending_finish)(lh_pending* pending, int result, char* modified_json);
  lh_status (*pending_pass)(lh_pending* pending);
  lh_status (*pending_fail)(lh_pending* pending, lh_status status, const char* message, uint64_t cause_id);
  lh_status (*pending_queue)(lh_pending* pending);
  lh_status (*pending_begin)(lh_pending* pending);
} lh_host;

/* The entry of a plug-in, which it exports (LH_EXPORT) as lh_plugin_init: it adds its hooks with host->hook_add.
 * host: the functions of this header. The plug-in may keep the pointer.
 * registry: the registry for the hooks. It lives as long as its engine; user data must live as long as the hooks that
 *   use it.
 * Returns: LH_OK, or another status. If the entry fails or throws, the hooks that it has added stay. */
typedef lh_status (*lh_plugin_init_fn)(const lh_host* host, lh_registry* registry);

/* The entry of plug-ins built for 0.1, exported as lh_plugin_register: it gets no `host` and uses the symbols of the
 * process. Used if a library has no lh_plugin_init.
 * registry: as for lh_plugin_init_fn. */
typedef lh_status (*lh_plugin_register_fn)(lh_registry* registry);

#if defined(__cplusplus)
}
#endif

#endif /* LLAMA_HOOKS_HOOKS_H */
