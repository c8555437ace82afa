/* The end of an engine task, for the tests in C: callbacks record it, and a function waits for it. */
#ifndef LLAMA_HOOKS_TEST_ENGINE_OUTCOME_H
#define LLAMA_HOOKS_TEST_ENGINE_OUTCOME_H

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "llama_hooks/engine.h"

struct outcome {
  int ends;
  lh_status status;
  char json[16384];
  char text[1024]; /* of the token events, joined, where a test takes them */
};

static inline void take_end(lh_status status, const char* json, void* user_data) {
  struct outcome* outcome = (struct outcome*)user_data;
  ++outcome->ends;
  outcome->status = status;
  snprintf(outcome->json, sizeof outcome->json, "%s", json);
}

static inline lh_task_callbacks callbacks_for(struct outcome* outcome) {
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  memset(outcome, 0, sizeof *outcome);
  callbacks.on_end = take_end;
  callbacks.user_data = outcome;
  return callbacks;
}

static inline void end(lh_task* task) {
  CHECK(lh_task_wait(task) == LH_OK);
  lh_task_free(task);
}

#endif
