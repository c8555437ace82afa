/* Calls that wait for an answer, and messages that a session goes back to, from C with the bundled model.
 * Arguments: the folder of the libraries, the model. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "engine_outcome.h"
#include "engine_with_model.h"
#include "llama_hooks/engine.h"
#include "weather_tool.h"

static int defers(lh_hook_point point, const char* context_json, char** modified_json, void* user_data) {
  (void)point;
  (void)context_json;
  (void)user_data;
  *modified_json = lh_strdup("{\"defer\": true, \"waits_for\": \"Ada\"}");
  return 0;
}

static void run_of(lh_engine* engine, const char* id, const char* request, struct outcome* outcome) {
  lh_task* task = NULL;
  lh_task_callbacks callbacks = callbacks_for(outcome);
  CHECK(lh_session_run(engine, id, request, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(outcome->status == LH_OK);
}

/* The text of the first member of that name. */
static void text_member(const char* json, const char* name, char* out, size_t size) {
  const char* const at = strstr(json, name);
  const char* const begin = at == NULL ? NULL : at + strlen(name);
  const char* const stop = begin == NULL ? NULL : strchr(begin, '"');
  CHECK(stop != NULL && (size_t)(stop - begin) < size);
  if (stop == NULL) return;
  memcpy(out, begin, (size_t)(stop - begin));
  out[stop - begin] = '\0';
}

static void refused_at_once(lh_engine* engine, const char* id, const char* request, lh_status status) {
  struct outcome outcome;
  lh_task* task = NULL;
  char* error = NULL;
  lh_task_callbacks callbacks = callbacks_for(&outcome);
  CHECK(lh_session_run(engine, id, request, &callbacks, &task, &error) == status && task == NULL);
  lh_free(error);
}

static void a_call_waits_and_goes_on(lh_engine* engine) {
  static struct tool state; /* its session is closed with the engine */
  struct outcome outcome;
  char call[64] = "";
  char request[160];
  char* id = NULL;
  char* waiting = NULL;
  uint64_t hook = 0;
  lh_tool tool = weather(weather_now, NULL, &state);
  const lh_tool* const tools[] = {&tool};
  CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_PERMISSION_CHECK, defers, NULL, NULL, &hook, NULL) == LH_OK);
  CHECK(lh_session_open(engine, "{\"params\": {\"temperature\": 0}}", tools, 1, &id, NULL) == LH_OK);
  run_of(engine, id, kAsked, &outcome);
  CHECK_HAS(outcome.json, "\"finish_reason\":\"waiting\"");
  CHECK(state.calls == 0);
  CHECK(lh_session_waiting(engine, id, &waiting, NULL) == LH_OK);
  CHECK_HAS(waiting, "\"waits_for\":\"Ada\"");
  text_member(waiting, "\"id\":\"", call, sizeof call);
  lh_free(waiting);
  refused_at_once(engine, id, kAsked, LH_ERR_SESSION_BUSY);
  refused_at_once(engine, id, "{\"resume\": {\"call_0\": \"allow\"}}", LH_ERR_INVALID_ARGUMENT);
  refused_at_once(engine, id, "{\"resume\": {}}", LH_ERR_INVALID_ARGUMENT);
  refused_at_once(engine, id, "{}", LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_hook_remove(lh_engine_hooks(engine), hook) == LH_OK);
  snprintf(request, sizeof request, "{\"resume\": {\"%s\": \"allow\"}}", call);
  run_of(engine, id, request, &outcome);
  CHECK_HAS(outcome.json, "\"finish_reason\":\"complete\"");
  CHECK(state.calls == 1);
  CHECK(lh_session_waiting(engine, id, &waiting, NULL) == LH_OK);
  CHECK(strcmp(waiting, "[]") == 0);
  lh_free(waiting);
  CHECK(lh_session_waiting(engine, "session-none", &waiting, NULL) == LH_ERR_NOT_FOUND);
  CHECK(lh_session_waiting(engine, id, NULL, NULL) == LH_ERR_INVALID_ARGUMENT);
  lh_free(id);
}

static void a_session_goes_back_to_a_message(lh_engine* engine) {
  struct outcome outcome;
  char message[64] = "";
  char* id = NULL;
  char* other = NULL;
  char* history = NULL;
  CHECK(lh_session_open(engine, "{\"params\": {\"temperature\": 0}}", NULL, 0, &id, NULL) == LH_OK);
  run_of(engine, id, "{\"content\": \"What is 12 * 7?\", \"params\": {\"max_tokens\": 4}}", &outcome);
  CHECK(lh_session_history(engine, id, NULL, &history, NULL) == LH_OK);
  CHECK_HAS(history, "\"time_ms\":");
  text_member(history, "\"id\":\"", message, sizeof message);
  lh_free(history);
  CHECK(lh_session_fork_at(engine, id, message, &other, NULL) == LH_OK);
  CHECK(lh_session_history(engine, other, NULL, &history, NULL) == LH_OK);
  CHECK_HAS(history, "What is 12 * 7?");
  CHECK(strstr(history, "assistant") == NULL);
  lh_free(history);
  lh_free(other);
  other = NULL;
  CHECK(lh_session_fork_at(engine, id, "msg_0", &other, NULL) == LH_ERR_NOT_FOUND && other == NULL);
  CHECK(lh_session_rewind(engine, id, "msg_0", NULL) == LH_ERR_NOT_FOUND);
  CHECK(lh_session_rewind(engine, "session-none", NULL, NULL) == LH_ERR_NOT_FOUND);
  CHECK(lh_session_rewind(engine, id, NULL, NULL) == LH_OK);
  CHECK(lh_session_history(engine, id, NULL, &history, NULL) == LH_OK);
  CHECK(strcmp(history, "[]") == 0);
  lh_free(history);
  lh_free(id);
}

int main(int argc, char** argv) {
  lh_engine* engine;
  if (argc < 3) return 2;
  engine = engine_with_model(argv[1], argv[2]);
  if (engine == NULL) return 1;
  a_call_waits_and_goes_on(engine);
  a_session_goes_back_to_a_message(engine);
  lh_engine_free(engine);
  CHECK(lh_alloc_balance() == 0);
  return check_result("engine_waiting_test");
}
