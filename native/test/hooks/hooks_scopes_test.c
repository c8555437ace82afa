/* Hooks for some calls only: `when`, LH_HOOK_ONCE, and the scopes of runs. */
#include <pthread.h>

#include "c_hooks.h"

#define POINT LH_HOOK_PRE_TOOL_CALL
#define CONTEXT \
  "{\"tool_name\": \"fs_read\", \"args\": {}, \"tool_call_id\": \"1\", \"tier\": \"lead\", \"iteration\": 2}"

static lh_status try_add(lh_registry* registry, const char* when, struct script* script, char** error) {
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  uint64_t id = 0;
  options.when = when;
  return lh_hook_add(registry, POINT, scripted, script, &options, &id, error);
}

static int calls_with(const char* when) {
  struct script script = {0};
  lh_registry* registry = NULL;
  CHECK(lh_registry_create(&registry) == LH_OK);
  CHECK(try_add(registry, when, &script, NULL) == LH_OK);
  dispatch(registry, POINT, CONTEXT);
  lh_registry_free(registry);
  return script.calls;
}

static void tests_of_fields(void) {
  CHECK(calls_with("{}") == 1);
  CHECK(calls_with("{\"tool_name\": \"fs_read\"}") == 1);
  CHECK(calls_with("{\"tool_name\": \"fs_write\"}") == 0);
  CHECK(calls_with("{\"tool_name\": {\"starts_with\": \"fs_\"}, \"iteration\": 2}") == 1);
  CHECK(calls_with("{\"tool_name\": {\"starts_with\": \"fs_\"}, \"iteration\": 3}") == 0);
  CHECK(calls_with("{\"tool_name\": [\"x\", {\"ends_with\": \"read\"}]}") == 1);
  CHECK(calls_with("{\"tool_name\": [\"x\", {\"contains\": \"rad\"}]}") == 0);
  CHECK(calls_with("{\"tool_name\": []}") == 0);
  CHECK(calls_with("{\"tier\": \"lead\", \"run_id\": null, \"depth\": null}") == 1);
  CHECK(calls_with("{\"tier\": null}") == 0);
  CHECK(calls_with("{\"args\": null}") == 0);
  CHECK(calls_with("{\"response\": null}") == 0); /* it is not there */
}

static void bad_tests_are_refused_by_name(void) {
  static const struct {
    const char* when;
    const char* says;
  } bad[] = {
      {"[]", "when: not a JSON object"},
      {"{", "when"},
      {"{\"toolname\": 1}", "when.toolname: PRE_TOOL_CALL has no such field; known: tool_name"},
      {"{\"tool_name\": {\"like\": \"a\"}}", "when.tool_name: a pattern is one of"},
      {"{\"tool_name\": {\"contains\": 1}}", "when.tool_name: a pattern is one of"},
      {"{\"tool_name\": [[\"a\"]]}", "when.tool_name: a list"},
  };
  lh_registry* registry = NULL;
  CHECK(lh_registry_create(&registry) == LH_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    struct script script = {0};
    char* error = NULL;
    CHECK(try_add(registry, bad[i].when, &script, &error) == LH_ERR_INVALID_ARGUMENT);
    CHECK_HAS(error, bad[i].says);
    lh_free(error);
  }
  CHECK(!lh_hook_has(registry, POINT));
  lh_registry_free(registry);
}

static void of_what_earlier_hooks_made(void) {
  struct script changes = {0};
  struct script later = {0};
  lh_registry* registry = NULL;
  CHECK(lh_registry_create(&registry) == LH_OK);
  changes.answer = "{\"tool_name\": \"net_get\"}";
  add_script(registry, POINT, &changes, "changes", 0);
  CHECK(try_add(registry, "{\"tool_name\": {\"starts_with\": \"net_\"}}", &later, NULL) == LH_OK);
  dispatch(registry, POINT, CONTEXT);
  CHECK(later.calls == 1);
  lh_registry_free(registry);
}

static void once_is_once(void) {
  struct script script = {0};
  lh_registry* registry = NULL;
  CHECK(lh_registry_create(&registry) == LH_OK);
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  uint64_t id = 0;
  options.flags = LH_HOOK_ONCE;
  options.release = count_release;
  CHECK(lh_hook_add(registry, POINT, scripted, &script, &options, &id, NULL) == LH_OK);
  dispatch(registry, POINT, CONTEXT);
  CHECK(script.calls == 1 && script.released == 1);
  CHECK(!lh_hook_has(registry, POINT));
  CHECK(lh_hook_remove(registry, id) == LH_ERR_NOT_FOUND);
  dispatch(registry, POINT, CONTEXT);
  CHECK(script.calls == 1);
  lh_registry_free(registry);
}

static int passes_at_first(int32_t point, const char* context, char** answer, void* user_data) {
  struct script* script = (struct script*)user_data;
  (void)point;
  (void)context;
  (void)answer;
  if (++script->calls < 3) CHECK(lh_call_pass() == LH_OK);
  return 0;
}

static void a_call_that_it_passes_is_none(void) {
  struct script script = {0};
  lh_registry* registry = NULL;
  CHECK(lh_registry_create(&registry) == LH_OK);
  add_with(registry, POINT, passes_at_first, &script, "picky", 0, LH_HOOK_ONCE);
  for (int i = 0; i < 5; ++i) dispatch(registry, POINT, CONTEXT);
  CHECK(script.calls == 3);
  lh_registry_free(registry);
}

struct shared {
  lh_registry* registry;
  int calls; /* atomic */
};

static int counted(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point;
  (void)context;
  (void)answer;
  __atomic_add_fetch(&((struct shared*)user_data)->calls, 1, __ATOMIC_SEQ_CST);
  return 0;
}

static void* fire_often(void* user_data) {
  struct shared* shared = (struct shared*)user_data;
  for (int i = 0; i < 200; ++i) {
    char* out = NULL;
    CHECK(lh_hook_dispatch(shared->registry, POINT, CONTEXT, &out, NULL) == LH_OK);
    lh_free(out);
  }
  return NULL;
}

static void once_is_once_on_many_threads(void) {
  struct shared shared = {NULL, 0};
  pthread_t threads[4];
  CHECK(lh_registry_create(&shared.registry) == LH_OK);
  for (int i = 0; i < 50; ++i) add_with(shared.registry, POINT, counted, &shared, "once", 0, LH_HOOK_ONCE);
  for (int i = 0; i < 4; ++i) CHECK(pthread_create(&threads[i], NULL, fire_often, &shared) == 0);
  for (int i = 0; i < 4; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(shared.calls == 50);
  CHECK(!lh_hook_has(shared.registry, POINT));
  lh_registry_free(shared.registry);
}

static void a_scope_has_its_own(void) {
  struct script all = {0};
  struct script own = {0};
  lh_registry* registry = NULL;
  lh_registry* run = NULL;
  lh_registry* other = NULL;
  lh_registry* nested = NULL;
  char* listed = NULL;
  uint64_t id = 0;
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  CHECK(lh_registry_create(&registry) == LH_OK);
  CHECK(lh_registry_scope(registry, LH_SCOPE_RUN, &run) == LH_OK);
  CHECK(lh_registry_scope(registry, LH_SCOPE_GENERATION, &other) == LH_OK);
  CHECK(lh_registry_scope(run, LH_SCOPE_RUN, &nested) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_registry_scope(registry, 7, &nested) == LH_ERR_INVALID_ARGUMENT);
  options.release = count_release;
  options.name = "own";
  CHECK(lh_hook_add(run, POINT, scripted, &own, &options, &id, NULL) == LH_OK);
  add_script(registry, POINT, &all, "all", 0);
  CHECK(lh_hook_add(other, POINT, scripted, &own, NULL, &id, NULL) == LH_ERR_POINT_NOT_FIRED);
  CHECK(lh_hook_has(run, POINT) && lh_hook_has(registry, POINT) && !lh_hook_has(other, POINT));

  dispatch(registry, POINT, CONTEXT);
  CHECK(all.calls == 1 && own.calls == 0);
  const char* both = dispatch(run, POINT, CONTEXT);
  CHECK(all.calls == 2 && own.calls == 1);
  CHECK(strstr(both, "\"all\"") < strstr(both, "\"own\"")); /* the engine's come first */
  dispatch(other, POINT, CONTEXT);
  CHECK(all.calls == 3 && own.calls == 1);

  CHECK(lh_hook_list(run, &listed) == LH_OK);
  CHECK(strstr(listed, "\"own\"") != NULL && strstr(listed, "\"all\"") == NULL);
  lh_free(listed);
  CHECK(lh_hook_clear(registry, -1) == LH_OK);
  CHECK(lh_hook_has(run, POINT) && own.released == 0);
  lh_registry_free(run);
  CHECK(own.released == 1);
  dispatch(registry, POINT, CONTEXT);
  CHECK(own.calls == 1);
  lh_registry_free(other);
  lh_registry_free(registry);
}

int main(void) {
  const int64_t before = lh_alloc_balance();
  tests_of_fields();
  bad_tests_are_refused_by_name();
  of_what_earlier_hooks_made();
  once_is_once();
  a_call_that_it_passes_is_none();
  once_is_once_on_many_threads();
  a_scope_has_its_own();
  CHECK(lh_alloc_balance() == before + 1); /* the last dispatch's result */
  return check_result("hooks_scopes_test");
}
