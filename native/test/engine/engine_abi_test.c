/* engine.h from C, with a real model: load, generate, hooks, cancel, close, and what is refused.
 * Arguments: the folder of llama.cpp's libraries, and a script model whose first reply is "One two three." and whose
 * reply to a conversation with the word ENDLESS never ends. */
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"
#include "engine_outcome.h"
#include "llama_hooks/engine.h"

static void take_event(const char* json, void* user_data) {
  struct outcome* outcome = (struct outcome*)user_data;
  const char* text = strstr(json, "\"text\":\"");
  if (strstr(json, "\"type\":\"token\"") == NULL || text == NULL) return;
  text += 8;
  strncat(outcome->text, text, (size_t)(strchr(text, '"') - text));
}

static lh_task_callbacks callbacks_with_events(struct outcome* outcome) {
  lh_task_callbacks callbacks = callbacks_for(outcome);
  callbacks.on_event = take_event;
  return callbacks;
}

static lh_status load(lh_engine* engine, const char* id, const char* path, struct outcome* outcome) {
  char options[1024];
  char* error = NULL;
  lh_task* task = NULL;
  const lh_task_callbacks callbacks = callbacks_with_events(outcome);
  lh_status status;
  snprintf(options, sizeof options, "{\"path\": \"%s\", \"threads\": 1, \"parallel\": 2}", path);
  status = lh_model_load(engine, id, options, &callbacks, &task, &error);
  lh_free(error);
  if (status != LH_OK) return status;
  CHECK(lh_task_wait(task) == LH_OK);
  lh_task_free(task);
  CHECK(outcome->ends == 1);
  return outcome->status;
}

static lh_status generate(lh_engine* engine, const char* request, struct outcome* outcome) {
  char* error = NULL;
  lh_task* task = NULL;
  const lh_task_callbacks callbacks = callbacks_with_events(outcome);
  const lh_status status = lh_generate(engine, request, &callbacks, &task, &error);
  if (status != LH_OK) {
    snprintf(outcome->json, sizeof outcome->json, "%s", error);
    lh_free(error);
    return status;
  }
  CHECK(lh_task_wait(task) == LH_OK);
  lh_task_free(task);
  CHECK(outcome->ends == 1);
  return outcome->status;
}

static int shout(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point;
  (void)context;
  (void)user_data;
  *answer = lh_strdup("LOUD ");
  return 0;
}

static int veto(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point;
  (void)context;
  (void)user_data;
  *answer = lh_strdup("not today");
  return 1;
}

/* Waits for the task that it runs in, which cannot end while the hook runs. */
static int wait_for_self(int32_t point, const char* context, char** answer, void* user_data) {
  lh_task* const* task = (lh_task* const*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  CHECK(lh_task_wait(*task) == LH_ERR_REENTRANT);
  return 0;
}

static const char* const kPlain =
    "{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}], "
    "\"params\": {\"temperature\": 0}}";
static const char* const kEndless =
    "{\"messages\": [{\"role\": \"user\", \"content\": \"ENDLESS\"}], "
    "\"params\": {\"temperature\": 0}}";

static void test_generation(lh_engine* engine) {
  struct outcome outcome;
  lh_registry* hooks = lh_engine_hooks(engine);
  uint64_t id = 0;
  CHECK(generate(engine, kPlain, &outcome) == LH_OK);
  CHECK_HAS(outcome.json, "\"text\":\"One two three.\"");
  CHECK_HAS(outcome.json, "\"finish_reason\":\"stop\"");
  CHECK(strcmp(outcome.text, "One two three.") == 0);

  CHECK(lh_hook_add(hooks, LH_HOOK_ON_STREAM_TOKEN, shout, NULL, NULL, &id, NULL) == LH_OK);
  CHECK(generate(engine, kPlain, &outcome) == LH_OK);
  CHECK_HAS(outcome.json, "\"text\":\"LOUD LOUD LOUD LOUD \"");
  CHECK(strcmp(outcome.text, "LOUD LOUD LOUD LOUD ") == 0);
  CHECK(lh_hook_remove(hooks, id) == LH_OK);

  CHECK(lh_hook_add(hooks, LH_HOOK_PRE_GENERATE, veto, NULL, NULL, &id, NULL) == LH_OK);
  CHECK(generate(engine, kPlain, &outcome) == LH_OK);
  CHECK_HAS(outcome.json, "\"finish_reason\":\"cancelled\"");
  CHECK_HAS(outcome.json, "\"reason\":\"not today\"");
  CHECK(lh_hook_remove(hooks, id) == LH_OK);
}

static int ended = 0;

static void count_end(lh_status status, const char* json, void* user_data) {
  (void)json;
  CHECK(status == LH_OK && user_data == NULL);
  ++ended;
}

static lh_status generate_with(lh_engine* engine, const lh_task_callbacks* callbacks) {
  lh_task* task = NULL;
  const lh_status status = lh_generate(engine, kPlain, callbacks, &task, NULL);
  if (status != LH_OK) return status;
  CHECK(lh_task_wait(task) == LH_OK);
  lh_task_free(task);
  return LH_OK;
}

/* The callbacks of a program that was built against an older header, and of one against a newer. */
static void test_callbacks_of_other_versions(lh_engine* engine) {
  struct {
    lh_task_callbacks known;
    void* later;
  } newer = {LH_TASK_CALLBACKS_INIT, NULL};
  lh_task_callbacks older = LH_TASK_CALLBACKS_INIT;
  older.struct_size = offsetof(lh_task_callbacks, user_data);
  older.on_end = count_end;
  older.user_data = &older; /* behind struct_size: not read */
  CHECK(generate_with(engine, &older) == LH_OK);
  older.struct_size = offsetof(lh_task_callbacks, on_end);
  CHECK(generate_with(engine, &older) == LH_ERR_INVALID_ARGUMENT);
  older.struct_size = 0;
  CHECK(generate_with(engine, &older) == LH_ERR_INVALID_ARGUMENT);
  newer.known.struct_size = sizeof newer;
  newer.known.on_end = count_end;
  CHECK(generate_with(engine, &newer.known) == LH_OK);
  newer.later = &newer;
  CHECK(generate_with(engine, &newer.known) == LH_ERR_INVALID_ARGUMENT);
  CHECK(ended == 2);
}

static void test_every_point_takes_hooks(lh_engine* engine) {
  static const int32_t points[] = {LH_HOOK_ON_VRAM_PRESSURE, LH_HOOK_ON_ADAPTER_SWAP, LH_HOOK_ON_MODEL_LOAD};
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  size_t i;
  options.flags = LH_HOOK_GUARD;
  for (i = 0; i < sizeof points / sizeof points[0]; ++i) {
    uint64_t id = 0;
    CHECK(lh_hook_add(lh_engine_hooks(engine), points[i], veto, NULL, &options, &id, NULL) == LH_OK);
    CHECK(lh_hook_remove(lh_engine_hooks(engine), id) == LH_OK);
  }
}

static void test_refusals(lh_engine* engine) {
  struct outcome outcome;
  CHECK(generate(engine, "{", &outcome) == LH_ERR_INVALID_ARGUMENT);
  CHECK(generate(engine, "{\"messages\": [], \"nonsense\": 1}", &outcome) == LH_ERR_INVALID_MESSAGES);
  CHECK(generate(engine, "{\"prompt\": \"x\", \"nonsense\": 1}", &outcome) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(outcome.json, "request.nonsense");
  CHECK(generate(engine, "{\"prompt\": \"x\", \"model\": \"other\"}", &outcome) == LH_ERR_MODEL_NOT_LOADED);
  CHECK_HAS(outcome.json, "other");
  CHECK(generate(engine, "{\"prompt\": \"x\", \"params\": {\"top_p\": 2}}", &outcome) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(outcome.json, "top_p");
  CHECK(load(engine, "m", "anything", &outcome) == LH_ERR_MODEL_IN_USE);
  CHECK(load(engine, "other", "no/such/file.gguf", &outcome) == LH_ERR_MODEL_FILE_NOT_FOUND);
  CHECK_HAS(outcome.json, "no/such/file.gguf");
  CHECK(lh_generate(NULL, kPlain, NULL, NULL, NULL) == LH_ERR_INVALID_ARGUMENT);
}

static void test_cancel(lh_engine* engine) {
  struct outcome outcomes[4];
  lh_task* tasks[4] = {NULL, NULL, NULL, NULL};
  int i;
  for (i = 0; i < 4; ++i) { /* two decode, two wait for a sequence */
    const lh_task_callbacks callbacks = callbacks_with_events(&outcomes[i]);
    CHECK(lh_generate(engine, kEndless, &callbacks, &tasks[i], NULL) == LH_OK);
  }
  for (i = 3; i >= 0; --i) lh_task_cancel(tasks[i], "enough");
  for (i = 0; i < 4; ++i) {
    CHECK(lh_task_wait(tasks[i]) == LH_OK);
    lh_task_free(tasks[i]);
    CHECK(outcomes[i].ends == 1 && outcomes[i].status == LH_OK);
    CHECK_HAS(outcomes[i].json, "\"finish_reason\":\"cancelled\"");
    CHECK_HAS(outcomes[i].json, "\"reason\":\"enough\"");
  }
}

enum { kLine = 40 }; /* more than run at a time: two sequences, and eight more */

static void start_endless(lh_engine* engine, struct outcome* outcomes, lh_task** tasks) {
  int i;
  for (i = 0; i < kLine; ++i) {
    const lh_task_callbacks callbacks = callbacks_with_events(&outcomes[i]);
    CHECK(lh_generate(engine, kEndless, &callbacks, &tasks[i], NULL) == LH_OK);
  }
}

/* From the end of the line to those that run, and the other way round. */
static void test_line(lh_engine* engine, int backwards) {
  static struct outcome outcomes[kLine];
  lh_task* tasks[kLine];
  int i;
  start_endless(engine, outcomes, tasks);
  for (i = 0; i < kLine; ++i) lh_task_cancel(tasks[backwards ? kLine - 1 - i : i], "enough");
  for (i = 0; i < kLine; ++i) {
    lh_task_free(tasks[i]);
    CHECK(outcomes[i].ends == 1 && outcomes[i].status == LH_OK);
    CHECK_HAS(outcomes[i].json, "\"finish_reason\":\"cancelled\"");
    CHECK_HAS(outcomes[i].json, "\"reason\":\"enough\"");
  }
}

static void test_reentrancy(lh_engine* engine) {
  struct outcome outcome;
  static lh_task* task = NULL;
  uint64_t id = 0;
  const lh_task_callbacks callbacks = callbacks_with_events(&outcome);
  CHECK(lh_generate(engine, kEndless, &callbacks, &task, NULL) == LH_OK);
  CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_POST_GENERATE, wait_for_self, &task, NULL, &id, NULL) == LH_OK);
  lh_task_cancel(task, NULL);
  CHECK(lh_task_wait(task) == LH_OK);
  lh_task_free(task);
  CHECK(lh_hook_remove(lh_engine_hooks(engine), id) == LH_OK);
}

static void count_event(const char* json, void* user_data) {
  (void)json;
  ++*(int*)user_data;
}

struct subscription {
  atomic_int known; /* the task is */
  lh_task* task;
  lh_event_fn on_event;
};

static int subscribe(int32_t point, const char* context, char** answer, void* user_data) {
  const struct subscription* subscription = (const struct subscription*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  CHECK(lh_task_subscribe(subscription->task, subscription->on_event) == LH_OK);
  return 0;
}

static void just_end(lh_status status, const char* json, void* user_data) {
  (void)json;
  (void)user_data;
  CHECK(status == LH_OK);
}

/* Holds the generation until its task is known. */
static int wait_for_task(int32_t point, const char* context, char** answer, void* user_data) {
  struct subscription* subscription = (struct subscription*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  while (!atomic_load(&subscription->known)) continue;
  return 0;
}

/* A start and four tokens; a hook before them, or of the whole answer, changes the readers that get them. */
static int events_with(lh_engine* engine, lh_event_fn at_start, lh_hook_point when, lh_event_fn then) {
  static struct subscription subscription;
  int events = 0;
  uint64_t ids[2];
  lh_registry* hooks = lh_engine_hooks(engine);
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  callbacks.on_event = at_start;
  callbacks.on_end = just_end;
  callbacks.user_data = &events;
  atomic_store(&subscription.known, 0);
  subscription.on_event = then;
  CHECK(lh_hook_add(hooks, LH_HOOK_PRE_GENERATE, wait_for_task, &subscription, NULL, &ids[0], NULL) == LH_OK);
  CHECK(lh_hook_add(hooks, when, subscribe, &subscription, NULL, &ids[1], NULL) == LH_OK);
  CHECK(lh_generate(engine, kPlain, &callbacks, &subscription.task, NULL) == LH_OK);
  atomic_store(&subscription.known, 1);
  CHECK(lh_task_wait(subscription.task) == LH_OK);
  lh_task_free(subscription.task);
  CHECK(lh_hook_remove(hooks, ids[0]) == LH_OK);
  CHECK(lh_hook_remove(hooks, ids[1]) == LH_OK);
  return events;
}

static void test_subscription(lh_engine* engine) {
  CHECK(lh_task_subscribe(NULL, count_event) == LH_ERR_INVALID_ARGUMENT);
  CHECK(events_with(engine, NULL, LH_HOOK_PRE_GENERATE, NULL) == 0);
  CHECK(events_with(engine, NULL, LH_HOOK_PRE_GENERATE, count_event) == 5);
  CHECK(events_with(engine, count_event, LH_HOOK_PRE_GENERATE, NULL) == 0);
  CHECK(events_with(engine, count_event, LH_HOOK_POST_GENERATE, NULL) == 5);
}

static void test_text(lh_engine* engine) {
  char* json = NULL;
  CHECK(lh_tokenize(engine, NULL, "{\"text\": \"hi\"}", &json, NULL) == LH_OK);
  CHECK_HAS(json, "\"tokens\":[");
  lh_free(json);
  json = NULL;
  CHECK(lh_detokenize(engine, NULL, "{\"tokens\": [-1]}", NULL, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_render_prompt(engine, "m", "{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}", &json, NULL) ==
        LH_OK);
  CHECK_HAS(json, "<|im_start|>user\\nhi<|im_end|>");
  lh_free(json);
  json = NULL;
  CHECK(lh_engine_memory(engine, &json) == LH_OK);
  CHECK_HAS(json, "\"free_bytes\":");
  lh_free(json);
}

/* Only functions that read or remove hooks still work on a closed engine. */
static void test_closed(lh_engine* engine, uint64_t hook) {
  lh_registry* hooks = lh_engine_hooks(engine);
  char* json = NULL;
  uint64_t id = 0;
  CHECK(lh_hook_add(hooks, LH_HOOK_ON_ERROR, veto, NULL, NULL, &id, NULL) == LH_ERR_CLOSED);
  CHECK(lh_hook_add_native(hooks, "no/such.so", NULL, -1, NULL, &id, NULL) == LH_ERR_CLOSED);
  CHECK(lh_hook_dispatch(hooks, LH_HOOK_ON_ERROR, "{}", &json, NULL) == LH_ERR_CLOSED);
  CHECK(lh_model_list(engine, &json) == LH_ERR_CLOSED);
  CHECK(lh_engine_memory(engine, &json) == LH_ERR_CLOSED);
  CHECK(lh_system_info(engine, &json) == LH_ERR_CLOSED);
  CHECK(lh_model_describe(engine, "m", &json, NULL) == LH_ERR_CLOSED);
  CHECK(json == NULL);
  CHECK(lh_hook_has(hooks, LH_HOOK_ON_ERROR) == 1);
  CHECK(lh_hook_list(hooks, &json) == LH_OK);
  CHECK_HAS(json, "ON_ERROR");
  lh_free(json);
  CHECK(lh_hook_remove(hooks, hook) == LH_OK);
  CHECK(lh_hook_retire(hooks, hook) == LH_ERR_NOT_FOUND);
  CHECK(lh_hook_clear(hooks, -1) == LH_OK);
  CHECK(lh_engine_trace(engine, NULL, NULL) == LH_OK);
}

static void test_close(lh_engine* engine) {
  static struct outcome running[kLine];
  struct outcome closed;
  lh_task* generations[kLine];
  lh_task* closing = NULL;
  lh_task_callbacks callbacks;
  uint64_t hook = 0;
  int i;
  CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_ERROR, veto, NULL, NULL, &hook, NULL) == LH_OK);
  start_endless(engine, running, generations);
  callbacks = callbacks_with_events(&closed);
  CHECK(lh_engine_close(engine, &callbacks, &closing, NULL) == LH_OK);
  lh_task_free(closing);
  CHECK(closed.ends == 1 && closed.status == LH_OK);
  for (i = 0; i < kLine; ++i) {
    CHECK(running[i].ends == 1);
    lh_task_free(generations[i]);
  }
  CHECK(generate(engine, kPlain, &running[0]) == LH_ERR_CLOSED);
  test_closed(engine, hook);
}

int main(int argc, char** argv) {
  char options[1024];
  struct outcome outcome;
  lh_engine* engine = NULL;
  char* error = NULL;
  if (argc != 3) return 2;
  CHECK(lh_engine_create("{\"libraries\": \"no/such/folder\"}", &engine, &error) == LH_ERR_BACKEND_UNAVAILABLE);
  CHECK_HAS(error, "no/such/folder");
  lh_free(error);
  snprintf(options, sizeof options, "{\"libraries\": \"%s\"}", argv[1]);
  CHECK(lh_engine_create(options, &engine, NULL) == LH_OK);
  CHECK(generate(engine, kPlain, &outcome) == LH_ERR_MODEL_NOT_LOADED);
  CHECK(load(engine, "m", argv[2], &outcome) == LH_OK);
  CHECK_HAS(outcome.json, "\"architecture\":\"llama\"");
  test_generation(engine);
  test_callbacks_of_other_versions(engine);
  test_every_point_takes_hooks(engine);
  test_refusals(engine);
  test_cancel(engine);
  test_line(engine, 0);
  test_line(engine, 1);
  test_reentrancy(engine);
  test_subscription(engine);
  test_text(engine);
  test_close(engine);
  lh_engine_free(engine);
  lh_engine_free(NULL);
  lh_task_free(NULL);
  lh_free(NULL);
  CHECK(lh_alloc_balance() == 0);
  return check_result("engine_abi_test");
}
