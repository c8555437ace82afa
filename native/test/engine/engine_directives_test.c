/* Directives of tools in C, and tools that are not offered. Arguments: the folder of the libraries, the model. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "engine_outcome.h"
#include "engine_with_model.h"
#include "llama_hooks/engine.h"
#include "weather_tool.h"

static int asks_for_a_stop(const char* call_json, char** result, void* user_data) {
  (void)call_json;
  ++((struct tool*)user_data)->calls;
  *result = lh_strdup(
      "{\"result\": \"{\\\"city\\\": \\\"Oslo\\\", \\\"temp_c\\\": 4, \\\"condition\\\": \\\"rain\\\"}\", "
      "\"directives\": [{\"type\": \"stop_processing\"}]}");
  return 0;
}

static char literal[] = "{\"result\": \"rain\"}";

static char* foreign(void) { return literal; }
static char* endless(void) { return (char*)memset(lh_alloc(4), 'x', 4); }
static char* no_json(void) { return lh_strdup("rain"); }
static char* no_result(void) { return lh_strdup("{\"directives\": []}"); }
static char* no_type(void) { return lh_strdup("{\"result\": \"rain\", \"directives\": [{}]}"); }

static char* error_with_parts(void) {
  return lh_strdup("{\"result\": \"no such city\", \"is_error\": true, \"parts\": [{\"type\": \"text\"}]}");
}
static char* parts_that_are_none(void) { return lh_strdup("{\"result\": \"rain\", \"parts\": {}}"); }

static int gives_its_block(const char* call_json, char** result, void* user_data) {
  (void)call_json;
  *result = ((struct tool*)user_data)->block();
  return 0;
}

static void a_result_that_is_none_is_told(lh_engine* engine, char* (*block)(void), const char* told) {
  struct tool state;
  struct outcome outcome;
  lh_tool tool = weather(gives_its_block, NULL, &state);
  tool.flags = LH_TOOL_JSON_RESULT;
  state.block = block;
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, told);
}

static void results_as_json_may_have_directives(lh_engine* engine) {
  struct tool state;
  struct outcome outcome;
  lh_tool tool = weather(asks_for_a_stop, NULL, &state);
  tool.flags = LH_TOOL_JSON_RESULT | LH_TOOL_TRUSTED;
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "\"halt\":{\"by\":\"weather\",\"reason\":\"stop_processing\"}");
  CHECK_HAS(outcome.json, "\\\"condition\\\": \\\"rain\\\"}\"");

  tool = weather(asks_for_a_stop, NULL, &state);
  tool.flags = LH_TOOL_JSON_RESULT;
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "\"finish_reason\":\"complete\"");

  a_result_that_is_none_is_told(engine, foreign, "\"error: answer not allocated with lh_alloc\"");
  a_result_that_is_none_is_told(engine, endless, "\"error: answer without a NUL at its end\"");
  a_result_that_is_none_is_told(engine, no_json, "\"error: the result: not JSON at byte ");
  a_result_that_is_none_is_told(engine, no_result, "\"error: the result lacks \\\"result\\\"\"");
  a_result_that_is_none_is_told(engine, no_type, "\"error: the result: directives[0] lacks \\\"type\\\"\"");

  a_result_that_is_none_is_told(engine, parts_that_are_none, "\"error: the result: parts ");

  tool = weather(gives_its_block, NULL, &state);
  tool.flags = LH_TOOL_JSON_RESULT;
  state.block = error_with_parts;
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "\"result\":\"no such city\"");
  CHECK_HAS(outcome.json, "\"result_kind\":\"error\"");
  CHECK_HAS(outcome.json, "\"parts\":[{\"type\":\"text\"}]");

  tool = weather(never, NULL, &state);
  tool.flags = 64;
  const lh_tool* const tools[] = {&tool};
  char* id = NULL;
  CHECK(lh_session_open(engine, NULL, tools, 1, &id, NULL) == LH_ERR_INVALID_ARGUMENT);
}

/* Requests a stop by its call's number, and then fails or not. */
static int asks_while_it_runs(const char* call_json, char** result, void* user_data) {
  struct tool* tool = (struct tool*)user_data;
  const uint64_t call = lh_call_id();
  char* error = NULL;
  (void)call_json;
  ++tool->calls;
  CHECK(lh_tool_directive(call, NULL, NULL, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_tool_directive(call, "notify", "[]", &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "params_json must be an object");
  lh_free(error);
  CHECK(lh_tool_directive(call + 1000, "notify", NULL, NULL) == LH_ERR_NOT_FOUND);
  CHECK(lh_tool_directive(call, "stop_processing", "{\"reason\": \"rain\"}", NULL) == LH_OK);
  if (tool->checks > 0) return 1;
  *result = lh_strdup("4 degrees");
  return 0;
}

static int keeps_errors(lh_hook_point point, const char* context_json, char** modified_json, void* user_data) {
  (void)point;
  (void)modified_json;
  snprintf((char*)user_data, 512, "%s", context_json);
  return 0;
}

static void directives_given_while_a_tool_runs(lh_engine* engine) {
  char told[512] = "";
  uint64_t hook = 0;
  struct tool state;
  struct outcome outcome;
  lh_tool tool = weather(asks_while_it_runs, NULL, &state);
  CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_ERROR, keeps_errors, told, NULL, &hook, NULL) == LH_OK);
  tool.flags = LH_TOOL_TRUSTED;
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "\"halt\":{\"by\":\"weather\",\"reason\":\"rain\"}");
  CHECK(told[0] == '\0');

  tool = weather(asks_while_it_runs, NULL, &state);
  tool.flags = LH_TOOL_TRUSTED;
  state.checks = 1; /* it fails */
  run_once(engine, &tool, &outcome);
  CHECK_HAS(outcome.json, "\"finish_reason\":\"complete\"");
  CHECK_HAS(told, "\"code\":\"INVALID_DIRECTIVE\"");
  CHECK_HAS(told, "the tool came to no result: error");
  CHECK(lh_hook_remove(lh_engine_hooks(engine), hook) == LH_OK);
}

static void a_tool_with_a_fault_is_not_offered(lh_engine* engine) {
  char told[512] = "";
  uint64_t hook = 0;
  struct tool state;
  struct outcome outcome;
  lh_tool tool = weather(weather_now, NULL, &state);
  const lh_tool* const tools[] = {&tool};
  lh_task* task = NULL;
  lh_task_callbacks callbacks = callbacks_for(&outcome);
  char* id = NULL;
  tool.fault = "its schema is none";
  CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_ERROR, keeps_errors, told, NULL, &hook, NULL) == LH_OK);
  CHECK(lh_session_open(engine, NULL, tools, 1, &id, NULL) == LH_OK);
  CHECK(lh_session_run(engine, id, kAsked, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(outcome.status == LH_OK && state.calls == 0);
  CHECK_HAS(told, "\"code\":\"INVALID_SCHEMA\",\"message\":\"its schema is none; the tool is not offered\"");
  CHECK(lh_session_close(engine, id, &callbacks, &task, NULL) == LH_OK);
  end(task);
  lh_free(id);
  CHECK(lh_hook_remove(lh_engine_hooks(engine), hook) == LH_OK);
}

static int tells_progress(const char* call_json, char** result, void* user_data) {
  (void)call_json;
  count_one(&((struct tool*)user_data)->calls);
  CHECK(lh_tool_progress(lh_call_id(), 1, 4, "a quarter", NULL) == LH_OK);
  CHECK(lh_tool_progress(lh_call_id(), -1, 4, NULL, NULL) == LH_ERR_INVALID_ARGUMENT);
  *result = lh_strdup("rain");
  return 0;
}

static void take_progress(const char* json, void* user_data) {
  struct outcome* outcome = (struct outcome*)user_data;
  if (strstr(json, "\"type\":\"tool_progress\"") != NULL) snprintf(outcome->text, sizeof outcome->text, "%s", json);
}

static void other_tools_tell_progress(lh_engine* engine) {
  struct tool first_state;
  struct tool state;
  struct outcome outcome;
  struct outcome closed;
  lh_tool first = weather(never, NULL, &first_state);
  lh_tool tool = weather(tells_progress, NULL, &state);
  const lh_tool* const before[] = {&first};
  const lh_tool* const after[] = {&tool};
  const lh_tool* const twice[] = {&tool, &tool};
  lh_task_callbacks callbacks = callbacks_for(&outcome);
  lh_task* task = NULL;
  char* id = NULL;
  CHECK(lh_session_open(engine, "{\"params\": {\"temperature\": 0}}", before, 1, &id, NULL) == LH_OK);
  CHECK(lh_session_set_tools(engine, id, twice, 2, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(state.releases == 0 && first_state.releases == 0);
  CHECK(lh_session_set_tools(engine, id, after, 1, NULL) == LH_OK);
  CHECK(first_state.releases == 1); /* no run uses it */
  CHECK(lh_session_set_tiers(engine, id, "{\"lead\": {\"tools\": [\"x\"]}}", NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_session_set_tiers(engine, id, "{\"lead\": {}}", NULL) == LH_OK);
  callbacks.on_event = take_progress;
  CHECK(lh_session_run(engine, id, kAsked, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(first_state.calls == 0 && state.calls > 0);
  CHECK_HAS(outcome.text, "\"name\":\"weather\"");
  CHECK_HAS(outcome.text, "\"done\":1.0");
  CHECK_HAS(outcome.text, "\"total\":4.0");
  CHECK_HAS(outcome.text, "\"message\":\"a quarter\"");
  CHECK(lh_tool_progress(1, 1, -1, NULL, NULL) == LH_ERR_NOT_FOUND);
  callbacks = callbacks_for(&closed);
  CHECK(lh_session_close(engine, id, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(state.releases == 1 && first_state.releases == 1);
  lh_free(id);
}

int main(int argc, char** argv) {
  lh_engine* engine;
  if (argc < 3) return 2;
  engine = engine_with_model(argv[1], argv[2]);
  if (engine == NULL) return 1;
  results_as_json_may_have_directives(engine);
  directives_given_while_a_tool_runs(engine);
  a_tool_with_a_fault_is_not_offered(engine);
  other_tools_tell_progress(engine);
  lh_engine_free(engine);
  CHECK(lh_alloc_balance() == 0);
  return check_result("engine_directives_test");
}
