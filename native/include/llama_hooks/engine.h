/* llama-hooks: the engine ABI. Local models through llama.cpp, with the hooks of hooks.h at every step.
 *
 * The conventions of hooks.h hold here too. Requests and options are JSON objects, because hooks see and change them as
 * JSON: an unknown key, or a value of the wrong type or range, is INVALID_ARGUMENT with a message that names it.
 *
 * Long work is a task: it runs on a thread of its own (a generation, when its turn has come), reports through callbacks,
 * and can be cancelled and waited for.
 */
#ifndef LLAMA_HOOKS_ENGINE_H
#define LLAMA_HOOKS_ENGINE_H

#include "llama_hooks/hooks.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------- parameters */

/* generated: parameters begin */
/* Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
 *
 * What the JSON of this header may hold. A key that is left out has its default; null is as left out, but for sampling
 * parameters, where it resets a key that may be unset and is an error for every other.
 *
 * Engine options: lh_engine_create, createEngine().
 *   libraries       Folder with llama.cpp's libraries and ggml's CPU backends. Required for the first engine of the
 *                   process, because backends are loaded once per process (unset: the libraries that are loaded)
 *   gpu_module      Path of an additional ggml backend module (libggml-cuda.so, libggml-vulkan.so) (unset: none)
 *   gpu             False: this engine's models stay on the CPU, even if the process has a GPU (default true)
 *   max_queued      How many generations of one model may wait for their turn; one more fails with BUSY (from 0 to
 *                   1048576; default 1024)
 *   memory_budget   MiB that models may take of main memory, and of each GPU. If a model does not fit, the engine
 *                   unloads idle models (ON_VRAM_PRESSURE) (from 1 to 16777216; unset: the free memory of each device)
 *   device_budgets  MiB that models may take of each named device (CPU: main memory), in place of memory_budget (whole
 *                   numbers from 1 to 16777216 by name; unset: memory_budget for each)
 *   low_memory      MiB: if a device has less free memory, the engine unloads idle models (ON_VRAM_PRESSURE); 0: the
 *                   engine does not check (from 0 to 16777216; default 0)
 *
 * Load options: How a model is loaded, in addition to its path, which is required.
 *   gpu_layers     Layers on the GPU, if there is one; the output layer counts as one; -1: all; auto: as many as fit
 *                  ("auto" or from -1 to 1048576; default -1)
 *   context_size   Tokens that a sequence can hold; 0: the model's own size, at most 4096; auto: as many as fit, at
 *                  most the model's own size ("auto" or from 0 to 16777216; default 0)
 *   parallel       Number of sequences that are decoded together (from 1 to 64; default 4)
 *   batch_size     Prompt tokens per decode call. Also the most tokens that one text to embed or rank may have, and
 *                  the most tokens of such texts that are computed at a time (from 1 to 65536; default 512)
 *   threads        Number of threads that compute; 0: one per 8 MiB of weights. A number above the cores that the
 *                  process may use is capped, with a warning in the log (from 0 to 512; default 0)
 *   kv_type        Type of the KV cache ("f16", "q8_0", "f32"; default "f16")
 *   kv_cache       streams: each sequence has its own part of the cache, and idle sequences slow nothing down;
 *                  unified: all sequences share one cache, which keeps a common prefix once ("streams", "unified";
 *                  default "streams")
 *   cache_memory   MiB of host memory for the KV cache of idle conversations whose sequences are needed by others; 0:
 *                  none, so that their prompts are read again (from 0 to 16777216; unset: the size of the KV cache,
 *                  from 16 to 1024)
 *   speculation    ngram: if a generation repeats parts of its context (code, quotes), the engine guesses several
 *                  tokens and checks them at once. The text comes sooner and stays the same, unless two tokens are
 *                  equally likely up to rounding. Works for one or two generations at a time, while no prompt is read,
 *                  if the KV cache can be cut back ("off", "ngram"; default "off")
 *   draft_model    Path of a small model with the same vocabulary. It guesses tokens where the text does not repeat;
 *                  guesses are checked as with speculation (unset: none)
 *   pinned         The model is never unloaded to free memory (default false)
 *   keep_alive     Seconds without use after which the model is unloaded; the next use loads it again (from 0 to
 *                  31536000; unset: until its memory is needed)
 *   lazy           Inspect the file now, but load the model only when it is first used (default false)
 *   mmap           Map the file instead of reading it (default true)
 *   devices        Names of the GPUs that the model may use, in this order (strings; unset: every GPU of the process)
 *   split_mode     How several GPUs share the model. layer: each has some of the layers; row: each has a part of every
 *                  matrix, if the backend can do that; none: one GPU has the whole model, see main_device ("layer",
 *                  "row", "none"; default "layer")
 *   main_device    The GPU that has the whole model with split_mode none (unset: the first)
 *   tensor_split   Share of each device, one number per device, in the order of the devices (numbers; unset: by free
 *                  memory)
 *   cpu_moe        For a mixture of experts: number of layers, from the first on, whose experts stay in main memory;
 *                  -1: all layers (from -1 to 1048576; default 0)
 *   chat_template  A Jinja chat template that replaces the model's own (unset: the model's own)
 *
 * Adapter options: How an adapter is loaded, in addition to its path, which is required.
 *   model  Id of the model that the adapter is for (unset: the only loaded model)
 *   scale  Strength that applies if none is given; 1 is as trained (from -1000 to 1000; default 1)
 *
 * Sampling parameters: How a generation samples. A context shows every default, and leaves out what is not set. In
 * an answer, null resets a key that may be unset.
 *   max_tokens             Most tokens to generate (from 1 up; unset: as many as fit into the context)
 *   temperature            Randomness of the choice of tokens; 0 is greedy: always the likeliest token (from 0
 *                          (greedy) up; default 0.8)
 *   dynatemp_range         How far the temperature moves up and down with the model's uncertainty; 0: off (from 0 up;
 *                          default 0)
 *   top_k                  Only this many of the likeliest tokens are considered; 0: all (from 0 (all tokens) up;
 *                          default 40)
 *   top_p                  Only the likeliest tokens that together reach this probability are considered (from 0 to 1;
 *                          default 0.95)
 *   min_p                  Tokens are left out if they are less likely than this share of the likeliest token (from 0
 *                          to 1; default 0.05)
 *   typical_p              Locally typical sampling: the probability mass that is kept; 1: off (from 0 to 1; default
 *                          1)
 *   top_n_sigma            Only tokens within this many standard deviations of the best logit are considered; -1: off
 *                          (from 0 up, or -1 for off; default -1)
 *   seed                   The same seed gives the same text if the computation is the same. Other generations at the
 *                          same time, or a cached part of the prompt, change the rounding of numbers, and a token may
 *                          differ (from 0 to 4294967294; unset: random)
 *   repeat_penalty         Penalty for repeated tokens; 1: off (from 0.01 to 100; default 1)
 *   presence_penalty       Penalty for tokens that have occurred; 0: off (from -100 to 100; default 0)
 *   frequency_penalty      Penalty for each occurrence of a token; 0: off (from -100 to 100; default 0)
 *   penalty_last_n         How many of the last tokens the penalties look at; 0: off (from 0 to 1048576; default 64)
 *   dry_multiplier         Strength of the DRY penalty for repeated passages; 0: off (from 0 to 100; default 0)
 *   dry_base               Base of the DRY penalty's growth (from 1 to 100; default 1.75)
 *   dry_allowed_length     Tokens that may repeat without a DRY penalty (from 0 to 1048576; default 2)
 *   dry_penalty_last_n     How many of the last tokens DRY looks at; 0: off (from 0 to 1048576; default 64)
 *   dry_sequence_breakers  Texts at which DRY starts again (strings; unset: llama.cpp's own)
 *   xtc_probability        Probability of leaving out the top choices (XTC); 0: off (from 0 to 1; default 0)
 *   xtc_threshold          Probability from which on a token counts as a top choice (from 0 to 1; default 0.1)
 *   mirostat               Version of Mirostat; 0: off (0, 1, 2; default 0)
 *   mirostat_tau           Mirostat's target entropy (from 0 to 1000; default 5)
 *   mirostat_eta           Mirostat's learning rate (from 0 to 1; default 0.1)
 *   adaptive_target        Adaptive-p: the probability that chosen tokens approach; no effect with Mirostat; -1: off
 *                          (from 0 to 1, or -1 for off; default -1)
 *   adaptive_decay         How long adaptive-p remembers: about 1 / (1 - decay) tokens (from 0 to 0.99; default 0.9)
 *   logit_bias             Numbers to add to the logits of tokens; null bans a token ([{token, bias}])
 *   adapters               Adapters (LoRA, aLoRA, control vectors) that the model runs with, each with its strength;
 *                          an empty list: none. ON_ADAPTER_SWAP fires if the set differs from the conversation's set
 *                          so far ([{id, scale}])
 *   stop                   Texts that end the output and are not part of it; none of them may be empty (strings)
 *   grammar                A GBNF grammar that the output follows; not together with json_schema (unset: none)
 *   json_schema            A JSON Schema (in TypeScript also a zod schema) that the output follows, as far as
 *                          docs/reference/schemas.md says; not together with grammar (JSON Schema; unset: none)
 *   strict_schema          True: refuse a json_schema, or a tool's parameters, with a keyword that the grammar cannot
 *                          enforce; INVALID_SCHEMA names the keyword and its place. False: such keywords have no
 *                          effect (default false)
 *   tool_choice            Whether the model may, must not or must call a tool ("auto", "none", "required"; default
 *                          "auto")
 *   ignore_eos             Generate past the model's end token, until max_tokens; for measurements. The text still
 *                          ends if a grammar or schema allows no further token (default false)
 *   logprobs               Each token event has the token's log probability, and the result has those of all tokens:
 *                          the model's own, before any of these parameters apply (default false)
 *   top_logprobs           Number of the likeliest alternatives that come with each token; includes logprobs (from 0
 *                          to 20; default 0)
 *   reasoning              False: the chat template is told that the model must not reason (enable_thinking). If the
 *                          model begins to reason anyway, the engine ends the reasoning at once, provided that it
 *                          knows the template's reasoning marks (default true)
 *   reasoning_budget       Most tokens of reasoning; then the engine forces the mark that ends it. No effect on a raw
 *                          prompt, or if the engine does not know the chat template's reasoning marks (from 0 up;
 *                          unset: no limit)
 *   chat_template_args     Additional variables for the chat template, by name (elsewhere called
 *                          chat_template_kwargs); enable_thinking: false among them has the effect of reasoning: false
 *                          (object; unset: none)
 *
 * Generate request: One model call: lh_generate, engine.generate().
 *   model     Id of the model (unset: the only loaded model)
 *   messages  The conversation. A request has exactly one of messages, prompt and infill
 *   prompt    Raw text that the model gets as it is, without its chat template; it may contain control tokens, written
 *             out (unset: none)
 *   infill    A prompt with a gap: the model writes the text between prefix and suffix. extra has texts of other
 *             files; suffix_first is for models that were trained that way (unset: none)
 *   tools     Tools that the model may call (unset: none)
 *   stream    "held": token events come only after the POST_GENERATE hooks have answered, so that no streamed text is
 *             changed afterwards ("live", "held"; default "live")
 *   tier      Name that hooks see as tier (unset: none)
 *   priority  Among generations that wait for their turn, the lowest priority runs first; at equal priority, the one
 *             that came first (from -1000000 to 1000000; default 0)
 *   params    How the generation samples: the sampling parameters
 *
 * Embed request: lh_embed, engine.embed().
 *   texts      The texts. The engine computes as many of them at a time as fit into batch_size tokens together
 *              (strings; required)
 *   model      Id of the model (unset: the only loaded model)
 *   pooling    How the vectors of a text's tokens are combined into one. mean: their mean; cls: the first token's
 *              vector; last: the last token's; none: not at all, each token keeps its vector; model: the way that the
 *              model's file names, otherwise last, or mean for a model that does not read from left to right ("model",
 *              "none", "mean", "cls", "last"; default "model")
 *   normalize  Scale vectors to length 1, so that a dot product is the cosine similarity; vectors of single tokens
 *              (pooling none) stay as they are (default true)
 *   encoding   Format of a vector: an array of numbers, or its little-endian 32-bit floats as base64 ("float",
 *              "base64"; default "float")
 *
 * Rerank request: lh_rerank, engine.rerank().
 *   query      The query (required)
 *   documents  The documents to rank (strings; required)
 *   model      Id of the model (unset: the only loaded model)
 *   top_n      Return only this many documents, the most relevant ones (from 1 up; unset: all)
 *   normalize  Scores between 0 and 1 (their logistic function); false: the model's own scores (default false)
 *
 * Session options: A conversation with an agent: lh_session_open, engine.session().
 *   model                      Id of the model (unset: the only loaded model)
 *   system                     The system prompt; BOOTSTRAP hooks append to it (unset: none)
 *   restore                    Path of a file that lh_session_save has written; the session continues from it (unset:
 *                              none)
 *   tier                       Tier of the session: one of tiers. Without tiers, a name that only hooks see (unset:
 *                              none)
 *   history                    Earlier messages of the conversation, without a system message; every tool call must
 *                              have its result (unset: none)
 *   params                     How the session's model calls sample: the sampling parameters
 *   permissions                Rules that decide which tool calls may run. Each has one of allow, deny and ask: a
 *                              pattern of tool names (* anything but /, ** anything, ? one character). when adds
 *                              conditions on arguments, by path: a pattern, or an object that names the kind of value,
 *                              text, path, url or number. Deny goes before ask, and ask before allow. A call that
 *                              matches no rule is asked about at PERMISSION_CHECK; if no hook answers, the call is
 *                              denied (unset: every call is allowed)
 *   max_iterations             Most model calls of a run, not counting retries that hooks ask for; the run then ends
 *                              with the limit max_iterations (from 1 to 100000; default 25)
 *   max_tool_calls             Most tools that run in a run; the model is told that each further call is refused (from
 *                              0 to 1000000; default 100)
 *   max_calls_in_a_row         How often a run may call one tool without another tool in between. The model is warned
 *                              two calls before the limit, and told of each call beyond it (from 1 to 1000000; default
 *                              7)
 *   max_identical_calls        How often a run may call a tool with the same arguments; after that, the model is given
 *                              the last result again (from 1 to 1000000; default 3)
 *   max_result_bytes           Most bytes of a tool's result. Of a longer result the model gets the beginning, and is
 *                              told so; context_inspect gives it the rest (from 256 to 67108864; default 16384)
 *   injection_reserve          Tokens that all CONTEXT_ASSEMBLE hooks together may inject into a model call; more
 *                              fails with INJECTION_OVERFLOW (from 0 to 16777216; default 1024)
 *   control_tools              The engine's own tools that the model is offered. complete ends the run with a summary;
 *                              COMPLETE hooks may reject it. delegate gives a task to a tier, pipeline to several
 *                              tiers in turn. plan runs several tool calls and tasks, one after the other or at once.
 *                              todo keeps a list of tasks. prune_context removes tool results from what the model
 *                              reads. phase_change switches to a named phase. context_inspect shows results that were
 *                              shortened or removed (unset: none)
 *   tiers                      The tiers that the session can have or delegate to, by name. The session begins as the
 *                              one that tier names; a name that is not in this list is refused (unset: none)
 *   phases                     The phases that a run can switch to, by name (unset: none)
 *   compaction                 What the engine does if the prompt exceeds compact_at. It first shortens earlier tool
 *                              results. If that is not enough, summarize has the model write a summary of the
 *                              conversation, and truncate drops the oldest messages. The user's messages stay
 *                              ("summarize", "truncate", "tool-results", "off"; default "summarize")
 *   compact_at                 The engine compacts a prompt before the model call if it exceeds this share of the
 *                              context, less answer_reserve (from 0.05 to 1; default 0.75)
 *   answer_reserve             Tokens of the context that are kept free for the answer (from 0 to 16777216; default 0)
 *   reflect                    After each iteration with tool calls the engine asks the model, outside the
 *                              conversation, whether to go on; if the model answers HALT, the run ends (default false)
 *   reflection_prompt          The question that the model is then asked (unset: the engine's own)
 *   critic_prompt              The question that the model is asked, outside the conversation, about each tool call
 *                              with valid arguments. If it answers DENY, the call is refused and the model is told why
 *                              (unset: no question is asked)
 *   max_delegation_depth       How deep delegated runs may delegate further; beyond that, delegation is refused and
 *                              the model is told (from 0 to 64; default 3)
 *   max_failed_delegations     How many delegations of a run may fail; after that, further delegation is refused and
 *                              the model is told (from 1 to 1000000; default 2)
 *   max_completion_rejections  How many completions of a run may be rejected, by hooks or by explicit_completion; one
 *                              more ends the run with the limit max_completion_rejections (from 0 to 1000000; default
 *                              3)
 *   max_run_tokens             Most tokens that the model may generate in a run, including child runs, compactions and
 *                              reflections. The message that exceeds it is cut off, and the run ends with the limit
 *                              max_run_tokens; 0: no limit (from 0 to 2147483647; default 0)
 *   max_run_ms                 Most milliseconds that a run may take, including hooks, tools, pauses, child runs and
 *                              the loads of their models. The wait for its turn, the load of the run's first model and
 *                              ON_SESSION_START do not count. After that, the work under way is cancelled and the run
 *                              ends with the limit max_run_ms; 0: no limit (from 0 to 2147483647; default 0)
 *   explicit_completion        A run ends only when the model calls complete. An answer without a tool call is sent
 *                              back, up to max_completion_rejections times (default false)
 *   tool_deadline_ms           Milliseconds that a tool may take if it has no deadline of its own; 0: no limit (from 0
 *                              to 2147483647; default 60000)
 *
 * Tier: A tier: a role with its own model, system prompt, tools, rules and sampling. A setting that the tier leaves
 * out is the session's.
 *   description          Purpose of the tier; shown to the models that may delegate to it (unset: none)
 *   model                Id of the model (unset: the session's)
 *   system               The system prompt (unset: the session's)
 *   tools                Names of the session's tools, control tools included, that the tier may call (unset: all)
 *   explicit_completion  Whether a run of the tier ends only when the model calls complete (unset: the session's)
 *   permissions          Rules that apply in addition to the session's and to those of the run that delegates; the
 *                        strictest decision wins (unset: none)
 *   params               How the tier's model calls sample; these parameters override the session's (unset: none)
 *
 * Phase: What changes in a phase. A setting that the phase leaves out is the tier's.
 *   description  Purpose of the phase; shown to the model that may switch to it (unset: none)
 *   tools        Names of the tier's tools that the model may call in this phase; it may always call complete and
 *                phase_change (unset: the tier's)
 *   params       How the model calls in this phase sample; these parameters override the tier's (unset: none)
 *
 * Run request: One run of a session: lh_session_run, session.run().
 *   content   The user's message (required)
 *   params    How the run's model calls sample; these parameters override those of the session and its tier, but do
 *             not apply to child runs (unset: none)
 *   plan      A plan that the engine carries out before the first model call; the model is told the results (unset:
 *             none)
 *   dry_run   No tool runs, except complete: each call gets a result that says so; DRY_RUN fires at the end (default
 *             false)
 *   priority  Among runs and generations that wait for their turn, the lowest priority runs first; at equal priority,
 *             the one that came first (from -1000000 to 1000000; default 0)
 *
 * History request: The messages of a session: lh_session_history, session.history().
 *   compacted  True: the messages as the model is shown them. False: all messages, with everything that compactions
 *              dropped or shortened, and without the texts that stand for it (default true)
 *
 * Compact request: A compaction on request, whatever the size of the prompt: lh_session_compact, session.compact().
 *   strategy      summarize, truncate or tool-results (unset: the session's)
 *   instructions  Additional instructions for the model that writes the summary (unset: none)
 *
 * Tokenize request: lh_tokenize, engine.tokenize().
 *   text           The text (required)
 *   add_special    Add the model's begin and end tokens, if it has them (default false)
 *   parse_special  Read control tokens in the text as tokens, not as plain text (default false)
 *
 * Detokenize request: lh_detokenize, engine.detokenize().
 *   tokens   Token ids (required)
 *   special  Write control tokens out (default false)
 *
 * Render request: lh_render_prompt, engine.models.renderPrompt().
 *   messages               The conversation (required)
 *   tools                  Tools that the model may call (unset: none)
 *   tool_choice            Whether the model may, must not or must call a tool (default "auto")
 *   add_generation_prompt  End the prompt with the beginning of the model's answer (default true)
 *   reasoning              False: the chat template is told that the model must not reason (default true)
 *   chat_template_args     Additional variables for the chat template, by name (object; unset: none) */
/* generated: parameters end */

/* ------------------------------------------------------ results and events */

/* generated: results begin */
/* Generated from native/contract/{results,events}.json by scripts/generate-contract.mjs; do not edit.
 *
 * What the engine gives, as JSON. "?": may be absent. docs/reference/results.md says what each field is.
 *
 * Results:
 * stopper: Who stopped something, and why.
 *     {by, reason (string or null)}
 * hook failure: Why a hook failed.
 *     {code, message, cause_id}
 * hook record: What one hook did in a dispatch.
 *     {id, name, outcome ("proceed", "modified", "cancelled", "failed", "observed"), fields (array of string),
 *      clock_us, duration_us, late?, error (hook failure)?}
 * decision: What the hooks of one point decided in one dispatch: which hook did what, in order, how long it took, and
 *   why.
 *     {type ("decision"), seq, point, name, run_id (string or null), session_id (string or null), time_us, clock_us,
 *      action ("proceed", "modified", "cancelled"), decided_by ({id, name} or null), reason (string or null), status
 *      (string or null), hooks (array of hook record), duration_us}
 * top logprob: A token that the model might have chosen.
 *     {token, text, logprob}
 * token logprob: How likely a token was to the model itself, before temperature, penalties, grammar and other
 *   sampling.
 *     {index, token, text, kind ("content", "reasoning", "tool_call"), logprob, top_logprobs (array of top
 *      logprob)?}
 * generate result: The result of one model call.
 *     {run_id, model_id, text, reasoning, tool_calls (array of tool call), finish_reason ("stop", "length",
 *      "cancelled"), usage (usage), logprobs (array of token logprob)?, cancel (stopper or null), halt (stopper or
 *      null), messages (array of message), decisions (array of decision)}
 * compaction result: The result of a compaction that the caller asked for.
 *     {compacted, tokens_before, tokens_after, removed, summary, decisions (array of decision)}
 * tool record: One tool call of a run and its outcome.
 *     {id, name, args (object), result, result_kind ("ok", "ok_empty", "error", "rejected_hook", "rejected_schema",
 *      "rejected_permission", "rejected_duplicate", "rejected_limit", "timeout", "cancelled", "delegation_failed"),
 *      is_error, elapsed_ms, decided_by (string or null), cause_id?}
 * run result: The result of one run of a session.
 *     {run_id, session_id, model_id, text, reasoning, finish_reason ("complete", "halted", "cancelled", "limit"),
 *      cancel (stopper or null), halt (stopper or null), limit (string or null), messages (array of message),
 *      tool_calls (array of tool record), child_tool_calls (array of tool record), usage (usage), logprobs (array of
 *      token logprob)?, iterations, decisions (array of decision)}
 * model info: A model that is loaded, or that is loaded when it is used. Sizes are in bytes unless they say
 *   otherwise.
 *     {model_id, path, architecture, description, file_bytes, parameters, layers, gpu_layers, context_size,
 *      training_context_size, vocabulary_size, parallel, threads, devices (array of string), chat_template (string
 *      or null), generates, infills, embedding (model embedding), load_ms, measured (memory bytes), memory (array of
 *      model memory), shares_weights_with (array of string), pinned, state ("loading", "ready", "unloading",
 *      "cold")}
 * model embedding: The vectors that the model computes for texts.
 *     {dimensions, pooling ("none", "mean", "cls", "last", "rank"), max_tokens, reranks}
 * embed result: The vectors of the texts, one per text, in the order of the texts.
 *     {model_id, pooling ("none", "mean", "cls", "last"), dimensions, embeddings (array of array), tokens (array of
 *      integer)}
 * rerank score: How relevant a document is to a query.
 *     {index, relevance_score}
 * rerank result: The documents, ordered by relevance to the query.
 *     {model_id, results (array of rerank score), tokens}
 * model estimate: What loading a model would take.
 *     {path, architecture, description, file_bytes, parameters, layers, gpu_layers, training_context_size,
 *      vocabulary_size, context_size, parallel, threads, devices (array of string), chat_template (string or null),
 *      generates, infills, embedding (model embedding), estimate (memory bytes), memory (array of model memory),
 *      fits}
 * model memory: The memory that a model takes on one device, in bytes.
 *     {device, layers, model_bytes, context_bytes, compute_bytes}
 * device: A device that can compute.
 *     {name, description, type, total_bytes, free_bytes}
 * model unload result: The result of unloading a model.
 *     {model_id, freed (memory bytes)}
 * adapter info: A loaded adapter.
 *     {adapter_id, model_id, path, kind ("lora", "control_vector"), file_bytes, scale, rank, tensors,
 *      invocation_tokens (array of integer)?}
 * adapter swap result: The result of a swap.
 *     {adapters (array of adapter)}
 * device memory: Memory of one device, in bytes.
 *     {device, type, total_bytes, free_bytes, used_bytes, conversation_bytes, budget_bytes (integer or null)}
 * system info: Versions and devices.
 *     {llama_cpp, abi, system_info, devices (array of device)}
 * error: The error of a call or task that failed. It may have more keys: the decision of the hooks that caused it;
 *   sizes; for a generation or a run its id, its text so far and its decisions; for a run also messages, tool_calls,
 *   child_tool_calls and iterations, as in a run result.
 *     {code, message, decision (decision)?}
 * hook listing: A registered hook and its statistics.
 *     {id, name, point, point_name, priority, deadline_ms, flags (array of string), calls, modifications, cancels,
 *      failures, total_us}
 *
 * Events:
 * progress event: Sent while a model is loaded.
 *     {type ("progress"), progress}
 * token event: A piece of text, as hooks left it.
 *     {type ("token"), index, token, text, kind ("content", "reasoning", "tool_call"), logprob?, top_logprobs (array
 *      of top logprob)?, run_id?, depth?}
 * prompt progress event: Sent while the model reads the prompt.
 *     {type ("prompt_progress"), processed, total, cached, run_id?, depth?}
 * replaced event: A POST_GENERATE hook changed text that had already been streamed: the text of this event replaces
 *   it. Never sent with stream "held".
 *     {type ("replaced"), text, reasoning, run_id?, depth?}
 * state event: The loop of a run changes its state.
 *     {type ("state"), previous ("IDLE", "PLANNING", "EXECUTING", "WAITING_TOOL", "VERIFYING", "DELEGATING",
 *      "COMPLETE", "ERROR", "INTERRUPTED", "PAUSED"), current ("IDLE", "PLANNING", "EXECUTING", "WAITING_TOOL",
 *      "VERIFYING", "DELEGATING", "COMPLETE", "ERROR", "INTERRUPTED", "PAUSED"), run_id, depth}
 * iteration event: An iteration of a run begins; the token events that follow belong to its model call.
 *     {type ("iteration"), iteration, run_id, depth}
 * tool call event: A tool begins to run, or a hook has answered in place of the tool.
 *     {type ("tool_call"), id, name, args (object), run_id, depth}
 * tool result event: A tool call has its result. Refused calls have one, too. Results come in the order of the calls.
 *     {type ("tool_result"), record (tool record), run_id, depth}
 * delegation event: A run delegates to a tier; the events of the child run follow, one level deeper.
 *     {type ("delegation"), tier, task, child, run_id, depth}
 * compaction event: The engine has shortened the part of the conversation that the model is shown.
 *     {type ("compaction"), strategy, tokens_before, tokens_after, removed, run_id, depth}
 * notify event: A tool tells the caller something, with the directive notify.
 *     {type ("notify"), tool, params (object), run_id, depth}
 * model load started event: The load of a model begins, its hooks included; also the load of a cold model that is
 *   used again.
 *     {type ("lifecycle"), event ("model_load_started"), time_us, clock_us, span, model_id}
 * model loaded event: A model is ready for use.
 *     {type ("lifecycle"), event ("model_loaded"), time_us, clock_us, span, duration_us, model_id}
 * model load failed event: The load of a model failed, or a hook or its caller stopped it.
 *     {type ("lifecycle"), event ("model_load_failed"), time_us, clock_us, span, duration_us, model_id, code}
 * model unloaded event: A model was unloaded.
 *     {type ("lifecycle"), event ("model_unloaded"), time_us, clock_us, model_id, reason}
 * generation started event: A model call outside a run begins.
 *     {type ("lifecycle"), event ("generation_started"), time_us, clock_us, span, run_id, model_id}
 * generation ended event: A model call outside a run has ended.
 *     {type ("lifecycle"), event ("generation_ended"), time_us, clock_us, span, duration_us, run_id, finish_reason
 *      ("stop", "length", "cancelled")?, usage (usage)?, code?}
 * run started event: A run of a session begins, or a child run.
 *     {type ("lifecycle"), event ("run_started"), time_us, clock_us, span, run_id, session_id, model_id,
 *      parent_run_id?, tier?}
 * run ended event: A run of a session has ended, or a child run.
 *     {type ("lifecycle"), event ("run_ended"), time_us, clock_us, span, duration_us, run_id, session_id,
 *      finish_reason ("complete", "halted", "cancelled", "limit")?, usage (usage)?, code?}
 * model call started event: A model call of a run begins.
 *     {type ("lifecycle"), event ("model_call_started"), time_us, clock_us, span, run_id, session_id, model_id,
 *      iteration (integer or null)}
 * model call ended event: A model call of a run has ended.
 *     {type ("lifecycle"), event ("model_call_ended"), time_us, clock_us, span, duration_us, run_id, session_id,
 *      model_id, iteration (integer or null), finish_reason ("stop", "length", "cancelled")?, usage (usage)?, code?}
 * tool call started event: A tool begins to run. A call that is refused, or answered by a hook, has no such event.
 *     {type ("lifecycle"), event ("tool_call_started"), time_us, clock_us, span, run_id, session_id, tool_call_id,
 *      tool_name}
 * tool call ended event: A tool has answered, or the engine no longer waits for it.
 *     {type ("lifecycle"), event ("tool_call_ended"), time_us, clock_us, span, duration_us, run_id, session_id,
 *      tool_call_id, tool_name, result_kind ("ok", "ok_empty", "error", "rejected_hook", "rejected_schema",
 *      "rejected_permission", "rejected_duplicate", "rejected_limit", "timeout", "cancelled", "delegation_failed"),
 *      is_error}
 *
 * Shapes of both, and of requests:
 * message: One message of a conversation.
 *     {role ("system", "user", "assistant", "tool"), content, reasoning?, tool_calls (array of tool call)?,
 *      tool_call_id?, tool_name?}
 * tool call: A tool call that the model asks for.
 *     {id?, name, args (object)}
 * tool definition: A tool that the model may call.
 *     {name, description?, parameters (object)?}
 * logit bias: A change to the likelihood of one token.
 *     {token, bias (number or null)}
 * adapter choice: A loaded adapter and its strength.
 *     {id, scale?}
 * usage: The cost of model calls.
 *     {prompt_tokens, cached_tokens, completion_tokens, drafted_tokens?, accepted_tokens?, prompt_ms, decode_ms}
 * memory bytes: Memory on GPUs and in main memory.
 *     {device_bytes, host_bytes}
 * adapter: An adapter of the active set.
 *     {adapter_id, adapter_path, scale} */
/* generated: results end */

/* ----------------------------------------------------------------- engine */

/* An engine: its hooks and its models. Any thread. */
typedef struct lh_engine lh_engine;

/* `options_json`: the engine options above. Errors: INVALID_ARGUMENT, BACKEND_UNAVAILABLE, VERSION_MISMATCH. */
LH_API lh_status lh_engine_create(const char *options_json, lh_engine **out, char **error_json) LH_NOEXCEPT;

/* Cancels and joins everything the engine runs, unloads its models and frees it. Hooks still fire; a host whose hooks
 * need the calling thread closes first with lh_engine_close. Not from inside a hook of this engine. */
LH_API void lh_engine_free(lh_engine *engine) LH_NOEXCEPT;

/* The engine's registry of hooks. Lives as long as the engine; not to be freed. */
LH_API lh_registry *lh_engine_hooks(lh_engine *engine) LH_NOEXCEPT;

/* Every decision and lifecycle event (model loaded, ...) of the engine, as one JSON object each, on the thread that made
 * it. One sink; NULL ends it, and returns when no call of the old one is running. The sink must not block. */
typedef void (*lh_trace_fn)(const char *event_json, void *user_data);
LH_API lh_status lh_engine_trace(lh_engine *engine, lh_trace_fn sink, void *user_data) LH_NOEXCEPT;

/* Log lines of this library and of llama.cpp, any thread, one sink per process; `level` is 1 error, 2 warn, 3 info,
 * 4 debug. NULL: lines are dropped. The sink must not block or log. */
typedef void (*lh_log_fn)(int32_t level, const char *message, void *user_data);
LH_API void lh_log_set(lh_log_fn sink, void *user_data) LH_NOEXCEPT;

/* ------------------------------------------------------------------ tasks */

/* Work under way. Any thread. Each runs on a thread of its own: what starts one gives NO_THREAD when that cannot be started. */
typedef struct lh_task lh_task;

/* One event, a JSON object, valid for this call. On the task's thread. It may block, and so hold the task back until it
 * has room: no other task waits, and the model decodes a few tokens ahead at most. It is waited for even when the task is
 * cancelled, so whoever cancels wakes it. */
typedef void (*lh_event_fn)(const char *event_json, void *user_data);

/* Called on the task's thread. Events: progress while loading; token, prompt progress and replaced while generating;
 * in a run also state, iteration, tool call and tool result.
 * The end comes exactly once, last: with LH_OK and the result, or with a status and an error. A callback must not free
 * its own task. */
typedef struct lh_task_callbacks {
  size_t struct_size;
  lh_event_fn on_event; /* or NULL: no event is built until lh_task_subscribe names a reader */
  void (*on_end)(lh_status status, const char *json, void *user_data); /* required */
  void *user_data;
  lh_registry *hooks; /* or NULL. lh_session_run and lh_generate: hooks of this call alone, of lh_registry_scope. The
                         registry may be freed once the call has begun: its hooks stay until the call has ended */
} lh_task_callbacks;

#define LH_TASK_CALLBACKS_INIT {sizeof(lh_task_callbacks), NULL, NULL, NULL, NULL}

/* From now on events go to `on_event`, with the user_data of the callbacks; NULL: to nobody, and none is built. Those
 * before are not repeated. A call of the old function may be running still when this returns. Any thread. */
LH_API lh_status lh_task_subscribe(lh_task *task, lh_event_fn on_event) LH_NOEXCEPT;

/* Asks the task to stop, and returns at once. `reason` (NULL or blank: "cancelled") shows in its result. A second
 * call is a no-op. */
LH_API void lh_task_cancel(lh_task *task, const char *reason) LH_NOEXCEPT;

/* Returns when the task has ended. Errors: REENTRANT from inside a hook or callback of that task, or of one that such a
 * hook has started; for an unload or a close, of any task; for a load that is not over, of a generation on its model, or
 * of the load that it waits for. A hook that waits for a generation needs a sequence free for it (see `parallel` and
 * lh_generate). */
LH_API lh_status lh_task_wait(lh_task *task) LH_NOEXCEPT;

/* Cancels the task if it runs, waits for its end and frees it. Does nothing where lh_task_wait gives REENTRANT. */
LH_API void lh_task_free(lh_task *task) LH_NOEXCEPT;

/* ----------------------------------------------------------------- models */

/* Loads the GGUF at options.path under the name `id`. Fires ON_MODEL_LOAD, then ON_MODEL_READY. `options_json`: the
 * load options above. With `lazy` the file is only looked at, and what is said here of hooks and memory happens when the
 * model is used.
 * The result describes the model as lh_model_describe does. Loads of one id at once with the same options are one load,
 * with one result for all; when the task that does it is cancelled, another begins anew. Errors at once: INVALID_ARGUMENT;
 * MODEL_IN_USE where the id has a model, is being loaded with other options, or by a load that waits for this hook.
 * A load that all who asked for it have cancelled before its end has been reported
 * leaves no model behind (one that was loaded already is unloaded, and ON_MODEL_UNLOAD fires) and ends with CANCELLED; a
 * cancel that comes later does nothing.
 * Ends with: the MODEL_* errors, UNSUPPORTED_ARCHITECTURE, TEMPLATE_FAILED, INSUFFICIENT_MEMORY, INVALID_ARGUMENT (a
 * device that is not there, or what a hook gave), HOOK_CANCELLED, CANCELLED, CLOSED. */
LH_API lh_status lh_model_load(lh_engine *engine, const char *id, const char *options_json,
                               const lh_task_callbacks *callbacks, lh_task **out, char **error_json) LH_NOEXCEPT;

/* What a load with these options would take, without loading: llama.cpp goes through the load and allocates nothing, which
 * takes 30 to 750 ms, once for each file and options; with "auto" it does so some ten times. No hook is asked. The result is a
 * model estimate; `fits`: as things are now, without anything given up.
 * Ends with: the MODEL_* errors, UNSUPPORTED_ARCHITECTURE, TEMPLATE_FAILED, INSUFFICIENT_MEMORY, INVALID_ARGUMENT. */
LH_API lh_status lh_model_estimate(lh_engine *engine, const char *options_json, const lh_task_callbacks *callbacks,
                                   lh_task **out, char **error_json) LH_NOEXCEPT;

/* Unloads a model when its generations have ended (new ones are refused from now on). Fires ON_MODEL_UNLOAD with
 * `reason` (NULL or blank: "requested"). Result: a model unload result. Errors: MODEL_NOT_LOADED; REENTRANT from inside
 * a hook of a generation on that model, or of work that such a hook has started: the unload would wait for that hook. */
LH_API lh_status lh_model_unload(lh_engine *engine, const char *id, const char *reason,
                                 const lh_task_callbacks *callbacks, lh_task **out, char **error_json) LH_NOEXCEPT;

/* The models that are loaded, were given up for their memory, or are lazy, as a JSON array of what lh_model_describe
 * gives. One that is loaded for the first time, and is not lazy, is among them from ON_MODEL_READY on. */
LH_API lh_status lh_model_list(lh_engine *engine, char **out_json) LH_NOEXCEPT;

/* A model info. Errors: MODEL_NOT_LOADED. */
LH_API lh_status lh_model_describe(lh_engine *engine, const char *id, char **out_json, char **error_json) LH_NOEXCEPT;

/* A tokenize request -> {"tokens": [...]}. `id` NULL: the only model loaded. */
LH_API lh_status lh_tokenize(lh_engine *engine, const char *id, const char *request_json, char **out_json,
                             char **error_json) LH_NOEXCEPT;

/* A detokenize request -> {"text"}. Bytes that are not UTF-8 become U+FFFD. */
LH_API lh_status lh_detokenize(lh_engine *engine, const char *id, const char *request_json, char **out_json,
                               char **error_json) LH_NOEXCEPT;

/* What texts are to a model: an embed request -> an embed result, a vector for each text. The first call of a pooling type
 * makes a context for it beside that of generation, with threads of its own: generations go on meanwhile. Room for it is
 * asked for as for a load (ON_VRAM_PRESSURE), and it goes with the model. Calls at once take turns at it; a cancel ends one
 * between two batches or within one. ON_ERROR fires where it fails; no other point of a generation does.
 * Errors at once: INVALID_ARGUMENT, MODEL_NOT_LOADED, BUSY, REENTRANT from inside a hook that holds up the making of that
 * context. Ends with: TEXT_TOO_LONG, INVALID_ARGUMENT of a text without tokens, UNSUPPORTED_BY_MODEL, INSUFFICIENT_MEMORY,
 * HOOK_CANCELLED, DECODE_FAILED, CANCELLED, CLOSED, and of a cold model those of lh_model_load. */
LH_API lh_status lh_embed(lh_engine *engine, const char *request_json, const lh_task_callbacks *callbacks,
                          lh_task **out, char **error_json) LH_NOEXCEPT;

/* How relevant documents are to a query: a rerank request -> a rerank result. Query and document are put together by the
 * model's own template (tokenizer.chat_template.rerank), or with its begin, end and separator tokens. Errors: those of
 * lh_embed; UNSUPPORTED_BY_MODEL where the model has no rank head. */
LH_API lh_status lh_rerank(lh_engine *engine, const char *request_json, const lh_task_callbacks *callbacks,
                           lh_task **out, char **error_json) LH_NOEXCEPT;

/* A render request -> {"prompt"}: the text the model would be given, as its chat template renders it. Errors:
 * INVALID_MESSAGES, TEMPLATE_FAILED. */
LH_API lh_status lh_render_prompt(lh_engine *engine, const char *id, const char *request_json, char **out_json,
                                  char **error_json) LH_NOEXCEPT;

/* --------------------------------------------------------------- adapters */

/* Loads the adapter (LoRA, aLoRA or control vector) in the GGUF at options.path under the name `id`, which is of one adapter of
 * the engine. `options_json`: the adapter options above. Result: an adapter info. It acts where the sampling parameter
 * `adapters` or lh_adapter_swap names it, and goes with its model. Errors at once: ADAPTER_IN_USE. Ends with:
 * MODEL_NOT_LOADED, MODEL_FILE_NOT_FOUND, MODEL_FILE_INVALID, ADAPTER_INCOMPATIBLE, INSUFFICIENT_MEMORY (room is asked
 * for as by lh_model_load; the decision of a hook that refused is in the details), INVALID_ARGUMENT for the plan of such a
 * hook, CANCELLED, CLOSED; what a load of the model ends with, where it is cold. */
LH_API lh_status lh_adapter_load(lh_engine *engine, const char *id, const char *options_json,
                                 const lh_task_callbacks *callbacks, lh_task **out, char **error_json) LH_NOEXCEPT;

/* Unloads an adapter when the generations that use it have ended (others do not get it from now on: NOT_FOUND).
 * Result: {"adapter_id"}. Errors: NOT_FOUND; REENTRANT from inside a hook at the tokens of a generation that runs with
 * adapters of its model, or of work that such a hook has started. */
LH_API lh_status lh_adapter_unload(lh_engine *engine, const char *id, const lh_task_callbacks *callbacks, lh_task **out,
                                   char **error_json) LH_NOEXCEPT;

/* The loaded adapters, as a JSON array of adapter infos. */
LH_API lh_status lh_adapter_list(lh_engine *engine, char **out_json) LH_NOEXCEPT;

/* The adapters that a session runs with from the next model call on that is assembled, also while a run is under way, in the place of those
 * of its options, tiers and phases; a run's own `adapters` go before them. `request_json`: {"adapters": [...]} as the
 * sampling parameter; an empty list: none. Fires ON_ADAPTER_SWAP, unless it is the set that is active. Result: an
 * adapter swap result. They are not saved with the session; a fork has them.
 * Errors at once: NOT_FOUND, of the session. Ends with: NOT_FOUND, of an adapter; MODEL_NOT_LOADED, HOOK_CANCELLED,
 * CANCELLED, CLOSED. */
LH_API lh_status lh_adapter_swap(lh_engine *engine, const char *session_id, const char *request_json,
                                 const lh_task_callbacks *callbacks, lh_task **out, char **error_json) LH_NOEXCEPT;

/* ------------------------------------------------------------- generation */

/* One model call: ON_CONTEXT_BUDGET, PRE_GENERATE, ON_PROMPT_PROGRESS, ON_STREAM_TOKEN and POST_GENERATE fire.
 * `request_json`: the generate request above. Result: a generate result.
 * finish_reason: "stop", "length", "cancelled" (by the caller or a hook: see "cancel", whose "by" is "caller" or the
 *   hook's name; the text so far is kept). At POST_GENERATE it may also be "error"; the task then ends with the error.
 * Turns: of one model, 8 generations more than it has sequences run at a time, each on a thread; the next wait in line,
 * first come first served, without a thread. BUSY is returned when max_queued wait already. A generation that is
 * cancelled while it waits ends at once. A hook that waits holds the place of its run; generations that hooks start have
 * places and a line of their own, for each level of nesting, so that they do not wait for the run that waits for them.
 * Ends with: the generation errors of hooks.h, MODEL_NOT_LOADED, INVALID_ARGUMENT, NOT_FOUND (an adapter), HOOK_CANCELLED
 * (a hook at ON_ADAPTER_SWAP), CLOSED; of a cold model those of lh_model_load. */
LH_API lh_status lh_generate(lh_engine *engine, const char *request_json, const lh_task_callbacks *callbacks,
                             lh_task **out, char **error_json) LH_NOEXCEPT;

/* --------------------------------------------------------------- sessions */

/* What a tool does with a call. `call_json`: {"tool_call_id", "tool_name", "args"}, valid for this call; the arguments
 * have been checked, and no hook changes them any more. Returns 0 with the result in *result, a text allocated with
 * lh_alloc (NULL: an empty one), or non-zero where it failed, with what went wrong: the model is told either.
 * On the run thread; of tasks that a plan does at once, each has its own. A tool that takes time answers later (lh_call_defer, then lh_pending_finish), so that the other calls
 * of the message run meanwhile; its wait ends with its deadline, and when the run is cancelled. lh_call_fail,
 * lh_call_cancelled, lh_call_on_cancel, lh_call_id and lh_call_enter are for tools as for hooks. */
typedef int (*lh_tool_fn)(const char *call_json, char **result, void *user_data);

/* Bits of lh_tool.flags. */
enum {
  /* *result is JSON: {"result": text, "directives"?: [{"type", "params"?: {}}]}; where the tool fails it is plain text, too */
  LH_TOOL_JSON_RESULT = 1,
  /* its directives are carried out; those of others are dropped, with INVALID_DIRECTIVE at ON_ERROR */
  LH_TOOL_TRUSTED = 2,
  /* its calls never run while another of the message does */
  LH_TOOL_EXCLUSIVE = 4
};

typedef struct lh_tool {
  size_t struct_size;
  const char *name;            /* 1 to 64 letters, digits, _ or - */
  const char *description;     /* or NULL */
  const char *parameters_json; /* JSON Schema of the arguments, an object; NULL: it takes none */
  lh_tool_fn run;              /* required */
  lh_tool_fn check;            /* judges arguments before the call: non-zero refuses them, with what is wrong; NULL: the
                                  engine does, by type, enum, properties, required, items, minimum and maximum */
  void *user_data;
  void (*release)(void *user_data); /* or NULL; called once, when no call of the tool will come any more */
  int64_t deadline_ms;              /* 0: none; negative: the session's tool_deadline_ms */
  uint32_t flags;
  const char *fault; /* what is wrong with the parameters, of a caller whose own check cannot use them: the tool is not
                        offered, with INVALID_SCHEMA at ON_ERROR; NULL: nothing */
} lh_tool;

#define LH_TOOL_INIT {sizeof(lh_tool), NULL, NULL, NULL, NULL, NULL, NULL, NULL, -1, 0, NULL}

/* The tool whose call has the number `call_id` (lh_call_id inside its run) asks for a directive beside the result that is to
 * come, as LH_TOOL_JSON_RESULT does with it. `params_json`: an object, or NULL for none. Any thread. Directives of a call that
 * comes to no result (it fails, times out, is cancelled) are refused, with INVALID_DIRECTIVE at ON_ERROR. Errors: NOT_FOUND when
 * the call is over, INVALID_ARGUMENT. */
LH_API lh_status lh_tool_directive(uint64_t call_id, const char *type, const char *params_json,
                                   char **error_json) LH_NOEXCEPT;

/* Opens a session: a conversation whose runs call the model and its tools in turn. `options_json`: the session options
 * above, or NULL for the defaults; `tools`: as many as `tool_count` says. *out_id: its id, to be freed with lh_free. ON_SESSION_START fires when its
 * first run begins, or when it is closed without one. When this fails, no tool is released.
 * Errors: INVALID_ARGUMENT, INVALID_MESSAGES, INVALID_SCHEMA; of `restore` NOT_FOUND and SESSION_FILE_INVALID. */
LH_API lh_status lh_session_open(lh_engine *engine, const char *options_json, const lh_tool *const *tools,
                                 size_t tool_count, char **out_id, char **error_json) LH_NOEXCEPT;

/* One run: the user's message, then model calls and tool calls in turn, until the model answers without a tool call or
 * something ends it. `request_json`: the run request above. Result: a run result. The points, in this order: ON_USER_MESSAGE,
 * ON_LOOP_START; in each iteration ON_LOOP_ITERATION, ON_BOOTSTRAP (the session's first), those of lh_generate, for each tool
 * call PRE_TOOL_CALL and ON_TOOL_VALIDATION, then POST_TOOL_CALL and ON_TOOL_RESULT_PERSIST, at last ON_ITERATION_END;
 * ON_LOOP_END; ON_STATE_CHANGE at each transition.
 * All calls of a message are decided on before one of them runs; then they run at once, and their results come in the order
 * of the calls. Each has exactly one, also when it is refused, fails or is cancelled, and the run ends with the history
 * whole. A run in which the model said nothing, and no plan was carried out, leaves the history as it was.
 * Runs take turns as generations do (lh_generate), by model. Errors at once: NOT_FOUND, SESSION_BUSY, BUSY,
 * MODEL_NOT_LOADED. Ends with: those of lh_generate; an error has messages, tool_calls, iterations and decisions, too. */
LH_API lh_status lh_session_run(lh_engine *engine, const char *session_id, const char *request_json,
                                const lh_task_callbacks *callbacks, lh_task **out, char **error_json) LH_NOEXCEPT;

/* The hooks of a session: of its runs and compactions, and of the runs that those delegate to. `*out` is the caller's, to be
 * freed with lh_registry_free before the engine; the hooks stay until they are removed or the session has closed. A fork has
 * those that are there when it is made. Errors: NOT_FOUND. */
LH_API lh_status lh_session_hooks(lh_engine *engine, const char *session_id, lh_registry **out,
                                  char **error_json) LH_NOEXCEPT;

/* The messages of a session, a JSON array: what was said until now, by the run under way too, as hooks left it; never a tool
 * call without its result: one that is still to come is "not run: the session was interrupted". `request_json`: the history
 * request above, or NULL. Errors: NOT_FOUND, INVALID_ARGUMENT. */
LH_API lh_status lh_session_history(lh_engine *engine, const char *session_id, const char *request_json, char **out_json,
                                    char **error_json) LH_NOEXCEPT;

/* The user says something while a run is under way: it joins before the next iteration, through ON_USER_MESSAGE, and the run goes
 * on where it would have ended; without a run it is said in the next one. Errors: NOT_FOUND. */
LH_API lh_status lh_session_queue(lh_engine *engine, const char *session_id, const char *content,
                                  char **error_json) LH_NOEXCEPT;

/* Runs of the session wait before their next iteration, those that they delegate to as well, until lh_session_resume; a cancel
 * ends the wait. Errors: NOT_FOUND. */
LH_API lh_status lh_session_pause(lh_engine *engine, const char *session_id, char **error_json) LH_NOEXCEPT;
LH_API lh_status lh_session_resume(lh_engine *engine, const char *session_id, char **error_json) LH_NOEXCEPT;

/* Compacts the conversation now. `request_json`: the compact request above, or NULL. Result: a compaction result. Errors at once:
 * as lh_session_run. Ends with: where the model writes a summary those of lh_generate, and HOOK_CANCELLED when a hook stops it;
 * the conversation is as it was then. */
LH_API lh_status lh_session_compact(lh_engine *engine, const char *session_id, const char *request_json,
                                    const lh_task_callbacks *callbacks, lh_task **out, char **error_json) LH_NOEXCEPT;

/* Writes the session to a file, at any time: what was said (as lh_session_history has it), the conversations with tiers, todos and
 * anchors; no tools, no hooks, nothing that a hook has replaced. The file is there whole or as it was, for its owner alone to read.
 * The session option `restore` goes on from it. Errors: NOT_FOUND, INVALID_ARGUMENT when it cannot be written. */
LH_API lh_status lh_session_save(lh_engine *engine, const char *session_id, const char *path,
                                 char **error_json) LH_NOEXCEPT;

/* A copy that goes its own way from here, from what lh_session_history has, with the same tools, options and hooks; what both begin
 * with is in the KV cache once. *out_id: its id, to be freed with lh_free. Errors: NOT_FOUND, CLOSED. */
LH_API lh_status lh_session_fork(lh_engine *engine, const char *session_id, char **out_id, char **error_json) LH_NOEXCEPT;

/* Cancels the run of a session and ends it: ON_SESSION_END fires, and its id is known no longer. Sessions that are open
 * when the engine closes are closed by it. Its tools are released before the end is told. Result: {}. Errors: NOT_FOUND;
 * REENTRANT from inside a hook that holds up its run (a tool may close: its own wait ends). */
LH_API lh_status lh_session_close(lh_engine *engine, const char *session_id, const lh_task_callbacks *callbacks,
                                  lh_task **out, char **error_json) LH_NOEXCEPT;

/* Refuses new work, cancels what runs, closes every session (ON_SESSION_END fires), unloads every model (ON_MODEL_UNLOAD
 * fires) and ends. From the moment of this call
 * the functions of the engine and of its registry give LH_ERR_CLOSED, but for what reads or removes hooks (lh_hook_has,
 * _list, _remove, _retire, _clear), for lh_engine_trace, and for lh_engine_free. A second close ends when the first has.
 * Result: {}. Errors at once: NO_THREAD; what runs goes on to its end then, and the close is to be asked for again, or
 * lh_engine_free does it.
 * Hooks that answer later (lh_call_defer) are given up with LH_ERR_CLOSED: at once where they belong to work that is
 * cancelled; at ON_MODEL_UNLOAD, ON_SESSION_START and ON_SESSION_END of sessions that are open, and ON_ERROR for a load, they
 * are waited for up to their deadline, and without one 5 seconds each. A callback that runs in place is waited for. */
LH_API lh_status lh_engine_close(lh_engine *engine, const lh_task_callbacks *callbacks, lh_task **out,
                                 char **error_json) LH_NOEXCEPT;

/* A system info. */
LH_API lh_status lh_system_info(lh_engine *engine, char **out_json) LH_NOEXCEPT;

/* A JSON array of a device memory for each device. */
LH_API lh_status lh_engine_memory(lh_engine *engine, char **out_json) LH_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif /* LLAMA_HOOKS_ENGINE_H */
