/* An engine on which tests in C run sessions: without a GPU, with a model "m" that computes on one thread. */
#ifndef LLAMA_HOOKS_TEST_ENGINE_WITH_MODEL_H
#define LLAMA_HOOKS_TEST_ENGINE_WITH_MODEL_H

#include <stdio.h>

#include "engine_outcome.h"
#include "llama_hooks/engine.h"

/* `libraries`: the folder of llama.cpp's libraries. NULL if the engine cannot be created; a load that fails fails the
 * test. */
static inline lh_engine* engine_with_model(const char* libraries, const char* model) {
  char options[1024];
  struct outcome outcome;
  lh_engine* engine = NULL;
  lh_task* task = NULL;
  lh_task_callbacks callbacks = callbacks_for(&outcome);
  snprintf(options, sizeof options, "{\"libraries\": \"%s\", \"gpu\": false}", libraries);
  if (lh_engine_create(options, &engine, NULL) != LH_OK) return NULL;
  snprintf(options, sizeof options, "{\"path\": \"%s\", \"threads\": 1}", model);
  CHECK(lh_model_load(engine, "m", options, &callbacks, &task, NULL) == LH_OK);
  end(task);
  return engine;
}

#endif
