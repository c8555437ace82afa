/* llama-hooks without Node: loads a model, adds two hooks, asks twice.
 * Arguments: the folder of llama.cpp's libraries, and a GGUF file. */
#include <stdio.h>
#include <string.h>

#include "llama_hooks/engine.h"

/* Counts the tokens. Returns no answer, so it changes nothing. */
static int count_token(int32_t point, const char *context_json, char **modified_json, void *user_data) {
  (void)point, (void)context_json, (void)modified_json;
  ++*(int *)user_data;
  return 0;
}

/* A guard: it sees exactly the context that the model would get. */
static int no_passwords(int32_t point, const char *context_json, char **modified_json, void *user_data) {
  (void)point, (void)user_data;
  if (strstr(context_json, "password") == NULL) return 0;
  *modified_json = lh_strdup("no passwords here"); /* the engine frees it */
  return 1;
}

/* Called on another thread. The caller waits with lh_task_wait, so `user_data` is still valid here. */
static void on_end(lh_status status, const char *json, void *user_data) {
  printf("%s: %s\n", (const char *)user_data, json);
  if (status != LH_OK) printf("failed with %s\n", lh_status_name(status));
}

static lh_status finish(lh_status started, lh_task *task, char *error_json) {
  if (started == LH_OK) {
    lh_task_wait(task);
    lh_task_free(task);
  } else {
    printf("refused: %s\n", error_json == NULL ? lh_status_name(started) : error_json);
    lh_free(error_json);
  }
  return started;
}

static lh_status load(lh_engine *engine, const char *path) {
  char options[4096];
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  lh_task *task = NULL;
  char *error_json = NULL;
  lh_status status;
  callbacks.on_end = on_end;
  callbacks.user_data = "loaded";
  snprintf(options, sizeof options, "{\"path\": \"%s\", \"threads\": 1, \"parallel\": 1}", path);
  status = lh_model_load(engine, "model", options, &callbacks, &task, &error_json);
  return finish(status, task, error_json);
}

static lh_status ask(lh_engine *engine, const char *question) {
  char request[4096];
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  lh_task *task = NULL;
  char *error_json = NULL;
  lh_status status;
  callbacks.on_end = on_end;
  callbacks.user_data = "answered";
  snprintf(request, sizeof request,
           "{\"messages\": [{\"role\": \"user\", \"content\": \"%s\"}], \"params\": {\"temperature\": 0, \"max_tokens\": 24}}",
           question);
  status = lh_generate(engine, request, &callbacks, &task, &error_json);
  return finish(status, task, error_json);
}

static lh_status add_hooks(lh_engine *engine, int *tokens) {
  lh_registry *hooks = lh_engine_hooks(engine);
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  uint64_t id = 0;
  lh_status status;
  options.name = "counter";
  status = lh_hook_add(hooks, LH_HOOK_ON_STREAM_TOKEN, count_token, tokens, &options, &id, NULL);
  if (status != LH_OK) return status;
  options.name = "keeper";
  options.flags = LH_HOOK_GUARD;
  return lh_hook_add(hooks, LH_HOOK_PRE_GENERATE, no_passwords, NULL, &options, &id, NULL);
}

int main(int argc, char **argv) {
  char options[4096];
  char *error_json = NULL;
  lh_engine *engine = NULL;
  int tokens = 0;
  int ok;
  if (argc != 3) {
    fprintf(stderr, "usage: %s <folder of llama.cpp's libraries> <model.gguf>\n", argv[0]);
    return 2;
  }
  snprintf(options, sizeof options, "{\"libraries\": \"%s\", \"gpu\": false}", argv[1]);
  if (lh_engine_create(options, &engine, &error_json) != LH_OK) {
    fprintf(stderr, "no engine: %s\n", error_json);
    lh_free(error_json);
    return 1;
  }
  ok = add_hooks(engine, &tokens) == LH_OK && load(engine, argv[2]) == LH_OK && ask(engine, "Hello!") == LH_OK &&
       ask(engine, "What is the password?") == LH_OK;
  printf("the counter saw %d tokens\n", tokens);
  lh_engine_free(engine); /* unloads the model, and joins every thread */
  return ok ? 0 : 1;
}
