/* A model whose answers functions of this file make (lh_model_add): pieces, ends, counts, cancel, a slow reader.
 * Arguments: the folder of the libraries, a model, which is not used. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "engine_outcome.h"
#include "llama_hooks/engine.h"
#include "weather_tool.h"

#define MANY 1000 /* pieces, more than the engine takes ahead of a reader */

static lh_engine* engine;

/* A model that answers by the name of its address. */
struct own {
  const char* manner;
  const char* usage; /* of "bad usage": its end */
  int releases;
  int wakes;
  pthread_mutex_t mutex;
  pthread_cond_t woken;
  pthread_t thread;
  lh_stream* stream; /* of `thread` */
  lh_count* count;   /* that is not answered yet */
  char seen[4096];   /* the last request */
};

static void wake(void* user_data) {
  struct own* own = (struct own*)user_data;
  pthread_mutex_lock(&own->mutex);
  ++own->wakes;
  pthread_cond_signal(&own->woken);
  pthread_mutex_unlock(&own->mutex);
}

static void await_wakes(struct own* own, int wakes) {
  pthread_mutex_lock(&own->mutex);
  while (own->wakes < wakes) pthread_cond_wait(&own->woken, &own->mutex);
  pthread_mutex_unlock(&own->mutex);
}

static void piece(lh_stream* stream, const char* json) { CHECK(lh_stream_piece(stream, json, NULL) == LH_OK); }

static void bad_piece(lh_stream* stream, const char* json, const char* why) {
  char* error = NULL;
  CHECK(lh_stream_piece(stream, json, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, why);
  lh_free(error);
}

static void* send_many(void* user_data) {
  struct own* own = (struct own*)user_data;
  lh_stream* stream = own->stream;
  int i = 0;
  int busy = 0;
  while (i < MANY) {
    const lh_status status = lh_stream_piece(stream, "{\"text\": \"x\"}", NULL);
    if (status == LH_OK) ++i;
    if (status == LH_ERR_BUSY) {
      if (busy == 0) {
        usleep(50000); /* the reader has read all by now, and `wake` must be called nevertheless */
        CHECK(lh_stream_on_wake(stream, wake, own) == LH_OK);
      }
      await_wakes(own, ++busy);
    }
    if (!CHECK(status == LH_OK || status == LH_ERR_BUSY)) break;
  }
  CHECK(lh_stream_end(stream, LH_OK, NULL, NULL) == LH_OK);
  return NULL;
}

/* Waits until the answer is not needed any more. */
static void* hold_on(void* user_data) {
  struct own* own = (struct own*)user_data;
  lh_stream* stream = own->stream;
  CHECK(lh_stream_on_wake(stream, wake, own) == LH_OK);
  await_wakes(own, 1);
  CHECK(lh_stream_piece(stream, "{\"text\": \"late\"}", NULL) == LH_ERR_CANCELLED);
  CHECK(lh_stream_progress(stream, 1, 1, 0) == LH_ERR_CANCELLED);
  CHECK(lh_stream_end(stream, LH_OK, NULL, NULL) == LH_OK);
  return NULL;
}

static void end_here(void* user_data) {
  struct own* own = (struct own*)user_data;
  CHECK(lh_stream_end(own->stream, LH_OK, NULL, NULL) == LH_OK);
  wake(user_data);
}

/* Registers its wake when the answer is not needed any more, and ends the stream within it. */
static void* end_in_wake(void* user_data) {
  struct own* own = (struct own*)user_data;
  while (lh_stream_progress(own->stream, 1, 2, 0) == LH_OK) usleep(1000);
  CHECK(lh_stream_on_wake(own->stream, end_here, own) == LH_OK);
  return NULL;
}

static void talk(lh_stream* stream) {
  CHECK(lh_stream_progress(stream, 3, 2, 0) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_stream_progress(stream, 8, 9, 4) == LH_OK);
  bad_piece(stream, NULL, "piece");
  bad_piece(stream, "{\"text\": 5}", "piece.text");
  bad_piece(stream, "{\"kind\": \"song\"}", "piece.kind");
  bad_piece(stream, "{\"kind\": \"tool_call\", \"index\": 4096}", "piece.index");
  bad_piece(stream, "{\"logprobs\": [{\"text\": \"a\", \"logprob\": 1}]}", "piece.logprobs[0].logprob");
  bad_piece(stream, "{\"noise\": 1}", "noise");
  piece(stream, "{\"kind\": \"reasoning\", \"text\": \"Hm.\", \"tokens\": 2}");
  piece(stream, "{\"text\": \"Gr\\u00fc\"}");
  piece(stream, "{\"text\": \"\\u00dfe\", \"tokens\": 3}");
  CHECK(lh_stream_end(stream, LH_OK, NULL, NULL) == LH_OK);
}

static void call_tool(const struct own* own, lh_stream* stream) {
  if (strstr(own->seen, "\"role\":\"tool\"") != NULL) {
    piece(stream, "{\"text\": \"Rain.\"}");
    CHECK(lh_stream_end(stream, LH_OK, "{\"usage\": {\"prompt_tokens\": 70, \"completion_tokens\": 2}}", NULL) ==
          LH_OK);
    return;
  }
  piece(stream, "{\"text\": \"Let me see.\"}");
  piece(stream, "{\"kind\": \"tool_call\", \"index\": 3, \"id\": \"c9\", \"name\": \"weather\", \"tokens\": 0}");
  piece(stream, "{\"kind\": \"tool_call\", \"index\": 3, \"text\": \"{\\\"city\\\": \\\"Os\"}");
  piece(stream, "{\"kind\": \"tool_call\", \"index\": 3, \"text\": \"lo\\\"}\"}");
  CHECK(lh_stream_end(stream, LH_OK,
                      "{\"finish_reason\": \"tool_calls\", \"usage\": {\"prompt_tokens\": 50, \"cached_tokens\": 40, "
                      "\"completion_tokens\": 9, \"reasoning_tokens\": 1}}",
                      NULL) == LH_OK);
}

/* Things that a model must not do with a stream that it no longer owns. */
static void write_behind(lh_stream* stream) {
  char* error = NULL;
  CHECK(lh_stream_piece(stream, "{\"text\": \"late\"}", &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "none that is under way");
  lh_free(error);
  CHECK(lh_stream_progress(stream, 1, 1, 0) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_stream_on_wake(stream, wake, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_stream_end(stream, LH_OK, NULL, NULL) == LH_ERR_INVALID_ARGUMENT);
}

static void* write_late(void* user_data) {
  struct own* own = (struct own*)user_data;
  await_wakes(own, 1); /* the generation has ended */
  write_behind(own->stream);
  return NULL;
}

static lh_status generate(const char* request_json, lh_stream* stream, void* user_data) {
  struct own* own = (struct own*)user_data;
  char* error = NULL;
  snprintf(own->seen, sizeof own->seen, "%s", request_json);
  if (strcmp(own->manner, "talk") == 0 || strcmp(own->manner, "counts twice") == 0) {
    talk(stream);
  } else if (strcmp(own->manner, "tool") == 0) {
    call_tool(own, stream);
  } else if (strcmp(own->manner, "no tool") == 0) { /* it writes text that is not JSON */
    piece(stream, "{\"kind\": \"tool_call\", \"name\": \"weather\", \"text\": \"{city}\"}");
    CHECK(lh_stream_end(stream, LH_OK, NULL, NULL) == LH_OK);
  } else if (strcmp(own->manner, "fails") == 0) {
    piece(stream, "{\"text\": \"Half an ans\"}");
    CHECK(lh_stream_end(stream, LH_ERR_REMOTE_TIMEOUT, "{\"message\": \"nothing came for 5 s\"}", NULL) == LH_OK);
  } else if (strcmp(own->manner, "filter") == 0) {
    CHECK(lh_stream_end(stream, LH_OK, "{\"finish_reason\": \"content_filter\"}", NULL) == LH_OK);
  } else if (strcmp(own->manner, "bad end") == 0) {
    CHECK(lh_stream_end(stream, LH_OK, "{\"uses\": 5}", &error) == LH_ERR_INVALID_ARGUMENT);
    CHECK_HAS(error, "end.uses");
    lh_free(error);
  } else if (strcmp(own->manner, "bad usage") == 0) {
    piece(stream, "{\"text\": \"Whole.\"}");
    CHECK(lh_stream_end(stream, LH_OK, own->usage, NULL) == LH_OK);
  } else if (strcmp(own->manner, "refuses") == 0) {
    return LH_ERR_REMOTE_UNREACHABLE;
  } else if (strcmp(own->manner, "ends and refuses") == 0) {
    piece(stream, "{\"text\": \"All of it.\"}");
    CHECK(lh_stream_end(stream, LH_OK, NULL, NULL) == LH_OK);
    return LH_ERR_REMOTE_UNREACHABLE;
  } else if (strcmp(own->manner, "fails and refuses") == 0) {
    CHECK(lh_stream_end(stream, LH_ERR_REMOTE_TIMEOUT, NULL, NULL) == LH_OK);
    return LH_ERR_REMOTE_TIMEOUT;
  } else if (strcmp(own->manner, "goes on") == 0) {
    piece(stream, "{\"text\": \"Done.\"}");
    CHECK(lh_stream_end(stream, LH_OK, NULL, NULL) == LH_OK);
    write_behind(stream);
  } else if (strcmp(own->manner, "refuses and goes on") == 0) {
    own->stream = stream;
    own->wakes = 0;
    CHECK(pthread_create(&own->thread, NULL, write_late, own) == 0);
    return LH_ERR_REMOTE_UNREACHABLE;
  } else if (strcmp(own->manner, "bad bytes") == 0) {
    bad_piece(stream, "{\"text\": \"\xFF\xC3\"}", "piece");
    bad_piece(stream, "", "piece");
    piece(stream, "{\"text\": \"Fine.\"}");
    CHECK(lh_stream_end(stream, LH_ERR_REMOTE_FAILED, "{\"message\": \"\xFF\"}", NULL) == LH_ERR_INVALID_ARGUMENT);
  } else {
    void* (*const work)(void*) = strcmp(own->manner, "many") == 0   ? send_many
                                 : strcmp(own->manner, "wake") == 0 ? end_in_wake
                                                                    : hold_on;
    own->stream = stream;
    own->wakes = 0;
    CHECK(pthread_create(&own->thread, NULL, work, own) == 0);
  }
  return LH_OK;
}

static void* count_later(void* count) {
  CHECK(lh_count_end((lh_count*)count, LH_OK, 90, NULL) == LH_OK);
  return NULL;
}

static lh_status count(const char* request_json, lh_count* count, void* user_data) {
  struct own* own = (struct own*)user_data;
  snprintf(own->seen, sizeof own->seen, "%s", request_json);
  if (strcmp(own->manner, "never counts") == 0) {
    __atomic_store_n(&own->count, count, __ATOMIC_SEQ_CST);
    return LH_OK;
  }
  if (strcmp(own->manner, "counts and refuses") == 0) {
    CHECK(lh_count_end(count, LH_OK, 9, NULL) == LH_OK);
    return LH_ERR_REMOTE_UNREACHABLE;
  }
  if (strcmp(own->manner, "counts twice") == 0) {
    CHECK(lh_count_end(count, LH_OK, 9, NULL) == LH_OK);
    CHECK(lh_count_end(count, LH_OK, 10, NULL) == LH_ERR_INVALID_ARGUMENT);
    return LH_OK;
  }
  if (strcmp(own->manner, "miscounts") == 0) {
    CHECK(lh_count_end(count, LH_OK, -1, NULL) == LH_ERR_INVALID_ARGUMENT);
    return LH_OK;
  }
  CHECK(pthread_create(&own->thread, NULL, count_later, count) == 0);
  return LH_OK;
}

static void let_go(void* user_data) { ++((struct own*)user_data)->releases; }

static lh_generator functions_of(struct own* own, const char* manner) {
  lh_generator generator = LH_GENERATOR_INIT;
  memset(own, 0, sizeof *own);
  own->manner = manner;
  CHECK(pthread_mutex_init(&own->mutex, NULL) == 0 && pthread_cond_init(&own->woken, NULL) == 0);
  generator.generate = generate;
  generator.user_data = own;
  generator.release = let_go;
  return generator;
}

static void add(const char* description, const lh_generator* generator, struct outcome* outcome) {
  lh_task* task = NULL;
  const lh_task_callbacks callbacks = callbacks_for(outcome);
  if (CHECK(lh_model_add(engine, "own", description, generator, &callbacks, &task, NULL) == LH_OK)) end(task);
}

static void refused(const char* description, const lh_generator* generator, const char* why) {
  struct outcome outcome;
  lh_task* task = NULL;
  char* error = NULL;
  const lh_task_callbacks callbacks = callbacks_for(&outcome);
  CHECK(lh_model_add(engine, "own", description, generator, &callbacks, &task, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, why);
  lh_free(error);
}

static void remove_model(struct own* own) {
  struct outcome outcome;
  lh_task* task = NULL;
  const lh_task_callbacks callbacks = callbacks_for(&outcome);
  CHECK(lh_model_unload(engine, "own", NULL, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(outcome.status == LH_OK && own->releases == 1);
}

static void join_tokens(const char* event_json, void* user_data) {
  struct outcome* outcome = (struct outcome*)user_data;
  const char* text = strstr(event_json, "\"text\":\"");
  if (strstr(event_json, "\"type\":\"token\"") == NULL || text == NULL) return;
  text += 8;
  strncat(outcome->text, text, (size_t)(strchr(text, '"') - text) < 8 ? (size_t)(strchr(text, '"') - text) : 8);
}

static lh_task* begin(const char* request, struct outcome* outcome) {
  lh_task* task = NULL;
  char* error = NULL;
  lh_task_callbacks callbacks = callbacks_for(outcome);
  callbacks.on_event = join_tokens;
  if (!CHECK(lh_generate(engine, request, &callbacks, &task, &error) == LH_OK)) fprintf(stderr, "%s\n", error);
  lh_free(error);
  return task;
}

static void ask(const char* request, struct outcome* outcome) {
  lh_task* task = begin(request, outcome);
  if (task != NULL) end(task);
}

static const char kHello[] = "{\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]}";

static int knows_address(lh_hook_point point, const char* context_json, char** modified_json, void* user_data) {
  CHECK(point == LH_HOOK_ON_MODEL_LOAD);
  CHECK_HAS(context_json, "\"path\":\"https://far.example/v1\",\"address\":\"https://far.example/v1\"");
  if (user_data == NULL) return 0;
  *modified_json = lh_strdup((const char*)user_data);
  return strcmp((const char*)user_data, "not there") == 0 ? 1 : 0;
}

static void pieces(void) {
  struct own own;
  struct outcome outcome;
  char* told = NULL;
  uint64_t hook = 0;
  lh_generator generator = functions_of(&own, "talk");
  CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_MODEL_LOAD, knows_address, NULL, NULL, &hook, NULL) == LH_OK);
  add("{\"address\": \"https://me:secret@far.example/v1?key=secret#x\", \"description\": \"far\"}", &generator,
      &outcome);
  CHECK(lh_hook_remove(lh_engine_hooks(engine), hook) == LH_OK);
  CHECK(outcome.status == LH_OK);
  CHECK_HAS(outcome.json, "\"address\":\"https://far.example/v1\"");
  CHECK_LACKS(outcome.json, "secret");
  CHECK_HAS(outcome.json, "\"features\":{\"tools\":true,\"json_schema\":false");
  ask(kHello, &outcome);
  CHECK(outcome.status == LH_OK);
  CHECK_HAS(outcome.json,
            "\"content\":\"Gr\xC3\xBC\xC3\x9F"
            "e\"");
  CHECK_HAS(outcome.json, "\"reasoning\":\"Hm.\"");
  CHECK_HAS(outcome.json, "\"completion_tokens\":6");
  CHECK_HAS(outcome.json, "\"reasoning_tokens\":2");
  CHECK_HAS(outcome.json, "\"cached_tokens\":4");
  CHECK(strcmp(outcome.text,
               "Hm.Gr\xC3\xBC\xC3\x9F"
               "e") == 0);
  CHECK_HAS(own.seen, "\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}],\"tools\":[]");
  CHECK_HAS(own.seen, "\"params\":{}"); /* none was set */
  ask("{\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}], \"params\": {\"temperature\": 0.8, "
      "\"max_tokens\": 7, \"grammar\": null}}",
      &outcome);
  CHECK_HAS(own.seen, "\"temperature\":0.8");
  CHECK_HAS(own.seen, "\"max_tokens\":7");
  CHECK(lh_model_describe(engine, "own", &told, NULL) == LH_OK);
  CHECK_HAS(told, "\"state\":\"ready\"");
  lh_free(told);
  remove_model(&own);
}

/* Calls that need a file, or an option that the description does not name, return UNSUPPORTED_BY_MODEL. */
static void unsupported(void) {
  static const char* const kCalls[][2] = {
      {"{\"prompt\": \"Once\"}", "does not support the option raw"},
      {"{\"messages\": [{\"role\": \"user\", \"content\": \"?\"}], \"params\": {\"min_p\": 0.2}}", "the option min_p"},
      {"{\"messages\": [{\"role\": \"user\", \"content\": \"?\"}], \"params\": {\"json_schema\": {}}}",
       "the option json_schema"},
      {"{\"messages\": [{\"role\": \"user\", \"content\": \"?\"}], \"params\": {\"grammar\": \"root ::= [a]\"}}",
       "the option grammar"},
      {"{\"messages\": [{\"role\": \"user\", \"content\": \"?\"}], \"params\": {\"top_logprobs\": 2}}",
       "the option top_logprobs"},
      {"{\"messages\": [{\"role\": \"assistant\", \"content\": \"I\"}], \"continue_final_message\": true}",
       "the option continue_final_message"},
      {"{\"infill\": {\"prefix\": \"a\", \"suffix\": \"b\"}}", "infill"},
  };
  struct own own;
  struct outcome outcome;
  char* out = NULL;
  char* error = NULL;
  size_t i = 0;
  lh_generator generator = functions_of(&own, "talk");
  add("{\"address\": \"own\"}", &generator, &outcome);
  for (i = 0; i < sizeof kCalls / sizeof *kCalls; ++i) {
    ask(kCalls[i][0], &outcome);
    CHECK(outcome.status == LH_ERR_UNSUPPORTED_BY_MODEL);
    CHECK_HAS(outcome.json, kCalls[i][1]);
    CHECK_HAS(outcome.json, "the model \\\"own\\\"");
  }
  CHECK(lh_tokenize(engine, "own", "{\"text\": \"a\"}", &out, &error) == LH_ERR_UNSUPPORTED_BY_MODEL);
  CHECK_HAS(error, "tokenize");
  lh_free(error);
  CHECK(lh_render_prompt(engine, "own", kHello, &out, NULL) == LH_OK);
  CHECK_HAS(out, "\\\"content\\\":\\\"Hello\\\"");
  lh_free(out);
  {
    lh_task* task = NULL;
    const lh_task_callbacks callbacks = callbacks_for(&outcome);
    CHECK(lh_embed(engine, "{\"texts\": [\"a\"]}", &callbacks, &task, NULL) == LH_OK);
    end(task);
    CHECK(outcome.status == LH_ERR_UNSUPPORTED_BY_MODEL);
  }
  CHECK(own.seen[0] == '\0');
  remove_model(&own);
}

static void tools(void) {
  struct own own;
  struct tool state;
  struct outcome outcome;
  lh_tool tool = weather(weather_now, NULL, &state);
  lh_generator generator = functions_of(&own, "tool");
  add(NULL, &generator, &outcome);
  run_once(engine, &tool, &outcome);
  CHECK(outcome.status == LH_OK && state.calls == 1);
  CHECK_HAS(state.seen, "\"args\":{\"city\":\"Oslo\"}");
  CHECK_HAS(outcome.json, "\"content\":\"Rain.\"");
  CHECK_HAS(outcome.json, "\"prompt_tokens\":120");
  CHECK_HAS(outcome.json, "\"cached_tokens\":40");
  CHECK_HAS(outcome.json, "\"completion_tokens\":11");
  CHECK_HAS(own.seen, "\"session_id\":\"session-");
  CHECK_HAS(own.seen, "\"tool_calls\":[{\"id\":\"c9\",\"name\":\"weather\",\"args\":{\"city\":\"Oslo\"}}]");
  remove_model(&own);
  generator = functions_of(&own, "no tool");
  add(NULL, &generator, &outcome);
  ask("{\"messages\": [{\"role\": \"user\", \"content\": \"?\"}], \"tools\": [{\"name\": \"weather\"}]}", &outcome);
  CHECK(outcome.status == LH_OK);
  CHECK_HAS(outcome.json, "\"content\":\"{city}\"");
  CHECK_HAS(outcome.json, "\"tool_calls\":[]");
  remove_model(&own);
}

static void ends(const char* manner, lh_status status, const char* json) {
  struct own own;
  struct outcome outcome;
  lh_generator generator = functions_of(&own, manner);
  add(NULL, &generator, &outcome);
  ask(kHello, &outcome);
  CHECK(outcome.status == status);
  CHECK_HAS(outcome.json, json);
  remove_model(&own);
}

/* A stream that has ended, or that the model refused, is freed: every further use returns an error. */
static void misused_streams(void) {
  struct own own;
  struct outcome outcome;
  lh_generator generator = functions_of(&own, "refuses and goes on");
  ends("ends and refuses", LH_ERR_REMOTE_FAILED, "ended its answer, and then returned REMOTE_UNREACHABLE");
  ends("fails and refuses", LH_ERR_REMOTE_FAILED, "ended its answer, and then returned REMOTE_TIMEOUT");
  ends("goes on", LH_OK, "\"content\":\"Done.\"");
  ends("bad bytes", LH_ERR_REMOTE_FAILED, "its end: ");
  add(NULL, &generator, &outcome);
  ask(kHello, &outcome);
  CHECK(outcome.status == LH_ERR_REMOTE_UNREACHABLE);
  wake(&own);
  CHECK(pthread_join(own.thread, NULL) == 0);
  remove_model(&own);
  generator = functions_of(&own, "counts and refuses");
  generator.count = count;
  add("{\"context_size\": 91}", &generator, &outcome);
  ask(kHello, &outcome);
  CHECK(outcome.status == LH_ERR_REMOTE_FAILED);
  CHECK_HAS(outcome.json, "was counted, and then the count returned REMOTE_UNREACHABLE");
  remove_model(&own);
  generator = functions_of(&own, "counts twice");
  generator.count = count;
  add("{\"context_size\": 91}", &generator, &outcome);
  ask(kHello, &outcome);
  CHECK(outcome.status == LH_OK);
  remove_model(&own);
}

static int keep_error(lh_hook_point point, const char* context_json, char** modified_json, void* user_data) {
  (void)modified_json;
  CHECK(point == LH_HOOK_ON_ERROR);
  snprintf((char*)user_data, 1024, "%s", context_json);
  return 0;
}

/* Impossible counts: the answer is valid, and ON_ERROR reports them. */
static void bad_usage(void) {
  const char* const usages[] = {"{\"usage\": 5}",
                                "{\"usage\": {\"prompt_tokens\": -1}}",
                                "{\"usage\": {\"prompt_tokens\": 1099511627776}}",
                                "{\"usage\": {\"completion_tokens\": 2.5}}",
                                "{\"usage\": {\"completion_tokens\": \"7\"}}",
                                "{\"usage\": {\"total\": 7}}",
                                "{\"usage\": {\"prompt_tokens\": 1, \"cached_tokens\": 99}}"};
  size_t i = 0;
  for (i = 0; i < sizeof usages / sizeof *usages; ++i) {
    struct own own;
    struct outcome outcome;
    char seen[1024] = "";
    uint64_t hook = 0;
    lh_generator generator = functions_of(&own, "bad usage");
    own.usage = usages[i];
    CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_ERROR, keep_error, seen, NULL, &hook, NULL) == LH_OK);
    add("{\"address\": \"http://far.example/v1\"}", &generator, &outcome);
    ask(kHello, &outcome);
    CHECK(outcome.status == LH_OK);
    CHECK_HAS(outcome.json, "Whole.");
    CHECK_HAS(outcome.json, "\"completion_tokens\":1");
    CHECK_HAS(outcome.json, "\"cached_tokens\":0");
    CHECK_HAS(seen, "http://far.example/v1: the usage of the answer is not believed");
    CHECK_HAS(seen, "\"recoverable\":true");
    CHECK(lh_hook_remove(lh_engine_hooks(engine), hook) == LH_OK);
    remove_model(&own);
  }
}

static void slow_reader(void) {
  struct own own;
  struct outcome outcome;
  lh_generator generator = functions_of(&own, "many");
  add(NULL, &generator, &outcome);
  ask(kHello, &outcome);
  CHECK(pthread_join(own.thread, NULL) == 0);
  CHECK(outcome.status == LH_OK);
  CHECK_HAS(outcome.json, "\"completion_tokens\":1000");
  remove_model(&own);
}

static void cancel(const char* manner) {
  struct own own;
  struct outcome outcome;
  lh_task* task = NULL;
  lh_generator generator = functions_of(&own, manner);
  add(NULL, &generator, &outcome);
  task = begin(kHello, &outcome);
  lh_task_cancel(task, "enough");
  end(task);
  CHECK(outcome.status == LH_OK); /* with the pieces that were received */
  CHECK_HAS(outcome.json, "\"finish_reason\":\"cancelled\"");
  if (own.stream != NULL) CHECK(pthread_join(own.thread, NULL) == 0); /* else it was cancelled before it began */
  remove_model(&own);
}

static void counts(void) {
  struct own own;
  struct outcome outcome;
  lh_generator generator = functions_of(&own, "talk");
  generator.count = count;
  add("{\"context_size\": 91}", &generator, &outcome);
  ask(kHello, &outcome);
  CHECK(pthread_join(own.thread, NULL) == 0);
  CHECK(outcome.status == LH_OK);
  CHECK_HAS(outcome.json, "\"prompt_tokens\":90");
  remove_model(&own);
  generator = functions_of(&own, "talk");
  generator.count = count;
  add("{\"context_size\": 90}", &generator, &outcome);
  ask(kHello, &outcome);
  CHECK(pthread_join(own.thread, NULL) == 0);
  CHECK(outcome.status == LH_ERR_PROMPT_TOO_LONG);
  remove_model(&own);
  generator = functions_of(&own, "miscounts");
  generator.count = count;
  add(NULL, &generator, &outcome);
  ask(kHello, &outcome);
  CHECK(outcome.status == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(outcome.json, "tokens is negative");
  remove_model(&own);
  generator = functions_of(&own, "never counts");
  generator.count = count;
  add(NULL, &generator, &outcome);
  {
    struct outcome gone;
    lh_task* task = begin(kHello, &outcome);
    const lh_task_callbacks callbacks = callbacks_for(&gone);
    while (__atomic_load_n(&own.count, __ATOMIC_SEQ_CST) == NULL) usleep(1000);
    lh_task_cancel(task, "enough");
    end(task);
    CHECK_HAS(outcome.json, "\"finish_reason\":\"cancelled\"");
    CHECK(lh_model_unload(engine, "own", NULL, &callbacks, &task, NULL) == LH_OK);
    end(task);
    CHECK(own.releases == 0); /* the count may still use it */
    CHECK(lh_count_end(own.count, LH_OK, 1, NULL) == LH_OK);
    CHECK(own.releases == 1);
  }
}

static void hooks_of_load(void) {
  static char kNo[] = "not there";
  static char kSmaller[] = "{\"params\": {\"context_size\": 64}}";
  static char kLayers[] = "{\"params\": {\"gpu_layers\": 3}}";
  static const char kFar[] = "{\"address\": \"https://far.example/v1\", \"parallel\": 500}";
  char* const answers[] = {kNo, kSmaller, kLayers};
  const lh_status wanted[] = {LH_ERR_HOOK_CANCELLED, LH_OK, LH_ERR_UNSUPPORTED_BY_MODEL};
  const char* const told[] = {"not there", "\"context_size\":64,\"parallel\":500", "the load option gpu_layers"};
  size_t i = 0;
  for (i = 0; i < 3; ++i) {
    struct own own;
    struct outcome outcome;
    uint64_t hook = 0;
    lh_generator generator = functions_of(&own, "talk");
    CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_MODEL_LOAD, knows_address, answers[i], NULL, &hook, NULL) ==
          LH_OK);
    add(kFar, &generator, &outcome);
    CHECK(lh_hook_remove(lh_engine_hooks(engine), hook) == LH_OK);
    CHECK(outcome.status == wanted[i]);
    CHECK_HAS(outcome.json, told[i]);
    if (outcome.status == LH_OK) {
      lh_task* task = NULL;
      const lh_task_callbacks callbacks = callbacks_for(&outcome);
      CHECK(lh_model_add(engine, "own", kFar, &generator, &callbacks, &task, NULL) == LH_ERR_MODEL_IN_USE);
      CHECK(own.releases == 0);
      remove_model(&own);
    }
    CHECK(own.releases == 1);
  }
}

int main(int argc, char** argv) {
  char options[1024];
  struct own own;
  lh_generator generator = functions_of(&own, "talk");
  if (argc < 3) return 2;
  snprintf(options, sizeof options, "{\"libraries\": \"%s\", \"gpu\": false}", argv[1]);
  if (lh_engine_create(options, &engine, NULL) != LH_OK) return 1;
  refused("{\"features\": [\"magic\"]}", &generator, "magic");
  refused("{\"features\": [\"infill\"]}", &generator, "infill");
  refused("{\"parameters\": [\"warmth\"]}", &generator, "warmth");
  refused("{\"context_size\": 3}", &generator, "description.context_size");
  refused("{\"key\": 3}", &generator, "key");
  refused(NULL, NULL, "generator");
  generator.generate = NULL;
  refused(NULL, &generator, "generator.generate");
  generator.struct_size = 0;
  refused(NULL, &generator, "struct_size");
  CHECK(own.releases == 0);
  pieces();
  unsupported();
  tools();
  ends("fails", LH_ERR_REMOTE_TIMEOUT, "nothing came for 5 s");
  ends("fails", LH_ERR_REMOTE_TIMEOUT, "Half an ans");
  ends("filter", LH_ERR_REMOTE_REFUSED, "content filter");
  ends("bad end", LH_ERR_REMOTE_FAILED, "end.uses");
  ends("refuses", LH_ERR_REMOTE_UNREACHABLE, "began no answer");
  misused_streams();
  bad_usage();
  slow_reader();
  cancel("hold");
  cancel("wake");
  counts();
  hooks_of_load();
  lh_engine_free(engine);
  CHECK(lh_alloc_balance() == 0);
  return check_result("engine_own_model_test");
}
