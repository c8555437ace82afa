/* Parallel hooks, from C: the order of their parts, and who may remove whom during the call. */
#include <pthread.h>

#include "c_hooks.h"

#define POINT LH_HOOK_ON_CONTEXT_ASSEMBLE
#define CONTEXT "{\"messages\": [], \"token_count\": 0, \"limit\": 1, \"budget\": 1}"

struct part {
  lh_registry* registry;
  const char* answer;
  uint64_t removes; /* a hook that it removes, before it answers; 0: none */
  lh_status removed;
  uint64_t call_id;
  lh_pending* pending;
  pthread_t thread;
};

static void remove_other(struct part* part) {
  if (part->removes != 0) part->removed = lh_hook_remove(part->registry, part->removes);
}

static int at_once(int32_t point, const char* context, char** answer, void* user_data) {
  struct part* part = (struct part*)user_data;
  (void)point;
  CHECK_HAS(context, "\"messages\"");
  remove_other(part);
  *answer = lh_strdup(part->answer);
  return 0;
}

static void* answer_from_afar(void* user_data) {
  struct part* part = (struct part*)user_data;
  CHECK(lh_call_enter(part->call_id) == LH_OK);
  remove_other(part);
  lh_call_leave();
  CHECK(lh_pending_finish(part->pending, 0, lh_strdup(part->answer)) == LH_OK);
  return NULL;
}

static int later(int32_t point, const char* context, char** answer, void* user_data) {
  struct part* part = (struct part*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  part->call_id = lh_call_id();
  CHECK(lh_call_defer(NULL, NULL, &part->pending) == LH_OK);
  CHECK(pthread_create(&part->thread, NULL, answer_from_afar, part) == 0);
  return 0;
}

static uint64_t add_part(struct part* part, lh_registry* registry, lh_hook_fn hook, const char* answer) {
  part->registry = registry;
  part->answer = answer;
  return add_with(registry, POINT, hook, part, answer, 0, LH_HOOK_PARALLEL);
}

static const char* const first_part = "{\"inject\": [{\"content\": \"one\"}]}";
static const char* const second_part = "{\"inject\": [{\"content\": \"two\"}]}";
static const char* const both_parts = "\"inject\":[{\"content\":\"one\"},{\"content\":\"two\"}]";

/* The second hook removes the first one, `other`; returns the result. */
static lh_status remove_beside(lh_hook_fn other, lh_hook_fn hook) {
  lh_registry* registry = new_registry();
  struct part first = {0};
  struct part second = {0};
  second.removes = add_part(&first, registry, other, first_part);
  add_part(&second, registry, hook, second_part);
  CHECK_HAS(dispatch(registry, POINT, CONTEXT), both_parts);
  if (other == later) CHECK(pthread_join(first.thread, NULL) == 0);
  if (hook == later) CHECK(pthread_join(second.thread, NULL) == 0);
  CHECK(lh_hook_remove(registry, second.removes) == LH_ERR_NOT_FOUND);
  lh_registry_free(registry);
  return second.removed;
}

static void test_removal(void) {
  CHECK(remove_beside(later, at_once) == LH_ERR_REENTRANT);
  CHECK(remove_beside(later, later) == LH_ERR_REENTRANT);
  CHECK(remove_beside(at_once, at_once) == LH_ERR_REENTRANT);
}

static void test_flags(void) {
  lh_registry* registry = new_registry();
  struct part part = {0};
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  uint64_t id = 0;
  char* error = NULL;
  options.flags = LH_HOOK_PARALLEL;
  CHECK(lh_hook_add(registry, 0, at_once, &part, &options, &id, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "PRE_GENERATE collects none");
  lh_free(error);
  options.flags = LH_HOOK_PARALLEL | LH_HOOK_FAIL_CLOSED;
  CHECK(lh_hook_add(registry, POINT, at_once, &part, &options, &id, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "fail closed");
  lh_free(error);
  lh_registry_free(registry);
}

int main(void) {
  const int64_t before = lh_alloc_balance();
  test_removal();
  test_flags();
  CHECK(lh_alloc_balance() == before + 1); /* the last dispatch's result */
  return check_result("hooks_parallel_test");
}
