/* Hooks that answer later, from C: the threads that may answer, the ends of the wait, and the depth to which hooks may
 * nest. */
#include <pthread.h>

#include "c_hooks.h"

/* A hook that defers its call, and the next steps of its thread. */
struct later {
  lh_pending* pending;
  uint64_t call_id;
  int result;
  const char* answer;
  lh_status fails;    /* given with lh_pending_fail when not LH_OK */
  lh_status finished; /* what finishing returned */
  int over;
  lh_status over_status;
  pthread_t thread;
};

static void note_over(lh_status status, void* user_data) {
  struct later* later = (struct later*)user_data;
  ++later->over;
  later->over_status = status;
}

static void finish(struct later* later) {
  later->finished = later->fails == LH_OK ? lh_pending_finish(later->pending, later->result, lh_strdup(later->answer))
                                          : lh_pending_fail(later->pending, later->fails, "from afar", 9);
}

static void* finish_on_thread(void* user_data) {
  finish((struct later*)user_data);
  return NULL;
}

static int answer_on_thread(int32_t point, const char* context, char** answer, void* user_data) {
  struct later* later = (struct later*)user_data;
  (void)point;
  (void)context;
  later->call_id = lh_call_id();
  CHECK(later->call_id != 0);
  CHECK(lh_call_defer(note_over, later, &later->pending) == LH_OK);
  CHECK(pthread_create(&later->thread, NULL, finish_on_thread, later) == 0);
  *answer = lh_strdup("what the callback itself answers is ignored");
  return 1;
}

/* The decision of PRE_GENERATE with that hook. */
static const char* answered_later(struct later* later) {
  lh_registry* registry = new_registry();
  const char* result;
  add_with(registry, LH_HOOK_PRE_GENERATE, answer_on_thread, later, "later", 0, 0);
  result = dispatch(registry, LH_HOOK_PRE_GENERATE, "{\"messages\": []}");
  CHECK(pthread_join(later->thread, NULL) == 0);
  lh_registry_free(registry);
  CHECK(later->over == 1);
  return result;
}

static void test_answers(void) {
  struct later modifies = {0};
  struct later cancels = {0};
  struct later fails = {0};
  const char* result;
  modifies.answer = "{\"response\": \"mine\"}";
  result = answered_later(&modifies);
  CHECK_HAS(result, "\"answers\":{\"response\":\"mine\"}");
  CHECK(modifies.finished == LH_OK && modifies.over_status == LH_OK);
  cancels.result = 1;
  cancels.answer = "not now";
  result = answered_later(&cancels);
  CHECK_HAS(result, "\"action\":\"cancelled\"");
  CHECK_HAS(result, "\"reason\":\"not now\"");
  fails.fails = LH_ERR_HOOK_BAD_ANSWER;
  result = answered_later(&fails);
  CHECK_HAS(result, "from afar");
  CHECK_HAS(result, "\"code\":\"HOOK_BAD_ANSWER\"");
  CHECK_HAS(result, "\"cause_id\":9");
  CHECK(fails.finished == LH_OK && fails.over_status == LH_OK);
  CHECK(lh_call_enter(modifies.call_id) == LH_ERR_NOT_FOUND);
  CHECK(lh_call_id() == 0);
}

static int answer_before_return(int32_t point, const char* context, char** answer, void* user_data) {
  struct later* later = (struct later*)user_data;
  lh_pending* second = NULL;
  (void)point;
  (void)context;
  (void)answer;
  CHECK(lh_call_defer(note_over, later, &later->pending) == LH_OK);
  CHECK(lh_call_defer(note_over, later, &second) == LH_ERR_INVALID_ARGUMENT && second == NULL);
  CHECK(lh_pending_fail(later->pending, LH_ERR_NOT_FOUND, "no status of a hook", 0) == LH_ERR_INVALID_ARGUMENT);
  finish(later);
  CHECK(later->over == 0);
  return 0;
}

static int defer_and_leave(int32_t point, const char* context, char** answer, void* user_data) {
  struct later* later = (struct later*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  CHECK(lh_call_defer(note_over, later, &later->pending) == LH_OK);
  if (later->fails != LH_OK) CHECK(lh_call_fail(later->fails, "thought better of it", 0) == LH_OK);
  return 0;
}

static int defer_in_vain(int32_t point, const char* context, char** answer, void* user_data) {
  lh_pending* pending = NULL;
  (void)point;
  (void)context;
  (void)answer;
  CHECK(lh_call_defer(NULL, user_data, &pending) == LH_ERR_INVALID_ARGUMENT && pending == NULL);
  return 0;
}

static void test_who_may_defer(void) {
  lh_registry* registry = new_registry();
  struct later later = {0};
  lh_pending* pending = NULL;
  const char* result;
  CHECK(lh_call_defer(NULL, NULL, &pending) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_pending_finish(NULL, 0, NULL) == LH_ERR_INVALID_ARGUMENT);
  later.answer = "{\"response\": \"at once\"}";
  add_with(registry, LH_HOOK_PRE_GENERATE, answer_before_return, &later, "quick", 0, 0);
  add_with(registry, LH_HOOK_PRE_GENERATE, defer_in_vain, NULL, "watcher", 0, LH_HOOK_OBSERVE);
  result = dispatch(registry, LH_HOOK_PRE_GENERATE, "{}");
  CHECK_HAS(result, "at once");
  CHECK(later.over == 1 && later.finished == LH_OK);
  lh_registry_free(registry);
}

/* The events that end a wait without an answer; the answer is freed, and its giver gets the reason. */
static void test_too_late(void) {
  struct later slow = {0};
  struct later failing = {0};
  lh_registry* registry = new_registry();
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  uint64_t id = 0;
  const char* result;
  options.name = "slow";
  options.deadline_ms = 30;
  options.flags = LH_HOOK_GUARD;
  slow.answer = "late";
  CHECK(lh_hook_add(registry, LH_HOOK_PRE_GENERATE, defer_and_leave, &slow, &options, &id, NULL) == LH_OK);
  result = dispatch(registry, LH_HOOK_PRE_GENERATE, "{}");
  CHECK_HAS(result, "no answer within 30 ms");
  CHECK_HAS(result, "\"status\":\"HOOK_TIMEOUT\"");
  CHECK(slow.over == 1 && slow.over_status == LH_ERR_HOOK_TIMEOUT);
  finish(&slow);
  CHECK(slow.finished == LH_ERR_HOOK_TIMEOUT && slow.over == 1);
  CHECK(lh_hook_remove(registry, id) == LH_OK);
  failing.fails = LH_ERR_HOOK_FAILED;
  add_with(registry, LH_HOOK_PRE_GENERATE, defer_and_leave, &failing, "failing", 0, 0);
  result = dispatch(registry, LH_HOOK_PRE_GENERATE, "{}");
  CHECK_HAS(result, "thought better of it");
  CHECK(failing.over == 1 && failing.over_status == LH_ERR_HOOK_FAILED);
  lh_registry_free(registry);
  finish(&failing); /* the registry is freed, the owed answer still exists */
  CHECK(failing.finished == LH_ERR_HOOK_FAILED);
}

/* A thread that acts inside a call of the hook removes the hook without waiting for that call. */
static void* remove_inside(void* user_data) {
  void** of = (void**)user_data;
  struct later* later = (struct later*)of[0];
  CHECK(lh_call_enter(later->call_id) == LH_OK);
  CHECK(lh_hook_remove((lh_registry*)of[1], *(uint64_t*)of[2]) == LH_OK);
  CHECK(lh_call_id() == later->call_id);
  finish(later);
  lh_call_leave();
  return NULL;
}

static int remove_on_thread(int32_t point, const char* context, char** answer, void* user_data) {
  void** of = (void**)user_data;
  struct later* later = (struct later*)of[0];
  (void)point;
  (void)context;
  (void)answer;
  later->call_id = lh_call_id();
  CHECK(lh_call_defer(note_over, later, &later->pending) == LH_OK);
  CHECK(pthread_create(&later->thread, NULL, remove_inside, of) == 0);
  return 0;
}

static void test_removal_inside(void) {
  struct later later = {0};
  uint64_t id = 0;
  void* of[3];
  lh_registry* registry = new_registry();
  of[0] = &later;
  of[1] = registry;
  of[2] = &id;
  later.answer = "{\"response\": \"last words\"}";
  id = add_with(registry, LH_HOOK_PRE_GENERATE, remove_on_thread, of, "leaving", 0, 0);
  CHECK_HAS(dispatch(registry, LH_HOOK_PRE_GENERATE, "{}"), "last words");
  CHECK(pthread_join(later.thread, NULL) == 0);
  CHECK(later.over == 1 && later.finished == LH_OK && !lh_hook_has(registry, LH_HOOK_PRE_GENERATE));
  lh_registry_free(registry);
}

struct nest {
  lh_registry* registry;
  int calls;
  int errors;
  int by_thread;
  uint64_t call_id;
  pthread_t thread;
};

static void* dispatch_inside(void* user_data) {
  struct nest* nest = (struct nest*)user_data;
  char* out = NULL;
  CHECK(lh_call_enter(nest->call_id) == LH_OK);
  CHECK(lh_call_id() == nest->call_id);
  CHECK(lh_hook_dispatch(nest->registry, LH_HOOK_PRE_GENERATE, "{}", &out, NULL) == LH_OK);
  lh_call_leave();
  CHECK(lh_call_id() == 0);
  lh_free(out);
  return NULL;
}

/* Causes a dispatch that calls it again, on this thread or on one that acts inside the call. */
static int dive(int32_t point, const char* context, char** answer, void* user_data) {
  struct nest* nest = (struct nest*)user_data;
  char* out = NULL;
  int depth;
  (void)point;
  (void)context;
  (void)answer;
  depth = ++nest->calls;
  if (depth > 100) return 0; /* unbounded: the count shows that */
  if (nest->by_thread) {
    pthread_t thread;
    nest->call_id = lh_call_id();
    CHECK(pthread_create(&thread, NULL, dispatch_inside, nest) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
  }
  CHECK(lh_hook_dispatch(nest->registry, LH_HOOK_PRE_GENERATE, "{}", &out, NULL) == LH_OK);
  if (depth == 16) CHECK_HAS(out, "nested deeper than 16");
  if (depth == 16) CHECK_HAS(out, "\"code\":\"HOOK_FAILED\"");
  lh_free(out);
  return 0;
}

static int count_error(int32_t point, const char* context, char** answer, void* user_data) {
  struct nest* nest = (struct nest*)user_data;
  (void)point;
  (void)answer;
  CHECK_HAS(context, "nested deeper than 16");
  ++nest->errors;
  return 0;
}

static void test_nesting(int by_thread) {
  struct nest nest = {0};
  char* out = NULL;
  nest.registry = new_registry();
  nest.by_thread = by_thread;
  add_with(nest.registry, LH_HOOK_PRE_GENERATE, dive, &nest, "diver", 0, 0);
  add_with(nest.registry, LH_HOOK_ON_ERROR, count_error, &nest, "teller", 0, 0);
  CHECK(lh_hook_dispatch(nest.registry, LH_HOOK_PRE_GENERATE, "{}", &out, NULL) == LH_OK);
  CHECK(nest.calls == 16);
  CHECK(nest.errors == 1);
  lh_free(out);
  lh_registry_free(nest.registry);
}

int main(void) {
  const int64_t before = lh_alloc_balance();
  test_answers();
  test_who_may_defer();
  test_too_late();
  test_removal_inside();
  test_nesting(0);
  test_nesting(1);
  CHECK(lh_alloc_balance() == before + 1); /* the last dispatch's result */
  return check_result("hooks_deferred_test");
}
