/* llama-hooks: the engine ABI. Local models through llama.cpp, with the hooks of hooks.h at every step.
 *
 * The conventions of hooks.h hold here too. Requests and options are JSON objects, because hooks see and change them as
 * JSON: an unknown key, or a value of the wrong type or range, is INVALID_ARGUMENT with a message that names it.
 *
 * Long work is a task: it runs on a thread of its own, reports through callbacks, and can be cancelled and waited for.
 */
#ifndef LLAMA_HOOKS_ENGINE_H
#define LLAMA_HOOKS_ENGINE_H

#include "llama_hooks/hooks.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* An engine: its hooks and its models. Any thread. */
typedef struct lh_engine lh_engine;

/* Options:
 *   libraries     folder with llama.cpp's libraries and ggml's CPU backends (required for the first engine of the
 *                 process; llama.cpp's backends are loaded once per process)
 *   gpu_module    path of one more ggml backend module (libggml-cuda.so, libggml-vulkan.so), or null
 *   gpu           false: the models of this engine stay on the CPU, whatever the process has (default true)
 * Errors: INVALID_ARGUMENT, BACKEND_UNAVAILABLE, VERSION_MISMATCH. */
LH_API lh_status lh_engine_create(const char *options_json, lh_engine **out, char **error_json) LH_NOEXCEPT;

/* Cancels and joins everything the engine runs, unloads its models and frees it. Hooks still fire; a host whose hooks
 * need the calling thread closes first with lh_engine_close. Not from inside a hook of this engine. */
LH_API void lh_engine_free(lh_engine *engine) LH_NOEXCEPT;

/* The engine's registry of hooks. Lives as long as the engine; not to be freed. */
LH_API lh_registry *lh_engine_hooks(lh_engine *engine) LH_NOEXCEPT;

/* Every decision and lifecycle event of the engine, as one JSON object each, on the thread that made it. One sink; NULL
 * ends it, and returns when no call of the old one is running. The sink must not block. */
typedef void (*lh_trace_fn)(const char *event_json, void *user_data);
LH_API lh_status lh_engine_trace(lh_engine *engine, lh_trace_fn sink, void *user_data) LH_NOEXCEPT;

/* Log lines of this library and of llama.cpp, any thread, one sink per process; `level` is 1 error, 2 warn, 3 info,
 * 4 debug. NULL: lines are dropped. The sink must not block or log. */
typedef void (*lh_log_fn)(int32_t level, const char *message, void *user_data);
LH_API void lh_log_set(lh_log_fn sink, void *user_data) LH_NOEXCEPT;

/* ------------------------------------------------------------------ tasks */

/* Work under way. Any thread. */
typedef struct lh_task lh_task;

/* Called on the task's thread. Events: {"type": "progress", "progress": 0..1} while loading; {"type": "token", "index",
 * "token", "text", "kind"[, "logprob"]}, {"type": "prompt_progress", "processed", "total", "cached"} and
 * {"type": "replaced", "text", "reasoning"} while generating. The end comes exactly once, last: with LH_OK and the
 * result, or with a status and {"code", "message", ...}. A callback must not free its own task. */
typedef struct lh_task_callbacks {
  size_t struct_size;
  void (*on_event)(const char *event_json, void *user_data); /* or NULL: nothing is built for it */
  void (*on_end)(lh_status status, const char *json, void *user_data);
  void *user_data;
} lh_task_callbacks;

#define LH_TASK_CALLBACKS_INIT {sizeof(lh_task_callbacks), NULL, NULL, NULL}

/* Asks the task to stop, and returns at once. `reason` (or NULL) shows in its result. A second call is a no-op. */
LH_API void lh_task_cancel(lh_task *task, const char *reason) LH_NOEXCEPT;

/* Returns when the task has ended. Errors: REENTRANT from inside a hook or callback of that task, or, for an unload or a
 * close, of any task. A hook that waits for a generation needs a sequence free for it (see `parallel`). */
LH_API lh_status lh_task_wait(lh_task *task) LH_NOEXCEPT;

/* Cancels the task if it runs, waits for its end and frees it. Does nothing where lh_task_wait gives REENTRANT. */
LH_API void lh_task_free(lh_task *task) LH_NOEXCEPT;

/* ----------------------------------------------------------------- models */

/* Loads the GGUF at options.path under the name `id`. Fires ON_MODEL_LOAD, then ON_MODEL_READY. Options:
 *   path (required), gpu_layers (-1 all; default 0 without a GPU, else -1), context_size (tokens a sequence; 0: the
 *   model's own, at most 4096), parallel (sequences decoded together, 1 to 64, default 4), batch_size (prompt tokens a
 *   decode call, default 512), threads (0: one for each 8 MiB of weights, at most the number of cores), kv_type ("f16",
 *   "q8_0", "f32"), mmap (default true), chat_template (overrides the model's own)
 * The result describes the model as lh_model_describe does.
 * Ends with: the MODEL_* errors, UNSUPPORTED_ARCHITECTURE, INSUFFICIENT_MEMORY, HOOK_CANCELLED, CANCELLED. */
LH_API lh_status lh_model_load(lh_engine *engine, const char *id, const char *options_json,
                               const lh_task_callbacks *callbacks, lh_task **out, char **error_json) LH_NOEXCEPT;

/* Unloads a model when its generations have ended (new ones are refused from now on). Fires ON_MODEL_UNLOAD with
 * `reason` (or NULL: "requested"). Result: {"model_id"}. Errors: MODEL_NOT_LOADED. */
LH_API lh_status lh_model_unload(lh_engine *engine, const char *id, const char *reason,
                                 const lh_task_callbacks *callbacks, lh_task **out, char **error_json) LH_NOEXCEPT;

/* The loaded models, as a JSON array of what lh_model_describe gives. */
LH_API lh_status lh_model_list(lh_engine *engine, char **out_json) LH_NOEXCEPT;

/* {"model_id", "path", "architecture", "description", "file_bytes", "parameters", "layers", "context_size",
 * "training_context_size", "vocabulary_size", "parallel", "threads", "devices", "chat_template", "load_ms",
 * "measured": {"device_bytes", "host_bytes"}}. Errors: MODEL_NOT_LOADED. */
LH_API lh_status lh_model_describe(lh_engine *engine, const char *id, char **out_json, char **error_json) LH_NOEXCEPT;

/* {"text", "add_special": false, "parse_special": false} -> {"tokens": [...]}. `id` NULL: the only model loaded. */
LH_API lh_status lh_tokenize(lh_engine *engine, const char *id, const char *request_json, char **out_json,
                             char **error_json) LH_NOEXCEPT;

/* {"tokens": [...], "special": false} -> {"text"}. Bytes that are not UTF-8 become U+FFFD. */
LH_API lh_status lh_detokenize(lh_engine *engine, const char *id, const char *request_json, char **out_json,
                               char **error_json) LH_NOEXCEPT;

/* {"messages", "tools", "tool_choice", "add_generation_prompt": true} -> {"prompt"}: the text the model would be
 * given, as its chat template renders it. Errors: INVALID_MESSAGES, TEMPLATE_FAILED. */
LH_API lh_status lh_render_prompt(lh_engine *engine, const char *id, const char *request_json, char **out_json,
                                  char **error_json) LH_NOEXCEPT;

/* ------------------------------------------------------------- generation */

/* One model call: ON_CONTEXT_BUDGET, PRE_GENERATE, ON_PROMPT_PROGRESS, ON_STREAM_TOKEN and POST_GENERATE fire. Request:
 *   model       id, or null: the only model loaded
 *   messages    [{"role": "system" | "user" | "assistant" | "tool", "content", "reasoning", "tool_calls": [{"id",
 *               "name", "args"}], "tool_call_id", "tool_name"}], or
 *   prompt      raw text, given to the model as it is, without its chat template; control tokens may be written out
 *   tools       [{"name", "description", "parameters": JSON Schema}]
 *   stream      "live" (default) or "held": token events come only after POST_GENERATE has answered
 *   tier        for the contexts of hooks
 *   params      max_tokens (default: what the context leaves), temperature (0.8; 0 is greedy), top_k (40), top_p
 *               (0.95), min_p (0.05), typical_p, top_n_sigma, seed (random), repeat_penalty, presence_penalty,
 *               frequency_penalty, penalty_last_n, dry_multiplier, dry_base, dry_allowed_length, dry_penalty_last_n,
 *               dry_sequence_breakers, xtc_probability, xtc_threshold, mirostat (0, 1, 2), mirostat_tau, mirostat_eta,
 *               logit_bias ([{"token", "bias"}], bias null: never), stop (strings), grammar (GBNF), json_schema,
 *               tool_choice ("auto", "none", "required"), strict_schema (keywords without effect are refused),
 *               ignore_eos (a grammar that allows nothing more ends the text all the same), logprobs
 * Result: {"run_id", "model_id", "text", "reasoning", "tool_calls", "finish_reason", "usage": {"prompt_tokens",
 *   "cached_tokens", "completion_tokens", "prompt_ms", "decode_ms"}, "cancel": null | {"by", "reason"}, "halt": null |
 *   {"by", "reason"}, "messages": what this call adds to the conversation (the answer; when halted, a refusal for each
 *   tool call), "decisions": [...] (those of ON_STREAM_TOKEN only when a hook failed; the trace has all)}
 * finish_reason: "stop", "length", "cancelled" (by the caller or a hook: see "cancel", whose "by" is "caller" or the
 *   hook's name; the text so far is kept). At POST_GENERATE it may also be "error"; the task then ends with the error.
 * Ends with: the generation errors of hooks.h, MODEL_NOT_LOADED, INVALID_ARGUMENT, CLOSED. */
LH_API lh_status lh_generate(lh_engine *engine, const char *request_json, const lh_task_callbacks *callbacks,
                             lh_task **out, char **error_json) LH_NOEXCEPT;

/* Refuses new work, cancels what runs, unloads every model (ON_MODEL_UNLOAD fires) and ends. Later calls of the engine
 * give LH_ERR_CLOSED. A second close ends when the first has. Result: {}. */
LH_API lh_status lh_engine_close(lh_engine *engine, const lh_task_callbacks *callbacks, lh_task **out,
                                 char **error_json) LH_NOEXCEPT;

/* {"llama_cpp", "abi", "system_info", "devices": [{"name", "description", "type", "total_bytes", "free_bytes"}]}. */
LH_API lh_status lh_system_info(lh_engine *engine, char **out_json) LH_NOEXCEPT;

/* Per device: [{"device", "type", "total_bytes", "free_bytes", "used_bytes" (by this engine)}]. */
LH_API lh_status lh_engine_memory(lh_engine *engine, char **out_json) LH_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif /* LLAMA_HOOKS_ENGINE_H */
