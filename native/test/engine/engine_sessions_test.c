/* Sessions from C with the bundled model: tools that answer at once and later, a check of arguments, history, close.
 * Arguments: the folder of the libraries, the model. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "engine_outcome.h"
#include "engine_with_model.h"
#include "llama_hooks/engine.h"
#include "weather_tool.h"

static void* answer_later(void* user_data) {
  struct tool* tool = (struct tool*)user_data;
  CHECK(lh_pending_finish(tool->pending, 0, lh_strdup("{\"city\": \"Oslo\", \"temp_c\": 9, \"condition\": \"fog\"}")) ==
        LH_OK);
  return NULL;
}

static int weather_later(const char* call_json, char** result, void* user_data) {
  struct tool* tool = (struct tool*)user_data;
  (void)call_json;
  (void)result;
  ++tool->calls;
  CHECK(lh_call_id() != 0);
  CHECK(lh_call_defer(NULL, NULL, &tool->pending) == LH_OK);
  CHECK(pthread_create(&tool->thread, NULL, answer_later, tool) == 0);
  return 0;
}

static int fails(const char* call_json, char** result, void* user_data) {
  (void)call_json;
  ++((struct tool*)user_data)->calls;
  *result = lh_strdup("the station is closed");
  return 1;
}

static int refuses(const char* call_json, char** result, void* user_data) {
  (void)call_json;
  ++((struct tool*)user_data)->checks;
  *result = lh_strdup("/city is unknown");
  return 1;
}

static int refuses_without_words(const char* call_json, char** result, void* user_data) {
  (void)call_json;
  (void)result;
  ++((struct tool*)user_data)->checks;
  return 1;
}

/* Answers and then fails: the failure counts, and the answer's block is not lost. */
static int answers_and_fails(const char* call_json, char** result, void* user_data) {
  struct tool* tool = (struct tool*)user_data;
  (void)call_json;
  (void)result;
  ++tool->calls;
  CHECK(lh_call_defer(NULL, NULL, &tool->pending) == LH_OK);
  CHECK(lh_pending_finish(tool->pending, 0, lh_strdup("never mind")) == LH_OK);
  CHECK(lh_call_fail(LH_ERR_HOOK_FAILED, "no power", 0) == LH_OK);
  return 0;
}

/* An answer of a few words: the result has the probability of each token. */
static const char kAskedWithLogprobs[] =
    "{\"content\": \"What is the weather in Oslo?\", \"params\": {\"logprobs\": true}}";

static void tools_answer_at_once_or_later(lh_engine* engine) {
  struct tool state;
  struct outcome outcome;
  lh_tool tool = weather(weather_now, NULL, &state);
  run_asked(engine, &tool, kAskedWithLogprobs, &outcome);
  CHECK(outcome.status == LH_OK && state.calls == 1 && state.releases == 1);
  CHECK_HAS(state.seen, "\"tool_name\":\"weather\"");
  CHECK_HAS(state.seen, "\"args\":{\"city\":\"Oslo\"}");
  CHECK_HAS(outcome.json, "\"finish_reason\":\"complete\"");
  CHECK_HAS(outcome.json, "\"result_kind\":\"ok\"");
  CHECK_HAS(outcome.json, "\"logprobs\":[{");

  tool = weather(weather_later, NULL, &state);
  run_once(engine, &tool, &outcome);
  CHECK(outcome.status == LH_OK && state.calls == 1 && state.releases == 1);
  CHECK(pthread_join(state.thread, NULL) == 0);
  CHECK_HAS(outcome.json, "\\\"temp_c\\\": 9");
}

static void what_goes_wrong_is_told(lh_engine* engine) {
  struct tool state;
  struct outcome outcome;
  lh_tool tool = weather(fails, NULL, &state);
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "error: the station is closed");
  CHECK(state.calls >= 1);

  tool = weather(never, refuses, &state);
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "invalid arguments: /city is unknown");
  CHECK_HAS(outcome.json, "\"result_kind\":\"rejected_schema\"");
  CHECK(state.calls == 0 && state.checks >= 1 && state.releases == 1);

  tool = weather(never, refuses_without_words, &state);
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "invalid arguments: refused by the tool");
  CHECK(state.calls == 0);

  tool = weather(answers_and_fails, NULL, &state);
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "error: no power");

  /* A keyword that the engine's check does not support is allowed. */
  tool = weather(weather_now, NULL, &state);
  tool.parameters_json =
      "{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}, \"required\": [\"city\", 1]}";
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "\"finish_reason\":\"complete\"");
}

static void waits_for(lh_engine* engine, const char* id, const char* content, struct outcome* outcome) {
  lh_task* task = NULL;
  lh_task_callbacks callbacks = callbacks_for(outcome);
  CHECK(lh_session_run(engine, id, content, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(outcome->status == LH_OK);
}

static void a_session_is_saved_restored_forked_and_compacted(lh_engine* engine, const char* file) {
  static struct tool state; /* its sessions are closed with the engine */
  struct outcome outcome;
  lh_tool tool = weather(weather_now, NULL, &state);
  const lh_tool* const tools[] = {&tool};
  char options[1024];
  char* id = NULL;
  char* other = NULL;
  char* history = NULL;
  char* error = NULL;
  lh_task* task = NULL;
  lh_task_callbacks callbacks;
  CHECK(lh_session_open(engine, "{\"params\": {\"temperature\": 0}}", tools, 1, &id, NULL) == LH_OK);
  CHECK(lh_session_queue(engine, id, "And tell me more.", NULL) == LH_OK);
  waits_for(engine, id, "{\"content\": \"What is the weather in Oslo?\"}", &outcome);
  CHECK_HAS(outcome.json, "And tell me more.");
  CHECK(lh_session_pause(engine, id, NULL) == LH_OK && lh_session_resume(engine, id, NULL) == LH_OK);
  CHECK(lh_session_save(engine, id, file, NULL) == LH_OK);
  CHECK(lh_session_save(engine, id, "/nowhere/at/all", &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "/nowhere/at/all");
  lh_free(error);
  CHECK(lh_session_save(engine, id, NULL, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_session_fork(engine, id, &other, NULL) == LH_OK);
  CHECK(lh_session_history(engine, other, "{\"compacted\": false}", &history, NULL) == LH_OK);
  CHECK_HAS(history, "What is the weather in Oslo?");
  lh_free(history);
  callbacks = callbacks_for(&outcome);
  CHECK(lh_session_compact(engine, other, "{\"strategy\": \"truncate\"}", &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(outcome.status == LH_OK);
  CHECK_HAS(outcome.json, "\"compacted\":true");
  CHECK(lh_session_history(engine, other, NULL, &history, NULL) == LH_OK);
  CHECK_HAS(history, "earlier messages were left out");
  lh_free(history);
  callbacks = callbacks_for(&outcome);
  CHECK(lh_session_compact(engine, other, "{\"strategy\": \"guess\"}", &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(outcome.status == LH_ERR_INVALID_ARGUMENT);
  lh_free(other);

  snprintf(options, sizeof options, "{\"restore\": \"%s\", \"params\": {\"temperature\": 0}}", file);
  tool.release = NULL;
  CHECK(lh_session_open(engine, options, tools, 1, &other, NULL) == LH_OK);
  CHECK(lh_session_history(engine, other, NULL, &history, NULL) == LH_OK);
  CHECK_HAS(history, "What is the weather in Oslo?");
  lh_free(history);
  lh_free(other);
  other = NULL;
  CHECK(lh_session_open(engine, "{\"restore\": \"/nowhere\"}", NULL, 0, &other, NULL) == LH_ERR_NOT_FOUND);
  lh_free(id);
  CHECK(lh_session_fork(engine, "session-none", &other, NULL) == LH_ERR_NOT_FOUND && other == NULL);
  CHECK(lh_session_queue(engine, "session-none", "x", NULL) == LH_ERR_NOT_FOUND);
}

static int count_hook(lh_hook_point point, const char* context_json, char** modified_json, void* user_data) {
  (void)point;
  (void)context_json;
  (void)modified_json;
  __atomic_add_fetch((int*)user_data, 1, __ATOMIC_SEQ_CST);
  return 0;
}

/* The end of a call that reports a failure, or closes a session. */
static int ends_well(lh_status begun, lh_task* const* task, const struct outcome* outcome) {
  if (begun != LH_OK) return 0;
  end(*task);
  return outcome->status == LH_OK;
}

struct told {
  int errors;
  char json[512];
};

static int keep_error(lh_hook_point point, const char* context_json, char** modified_json, void* user_data) {
  struct told* told = (struct told*)user_data;
  (void)point;
  (void)modified_json;
  ++told->errors;
  snprintf(told->json, sizeof told->json, "%s", context_json);
  return 0;
}

/* A program that keeps sessions in a database: it chooses the ids, keeps records as text, and reports failures at
 * ON_ERROR. */
static void a_session_is_a_text_under_an_id(lh_engine* engine) {
  static struct tool state;
  struct outcome outcome;
  struct told told = {0, ""};
  uint64_t hook = 0;
  lh_tool tool = weather(weather_now, NULL, &state);
  const lh_tool* const tools[] = {&tool};
  static char options[65536];
  char* id = NULL;
  char* other = NULL;
  char* record = NULL;
  char* history = NULL;
  char* error = NULL;
  lh_task* task = NULL;
  lh_task_callbacks callbacks;
  size_t used;
  const char* at;
  CHECK(lh_session_open(engine, "{\"id\": \"mine\", \"params\": {\"temperature\": 0}}", tools, 1, &id, NULL) == LH_OK);
  CHECK(strcmp(id, "mine") == 0);
  CHECK(lh_session_open(engine, "{\"id\": \"mine\"}", NULL, 0, &other, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "options.id: a session \\\"mine\\\" is open already");
  lh_free(error);
  CHECK(lh_session_open(engine, "{\"id\": \"../mine\"}", NULL, 0, &other, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "options.id must have");
  lh_free(error);
  waits_for(engine, id, "{\"content\": \"What is the weather in Oslo?\"}", &outcome);
  CHECK(lh_session_record(engine, id, &record, NULL) == LH_OK);
  CHECK_HAS(record, "\"id\":\"mine\"");
  CHECK(lh_session_record(engine, "none", &history, NULL) == LH_ERR_NOT_FOUND && history == NULL);
  CHECK(lh_session_record(engine, id, NULL, NULL) == LH_ERR_INVALID_ARGUMENT);

  CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_ERROR, keep_error, &told, NULL, &hook, NULL) == LH_OK);
  callbacks = callbacks_for(&outcome);
  CHECK(ends_well(lh_session_report(engine, id, "DISK_FULL", "no room", "save", &callbacks, &task, NULL), &task,
                  &outcome));
  CHECK(told.errors == 1);
  CHECK_HAS(told.json, "\"code\":\"DISK_FULL\",\"message\":\"no room\",\"where\":\"save\",\"recoverable\":true");
  CHECK_HAS(told.json, "\"session_id\":\"mine\"");
  CHECK(lh_session_report(engine, "none", "A", "b", "save", &callbacks, &task, NULL) == LH_ERR_NOT_FOUND);
  CHECK(lh_session_report(engine, id, "", "b", "save", &callbacks, &task, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_session_report(engine, id, "A", NULL, "save", &callbacks, &task, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_session_report(engine, id, "A", "b", NULL, &callbacks, &task, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_hook_remove(lh_engine_hooks(engine), hook) == LH_OK);

  callbacks = callbacks_for(&outcome);
  CHECK(ends_well(lh_session_close(engine, id, &callbacks, &task, NULL), &task, &outcome));
  /* The record as a JSON string. */
  used = (size_t)snprintf(options, sizeof options, "{\"id\": \"mine\", \"record\": \"");
  for (at = record; *at != '\0' && used < sizeof options - 4; ++at) {
    if (*at == '"' || *at == '\\') options[used++] = '\\';
    options[used++] = *at;
  }
  snprintf(options + used, sizeof options - used, "\"}");
  CHECK(lh_session_open(engine, options, NULL, 0, &other, NULL) == LH_OK);
  CHECK(strcmp(other, "mine") == 0);
  CHECK(lh_session_history(engine, other, NULL, &history, NULL) == LH_OK);
  CHECK_HAS(history, "What is the weather in Oslo?");
  lh_free(history);
  lh_free(other);
  other = NULL;
  CHECK(lh_session_open(engine, "{\"record\": \"{}\"}", NULL, 0, &other, NULL) == LH_ERR_SESSION_FILE_INVALID);
  CHECK(lh_session_open(engine, "{\"record\": \"{}\", \"restore\": \"x\"}", NULL, 0, &other, NULL) ==
        LH_ERR_INVALID_ARGUMENT);
  CHECK(other == NULL);
  lh_free(record);
  lh_free(id);
}

/* Concurrent tasks for tiers, each on a separate thread, with hooks and events. */
static void tiers_work_at_once(lh_engine* engine) {
  struct tool state;
  struct outcome outcome;
  int ends = 0;
  uint64_t hook = 0;
  lh_tool tool = weather(weather_now, NULL, &state);
  const lh_tool* const tools[] = {&tool};
  char* id = NULL;
  lh_task* task = NULL;
  lh_task_callbacks callbacks;
  CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_LOOP_END, count_hook, &ends, NULL, &hook, NULL) == LH_OK);
  CHECK(lh_session_open(engine, "{\"params\": {\"temperature\": 0}, \"tiers\": {\"a\": {}, \"b\": {}}}", tools, 1, &id,
                        NULL) == LH_OK);
  waits_for(engine, id,
            "{\"content\": \"What is 12 * 7?\", \"plan\": {\"flow\": \"parallel\", \"steps\": ["
            "{\"tier\": \"a\", \"task\": \"What is the weather in Oslo?\"},"
            "{\"tier\": \"b\", \"task\": \"What is the weather in Oslo?\"},"
            "{\"tool\": \"weather\", \"args\": {\"city\": \"Oslo\"}}]}}",
            &outcome);
  CHECK_HAS(outcome.json, "[plan succeeded: 3 of 3 steps");
  CHECK(ends == 3);
  CHECK(lh_hook_remove(lh_engine_hooks(engine), hook) == LH_OK);
  callbacks = callbacks_for(&outcome);
  CHECK(lh_session_close(engine, id, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(state.releases == 1);
  lh_free(id);
}

static void bad_tools_are_refused_and_stay_the_callers(lh_engine* engine) {
  struct tool state;
  lh_tool tool = weather(never, NULL, &state);
  const lh_tool* const twice[] = {&tool, &tool};
  const lh_tool* const none[] = {NULL};
  char* id = NULL;
  char* error = NULL;
  CHECK(lh_session_open(engine, NULL, twice, 2, &id, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "two tools are named");
  lh_free(error);
  CHECK(lh_session_open(engine, NULL, none, 1, &id, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_session_open(engine, NULL, NULL, 1, &id, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_session_open(engine, "{\"sytem\": \"x\"}", NULL, 0, &id, NULL) == LH_ERR_INVALID_ARGUMENT);
  tool.run = NULL;
  CHECK(lh_session_open(engine, NULL, twice, 1, &id, NULL) == LH_ERR_INVALID_ARGUMENT);
  tool = weather(never, NULL, &state);
  tool.parameters_json = "{";
  CHECK(lh_session_open(engine, NULL, twice, 1, &id, NULL) == LH_ERR_INVALID_SCHEMA);
  tool.struct_size = 0;
  CHECK(lh_session_open(engine, NULL, twice, 1, &id, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(state.releases == 0 && id == NULL);
}

/* A session that is still open is closed with its engine, and its tools are released. */
static void an_engine_closes_what_is_open(lh_engine* engine, struct tool* state) {
  const lh_tool tool = weather(never, NULL, state);
  const lh_tool* const tools[] = {&tool};
  char* id = NULL;
  CHECK(lh_session_open(engine, NULL, tools, 1, &id, NULL) == LH_OK);
  CHECK(state->releases == 0);
  lh_free(id);
}

int main(int argc, char** argv) {
  char file[64];
  struct tool left_open;
  lh_engine* engine;
  if (argc < 3) return 2;
  engine = engine_with_model(argv[1], argv[2]);
  if (engine == NULL) return 1;
  tools_answer_at_once_or_later(engine);
  what_goes_wrong_is_told(engine);
  snprintf(file, sizeof file, "session-test-%d.json", (int)getpid());
  a_session_is_saved_restored_forked_and_compacted(engine, file);
  CHECK(remove(file) == 0);
  a_session_is_a_text_under_an_id(engine);
  tiers_work_at_once(engine);
  bad_tools_are_refused_and_stay_the_callers(engine);
  an_engine_closes_what_is_open(engine, &left_open);
  lh_engine_free(engine);
  CHECK(left_open.releases == 1);
  CHECK(lh_alloc_balance() == 0);
  return check_result("engine_sessions_test");
}
