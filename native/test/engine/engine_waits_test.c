/* Permitted and refused waits, from C with a real model: REENTRANT for hooks and for threads that act inside one, hooks
 * that answer later when their work is cancelled or the engine closes, and loads that are cancelled at their end.
 * Arguments: as engine_abi_test. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "engine_outcome.h"
#include "llama_hooks/engine.h"

static const char* model_path;

static lh_task* start_load(lh_engine* engine, const char* id, struct outcome* outcome) {
  char options[1024];
  lh_task* task = NULL;
  const lh_task_callbacks callbacks = callbacks_for(outcome);
  snprintf(options, sizeof options, "{\"path\": \"%s\", \"threads\": 1, \"parallel\": 2}", model_path);
  CHECK(lh_model_load(engine, id, options, &callbacks, &task, NULL) == LH_OK);
  return task;
}

static lh_task* start_generate_on(lh_engine* engine, const char* id, struct outcome* outcome) {
  char request[256];
  lh_task* task = NULL;
  const lh_task_callbacks callbacks = callbacks_for(outcome);
  snprintf(request, sizeof request, "{\"model\": \"%s\", \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}",
           id);
  CHECK(lh_generate(engine, request, &callbacks, &task, NULL) == LH_OK);
  return task;
}

static lh_task* start_generate(lh_engine* engine, struct outcome* outcome) {
  return start_generate_on(engine, "m", outcome);
}

static uint64_t add(lh_engine* engine, int32_t point, lh_hook_fn hook, void* user_data) {
  uint64_t id = 0;
  CHECK(lh_hook_add(lh_engine_hooks(engine), point, hook, user_data, NULL, &id, NULL) == LH_OK);
  return id;
}

static void drop(lh_engine* engine, uint64_t id) { CHECK(lh_hook_remove(lh_engine_hooks(engine), id) == LH_OK); }

/* The calls that a hook of a generation on "m" tries, itself and from a thread that acts inside it. */
struct attempts {
  lh_engine* engine;
  lh_task* own; /* the task that the hook belongs to */
  uint64_t call_id;
  int made;
};

static lh_status try_unload(lh_engine* engine, const char* id) {
  struct outcome outcome;
  const lh_task_callbacks callbacks = callbacks_for(&outcome);
  char* error = NULL;
  lh_task* task = NULL;
  const lh_status status = lh_model_unload(engine, id, NULL, &callbacks, &task, &error);
  lh_free(error);
  if (status == LH_OK) end(task);
  return status;
}

static void attempt(struct attempts* it) {
  ++it->made;
  CHECK(try_unload(it->engine, "m") == LH_ERR_REENTRANT);
  CHECK(lh_task_wait(it->own) == LH_ERR_REENTRANT);
  lh_task_free(it->own); /* does nothing: the task is freed below */
}

static void* attempt_inside(void* user_data) {
  struct attempts* it = (struct attempts*)user_data;
  CHECK(lh_call_enter(it->call_id) == LH_OK);
  attempt(it);
  lh_call_leave();
  return NULL;
}

static int attempting(int32_t point, const char* context, char** answer, void* user_data) {
  struct attempts* it = (struct attempts*)user_data;
  pthread_t thread;
  (void)point;
  (void)context;
  (void)answer;
  attempt(it);
  it->call_id = lh_call_id();
  CHECK(pthread_create(&thread, NULL, attempt_inside, it) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  return 0;
}

/* Holds a generation until the test has its task. */
struct latch {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int open;
};

static int pass(int32_t point, const char* context, char** answer, void* user_data) {
  struct latch* latch = (struct latch*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  pthread_mutex_lock(&latch->mutex);
  while (!latch->open) pthread_cond_wait(&latch->changed, &latch->mutex);
  pthread_mutex_unlock(&latch->mutex);
  return 0;
}

static void open_latch(struct latch* latch) {
  pthread_mutex_lock(&latch->mutex);
  latch->open = 1;
  pthread_cond_broadcast(&latch->changed);
  pthread_mutex_unlock(&latch->mutex);
}

static void test_reentrant(lh_engine* engine) {
  struct outcome outcome;
  struct attempts it = {engine, NULL, 0, 0};
  struct latch latch = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
  const uint64_t gate = add(engine, LH_HOOK_PRE_GENERATE, pass, &latch);
  const uint64_t hook = add(engine, LH_HOOK_PRE_GENERATE, attempting, &it);
  it.own = start_generate(engine, &outcome);
  open_latch(&latch);
  end(it.own);
  CHECK(outcome.status == LH_OK && it.made == 2);
  CHECK(lh_call_enter(it.call_id) == LH_ERR_NOT_FOUND);
  drop(engine, hook);
  drop(engine, gate);
}

/* A hook that defers its answer and never gives it. */
struct open_call {
  struct latch asked;
  lh_pending* pending;
  lh_status over;
};

static void note_over(lh_status status, void* user_data) { ((struct open_call*)user_data)->over = status; }

static int leave_open(int32_t point, const char* context, char** answer, void* user_data) {
  struct open_call* call = (struct open_call*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  CHECK(lh_call_defer(note_over, call, &call->pending) == LH_OK);
  open_latch(&call->asked);
  return 0;
}

static void expect_late(struct open_call* call, lh_status over) {
  CHECK(call->over == over);
  CHECK(lh_pending_finish(call->pending, 0, lh_strdup("late")) == over);
}

static const struct open_call kOpen = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}, NULL, LH_OK};

static void test_cancelled_wait(lh_engine* engine) {
  struct outcome outcome;
  struct open_call call = kOpen;
  const uint64_t hook = add(engine, LH_HOOK_PRE_GENERATE, leave_open, &call);
  lh_task* task = start_generate(engine, &outcome);
  pass(0, NULL, NULL, &call.asked);
  lh_task_cancel(task, "enough");
  end(task);
  CHECK_HAS(outcome.json, "\"finish_reason\":\"cancelled\"");
  expect_late(&call, LH_ERR_CANCELLED);
  drop(engine, hook);
}

static int cancel_own(int32_t point, const char* context, char** answer, void* user_data) {
  struct attempts* it = (struct attempts*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  ++it->made;
  if (it->own != NULL) lh_task_cancel(it->own, NULL);
  return 0;
}

static void test_cancelled_load(lh_engine* engine) {
  struct outcome outcome;
  struct attempts cancels = {engine, NULL, 0, 0};
  struct attempts unloads = {engine, NULL, 0, 0};
  struct latch latch = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
  char* models = NULL;
  const uint64_t gate = add(engine, LH_HOOK_ON_MODEL_READY, pass, &latch);
  const uint64_t ready = add(engine, LH_HOOK_ON_MODEL_READY, cancel_own, &cancels);
  const uint64_t unload = add(engine, LH_HOOK_ON_MODEL_UNLOAD, cancel_own, &unloads);
  cancels.own = start_load(engine, "late", &outcome);
  open_latch(&latch);
  end(cancels.own);
  CHECK(outcome.status == LH_ERR_CANCELLED);
  CHECK(cancels.made == 1 && unloads.made == 1);
  CHECK(lh_model_list(engine, &models) == LH_OK);
  CHECK_LACKS(models, "\"late\"");
  lh_free(models);
  drop(engine, ready);
  drop(engine, unload);
  drop(engine, gate);
  cancels.own = start_load(engine, "late", &outcome);
  end(cancels.own);
  CHECK(outcome.status == LH_OK);
  CHECK(try_unload(engine, "late") == LH_OK);
}

/* A load that its ON_MODEL_READY hook holds, and the result of a generation that waits for the model. */
struct held_load {
  struct latch usable;
  struct latch gate;
  lh_task* load;
  lh_status waited;
};

static int hold_ready(int32_t point, const char* context, char** answer, void* user_data) {
  struct held_load* held = (struct held_load*)user_data;
  open_latch(&held->usable);
  return pass(point, context, answer, &held->gate);
}

static int wait_for_load(int32_t point, const char* context, char** answer, void* user_data) {
  struct held_load* held = (struct held_load*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  held->waited = lh_task_wait(held->load);
  return 0;
}

/* If it were cancelled, the load would in turn wait for that generation. */
static void test_wait_for_own_load(lh_engine* engine) {
  struct outcome loaded;
  struct outcome generated;
  struct held_load held = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                           {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                           NULL,
                           LH_OK};
  const uint64_t ready = add(engine, LH_HOOK_ON_MODEL_READY, hold_ready, &held);
  const uint64_t before = add(engine, LH_HOOK_PRE_GENERATE, wait_for_load, &held);
  held.load = start_load(engine, "late", &loaded);
  pass(0, NULL, NULL, &held.usable);
  lh_task* task = start_generate_on(engine, "late", &generated);
  lh_task_cancel(held.load, "too late");
  open_latch(&held.gate);
  end(task);
  CHECK(held.waited == LH_ERR_REENTRANT && generated.status == LH_OK);
  end(held.load);
  CHECK(loaded.status == LH_ERR_CANCELLED);

  held.load = start_load(engine, "late", &loaded);
  CHECK(lh_task_wait(held.load) == LH_OK);
  end(start_generate_on(engine, "late", &generated)); /* the load is over, so the call does not wait */
  CHECK(held.waited == LH_OK && generated.status == LH_OK);
  lh_task_free(held.load);
  drop(engine, before);
  drop(engine, ready);
  CHECK(try_unload(engine, "late") == LH_OK);
}

/* A load with two callers, and the calls that a hook of it tries. */
struct joined_load {
  struct latch asked;
  struct latch gate;
  lh_engine* engine;
  lh_task* other;
  int times;
  lh_status waited;
  lh_status again;
};

static int try_to_join(int32_t point, const char* context, char** answer, void* user_data) {
  struct joined_load* it = (struct joined_load*)user_data;
  struct outcome outcome;
  char options[1024];
  lh_task* task = NULL;
  const lh_task_callbacks callbacks = callbacks_for(&outcome);
  ++it->times;
  open_latch(&it->asked);
  pass(point, context, answer, &it->gate);
  it->waited = lh_task_wait(it->other);
  snprintf(options, sizeof options, "{\"path\": \"%s\", \"threads\": 1, \"parallel\": 2}", model_path);
  it->again = lh_model_load(it->engine, "twice", options, &callbacks, &task, NULL);
  return 0;
}

/* `cancelled`: the caller that runs the load; then the other one starts again. */
static void test_joined_load(lh_engine* engine, int cancelled) {
  struct outcome first;
  struct outcome second;
  struct joined_load it = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                           {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                           engine,
                           NULL,
                           0,
                           LH_OK,
                           LH_OK};
  const uint64_t hook = add(engine, LH_HOOK_ON_MODEL_LOAD, try_to_join, &it);
  lh_task* task = start_load(engine, "twice", &first);
  pass(0, NULL, NULL, &it.asked);
  it.other = start_load(engine, "twice", &second);
  if (cancelled) lh_task_cancel(task, "enough");
  open_latch(&it.gate);
  end(task);
  end(it.other);
  CHECK(it.waited == LH_ERR_REENTRANT && it.again == LH_ERR_MODEL_IN_USE);
  CHECK(first.status == (cancelled ? LH_ERR_CANCELLED : LH_OK) && second.status == LH_OK);
  CHECK(it.times == (cancelled ? 2 : 1));
  CHECK_HAS(second.json, "\"model_id\":\"twice\"");
  drop(engine, hook);
  CHECK(try_unload(engine, "twice") == LH_OK);
}

static void test_close(lh_engine* engine) {
  struct outcome generated;
  struct outcome closed;
  struct open_call held = kOpen;
  struct open_call unloading = kOpen;
  const lh_task_callbacks callbacks = callbacks_for(&closed);
  lh_task* closing = NULL;
  lh_task* task;
  add(engine, LH_HOOK_PRE_GENERATE, leave_open, &held);
  add(engine, LH_HOOK_ON_MODEL_UNLOAD, leave_open, &unloading);
  task = start_generate(engine, &generated);
  pass(0, NULL, NULL, &held.asked);
  CHECK(lh_engine_close(engine, &callbacks, &closing, NULL) == LH_OK);
  end(closing);
  end(task);
  CHECK(closed.ends == 1 && closed.status == LH_OK);
  CHECK_HAS(generated.json, "\"finish_reason\":\"cancelled\"");
  expect_late(&held, LH_ERR_CLOSED);
  expect_late(&unloading, LH_ERR_CLOSED);
}

/* A hook that gets stuck, and then gives an invalid answer. */
struct stuck {
  struct latch asked;
  struct latch goes_on;
  int warnings;
};

static int stick(int32_t point, const char* context, char** answer, void* user_data) {
  struct stuck* it = (struct stuck*)user_data;
  open_latch(&it->asked);
  pass(point, context, NULL, &it->goes_on);
  *answer = lh_strdup("no answer");
  return 0;
}

static void note_warning(const char* warning, void* user_data) {
  (void)warning;
  ++((struct stuck*)user_data)->warnings;
}

/* A thread that is stuck while its engine is freed reports nothing when it returns: the receivers may be gone. */
static void test_freed_while_stuck(const char* libraries) {
  struct stuck it = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                     {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                     0};
  char options[1024];
  struct outcome outcome;
  lh_engine* engine = NULL;
  snprintf(options, sizeof options, "{\"libraries\": \"%s\", \"close_timeout_ms\": 50}", libraries);
  CHECK(lh_engine_create(options, &engine, NULL) == LH_OK);
  end(start_load(engine, "m", &outcome));
  CHECK(lh_registry_warnings(lh_engine_hooks(engine), note_warning, &it) == LH_OK);
  add(engine, LH_HOOK_PRE_GENERATE, stick, &it);
  lh_task* task = start_generate(engine, &outcome);
  pass(0, NULL, NULL, &it.asked);
  lh_engine_free(engine);
  CHECK(outcome.ends == 1 && lh_left_behind() > 0);
  open_latch(&it.goes_on);
  while (lh_left_behind() > 0) usleep(1000);
  CHECK(it.warnings == 0);
  lh_task_free(task);
}

int main(int argc, char** argv) {
  char options[1024];
  struct outcome outcome;
  lh_engine* engine = NULL;
  if (argc != 3) return 2;
  model_path = argv[2];
  snprintf(options, sizeof options, "{\"libraries\": \"%s\"}", argv[1]);
  CHECK(lh_engine_create(options, &engine, NULL) == LH_OK);
  end(start_load(engine, "m", &outcome));
  CHECK(outcome.status == LH_OK);
  test_reentrant(engine);
  test_cancelled_wait(engine);
  test_cancelled_load(engine);
  test_wait_for_own_load(engine);
  test_joined_load(engine, 0);
  test_joined_load(engine, 1);
  test_close(engine);
  lh_engine_free(engine);
  test_freed_while_stuck(argv[1]);
  CHECK(lh_alloc_balance() == 0);
  return check_result("engine_waits_test");
}
