/* A tool in C for the tests of sessions with the bundled model, and a run in which the model calls it. */
#ifndef LLAMA_HOOKS_TEST_WEATHER_TOOL_H
#define LLAMA_HOOKS_TEST_WEATHER_TOOL_H

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "engine_outcome.h"
#include "llama_hooks/engine.h"

/* The tasks of a plan call it at the same time, each on a separate thread. */
struct tool {
  int calls;
  int checks;
  int releases;
  char seen[512]; /* by the first call */
  lh_pending* pending;
  pthread_t thread;
  char* (*block)(void);
};

static inline int count_one(int* count) { return __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST); }

static inline int weather_now(const char* call_json, char** result, void* user_data) {
  struct tool* tool = (struct tool*)user_data;
  if (count_one(&tool->calls) == 1) snprintf(tool->seen, sizeof tool->seen, "%s", call_json);
  *result = lh_strdup("{\"city\": \"Oslo\", \"temp_c\": 4, \"condition\": \"rain\"}");
  return 0;
}

static inline int never(const char* call_json, char** result, void* user_data) {
  (void)call_json;
  (void)result;
  count_one(&((struct tool*)user_data)->calls);
  return 0;
}

static inline void release(void* user_data) { count_one(&((struct tool*)user_data)->releases); }

static inline lh_tool weather(lh_tool_fn run, lh_tool_fn check, struct tool* tool) {
  lh_tool it = LH_TOOL_INIT;
  memset(tool, 0, sizeof *tool);
  it.name = "weather";
  it.description = "Tells the current weather of a city.";
  it.parameters_json =
      "{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}, \"required\": [\"city\"]}";
  it.run = run;
  it.check = check;
  it.user_data = tool;
  it.release = release;
  return it;
}

static const char kAsked[] = "{\"content\": \"What is the weather in Oslo?\"}";
/* One run of a new session, which is closed afterwards. */
static inline void run_asked(lh_engine* engine, const lh_tool* tool, const char* asked, struct outcome* outcome) {
  const lh_tool* const tools[] = {tool};
  struct outcome closed;
  lh_task* task = NULL;
  char* id = NULL;
  char* history = NULL;
  lh_task_callbacks callbacks = callbacks_for(outcome);
  CHECK(lh_session_open(engine, "{\"params\": {\"temperature\": 0}}", tools, 1, &id, NULL) == LH_OK);
  CHECK(lh_session_run(engine, id, asked, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(outcome->ends == 1);
  CHECK(lh_session_history(engine, id, NULL, &history, NULL) == LH_OK);
  CHECK_HAS(history, "\"role\":\"tool\"");
  lh_free(history);
  callbacks = callbacks_for(&closed);
  CHECK(lh_session_close(engine, id, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(closed.status == LH_OK);
  CHECK(lh_session_history(engine, id, NULL, &history, NULL) == LH_ERR_NOT_FOUND);
  CHECK(lh_session_close(engine, id, &callbacks, &task, NULL) == LH_ERR_NOT_FOUND);
  lh_free(id);
}

static inline void run_once(lh_engine* engine, const lh_tool* tool, struct outcome* outcome) {
  run_asked(engine, tool, kAsked, outcome);
}

#endif
