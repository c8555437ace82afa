/* llama-hooks: the engine ABI. It runs local models through llama.cpp, with the hooks of hooks.h at every step.
 *
 * A program that creates an engine, loads a model, generates, prints the results and closes the engine:
 *
 *     #include <llama_hooks/engine.h>
 *     #include <stdio.h>
 *
 *     // Receives the result of a task, or its error, as JSON. It runs on the thread of the task.
 *     static void on_end(lh_status status, const char *json, void *user_data) {
 *       puts(json);
 *       *(lh_status *)user_data = status;
 *     }
 *
 *     static void wait_for(lh_task *task) {
 *       lh_task_wait(task);
 *       lh_task_free(task);
 *     }
 *
 *     // Arguments: engine options, {"libraries": "/folder"}, and load options, {"path": "/model.gguf"}.
 *     int main(int argc, char **argv) {
 *       const char *request =
 *           "{\"messages\": [{\"role\": \"user\", \"content\": \"Hello!\"}], \"params\": {\"max_tokens\": 64}}";
 *       lh_engine *engine = NULL;
 *       lh_task *task = NULL;
 *       lh_status loaded = LH_ERR_INTERNAL, answered = LH_ERR_INTERNAL, closed = LH_ERR_INTERNAL; // until on_end
 *       lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
 *       callbacks.on_end = on_end;
 *       if (argc != 3 || lh_engine_create(argv[1], &engine, NULL) != LH_OK) return 1;
 *
 *       callbacks.user_data = &loaded;
 *       if (lh_model_load(engine, "model", argv[2], &callbacks, &task, NULL) == LH_OK) wait_for(task);
 *
 *       callbacks.user_data = &answered; // without a model, lh_generate returns MODEL_NOT_LOADED
 *       if (lh_generate(engine, request, &callbacks, &task, NULL) == LH_OK) wait_for(task);
 *
 *       callbacks.user_data = &closed;
 *       if (lh_engine_close(engine, &callbacks, &task, NULL) == LH_OK) wait_for(task);
 *       lh_engine_free(engine);
 *       return loaded == LH_OK && answered == LH_OK && closed == LH_OK ? 0 : 1;
 *     }
 *
 * examples/c/main.c adds hooks to such a program. To receive the tokens while the model writes, set
 * lh_task_callbacks.on_event.
 *
 * Conventions, in addition to those of hooks.h
 *  1. Options, requests, results and events are JSON, because hooks see and change them as JSON. The lists at the end
 *     of this header name their keys. An unknown key, or a value of a wrong type or range, is INVALID_ARGUMENT; the
 *     message names it.
 *  2. Long work is a task. A function that starts a task returns at once, with an lh_task that the caller frees with
 *     lh_task_free. Each task runs on a separate thread (a generation gets its thread when its turn has come),
 *     reports through callbacks, and can be cancelled and waited for.
 *  3. "Errors at once", or just "Errors", are returned by the function itself; after such an error there is no task.
 *     "Ends with" lists the errors that a task passes to on_end. A comment names the errors that are specific to its
 *     function. In addition, any function may return INVALID_ARGUMENT; any function that starts a task, NO_THREAD; and
 *     any function of an engine that closes, CLOSED (see lh_engine_close).
 *  4. An error is JSON with at least `code` and `message`. It may have more keys: the decision of the hooks that caused
 *     it; sizes; for a generation or a run its id, its text so far and its decisions; for a run also messages,
 *     tool_calls, child_tool_calls and iterations, as in a run result.
 *  5. A cold model is a lazy one that has not been loaded yet, or one that was unloaded to free memory. The generation,
 *     run, embedding, ranking or adapter load that needs it loads it first, and may then also end with the errors of
 *     lh_model_load. Tokenizing, detokenizing and rendering do not load it: they return MODEL_NOT_LOADED.
 */
#ifndef LLAMA_HOOKS_ENGINE_H
#define LLAMA_HOOKS_ENGINE_H

#include "llama_hooks/hooks.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------------ tasks */

/* Work under way. Any thread may use it. */
typedef struct lh_task lh_task;

/* Receives one event of a task, on the task's thread.
 * event_json: a JSON object that is valid for this call. Events: progress while a model loads; token, prompt progress
 *   and replaced while it generates; in a run also the other events of a run.
 * user_data: as in the lh_task_callbacks.
 *
 * The function may block: this task then waits, no other task does, and the model decodes at most a few tokens ahead.
 * The task waits for it even when the task is cancelled, so the canceller must wake it. */
typedef void (*lh_event_fn)(const char* event_json, void* user_data);

/* The callbacks of a task, called on its thread. A callback must not free the task that calls it. */
typedef struct lh_task_callbacks {
  size_t struct_size;
  lh_event_fn on_event; /* or NULL: no event is built until lh_task_subscribe names a reader */
  /* required; called exactly once, last: with LH_OK and the result, or with another status and an error */
  void (*on_end)(lh_status status, const char* json, void* user_data);
  void* user_data;
  lh_registry* hooks; /* or NULL. For lh_session_run and lh_generate: hooks of this call alone, from lh_registry_scope.
                         The registry may be freed once the call has begun; its hooks stay until the call has ended */
  const char* cancelled; /* or NULL: the task begins cancelled with this reason, as by lh_task_cancel before its first
                            step. Not used after the function that starts the task has returned */
} lh_task_callbacks;

#define LH_TASK_CALLBACKS_INIT \
  { sizeof(lh_task_callbacks), NULL, NULL, NULL, NULL, NULL }

/* Sends events to another function from now on.
 * on_event: the function; it gets the user_data of the callbacks. NULL: no event is built. Earlier events are not
 *   repeated. A call of the old function may still be running when this returns. */
LH_API lh_status lh_task_subscribe(lh_task* task, lh_event_fn on_event) LH_NOEXCEPT;

/* Asks the task to stop, and returns at once. A second cancel is a no-op.
 * reason: appears in the result; NULL or blank: "cancelled". */
LH_API void lh_task_cancel(lh_task* task, const char* reason) LH_NOEXCEPT;

/* Returns the number of the task, unique in the process: `task` of the lifecycle events of its work (see
 * lh_engine_trace). 0: no task was given. */
LH_API uint64_t lh_task_number(const lh_task* task) LH_NOEXCEPT;

/* Returns the number of the task whose work this thread does; 0: none.
 *
 * With it, a hook, a tool or a model of the program finds the program's data for the call that it serves, such as a
 * request or a span. A callback may call it before the function that starts the task has returned. */
LH_API uint64_t lh_current_task(void) LH_NOEXCEPT;

/* Returns when the task has ended.
 * Errors: REENTRANT inside a hook or callback of
 *   - that task, or a task that such a hook has started;
 *   - any task, if the task to wait for is an unload or a close;
 *   - a generation on its model, or the load that it waits for, if the task to wait for is a load that is not over.
 *
 * A hook that waits for a generation needs a free sequence for it (see `parallel` and lh_generate). */
LH_API lh_status lh_task_wait(lh_task* task) LH_NOEXCEPT;

/* Cancels the task if it runs, waits for its end and frees it. A no-op where lh_task_wait returns REENTRANT.
 * task: the task, or NULL. Once this has returned, no callback of the task runs.
 *
 * If a task that is neither an unload nor a close does not end within `close_timeout_ms` of its cancel, it ends with
 * STUCK on this thread, and is left behind (see lh_left_behind). */
LH_API void lh_task_free(lh_task* task) LH_NOEXCEPT;

/* ----------------------------------------------------------------- engine */

/* An engine: its hooks and its models. Any thread may use it. */
typedef struct lh_engine lh_engine;

/* Creates an engine.
 * options_json: engine options.
 * out: the engine, which the caller frees with lh_engine_free.
 * Errors: BACKEND_UNAVAILABLE, VERSION_MISMATCH. */
LH_API lh_status lh_engine_create(const char* options_json, lh_engine** out, char** error_json) LH_NOEXCEPT;

/* Cancels the engine's work, waits for its end, unloads the models and frees the engine.
 * engine: the engine, or NULL. The function must not be called inside a hook of this engine. Hooks still fire; if they
 *   need the calling thread, close first with lh_engine_close.
 *
 * If work does not end within `close_timeout_ms` of the first close, it is left behind (see lh_left_behind): its tasks
 * end with STUCK, and every hook is retired as by lh_hook_retire, so a callback that is running now keeps its user data
 * until its `release`. The models that the work uses stay in memory until it ends. */
LH_API void lh_engine_free(lh_engine* engine) LH_NOEXCEPT;

/* Returns the number of tasks and engines of this process that were left behind and that are not freed yet. Any thread.
 *
 * A task or an engine is left behind if a thread does not come back from llama.cpp or from a callback. While there are
 * any, a process should end with _exit: exit destroys objects that such a thread may be using. */
LH_API int32_t lh_left_behind(void) LH_NOEXCEPT;

/* Closes the engine: its work is cancelled, its sessions are closed, and its models unloaded.
 * Result: {}. A second close ends when the first has ended.
 * Errors at once: NO_THREAD. Running work then continues to its end; close again, or call lh_engine_free.
 * Ends with: STUCK if work does not end within `close_timeout_ms`, besides waits for hooks that answer later. Tasks
 *   that have not ended then end with STUCK, too; idle models are unloaded, and the others when the work has ended.
 *   Close again to wait longer, or call lh_engine_free.
 *
 * The close refuses new work, cancels running work, closes every session (ON_SESSION_END fires), unloads every model
 * (ON_MODEL_UNLOAD fires) and ends. From this call on, the functions of the engine and of its registry return CLOSED,
 * except those that read or remove hooks (lh_hook_has, _list, _remove, _retire, _clear), lh_engine_trace and
 * lh_engine_free.
 *
 * Hooks that answer later (lh_call_defer) fail with CLOSED: at once if they belong to work that is cancelled. At
 * ON_MODEL_UNLOAD, at ON_SESSION_START and ON_SESSION_END of open sessions, and at ON_ERROR for a load, the close waits
 * for them until their deadline, or 5 seconds each if they have none. A callback that runs in place counts as work. */
LH_API lh_status lh_engine_close(lh_engine* engine, const lh_task_callbacks* callbacks, lh_task** out,
                                 char** error_json) LH_NOEXCEPT;

/* Returns the engine's registry of hooks. It lives as long as the engine; do not free it. */
LH_API lh_registry* lh_engine_hooks(lh_engine* engine) LH_NOEXCEPT;

/* Receives a decision or a lifecycle event of an engine, on the thread that made it. Must not block.
 * event_json: a JSON object.
 * user_data: as given to lh_engine_trace. */
typedef void (*lh_trace_fn)(const char* event_json, void* user_data);

/* Sends each decision and each lifecycle event of the engine to a sink. An engine has one sink.
 * sink: the function. NULL removes the sink, and the function returns when no call of the old sink is running.
 * user_data: for the sink. */
LH_API lh_status lh_engine_trace(lh_engine* engine, lh_trace_fn sink, void* user_data) LH_NOEXCEPT;

/* Receives a line of the log, on any thread. Must not block, log or call functions of an engine.
 * level: 1 error, 2 warn, 3 info, 4 debug.
 * message: the line.
 * user_data: as given to lh_log_set. */
typedef void (*lh_log_fn)(int32_t level, const char* message, void* user_data);

/* Sends the log lines of this library and of llama.cpp to a sink. A process has one sink.
 * sink: the function; NULL: lines are dropped.
 * user_data: for the sink. */
LH_API void lh_log_set(lh_log_fn sink, void* user_data) LH_NOEXCEPT;

/* Describes llama.cpp, this library and the devices.
 * out_json: a system info. */
LH_API lh_status lh_system_info(lh_engine* engine, char** out_json) LH_NOEXCEPT;

/* Describes the memory of each device.
 * out_json: a JSON array with a device memory for each device. */
LH_API lh_status lh_engine_memory(lh_engine* engine, char** out_json) LH_NOEXCEPT;

/* ----------------------------------------------------------------- models */

/* Loads a model from a GGUF file. ON_MODEL_LOAD fires, then ON_MODEL_READY.
 * id: the name of the model in the engine.
 * options_json: load options; `path` is the file. With `lazy`, the engine only inspects the file; it calls hooks and
 *   reserves memory when the model is first used.
 * Result: a model info.
 * Errors at once: MODEL_IN_USE if the id has a model, is being loaded with other options, or is being loaded by a load
 *   that waits for this hook.
 * Ends with: the MODEL_* errors, UNSUPPORTED_ARCHITECTURE, TEMPLATE_FAILED, INSUFFICIENT_MEMORY, INVALID_ARGUMENT (an
 *   unknown device, or the answer of a hook), HOOK_CANCELLED, CANCELLED, CLOSED.
 *
 * Concurrent loads of one id with the same options are one load, with one result for all. If the task that performs it
 * is cancelled, another of these tasks starts it anew. If all of them are cancelled before the end is reported, they
 * end with CANCELLED; if the model is already loaded, it is unloaded, and ON_MODEL_UNLOAD fires. A later cancel is a
 * no-op. */
LH_API lh_status lh_model_load(lh_engine* engine, const char* id, const char* options_json,
                               const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT;

/* Estimates the memory that a load would take, without loading. No hook is called.
 * options_json: load options.
 * Result: a model estimate; `fits` says whether the model fits now, without unloading anything.
 * Ends with: the MODEL_* errors, UNSUPPORTED_ARCHITECTURE, TEMPLATE_FAILED, INSUFFICIENT_MEMORY, INVALID_ARGUMENT.
 *
 * llama.cpp goes through the load and allocates nothing, which takes 30 to 750 ms, once for each file and options; with
 * "auto" it does so about ten times. */
LH_API lh_status lh_model_estimate(lh_engine* engine, const char* options_json, const lh_task_callbacks* callbacks,
                                   lh_task** out, char** error_json) LH_NOEXCEPT;

/* Unloads a model when its generations have ended; from now on, new ones are refused. ON_MODEL_UNLOAD fires.
 * id: the model.
 * reason: `reason` at ON_MODEL_UNLOAD; NULL or blank: "requested".
 * Result: a model unload result.
 * Errors: MODEL_NOT_LOADED; REENTRANT inside a hook of a generation on that model, or of work that such a hook has
 *   started: the unload would wait for that hook. */
LH_API lh_status lh_model_unload(lh_engine* engine, const char* id, const char* reason,
                                 const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT;

/* Lists the loaded models and the cold ones.
 * out_json: a JSON array of model infos. A model that is not lazy, and is being loaded for the first time, is in the
 *   array from ON_MODEL_READY on. */
LH_API lh_status lh_model_list(lh_engine* engine, char** out_json) LH_NOEXCEPT;

/* Describes a model.
 * id: the model.
 * out_json: a model info.
 * Errors: MODEL_NOT_LOADED. */
LH_API lh_status lh_model_describe(lh_engine* engine, const char* id, char** out_json, char** error_json) LH_NOEXCEPT;

/* Splits a text into tokens.
 * id: the model; NULL: the only loaded model.
 * request_json: a tokenize request.
 * out_json: {"tokens": [...]}.
 * Errors: MODEL_NOT_LOADED. */
LH_API lh_status lh_tokenize(lh_engine* engine, const char* id, const char* request_json, char** out_json,
                             char** error_json) LH_NOEXCEPT;

/* Splits a text into tokens like lh_tokenize, as a task.
 * id, request_json: as for lh_tokenize.
 * Result: as out_json of lh_tokenize.
 * Errors at once: MODEL_NOT_LOADED.
 * Ends with: CANCELLED, CLOSED.
 *
 * Texts of more than some KB take up to some microseconds a byte. A cancel ends it between two parts of the text. */
LH_API lh_status lh_tokenize_start(lh_engine* engine, const char* id, const char* request_json,
                                   const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT;

/* Joins tokens to a text.
 * id: as for lh_tokenize.
 * request_json: a detokenize request.
 * out_json: {"text"}. Bytes that are not UTF-8 become U+FFFD.
 * Errors: MODEL_NOT_LOADED. */
LH_API lh_status lh_detokenize(lh_engine* engine, const char* id, const char* request_json, char** out_json,
                               char** error_json) LH_NOEXCEPT;

/* Renders the prompt of a conversation with the model's chat template.
 * id: as for lh_tokenize.
 * request_json: a render request.
 * out_json: {"prompt"}.
 * Errors: MODEL_NOT_LOADED, INVALID_MESSAGES, TEMPLATE_FAILED. */
LH_API lh_status lh_render_prompt(lh_engine* engine, const char* id, const char* request_json, char** out_json,
                                  char** error_json) LH_NOEXCEPT;

/* Renders a prompt like lh_render_prompt, as a task. For long conversations and many tools.
 * id, request_json: as for lh_render_prompt.
 * Result: as out_json of lh_render_prompt.
 * Errors at once: MODEL_NOT_LOADED.
 * Ends with: INVALID_MESSAGES, TEMPLATE_FAILED, CANCELLED, CLOSED.
 *
 * A cancel also ends it while the template runs. */
LH_API lh_status lh_render_prompt_start(lh_engine* engine, const char* id, const char* request_json,
                                        const lh_task_callbacks* callbacks, lh_task** out,
                                        char** error_json) LH_NOEXCEPT;

/* Computes a vector for each text.
 * request_json: an embed request.
 * Result: an embed result.
 * Errors at once: MODEL_NOT_LOADED, BUSY, REENTRANT inside a hook that holds up the creation of the embedding context.
 * Ends with: TEXT_TOO_LONG, INVALID_ARGUMENT (a text without tokens), UNSUPPORTED_BY_MODEL, INSUFFICIENT_MEMORY,
 *   HOOK_CANCELLED, DECODE_FAILED, CANCELLED, CLOSED.
 *
 * The first call with a pooling type creates an embedding context for it beside the context of generation, with
 * separate threads: generations continue meanwhile. The context reserves its memory as a load does (ON_VRAM_PRESSURE),
 * and is freed with the model. Concurrent calls take turns at it. A cancel ends a call between two batches or within
 * one. If a call fails, ON_ERROR fires; no other point of a generation fires. */
LH_API lh_status lh_embed(lh_engine* engine, const char* request_json, const lh_task_callbacks* callbacks,
                          lh_task** out, char** error_json) LH_NOEXCEPT;

/* Ranks documents by their relevance to a query.
 * request_json: a rerank request.
 * Result: a rerank result.
 * Errors: those of lh_embed; UNSUPPORTED_BY_MODEL if the model has no rank head.
 *
 * The template of the model file (tokenizer.chat_template.rerank) joins query and document; without one, its begin, end
 * and separator tokens do. */
LH_API lh_status lh_rerank(lh_engine* engine, const char* request_json, const lh_task_callbacks* callbacks,
                           lh_task** out, char** error_json) LH_NOEXCEPT;

/* ---------------------------------------------------------- remote models */

/* Shapes; "?" marks a key that may be absent.
 *   answer request  model_id, run_id, session_id (or null), conversation: the id of the one whose beginning the prompt
 *                   repeats, or null, tier (or null), priority; params: the sampling parameters that the caller, a tier
 *                   or a hook has set and the model follows; messages and tools, as at ON_PRE_GENERATE, or prompt, a
 *                   text without messages; continue_final_message
 *   answer piece    kind?: "content" (the default), "reasoning" or "tool_call"; text?: for a tool call, a piece of the
 *                   JSON of its arguments; a tool call also has index?: its number in the answer (0..4095), and in its
 *                   first piece name and id?; tokens?: the number of tokens of the piece (default 1); logprobs?:
 *                   [{text, logprob, token?, top?: [{text, logprob, token?}]}], where a text may be a part of a
 *                   character
 *   answer end      finish_reason?: "stop" (the default), "length", "tool_calls" or "content_filter", which makes the
 *                   generation end with REMOTE_REFUSED; usage?: {prompt_tokens?, cached_tokens?, completion_tokens?,
 *                   reasoning_tokens?} (default: the sums of the pieces); message?: of an error. A usage with a number
 *                   that cannot be a count, or with more cached than prompt tokens, is ignored: the answer is valid,
 *                   and ON_ERROR gets REMOTE_FAILED, recoverable
 */

/* One answer of a model. It is yours from `generate` until lh_stream_end, which frees it. Any thread may use it, one at
 * a time. For a stream that has ended, or that `generate` refused, each function returns INVALID_ARGUMENT. */
typedef struct lh_stream lh_stream;

/* A count that was asked for. It is yours from `count` until lh_count_end, which frees it. Any thread. */
typedef struct lh_count lh_count;

/* Functions that compute what llama.cpp computes for a model file: on another machine, in another process, or by rule.
 * Sessions, tools, permissions, hooks, budgets and traces are the same. A callback must not throw. */
typedef struct lh_generator {
  size_t struct_size;
  /* Begins an answer, and returns without waiting for it. Required. Called on the thread of the generation or run.
   * request_json: an answer request, valid for this call.
   * stream: the stream of the answer, which is yours if the function returns LH_OK. Any number may be open.
   * user_data: that of this structure.
   * Returns: LH_OK, or another status: the stream is then not yours, and the generation ends with that status, or with
   *   REMOTE_FAILED if the stream had ended before. */
  lh_status (*generate)(const char* request_json, lh_stream* stream, void* user_data);
  /* Counts the tokens of a prompt or text, at once or later, with lh_count_end. NULL: the engine estimates, four bytes
   * a token at first, and learns from the prompt_tokens that the ends of streams give.
   * request_json: the members of a request that make the prompt, or {"text"}.
   * count: the count to answer. The work waits for it, and does not continue without it: the function must not call
   *   lh_hook_remove, which may wait for that work.
   * user_data: that of this structure. */
  lh_status (*count)(const char* request_json, lh_count* count, void* user_data);
  void* user_data;
  /* Frees `user_data`. NULL: not needed. Called once, on any thread, when the model is gone, every stream has ended and
   * every count has been answered. Not called if lh_model_add returns an error. */
  void (*release)(void* user_data);
} lh_generator;

#define LH_GENERATOR_INIT \
  { sizeof(lh_generator), NULL, NULL, NULL, NULL }

/* Adds a remote model. ON_MODEL_LOAD fires with the address, then ON_MODEL_READY.
 * id: the name of the model in the engine. lh_model_unload removes it.
 * description_json: a description of a model of your own; NULL: {}.
 * generator: the functions that compute.
 * Result: a model info.
 * Errors at once: MODEL_IN_USE.
 * Ends with: HOOK_CANCELLED; UNSUPPORTED_BY_MODEL or INVALID_ARGUMENT (the answer of a hook); CANCELLED; CLOSED.
 *
 * The model takes no memory on devices, so ON_VRAM_PRESSURE does not fire for it. A generation with it may end with the
 * status of its stream: REMOTE_UNREACHABLE, REMOTE_REFUSED, REMOTE_FAILED and REMOTE_TIMEOUT are meant for it.
 * Functions that need a model file return UNSUPPORTED_BY_MODEL: lh_tokenize, lh_detokenize, lh_embed, lh_rerank,
 * lh_adapter_load. lh_render_prompt gives the part of the request that makes the prompt. */
LH_API lh_status lh_model_add(lh_engine* engine, const char* id, const char* description_json,
                              const lh_generator* generator, const lh_task_callbacks* callbacks, lh_task** out,
                              char** error_json) LH_NOEXCEPT;

/* Sends a piece of the answer. Hooks and readers receive it as they receive a token of a model file.
 * piece_json: an answer piece.
 * Errors:
 *   - BUSY: the reader is behind, and the piece was not taken; send it again once `wake` is called (lh_stream_on_wake);
 *   - CANCELLED: the generation needs no further pieces; end the stream;
 *   - INVALID_ARGUMENT: the piece was not taken. */
LH_API lh_status lh_stream_piece(lh_stream* stream, const char* piece_json, char** error_json) LH_NOEXCEPT;

/* Reports how much of the prompt is read, in tokens: ON_PROMPT_PROGRESS fires.
 * processed: the tokens that are read, those in `cached` included.
 * total: the tokens of the prompt.
 * cached: the tokens that were known from before.
 * Errors: CANCELLED, INVALID_ARGUMENT. */
LH_API lh_status lh_stream_progress(lh_stream* stream, int32_t processed, int32_t total, int32_t cached) LH_NOEXCEPT;

/* Registers a function that is called after BUSY, when there is room, and when no more of the answer is needed.
 * wake: called at once if the generation needs no more already. It is called on any thread, maybe within this function,
 *   and must not block. NULL: no more calls.
 * user_data: for `wake`.
 * Errors: INVALID_ARGUMENT.
 *
 * When this function, or lh_stream_end, has returned, no call of the earlier `wake` is running, except one that this
 * function was called from. */
LH_API lh_status lh_stream_on_wake(lh_stream* stream, void (*wake)(void* user_data), void* user_data) LH_NOEXCEPT;

/* Ends the answer and frees the stream, also after an error.
 * stream: freed. Call this once, also for a stream whose generation was cancelled.
 * status: LH_OK, or the error of the generation, which keeps what it has received.
 * end_json: an answer end; NULL: {}.
 * Errors: INVALID_ARGUMENT for a bad `end_json`: the generation ends with REMOTE_FAILED. */
LH_API lh_status lh_stream_end(lh_stream* stream, lh_status status, const char* end_json,
                               char** error_json) LH_NOEXCEPT;

/* Answers a count and frees it.
 * count: freed.
 * status: LH_OK, or the error with which the call that needs the count ends.
 * tokens: the count, from 0 up.
 * message: for the error, or NULL.
 * Errors: INVALID_ARGUMENT for a negative number; the call ends with that. */
LH_API lh_status lh_count_end(lh_count* count, lh_status status, int32_t tokens, const char* message) LH_NOEXCEPT;

/* --------------------------------------------------------------- adapters */

/* Loads an adapter (LoRA, aLoRA or control vector) from a GGUF file.
 * id: the name of the adapter, unique in the engine.
 * options_json: adapter options; `path` is the file.
 * Result: an adapter info.
 * Errors at once: ADAPTER_IN_USE.
 * Ends with: MODEL_NOT_LOADED, MODEL_FILE_NOT_FOUND, MODEL_FILE_INVALID, ADAPTER_INCOMPATIBLE, INSUFFICIENT_MEMORY (the
 *   adapter reserves memory as a load does; if a hook refused, the error has its decision), INVALID_ARGUMENT (the plan
 *   that such a hook answered), CANCELLED, CLOSED.
 *
 * The adapter acts where the sampling parameter `adapters` or lh_adapter_swap names it, and is unloaded with its model.
 */
LH_API lh_status lh_adapter_load(lh_engine* engine, const char* id, const char* options_json,
                                 const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT;

/* Unloads an adapter when the generations that use it have ended; from now on, new ones get NOT_FOUND for it.
 * id: the adapter.
 * Result: {"adapter_id"}.
 * Errors: NOT_FOUND; REENTRANT inside a hook that fires while a generation with adapters of the same model computes, or
 *   inside a hook of work that such a hook has started. */
LH_API lh_status lh_adapter_unload(lh_engine* engine, const char* id, const lh_task_callbacks* callbacks, lh_task** out,
                                   char** error_json) LH_NOEXCEPT;

/* Lists the loaded adapters.
 * out_json: a JSON array of adapter infos. */
LH_API lh_status lh_adapter_list(lh_engine* engine, char** out_json) LH_NOEXCEPT;

/* Sets the adapters that a session runs with, from the next model call that is assembled, also during a run.
 * session_id: the session.
 * request_json: {"adapters": [...]}, as the sampling parameter; an empty list: none.
 * Result: an adapter swap result.
 * Errors at once: NOT_FOUND (the session).
 * Ends with: NOT_FOUND (an adapter), MODEL_NOT_LOADED, HOOK_CANCELLED, CANCELLED, CLOSED.
 *
 * The adapters replace those of the session's options, tiers and phases; `adapters` of a run's parameters override
 * them. ON_ADAPTER_SWAP fires, unless this set is active already. A fork gets the set, a saved session does not. */
LH_API lh_status lh_adapter_swap(lh_engine* engine, const char* session_id, const char* request_json,
                                 const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT;

/* ------------------------------------------------------------- generation */

/* Makes one model call. ON_CONTEXT_BUDGET, PRE_GENERATE, ON_PROMPT_PROGRESS, ON_STREAM_TOKEN and POST_GENERATE fire.
 * request_json: a generate request.
 * Result: a generate result. Its finish_reason is "stop", "length", or "cancelled" by the caller or a hook. `cancel.by`
 *   is then "caller" or the name of the hook, and the result has the text so far. At POST_GENERATE finish_reason may
 *   also be "error"; the task then ends with the error.
 * Errors at once: BUSY if max_queued generations of the model wait already.
 * Ends with: the generation errors of hooks.h (40 to 49), MODEL_NOT_LOADED, INVALID_ARGUMENT, NOT_FOUND (an adapter),
 *   HOOK_CANCELLED (at ON_ADAPTER_SWAP), CLOSED.
 *
 * Turns: a model runs as many generations at a time as it has sequences, and 8 more; each has a thread. The others wait
 * in line, without a thread, by `priority` and then by arrival. A generation that is cancelled while it waits ends at
 * once. A run whose hook waits keeps its place. Generations that hooks start have separate places and a separate line
 * for each level of nesting, so that they never wait for the run that waits for them. */
LH_API lh_status lh_generate(lh_engine* engine, const char* request_json, const lh_task_callbacks* callbacks,
                             lh_task** out, char** error_json) LH_NOEXCEPT;

/* --------------------------------------------------------------- sessions */

/* Carries out a tool call (lh_tool.run), or checks its arguments (lh_tool.check).
 * call_json: {"tool_call_id", "tool_name", "args", "session_id"}, valid for this call. When a tool runs, the arguments
 *   have been checked, and no hook changes them any more.
 * result: the result or the reason, a text allocated with lh_alloc; NULL: an empty one. The model receives it.
 * user_data: as in the lh_tool.
 * Returns: 0 with the result in *result, or non-zero with the reason in *result if the call failed.
 *
 * The function is called on the run thread; the parallel tasks of a plan have a thread each. A tool that takes time
 * answers later (lh_call_defer, then lh_pending_finish), so that the other calls of the message run meanwhile; the wait
 * ends at the tool's deadline, and when the run is cancelled. A tool may call lh_call_fail, lh_call_cancelled,
 * lh_call_on_cancel, lh_call_id and lh_call_enter as a hook may. */
typedef int (*lh_tool_fn)(const char* call_json, char** result, void* user_data);

/* Bits of lh_tool.flags. */
enum {
  /* generated: tool flags begin */
  /* Generated from native/contract/flags.json by scripts/generate-contract.mjs; do not edit. */
  LH_TOOL_JSON_RESULT = 1, /* *result is JSON: {"result": text, "is_error"?: true if the text says what went wrong,
                              "parts"?: array of JSON values for the caller, "directives"?: [{"type", "params"?:
                              {}}]}; if the tool fails (non-zero), it is plain text */
  LH_TOOL_TRUSTED = 2,     /* the engine carries out the tool's directives; without the flag it drops them, with
                              INVALID_DIRECTIVE at ON_ERROR */
  LH_TOOL_EXCLUSIVE = 4,   /* a call of the tool never runs while another call of the message runs */
  LH_TOOL_PREPARES = 8     /* if `check` returns 0, its *result may be JSON: {"args"?: the arguments with defaults
                              and conversions}; hooks and rules judge these, and `run` receives them. The history
                              keeps the arguments that the model wrote */
/* generated: tool flags end */
};

typedef struct lh_tool {
  size_t struct_size;
  const char* name;            /* 1 to 128 letters, digits, _ or - */
  const char* description;     /* or NULL */
  const char* parameters_json; /* JSON Schema of the arguments, an object; NULL: the tool takes none */
  lh_tool_fn run;              /* required */
  lh_tool_fn check;            /* checks the arguments before the call: non-zero refuses them, with what is wrong in
                                  *result; if it returns 0, see LH_TOOL_PREPARES. NULL: the engine checks type, enum,
                                  properties, required, items, minimum and maximum */
  void* user_data;
  void (*release)(void* user_data); /* or NULL; called once, when no further call of the tool will come */
  int64_t deadline_ms;              /* 0: none; negative: the session's tool_deadline_ms */
  uint32_t flags;
  const char* fault; /* the mistake in the parameters, if the caller's check cannot use them: the tool is then not
                        offered, with INVALID_SCHEMA at ON_ERROR. NULL: nothing */
  const char* annotations_json; /* hints for hooks and rules, as MCP has them: {"title"?: text, "read_only_hint"?,
                                   "destructive_hint"?, "idempotent_hint"?, "open_world_hint"?: booleans}; NULL: none */
  const char* origin; /* the place that the tool comes from, for hooks and rules: "mcp:files"; NULL: not named */
} lh_tool;

#define LH_TOOL_INIT \
  { sizeof(lh_tool), NULL, NULL, NULL, NULL, NULL, NULL, NULL, -1, 0, NULL, NULL, NULL }

/* Requests a directive beside the result of a tool call that still runs, as LH_TOOL_JSON_RESULT does with the result.
 * call_id: the number that lh_call_id returns inside that call. Any thread.
 * type: the type of the directive.
 * params_json: an object, or NULL for none.
 * Errors: NOT_FOUND if the call is over.
 *
 * If the call ends without a result (it fails, times out or is cancelled), the engine refuses its directives, with
 * INVALID_DIRECTIVE at ON_ERROR. */
LH_API lh_status lh_tool_directive(uint64_t call_id, const char* type, const char* params_json,
                                   char** error_json) LH_NOEXCEPT;

/* Reports the progress of a tool call that still runs. The tool's deadline counts from now on.
 * call_id: the number that lh_call_id returns inside that call. Any thread.
 * done: 0 or more, in a unit that the tool chooses.
 * total: the same for the whole; negative if it is not known.
 * message: for people, or NULL.
 * Errors: NOT_FOUND if the call is over (the progress is then ignored), INVALID_ARGUMENT.
 *
 * Readers of the run get a tool_progress event. There are at most 20 events a second for a call, each with the newest
 * progress. The function does not wait for readers, except on the run thread inside the call. While a tool occupies the
 * run thread, because it answers inside its function, readers receive at once only the progress that it reports on that
 * thread. */
LH_API lh_status lh_tool_progress(uint64_t call_id, double done, double total, const char* message,
                                  char** error_json) LH_NOEXCEPT;

/* Reports a failure of something that a tool uses, while its call runs. The tool keeps running.
 * call_id: the number that lh_call_id returns inside that call. Any thread.
 * code: an error code of hooks.h, or one that the tool defines.
 * message: the text of the error.
 * Errors: NOT_FOUND if the call is over, INVALID_ARGUMENT.
 *
 * ON_ERROR fires for the run, recoverable, at "tool:<name>", before the call's result. */
LH_API lh_status lh_tool_report(uint64_t call_id, const char* code, const char* message, char** error_json) LH_NOEXCEPT;

/* Asks the user for input while a tool call runs: hooks at ON_ELICITATION answer, and may wait for a person.
 * call_id: the number that lh_call_id returns inside that call. Any thread.
 * request_json: an elicit request.
 * Result: an elicit result. If no hook answers, the action is "decline". If the call ends or its run is cancelled, it
 *   is "cancel". The engine checks content as it checks arguments of a tool without `check`.
 * Errors at once: NOT_FOUND if the call is over, REENTRANT inside a hook of the session's run, BUSY if the call has 64
 *   open questions, INVALID_ARGUMENT.
 *
 * The deadline of the tool is suspended until the task has ended, and then starts anew. Questions of a run, and of the
 * runs that it delegates to, are asked one at a time, in their order. A tool that waits for the task while it is called
 * keeps its run thread: other calls of the message wait, too. */
LH_API lh_status lh_tool_elicit(lh_engine* engine, uint64_t call_id, const char* request_json,
                                const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT;

/* Opens a session: a conversation whose runs call the model and its tools in turn.
 * options_json: session options, or NULL for the defaults.
 * tools, tool_count: the tools of the session, and their number. On failure none is released.
 * out_id: the session's id, which the caller frees with lh_free.
 * Errors: INVALID_MESSAGES, INVALID_SCHEMA; INVALID_ARGUMENT for an `id` that an open session has; for `restore`,
 *   NOT_FOUND and SESSION_FILE_INVALID; for `record`, SESSION_FILE_INVALID.
 *
 * ON_SESSION_START fires when the first run begins, or when the session is closed without a run. */
LH_API lh_status lh_session_open(lh_engine* engine, const char* options_json, const lh_tool* const* tools,
                                 size_t tool_count, char** out_id, char** error_json) LH_NOEXCEPT;

/* Runs a session: the user's message, then model calls and tool calls in turn, until the run ends.
 * session_id: the session.
 * request_json: a run request.
 * Result: a run result.
 * Errors at once: NOT_FOUND, SESSION_BUSY, BUSY, MODEL_NOT_LOADED.
 * Ends with: the errors of lh_generate.
 *
 * The run ends when the model answers without a tool call, or when something else ends it. The points fire in this
 * order:
 *   - ON_USER_MESSAGE, ON_LOOP_START;
 *   - in each iteration ON_LOOP_ITERATION, ON_BOOTSTRAP (the session's first iteration), those of lh_generate, for each
 *     tool call PRE_TOOL_CALL and ON_TOOL_VALIDATION, then POST_TOOL_CALL and ON_TOOL_RESULT_PERSIST, and at last
 *     ON_ITERATION_END;
 *   - ON_LOOP_END. ON_STATE_CHANGE fires at each transition.
 *
 * The engine decides on all calls of a message before it runs one of them. Then they run at the same time, and their
 * results come in the order of the calls. Each call has exactly one result, also if it is refused, fails or is
 * cancelled, so that the history is complete when the run ends. A run in which the model said nothing, and no plan was
 * carried out, leaves the history as it was. Runs take turns by model, as generations do (lh_generate). */
LH_API lh_status lh_session_run(lh_engine* engine, const char* session_id, const char* request_json,
                                const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT;

/* Returns the hooks of a session: of its runs and compactions, and of its child runs.
 * session_id: the session.
 * out: the registry. The caller frees it with lh_registry_free, before the engine; the hooks stay until they are
 *   removed or the session has closed. A fork gets the hooks that are there when it is made.
 * Errors: NOT_FOUND. */
LH_API lh_status lh_session_hooks(lh_engine* engine, const char* session_id, lh_registry** out,
                                  char** error_json) LH_NOEXCEPT;

/* Returns the messages of a session so far, as hooks left them, those of a running run included.
 * session_id: the session.
 * request_json: a history request, or NULL.
 * out_json: a JSON array. Every tool call has a result: one that is still to come is "not run: the session was
 *   interrupted".
 * Errors: NOT_FOUND. */
LH_API lh_status lh_session_history(lh_engine* engine, const char* session_id, const char* request_json,
                                    char** out_json, char** error_json) LH_NOEXCEPT;

/* Returns the tool calls that wait for an answer, because a hook at ON_PERMISSION_CHECK answered `defer`.
 * session_id: the session.
 * out_json: a JSON array, empty if no call waits.
 * Errors: NOT_FOUND.
 *
 * The run has ended as `waiting`; a run request with `resume` continues it, in this process or, after lh_session_save
 * and `restore`, in another one. Until then lh_session_run with `content` and lh_session_compact are SESSION_BUSY. */
LH_API lh_status lh_session_waiting(lh_engine* engine, const char* session_id, char** out_json,
                                    char** error_json) LH_NOEXCEPT;

/* Adds a message of the user.
 * session_id: the session.
 * content: the message. During a run, it joins before the next iteration, through ON_USER_MESSAGE, and a run that would
 *   have ended continues. Without a run, it joins the next run.
 * Errors: NOT_FOUND. */
LH_API lh_status lh_session_queue(lh_engine* engine, const char* session_id, const char* content,
                                  char** error_json) LH_NOEXCEPT;

/* Gives an open session other tools, in the place of all that it has.
 * session_id: the session.
 * tools, tool_count: the tools, and their number. Tools are released when nothing uses them any more; after a failure,
 *   none of the given tools is released.
 * Errors: NOT_FOUND and those of lh_session_open.
 *
 * The change is made at once, or, while a run is under way, before that run's next iteration. Calls and child runs
 * under way keep what they began with; forks keep what the session had when they were made. Everything is checked as in
 * lh_session_open, and holds as a whole or not at all. */
LH_API lh_status lh_session_set_tools(lh_engine* engine, const char* session_id, const lh_tool* const* tools,
                                      size_t tool_count, char** error_json) LH_NOEXCEPT;

/* Gives an open session other tiers, in the place of all that it has.
 * session_id: the session.
 * tiers_json: tiers by name, as in the session options, or NULL for none. Permissions that were remembered for a
 *   removed tier are forgotten.
 * Errors: NOT_FOUND, those of lh_session_open, and INVALID_ARGUMENT if the session, or a conversation that it keeps,
 *   needs a tier that would be removed. If it begins to need one before the change is made, nothing changes, with
 *   INVALID_ARGUMENT at ON_ERROR.
 *
 * The time of the change, and what keeps the former tiers, are as for lh_session_set_tools. */
LH_API lh_status lh_session_set_tiers(lh_engine* engine, const char* session_id, const char* tiers_json,
                                      char** error_json) LH_NOEXCEPT;

/* Pauses the runs of a session, and their child runs, before their next iteration, until lh_session_resume.
 * session_id: the session. A cancel ends the wait of its run.
 * Errors: NOT_FOUND. */
LH_API lh_status lh_session_pause(lh_engine* engine, const char* session_id, char** error_json) LH_NOEXCEPT;

/* Lets paused runs of a session continue.
 * session_id: the session.
 * Errors: NOT_FOUND. */
LH_API lh_status lh_session_resume(lh_engine* engine, const char* session_id, char** error_json) LH_NOEXCEPT;

/* Compacts the conversation of a session now.
 * session_id: the session.
 * request_json: a compact request, or NULL.
 * Result: a compaction result.
 * Errors at once: those of lh_session_run.
 * Ends with: if the model writes a summary, the errors of lh_generate, and HOOK_CANCELLED if a hook stops it; the
 *   conversation is then unchanged. */
LH_API lh_status lh_session_compact(lh_engine* engine, const char* session_id, const char* request_json,
                                    const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT;

/* Writes the session to a file, at any time. The session option `restore` continues from it.
 * session_id: the session.
 * path: the file. It is either complete or as it was before, and only its owner may read it.
 * Errors: NOT_FOUND, INVALID_ARGUMENT if the file cannot be written.
 *
 * The file has the messages (as in lh_session_history), the conversations with tiers, todos and anchors; no tools, no
 * hooks, and nothing that a hook has replaced. */
LH_API lh_status lh_session_save(lh_engine* engine, const char* session_id, const char* path,
                                 char** error_json) LH_NOEXCEPT;

/* Returns the session as text, for programs that keep sessions in a database.
 * session_id: the session. The function also works while the session or the engine closes, in the hooks that fire then.
 * out_json: the text that lh_session_save would write; the caller frees it with lh_free. The session option `record`
 *   continues from it.
 * Errors: NOT_FOUND. */
LH_API lh_status lh_session_record(lh_engine* engine, const char* session_id, char** out_json,
                                   char** error_json) LH_NOEXCEPT;

/* Reports a failure outside the engine, such as a session that could not be stored: ON_ERROR fires.
 * session_id: the session. ON_ERROR fires with its scope, on a separate thread.
 * code: the name of an error, the engine's or the caller's. The error is recoverable.
 * message: the text of the error.
 * where: as at ON_ERROR, "save".
 * Result: {}.
 * Errors: NOT_FOUND. */
LH_API lh_status lh_session_report(lh_engine* engine, const char* session_id, const char* code, const char* message,
                                   const char* where, const lh_task_callbacks* callbacks, lh_task** out,
                                   char** error_json) LH_NOEXCEPT;

/* Copies a session.
 * session_id: the session.
 * out_id: the copy's id, which the caller frees with lh_free.
 * Errors: NOT_FOUND.
 *
 * The copy begins with the messages of lh_session_history, has the same tools, options and hooks, and is independent
 * from here on. The model does not read the common beginning again. */
LH_API lh_status lh_session_fork(lh_engine* engine, const char* session_id, char** out_id,
                                 char** error_json) LH_NOEXCEPT;

/* Copies a session up to a message.
 * session_id: the session.
 * message_id: the id of the message with which the copy ends (lh_session_history); NULL: the last one.
 * out_id: as for lh_session_fork.
 * Errors: NOT_FOUND, also for an unknown message; INVALID_ARGUMENT if a tool call would lose its result. */
LH_API lh_status lh_session_fork_at(lh_engine* engine, const char* session_id, const char* message_id, char** out_id,
                                    char** error_json) LH_NOEXCEPT;

/* Ends the conversation of a session with an earlier message. Later messages, and tool calls that wait, are gone.
 * session_id: the session.
 * message_id: the id of the message; NULL: the conversation is then empty. The message may also be one that a
 *   compaction has dropped; compactions of that message or later ones are undone.
 * Errors: those of lh_session_fork_at, SESSION_BUSY, and INVALID_ARGUMENT if the tier or phase at that message no
 *   longer exists.
 *
 * Tier, phase, todos, anchors and remembered permissions are what they were at that message; counts, queued messages
 * and conversations with tiers stay. */
LH_API lh_status lh_session_rewind(lh_engine* engine, const char* session_id, const char* message_id,
                                   char** error_json) LH_NOEXCEPT;

/* Cancels the run of a session and closes the session: ON_SESSION_END fires, and the id becomes unknown.
 * session_id: the session. An engine that closes also closes its open sessions.
 * Result: {}. The session's tools are released before on_end is called.
 * Errors: NOT_FOUND; REENTRANT inside a hook that holds up its run (a tool may close: the wait for its result ends). */
LH_API lh_status lh_session_close(lh_engine* engine, const char* session_id, const lh_task_callbacks* callbacks,
                                  lh_task** out, char** error_json) LH_NOEXCEPT;

/* ------------------------------------------------- options and requests */

/* generated: parameters begin */
/* Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
 *
 * The keys of options and requests. A key that is left out has its default, or what "unset" says; without either it is
 * empty. null is the same as left out; but for a sampling parameter, null resets a key that may be unset, and is an
 * error for any other key. "0..9" is a range with both ends; "0.." has no upper end.
 *
 * Engine options: `lh_engine_create`, `createEngine()`.
 *   libraries     Folder with llama.cpp's libraries and ggml's CPU backends. Required for the first engine of the
 *                 process, because backends are loaded once per process (unset: the libraries that are loaded)
 *   gpu_module    Path of an additional ggml backend module (libggml-cuda.so, libggml-vulkan.so)
 *   gpu           False: this engine's models stay on the CPU, even if the process has a GPU (default true)
 *   isolation     `process`: models are loaded, and compute, in a process of the engine's own. If that dies, calls that
 *                 compute fail with ENGINE_CRASHED, and the next call starts it again ("none", "process"; default
 *                 "none")
 *   step_timeout_ms  With isolation: milliseconds after which a step of a model counts as stuck and the engine ends its
 *                 process. The engine also ends a process that sends nothing for ten seconds. 0: it ends a process only
 *                 if, for ten seconds, the process does not react to an abort, or holds up a call that takes no signal
 *                 (0..86400000; default 120000)
 *   host_program  Path of `llama_hooks_host`, the program of the engine's process, of the same build as this library.
 *                 Required with isolation
 *   rpc           Addresses (`host:port`) of RPC servers of llama.cpp, at most 16, whose devices models may use like
 *                 GPUs of this machine. Requires isolation, because a server that fails ends the process. The protocol
 *                 has no authentication and no encryption: reach servers through a tunnel (strings)
 *   rpc_module    Path of `llama_hooks_rpc.so`, ggml's RPC backend. Required with `rpc`
 *   max_queued    Maximum number of queued generations of one model; beyond it, calls fail with BUSY (0..1048576;
 *                 default 1024)
 *   close_timeout_ms  Milliseconds that a close, or the end of the process or worker, waits for cancelled work, besides
 *                 waits for hooks that answer later; then the work is left behind, with STUCK. 0: without end
 *                 (0..86400000; default 5000)
 *   memory_budget  MiB that models may take of main memory, and of each GPU. If a model does not fit, the engine
 *                 unloads idle models (ON_VRAM_PRESSURE) (1..16777216; unset: the free memory of each device)
 *   device_budgets  MiB that models may take of each named device (`CPU`: main memory), in place of memory_budget
 *                 (1..16777216 by name; unset: memory_budget for each)
 *   low_memory    MiB: if a device has less free memory, the engine unloads idle models (ON_VRAM_PRESSURE); 0: the
 *                 engine does not check (0..16777216; default 0)
 *   on_hook_failure  `warn`: the engine warns of the first failure of each hook, unless a hook at ON_ERROR receives it.
 *                 `ignore`: it does not warn ("warn", "ignore"; default "warn")
 *
 * Load options: Settings for loading a model, in addition to its `path`, which is required.
 *   gpu_layers    Layers on the GPU, if there is one; the output layer counts as one; -1: all; `auto`: as many as fit
 *                 ("auto" or -1..1048576; default -1)
 *   context_size  Tokens that a sequence can hold; 0: the context size of the model, at most 4096; `auto`: as many as
 *                 fit, at most the context size of the model ("auto" or 0..16777216; default 0)
 *   parallel      Number of sequences that are decoded together (1..64; default 4)
 *   batch_size    Prompt tokens per decode call. Also the maximum of tokens in a text to embed or rank, and of tokens
 *                 of such texts that are computed at a time (1..65536; default 512)
 *   threads       Number of threads that compute; 0: one per 8 MiB of weights. A number above the cores that the
 *                 process may use is capped, with a warning in the log (0..512; default 0)
 *   kv_type       Type of the KV cache ("f16", "q8_0", "f32"; default "f16")
 *   kv_cache      `streams`: each sequence has a separate part of the cache, and idle sequences slow nothing down;
 *                 `unified`: all sequences share one cache, which keeps a common prefix once ("streams", "unified";
 *                 default "streams")
 *   cache_memory  MiB of host memory for the KV cache of idle conversations whose sequences are needed by others; 0:
 *                 none, so that their prompts are read again (0..16777216; unset: the size of the KV cache, from 16 to
 *                 1024)
 *   fairness      Share of the computing time that running generations keep while a prompt is read. 1: generations wait
 *                 as little as possible; 0: the prompt is read at full speed, and generations wait for whole batches
 *                 (0..1; default 0.125)
 *   speculation   `ngram`: if a generation repeats parts of its context (code, quotes), the engine guesses several
 *                 tokens and checks them at once. The text comes sooner and stays the same, unless two tokens are
 *                 equally likely up to rounding. Works for one or two generations at a time, while no prompt is read,
 *                 if the KV cache can be cut back ("off", "ngram"; default "off")
 *   draft_model   Path of a small model with the same vocabulary. It guesses tokens where the text does not repeat;
 *                 guesses are checked as with `speculation`
 *   pinned        The model is never unloaded to free memory (default false)
 *   keep_alive    Seconds without use after which the model is unloaded; the next use loads it again (0..31536000;
 *                 unset: until its memory is needed)
 *   lazy          Inspect the file now, but load the model only when it is first used (default false)
 *   mmap          Map the file instead of reading it (default true)
 *   devices       Names of the GPUs that the model may use, in this order (strings; unset: every GPU of the process)
 *   split_mode    The way in which several GPUs share the model. `layer`: each has some of the layers; `row`: each has
 *                 a part of every matrix, if the backend can do that; `none`: one GPU has the whole model, see
 *                 `main_device` ("layer", "row", "none"; default "layer")
 *   main_device   The GPU that has the whole model with `split_mode` `none` (unset: the first)
 *   tensor_split  Share of each device, one number per device, in the order of the devices (numbers; unset: by free
 *                 memory)
 *   cpu_moe       For a mixture of experts: number of layers, from the first on, whose experts stay in main memory; -1:
 *                 all layers (-1..1048576; default 0)
 *   chat_template  A Jinja chat template that replaces the template in the model file (unset: the template in the model
 *                 file)
 *
 * Adapter options: Settings for loading an adapter, in addition to its `path`, which is required.
 *   model  Id of the model that the adapter is for (unset: the only loaded model)
 *   scale  Strength that applies if none is given; 1 is as trained (-1000..1000; default 1)
 *
 * Description of a model of your own: `lh_model_add`: a model that functions of the caller compute.
 *   address       The place where the model computes, as `ON_MODEL_LOAD` and `lh_model_describe` show it. It must not
 *                 contain a password or a key: of a URL, user and password, query and fragment are left out
 *   description   One line about the model, such as its name at that address
 *   fallback      Id of the model that answers when this one is unreachable before its answer begins: a stream that
 *                 ends with REMOTE_UNREACHABLE and without a piece. ON_ERROR tells of both, and the model call begins
 *                 again with the other
 *   context_size  Tokens that the prompt and the answer may have together. The engine compacts a conversation before it
 *                 is longer (16..16777216; default 32768)
 *   parallel      Answers at a time; each has a thread of this process. Further ones wait, by priority. `ON_MODEL_LOAD`
 *                 shows 64 at most (1..4096; default 16)
 *   features      The features that the model has, of: "tools", "json_schema", "logprobs", "grammar", "raw",
 *                 "continue_final_message". A call that needs another one ends with UNSUPPORTED_BY_MODEL (strings;
 *                 unset: tools)
 *   parameters    Names of the sampling parameters that the model follows, besides those that are features. A call that
 *                 sets another one ends with UNSUPPORTED_BY_MODEL (strings; unset: "max_tokens", "temperature",
 *                 "top_p", "seed" and "stop")
 *
 * Sampling parameters: Settings for sampling the text of a generation. A context shows every default, and leaves out
 * parameters that are not set. In an answer, null resets a key that may be unset.
 *   max_tokens    Maximum number of tokens to generate (1..; unset: as many as fit into the context)
 *   temperature   Randomness of the choice of tokens; 0 is greedy: always the likeliest token (0..; default 0.8)
 *   dynatemp_range  The temperature moves up and down by at most this much with the model's uncertainty; 0: off (0..;
 *                 default 0)
 *   top_k         Only this many of the likeliest tokens are considered; 0: all (0..; default 40)
 *   top_p         Only the likeliest tokens that together reach this probability are considered (0..1; default 0.95)
 *   min_p         Tokens are left out if they are less likely than this share of the likeliest token (0..1; default
 *                 0.05)
 *   typical_p     Locally typical sampling: the probability mass that is kept; 1: off (0..1; default 1)
 *   top_n_sigma   Only tokens within this many standard deviations of the best logit are considered; -1: off (0.., or
 *                 -1 for off; default -1)
 *   seed          The same seed gives the same text if the computation is the same. Other generations at the same time,
 *                 or a cached part of the prompt, change the rounding of numbers, and a token may differ
 *                 (0..4294967294; unset: random)
 *   repeat_penalty  Penalty for repeated tokens; 1: off (0.01..100; default 1)
 *   presence_penalty  Penalty for tokens that have occurred; 0: off (-100..100; default 0)
 *   frequency_penalty  Penalty for each occurrence of a token; 0: off (-100..100; default 0)
 *   penalty_last_n  Number of last tokens that the penalties look at; 0: off (0..1048576; default 64)
 *   dry_multiplier  Strength of the DRY penalty for repeated passages; 0: off (0..100; default 0)
 *   dry_base      Base of the DRY penalty's growth (1..100; default 1.75)
 *   dry_allowed_length  Tokens that may repeat without a DRY penalty (0..1048576; default 2)
 *   dry_penalty_last_n  Number of last tokens that DRY looks at; 0: off (0..1048576; default 64)
 *   dry_sequence_breakers  Texts at which DRY starts again (strings; unset: llama.cpp's own)
 *   xtc_probability  Probability of leaving out the top choices (XTC); 0: off (0..1; default 0)
 *   xtc_threshold  Probability from which on a token counts as a top choice (0..1; default 0.1)
 *   mirostat      Version of Mirostat; 0: off (0, 1, 2; default 0)
 *   mirostat_tau  Mirostat's target entropy (0..1000; default 5)
 *   mirostat_eta  Mirostat's learning rate (0..1; default 0.1)
 *   adaptive_target  Adaptive-p: the probability that chosen tokens approach; no effect with Mirostat; -1: off (0..1,
 *                 or -1 for off; default -1)
 *   adaptive_decay  Memory of adaptive-p: about 1 / (1 - decay) tokens (0..0.99; default 0.9)
 *   logit_bias    Numbers to add to the logits of tokens; null bans a token ([{token, bias}])
 *   adapters      Adapters (LoRA, aLoRA, control vectors) that the model runs with, each with its strength; an empty
 *                 list: none. ON_ADAPTER_SWAP fires if the set differs from the conversation's set so far ([{id,
 *                 scale}])
 *   stop          Texts that end the output and are not part of it; none of them may be empty (strings)
 *   stop_in       The parts of an answer that the texts of `stop` end: its text, or with `all` also its reasoning and
 *                 its tool calls ("text", "all"; default "text")
 *   grammar       A GBNF grammar that the output follows; not together with `json_schema`
 *   json_schema   A JSON Schema (in TypeScript also a zod schema) that the output follows, as far as
 *                 docs/reference/schemas.md says; not together with `grammar`. With tools that the model may call, the
 *                 output is either calls or follows the schema; with tools that it must call, it is calls (JSON Schema)
 *   strict_schema  True: refuse a `json_schema`, or a tool's parameters, with a keyword that the grammar cannot
 *                 enforce; INVALID_SCHEMA names the keyword and its place. False: such keywords have no effect (default
 *                 false)
 *   tool_choice   The model may (`auto`), must not (`none`) or must (`required`) call a tool; `{ tool }`: it must call
 *                 the tool of that name. No text comes before a call that it must make, unless the model thinks first.
 *                 The grammar sees to it: the prompt is the same for every choice ("auto", "none", "required" or
 *                 {tool}; default "auto")
 *   parallel_tool_calls  False: a message has one tool call at most; the text ends where a second one begins (default
 *                 true)
 *   special_tokens  How control tokens that messages and tools spell out are read: as plain text, or, with `allow`, as
 *                 control tokens. No effect on a raw prompt, whose control tokens are always read as such ("text",
 *                 "allow"; default "text")
 *   ignore_eos    Generate past the model's end token, until `max_tokens`; for measurements. The text still ends if a
 *                 grammar or schema allows no further token (default false)
 *   logprobs      Each token event has the token's log probability, and the result has those of all tokens: the model's
 *                 own, before any of these parameters apply (default false)
 *   top_logprobs  Number of the likeliest alternatives that come with each token; includes `logprobs` (0..20; default
 *                 0)
 *   reasoning     False: the chat template is told that the model must not reason (`enable_thinking`). If the model
 *                 begins to reason anyway, the engine ends the reasoning at once, provided that it knows the template's
 *                 reasoning marks (default true)
 *   preserve_reasoning  True: the prompt has the reasoning of earlier answers, too, where the chat template can keep
 *                 it; false: as the template does by itself (default true)
 *   reasoning_budget  Maximum number of reasoning tokens; then the engine forces the mark that ends it. No effect on a
 *                 raw prompt, or if the engine does not know the chat template's reasoning marks (0..; unset: no limit)
 *   chat_template_args  Additional variables for the chat template, by name (elsewhere called `chat_template_kwargs`);
 *                 `enable_thinking: false` among them has the effect of `reasoning: false` (object)
 *
 * Generate request: One model call: `lh_generate`, `engine.generate()`.
 *   model         Id of the model (unset: the only loaded model)
 *   messages      The conversation. A request has exactly one of `messages`, `prompt` and `infill`
 *   prompt        Raw text that the model gets as it is, without its chat template; it may contain control tokens,
 *                 written out
 *   infill        A prompt with a gap: the model writes the text between `prefix` and `suffix`. `extra` has texts of
 *                 other files; `suffix_first` is for models that were trained that way
 *   tools         Tools that the model may call
 *   continue_final_message  The model continues the last message, which must be an assistant's without tool calls: the
 *                 prompt ends with its text. The result's text is the continuation alone; `messages` has the whole
 *                 message, which takes the place of the last one. Not together with a raw prompt, `json_schema` and a
 *                 `tool_choice` that requires a call; a `grammar` holds for the continuation (default false)
 *   stream        "held": token events come only after the POST_GENERATE hooks have answered, so that no streamed text
 *                 is changed afterwards ("live", "held"; default "live")
 *   tier          Name that hooks see as `tier`
 *   priority      Among generations that wait for their turn, the lowest priority runs first; at equal priority, the
 *                 one that came first (-1000000..1000000; default 0)
 *   tags          Tags that every event of the call has in its `meta` (object of strings, numbers and booleans)
 *   params        Sampling parameters of the generation
 *
 * Embed request: `lh_embed`, `engine.embed()`.
 *   texts      The texts. The engine computes as many of them at a time as fit into batch_size tokens together
 *              (strings; required)
 *   model      Id of the model (unset: the only loaded model)
 *   pooling    The method that combines the vectors of a text's tokens into one. `mean`: their mean; `cls`: the first
 *              token's vector; `last`: the last token's; `none`: not at all, each token keeps its vector; `model`: the
 *              way that the model's file names, otherwise `last`, or `mean` for a model that does not read from left to
 *              right ("model", "none", "mean", "cls", "last"; default "model")
 *   normalize  Scale vectors to length 1, so that a dot product is the cosine similarity; vectors of single tokens
 *              (pooling `none`) stay as they are (default true)
 *   encoding   Format of a vector: an array of numbers, or its little-endian 32-bit floats as base64 ("float",
 *              "base64"; default "float")
 *
 * Rerank request: `lh_rerank`, `engine.rerank()`.
 *   query      The query (required)
 *   documents  The documents to rank (strings; required)
 *   model      Id of the model (unset: the only loaded model)
 *   top_n      Return only this many documents, the most relevant ones (1..; unset: all)
 *   normalize  Scores between 0 and 1 (their logistic function); false: the model's own scores (default false)
 *
 * Session options: A conversation with an agent: `lh_session_open`, `engine.session()`.
 *   model         Id of the model (unset: the only loaded model)
 *   system        The system prompt; ON_BOOTSTRAP hooks append to it
 *   restore       Path of a file that lh_session_save has written; the session continues from it
 *   record        Text of lh_session_record; the session continues from it. Not together with `restore`
 *   id            Id of the session, which no open session of the engine has: 1 to 100 letters, digits, `-`, `_` and
 *                 `.`, the first a letter or digit (unset: a new id)
 *   tier          Tier of the session: one of `tiers`. Without `tiers`, a name that only hooks see
 *   history       Earlier messages of the conversation, without a system message; every tool call must have its result
 *   params        Sampling parameters of the session's model calls
 *   tags          Tags that every event of the session's runs, and of the runs that they delegate to, has in its `meta`
 *                 (object of strings, numbers and booleans)
 *   permissions   Rules that decide which tool calls may run. Each has one of allow, deny and ask: a pattern of tool
 *                 names (`*` anything but /, `**` anything, `?` one character). `when` adds conditions on arguments, by
 *                 path: a pattern, or an object that names the kind of value, `text`, `path`, `url` or `number`. Deny
 *                 wins over ask, and ask over allow. The decision is ask if no rule matches; a hook at
 *                 ON_PERMISSION_CHECK may answer an ask, and if no hook answers, the call is denied (unset: every call
 *                 is allowed)
 *   max_iterations  Maximum number of model calls of a run, not counting retries that hooks ask for; the run then ends
 *                 with the limit `max_iterations` (1..100000; default 25)
 *   max_tool_calls  Maximum number of tool calls that a run carries out; each further call is refused, which its result
 *                 says (0..1000000; default 100)
 *   on_limit      The end of a run that reaches `max_iterations`, or in which a call was refused because of
 *                 `max_tool_calls`. `stop`: the run ends, or goes on without further calls; `answer`: the model is
 *                 called once more, without tools, and the run ends with the limit and that answer. A delegated run
 *                 stops ("stop", "answer"; default "stop")
 *   max_calls_in_a_row  Maximum number of calls of one tool in a run without another tool in between. The model is
 *                 warned two calls before the limit; calls beyond it are refused, which their results say (1..1000000;
 *                 default 7)
 *   max_identical_calls  Maximum number of calls of a tool with the same arguments in a run; after that, the model gets
 *                 the last result again (1..1000000; default 3)
 *   max_result_bytes  Maximum bytes of a tool's result, and of a text that hooks or directives add to the conversation.
 *                 If a result or text is longer, the model sees its beginning and a note; with `context_inspect` it can
 *                 read the rest (256..67108864; default 16384)
 *   max_parallel_tools  Maximum number of calls of one message that run at once; the others begin as those end, and the
 *                 results come in the order of the calls (1..1000000; unset: all)
 *   max_parts_bytes  Maximum size of the parts of a tool's result as JSON, in bytes; a call with a larger result fails
 *                 (0..1073741824; default 16777216)
 *   injection_reserve  Tokens that all ON_CONTEXT_ASSEMBLE hooks together may inject into a model call; more fails with
 *                 INJECTION_OVERFLOW (0..16777216; default 1024)
 *   control_tools  The engine's own tools that the model is offered; docs/concepts/delegation.md says what each does
 *   tiers         The tiers that the session can have or delegate to, by name. The session begins as the one that
 *                 `tier` names; a name that is not in this list is refused
 *   phases        The phases that a run can switch to, by name
 *   compaction    The engine's strategy if the prompt exceeds `compact_at`. It first shortens earlier tool results;
 *                 docs/concepts/compaction.md says what each strategy does if that is not enough. The user's messages
 *                 stay ("summarize", "truncate", "tool-results", "off"; default "summarize")
 *   compact_at    The engine compacts a prompt before the model call if it exceeds this share of the context, less
 *                 `answer_reserve` (0.05..1; default 0.75)
 *   answer_reserve  Tokens of the context that are kept free for the answer (0..16777216; default 0)
 *   reflect       After each iteration with tool calls the engine asks the model, outside the conversation, whether to
 *                 go on; if the model answers HALT, the run ends (default false)
 *   reflection_prompt  The question that the model is then asked (unset: the engine's own)
 *   critic_prompt  The question that the model is asked, outside the conversation, about each tool call with valid
 *                 arguments. If it answers DENY, the call is refused and the model is told why (unset: no question is
 *                 asked)
 *   max_delegation_depth  Greatest depth of delegated runs; beyond that, delegation is refused and the model is told
 *                 (0..64; default 3)
 *   max_failed_delegations  Maximum number of failed delegations of a run; after that, each further one is refused,
 *                 which its result says (1..1000000; default 2)
 *   max_delegation_retries  Maximum number of times that ON_DELEGATE_COMPLETE hooks send a task back with `retry`; one
 *                 more is RETRY_LIMIT at ON_ERROR, and has no effect (0..1000000; default 3)
 *   max_continuations  Maximum number of times in a run that ON_ITERATION_END hooks continue it with `continue`; one
 *                 more is RETRY_LIMIT at ON_ERROR, and has no effect (0..1000000; default 10)
 *   max_completion_rejections  Maximum number of rejected completions of a run, by hooks or by `explicit_completion`;
 *                 one more ends the run with the limit `max_completion_rejections` (0..1000000; default 3)
 *   max_run_tokens  Maximum number of tokens that the model generates in a run, including child runs, compactions and
 *                 reflections. The message that exceeds it is cut off, and the run ends with the limit
 *                 `max_run_tokens`; 0: no limit (0..2147483647; default 0)
 *   max_run_ms    Maximum duration of a run in milliseconds, including hooks, tools, pauses, child runs and the loads
 *                 of their models. The wait for its turn, the load of the run's first model and ON_SESSION_START do not
 *                 count. After that, the work under way is cancelled and the run ends with the limit `max_run_ms`; 0:
 *                 no limit (0..2147483647; default 0)
 *   explicit_completion  A run ends only when the model calls `complete`. An answer without a tool call is sent back,
 *                 up to `max_completion_rejections` times (default false)
 *   tool_deadline_ms  Milliseconds that a tool may take if it has no deadline of its own; 0: no limit (0..2147483647;
 *                 default 60000)
 *
 * Tier: A tier: a role with its own model, system prompt, tools, rules and sampling. A setting that the tier leaves
 * out is the session's.
 *   description   Purpose of the tier; shown to the models that may delegate to it
 *   model         Id of the model (unset: the session's)
 *   system        The system prompt (unset: the session's)
 *   tools         Names of the session's tools, control tools included, that the tier may call (unset: all)
 *   explicit_completion  True: a run of the tier ends only when the model calls `complete` (unset: the session's)
 *   permissions   Rules that apply in addition to the session's and to those of the run that delegates; the strictest
 *                 decision wins
 *   params        Sampling parameters of the tier's model calls; they override the session's
 *
 * Phase: Settings of a phase. The tier's setting applies where the phase has none.
 *   description  Purpose of the phase; shown to the model that may switch to it
 *   tools        Names of the tier's tools that the model may call in this phase; it may always call `complete` and
 *                `phase_change` (unset: the tier's)
 *   params       Sampling parameters of the model calls in this phase; they override the tier's
 *
 * Run request: One run of a session: `lh_session_run`, `session.run()`.
 *   content   The user's message; required without `resume`
 *   history   Messages that are added to the conversation before `content`, in the form of the session's `history`
 *   resume    In place of `content`: answers for tool calls that wait (lh_session_waiting), by id. The run continues
 *             where it stopped; calls without an answer continue to wait. Not together with `history`, `plan` and
 *             `dry_run`, which are those of the run that stopped; `params`, `answer` and `tags` take precedence over
 *             its own
 *   params    Sampling parameters of the run's model calls; they override those of the session and its tier, but do not
 *             apply to child runs
 *   plan      A plan that the engine carries out before the first model call; the model is told the results
 *   answer    A JSON Schema (in TypeScript also a zod schema) that the run's last message follows; ON_COMPLETE fires
 *             for it. Messages before it may be tool calls. For a tier that completes explicitly, it is the schema of
 *             the `answer` that the tool `complete` takes in place of a summary. Not together with `grammar` (JSON
 *             Schema)
 *   dry_run   No tool runs, except `complete`: each call gets a result that says so; ON_DRY_RUN fires at the end
 *             (default false)
 *   priority  Among runs and generations that wait for their turn, the lowest priority runs first; at equal priority,
 *             the one that came first (-1000000..1000000; default 0)
 *   tags      Tags of this run, in addition to the session's; a tag of the same name replaces the session's (object of
 *             strings, numbers and booleans)
 *
 * History request: The messages of a session: `lh_session_history`, `session.history()`.
 *   compacted  True: the messages as the model is shown them. False: all messages, with everything that compactions
 *              dropped or shortened, and without the texts that stand for it (default true)
 *
 * Compact request: A compaction on request, whatever the size of the prompt: `lh_session_compact`,
 * `session.compact()`.
 *   strategy      The strategy for compacting the conversation ("summarize", "truncate", "tool-results"; unset: the
 *                 session's)
 *   instructions  Additional instructions for the model that writes the summary
 *
 * Elicit request: A question of a tool for the user: `lh_tool_elicit`, `elicit()` of a tool's context.
 *   message  The question, for people (required)
 *   schema   A JSON Schema (in TypeScript also a zod schema) of the input, which is an object (JSON Schema; unset: any
 *            object)
 *
 * Tokenize request: `lh_tokenize`, `lh_tokenize_start`, `engine.tokenize()`.
 *   text          The text (required)
 *   add_special   Add the model's begin and end tokens, if it has them (default false)
 *   parse_special  Read control tokens in the text as tokens, not as plain text (default false)
 *
 * Detokenize request: `lh_detokenize`, `engine.detokenize()`.
 *   tokens   Token ids (required)
 *   special  Write control tokens out (default false)
 *
 * Render request: `lh_render_prompt`, `engine.models.renderPrompt()`.
 *   messages      The conversation (required)
 *   tools         Tools that the model may call
 *   tool_choice   The model may (`auto`), must not (`none`) or must (`required`) call a tool, or the one that `{ tool
 *                 }` names (default "auto")
 *   add_generation_prompt  End the prompt with the beginning of the model's answer (default true)
 *   continue_final_message  End the prompt with the text of the last message, which must be an assistant's without tool
 *                 calls; `add_generation_prompt` then has no effect (default false)
 *   reasoning     False: the chat template is told that the model must not reason (default true)
 *   preserve_reasoning  True: the prompt has the reasoning of earlier answers, too, where the chat template can keep
 *                 it; false: as the template does by itself (default true)
 *   chat_template_args  Additional variables for the chat template, by name (object) */
/* generated: parameters end */

/* --------------------------------------------------- results and events */

/* generated: results begin */
/* Generated from native/contract/{results,events}.json by scripts/generate-contract.mjs; do not edit.
 *
 * Results and events are JSON objects. "key?" may be absent. A key without a type is a string, a number or a boolean,
 * or has the type of its own name. docs/reference/results.md explains each key.
 *
 * Results:
 * stopper: {by, reason: string | null}
 * hook failure: {code, message, cause_id}
 * hook record: {id, name, outcome: "proceed" | "modified" | "cancelled" | "failed" | "observed" | "abandoned",
 *     fields: string[], clock_us, duration_us, late?, error?: hook failure}
 * decision: {type: "decision", seq, point, name, run_id: string | null, session_id: string | null, span: integer |
 *     null, tool_call_id: string | null, time_us, clock_us, action: "proceed" | "modified" | "cancelled", decided_by:
 *     {id, name} | null, reason: string | null, status: string | null, hooks: hook record[], duration_us}
 * top logprob: {token, text, bytes: integer[], logprob}
 * token logprob: {index, token, text, bytes: integer[], kind: "content" | "reasoning" | "tool_call", logprob,
 *     top_logprobs?: top logprob[]}
 * generate result: {run_id, model_id, text, reasoning, tool_calls: tool call[], finish_reason: "stop" | "length" |
 *     "cancelled", stop_text?, limit: string | null, usage, logprobs?: token logprob[], cancel: stopper | null, halt:
 *     stopper | null, messages: message[], decisions: decision[]}
 * compaction result: {compacted, tokens_before, tokens_after, removed, summary, decisions: decision[]}
 * tool record: {id, name, args: object, result, result_kind, is_error, parts?: any value[], elapsed_ms, decided_by:
 *     string | null, cause_id?}
 * elicit result: {action: "accept" | "decline" | "cancel", content?: object, reason?, by?}
 * waiting call: {id, name, args: object, tier: string | null, deferred_by, waits_for: string | null, reason: string |
 *     null}
 * run step: {iteration, model_id, finish_reason: "stop" | "length" | "cancelled" | "error", usage, tool_call_ids:
 *     string[]}
 * run result: {run_id, session_id, model_id, text, reasoning, finish_reason: "complete" | "halted" | "cancelled" |
 *     "limit" | "waiting", cancel: stopper | null, halt: stopper | null, limit: string | null, messages: message[],
 *     tool_calls: tool record[], child_tool_calls: tool record[], waiting?: waiting call[], usage, logprobs?: token
 *     logprob[], answered?, steps: run step[], iterations, decisions: decision[]}
 * model info: {model_id, path, address: string | null, architecture, description, file_bytes, parameters, layers,
 *     gpu_layers, context_size, training_context_size, vocabulary_size, parallel, threads, devices: string[],
 *     chat_template: string | null, folds: string[], generates, infills, embedding: model embedding, features: model
 *     features, load_ms, measured: memory bytes, memory: model memory[], shares_weights_with: string[], pinned,
 *     state: "loading" | "ready" | "unloading" | "cold"}
 * model features: {tools, json_schema, logprobs, grammar, raw, continue_final_message, infill, adapters, tokens,
 *     embeddings}
 * model embedding: {dimensions, pooling: "none" | "mean" | "cls" | "last" | "rank", max_tokens, reranks}
 * embed result: {model_id, pooling: "none" | "mean" | "cls" | "last", dimensions, embeddings: (number[] | string)[],
 *     tokens: integer[]}
 * rerank score: {index, relevance_score}
 * rerank result: {model_id, results: rerank score[], tokens}
 * model estimate: {path, architecture, description, file_bytes, parameters, layers, gpu_layers,
 *     training_context_size, vocabulary_size, context_size, parallel, threads, devices: string[], chat_template:
 *     string | null, generates, infills, embedding: model embedding, features: model features, estimate: memory
 *     bytes, memory: model memory[], fits}
 * model memory: {device, layers, model_bytes, context_bytes, compute_bytes}
 * device: {name, description, type, total_bytes, free_bytes}
 * model unload result: {model_id, freed: memory bytes}
 * adapter info: {adapter_id, model_id, path, kind: "lora" | "control_vector", file_bytes, scale, rank, tensors,
 *     invocation_tokens?: integer[]}
 * adapter swap result: {adapters: adapter[]}
 * device memory: {device, type, total_bytes, free_bytes, used_bytes, conversation_bytes, budget_bytes: integer |
 *     null}
 * system info: {llama_cpp, abi, system_info, devices: device[], process: integer | null}
 * error: {code, message, decision?}
 * hook listing: {id, name, point, point_name, level, session_id: string | null, priority, deadline_ms, flags:
 *     string[], location: string | null, when: object | null, fields: string[] | null, fired, matched, calls,
 *     modifications, cancels, failures, total_us}
 *
 * Events: `type` is the name in this list without "event", with _ for a blank ("tool_call"). A lifecycle event has
 * the type "lifecycle"; `event` is its name ("model_loaded"), `time_us` is in microseconds since the Unix epoch,
 * `clock_us` by the clock of decisions, and `span` connects the event of a beginning with that of its end.
 * progress event: Sent while a model is loaded. {progress}
 * start event: A model call begins: its prompt is made. A call that a hook has started anew begins again. {run_id,
 *     model_id, prompt_tokens, depth?}
 * token event: A piece of text, as hooks left it. {index, token, text, kind: "content" | "reasoning" | "tool_call",
 *     logprob?, top_logprobs?: top logprob[], logprobs?: token logprob[], run_id?, depth?}
 * prompt progress event: Sent while the model reads the prompt. {processed, total, cached, run_id?, depth?}
 * tool call delta event: The model writes a tool call: first its id and name, then pieces of the JSON of its
 *     arguments, whatever form the model's template gives them. The pieces of a call, joined, are its arguments. It
 *     is not yet decided whether the call runs. {index, id, name, args_text, run_id?, depth?}
 * replaced event: The message is another one than was streamed: a POST_GENERATE hook changed it, hooks at
 *     ON_STREAM_TOKEN changed a call, or the parser has revised what it made of the text. What this event holds
 *     replaces everything that was streamed of the message. Never sent with stream "held". {text, reasoning,
 *     tool_calls: tool call[], run_id?, depth?}
 * state event: The loop of a run changes its state. {previous: loop state, current: loop state, run_id, depth}
 * iteration event: An iteration of a run begins; the token events that follow belong to its model call. {iteration,
 *     run_id, depth}
 * tool call event: A tool begins to run, or a hook has answered in place of the tool. {id, name, args: object,
 *     run_id, depth}
 * tool progress event: A tool that runs has told how far it is. The events of a call come at most every 50 ms, each
 *     with the newest progress; the last one is never left out. {tool_call_id, name, done, total?, message?, run_id,
 *     depth}
 * tool result event: A tool call has its result. Refused calls have one, too. Results come in the order of the calls.
 *     {record: tool record, run_id, depth}
 * delegation event: A run delegates to a tier; the events of the child run follow, one level deeper. {tier, task,
 *     child, run_id, depth}
 * compaction event: The engine has shortened the part of the conversation that the model is shown. {strategy,
 *     tokens_before, tokens_after, removed, run_id, depth}
 * notify event: A tool tells the caller something, with the directive notify. {tool, params: object, run_id, depth}
 * call params: {temperature, top_k, top_p, min_p, repeat_penalty, presence_penalty, frequency_penalty, stop:
 *     string[], max_tokens?, seed?}
 *
 * Lifecycle events:
 * model load started event: The load of a model begins, its hooks included; also the load of a cold model that is
 *     used again. {span, parent_span?, task?, model_id}
 * model loaded event: A model is ready for use. {span, duration_us, model_id}
 * model load failed event: The load of a model failed, or a hook or its caller stopped it. {span, duration_us,
 *     model_id, code}
 * model unloaded event: A model was unloaded. {model_id, reason}
 * generation started event: A model call outside a run begins. {span, task?, queue_ms, kind: "chat" | "text" |
 *     "infill", params: call params, run_id, model_id}
 * generation ended event: A model call outside a run has ended. {span, duration_us, run_id, params: call params,
 *     answered_by?, finish_reason?: "stop" | "length" | "cancelled", usage?, cancel?: stopper, halt?: stopper, code?}
 * run started event: A run of a session begins, or a child run. {span, parent_span?, task?, queue_ms?, run_id,
 *     session_id, model_id, parent_run_id?, resumes?, tool_call_id?, tier?}
 * run ended event: A run of a session has ended, or a child run. {span, duration_us, run_id, session_id,
 *     finish_reason?: "complete" | "halted" | "cancelled" | "limit" | "waiting", usage?, cancel?: stopper, halt?:
 *     stopper, limit?, code?}
 * model call started event: A model call of a run begins. {span, parent_span?, task?, kind: "chat" | "text" |
 *     "infill", params: call params, run_id, session_id, model_id, iteration: integer | null}
 * model call ended event: A model call of a run has ended. {span, duration_us, run_id, session_id, model_id,
 *     iteration: integer | null, params: call params, answered_by?, finish_reason?: "stop" | "length" | "cancelled",
 *     usage?, cancel?: stopper, halt?: stopper, code?}
 * tool call started event: A tool begins to run. A call that is refused, or answered by a hook, has no such event.
 *     {span, parent_span?, task?, run_id, session_id, tool_call_id, tool_name}
 * tool call ended event: A tool has answered, or the engine no longer waits for it. {span, duration_us, run_id,
 *     session_id, tool_call_id, tool_name, result_kind, is_error}
 * plan started event: A plan of a run begins: one of the tool `plan`, of the run's request, or a step of another
 *     plan. {span, parent_span?, task?, run_id, session_id, tool_call_id?, flow, steps}
 * plan ended event: A plan of a run has ended. {span, duration_us, run_id, session_id, succeeded, result_kind}
 * embedding started event: A call of `embed` begins. {span, task?, queue_ms, model_id, texts}
 * embedding ended event: A call of `embed` has ended. {span, duration_us, model_id, tokens?, dimensions?, code?}
 * rerank started event: A call of `rerank` begins. {span, task?, queue_ms, model_id, documents}
 * rerank ended event: A call of `rerank` has ended. {span, duration_us, model_id, tokens?, code?}
 * hook ended event: A hook is not called any more: it was removed, or the session, run, generation or engine that it
 *     belongs to has ended. Its counts say how often it was called, and what kept it back. {id, name, point,
 *     location: string | null, when: object | null, session_id: string | null, fired, matched, calls, modifications,
 *     cancels, failures, total_us}
 *
 * Shapes of both, and of requests:
 * loop state: "IDLE" | "PLANNING" | "EXECUTING" | "WAITING_TOOL" | "VERIFYING" | "DELEGATING" | "COMPLETE" | "ERROR"
 *     | "INTERRUPTED" | "PAUSED"
 * result kind: "ok" | "ok_empty" | "error" | "rejected_hook" | "rejected_schema" | "rejected_permission" |
 *     "rejected_duplicate" | "rejected_limit" | "timeout" | "cancelled" | "delegation_failed"
 * message: {role: "system" | "user" | "assistant" | "tool", content, reasoning?, tool_calls?: tool call[],
 *     tool_call_id?, tool_name?, id?, time_ms?, origin?: "hook" | "tool" | "engine" | "anchor"}
 * tool call: {id?, name, args: object}
 * tool definition: {name, description?, parameters?: object}
 * logit bias: {token, bias: number | null}
 * adapter choice: {id, scale?}
 * tool choice: "auto" | "none" | "required" | {tool}
 * usage: {prompt_tokens, cached_tokens, completion_tokens, drafted_tokens?, accepted_tokens?, reasoning_tokens?,
 *     queue_ms?, prompt_ms, decode_ms, first_token_ms?}
 * memory bytes: {device_bytes, host_bytes}
 * adapter: {adapter_id, adapter_path, scale} */
/* generated: results end */

#if defined(__cplusplus)
}
#endif

#endif /* LLAMA_HOOKS_ENGINE_H */
