/* hooks.h from C: allocator, registration, order, removal, the context, nested use. */
#include "c_hooks.h"

/* The names of the hooks that ran, in order. */
static char ran[256];

static void blocks_are_counted_and_foreign_pointers_left_alone(void) {
  const int64_t before = lh_alloc_balance();
  char* block = (char*)lh_alloc(10);
  char* empty = (char*)lh_alloc(0);
  char* copy = lh_strdup("copy");
  char* foreign = (char*)malloc(10);
  CHECK(block != NULL && empty != NULL);
  CHECK(strcmp(copy, "copy") == 0);
  CHECK(lh_alloc_balance() == before + 3);
  lh_free(foreign); /* a free here would be a double free below */
  lh_free(block + 1);
  lh_free((void*)"literal");
  lh_free(NULL);
  CHECK(lh_alloc_balance() == before + 3);
  CHECK(lh_strdup(NULL) == NULL);
  CHECK(lh_alloc((size_t)-1 / 2) == NULL);
  lh_free(block);
  lh_free(empty);
  lh_free(copy);
  CHECK(lh_alloc_balance() == before);
  free(foreign);
}

enum { kBlocks = 5000 };

static void many_blocks_in_any_order(void) {
  static void* blocks[kBlocks];
  const int64_t before = lh_alloc_balance();
  int i;
  for (i = 0; i < kBlocks; ++i) blocks[i] = lh_alloc((size_t)i % 97);
  for (i = 0; i < kBlocks; i += 2) lh_free(blocks[i]);
  CHECK(lh_alloc_balance() == before + kBlocks / 2);
  for (i = 0; i < kBlocks; i += 2) blocks[i] = lh_alloc((size_t)i % 53);
  for (i = kBlocks - 1; i >= 0; --i) lh_free(blocks[i]);
  CHECK(lh_alloc_balance() == before);
}

static void the_version_is_the_headers(void) { CHECK(lh_abi_version() == LH_ABI_VERSION && LH_ABI_VERSION >= 1); }

static void statuses_have_names(void) {
  CHECK(strcmp(lh_status_name(LH_OK), "OK") == 0);
  CHECK(strcmp(lh_status_name(LH_ERR_HOOK_BAD_ANSWER), "HOOK_BAD_ANSWER") == 0);
  CHECK(strcmp(lh_status_name(12345), "UNKNOWN") == 0);
  CHECK_HAS(lh_hook_points_json(), "\"PRE_TOOL_CALL\"");
}

static lh_status try_add(lh_registry* registry, int32_t point, lh_hook_fn hook, uint32_t flags, const char* part) {
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  struct script script = {0};
  uint64_t id = 99;
  char* error = NULL;
  lh_status status;
  options.flags = flags;
  options.release = count_release;
  status = lh_hook_add(registry, point, hook, &script, &options, &id, &error);
  CHECK(id == 99 && script.released == 0);
  CHECK_HAS(error, part);
  lh_free(error);
  return status;
}

static void bad_registrations_are_refused(void) {
  lh_registry* registry = new_registry();
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  uint64_t id = 0;
  CHECK(try_add(registry, 999, scripted, 0, "UNKNOWN_HOOK_POINT") == LH_ERR_UNKNOWN_HOOK_POINT);
  CHECK(try_add(registry, 23, scripted, 0, "23") == LH_ERR_UNKNOWN_HOOK_POINT);
  CHECK(try_add(registry, 3, NULL, 0, "function") == LH_ERR_INVALID_ARGUMENT);
  CHECK(try_add(registry, 3, scripted, 1U << 31U, "flags") == LH_ERR_INVALID_ARGUMENT);
  CHECK(try_add(registry, LH_HOOK_POST_TOOL_CALL, scripted, LH_HOOK_GUARD, "pre point") == LH_ERR_INVALID_ARGUMENT);
  CHECK(try_add(registry, 3, scripted, LH_HOOK_GUARD | LH_HOOK_OBSERVE, "flags") == LH_ERR_INVALID_ARGUMENT);
  CHECK(try_add(registry, 3, scripted, LH_HOOK_FAIL_CLOSED | LH_HOOK_OBSERVE, "flags") == LH_ERR_INVALID_ARGUMENT);
  CHECK(try_add(registry, 3, scripted, LH_HOOK_GUARD | LH_HOOK_ORIGINAL_CONTEXT, "flags") == LH_ERR_INVALID_ARGUMENT);
  options.struct_size = 0;
  CHECK(lh_hook_add(registry, 3, scripted, NULL, &options, &id, NULL) == LH_ERR_INVALID_ARGUMENT);
  options.struct_size = sizeof options;
  options.deadline_ms = -1;
  CHECK(lh_hook_add(registry, 3, scripted, NULL, &options, &id, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_hook_add(NULL, 3, scripted, NULL, NULL, &id, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_hook_add(registry, 3, scripted, NULL, NULL, NULL, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_registry_create(NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_hook_has(registry, 3) == 0);
  lh_registry_free(registry);
  lh_registry_free(NULL);
}

static void options_of_an_older_header_are_read_as_far_as_they_go(void) {
  lh_registry* registry = new_registry();
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  struct script script = {0};
  char* list = NULL;
  uint64_t id = 0;
  options.name = "short";
  options.flags = 4096; /* lies behind struct_size: not read */
  options.struct_size = offsetof(lh_hook_options, priority);
  CHECK(lh_hook_add(registry, 3, scripted, &script, &options, &id, NULL) == LH_OK);
  CHECK(lh_hook_list(registry, &list) == LH_OK);
  CHECK_HAS(list, "\"name\":\"short\"");
  lh_free(list);
  lh_registry_free(registry);
}

static void options_of_a_newer_header_must_not_ask_for_what_is_not_there(void) {
  lh_registry* registry = new_registry();
  struct {
    lh_hook_options known;
    uint64_t later[2];
  } options = {LH_HOOK_OPTIONS_INIT, {0, 0}};
  struct script script = {0};
  char* error = NULL;
  uint64_t id = 0;
  options.known.struct_size = sizeof options;
  options.known.name = "long";
  CHECK(lh_hook_add(registry, 3, scripted, &script, &options.known, &id, NULL) == LH_OK);
  options.later[1] = 1;
  CHECK(lh_hook_add(registry, 3, scripted, &script, &options.known, &id, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "options: struct_size is");
  lh_free(error);
  lh_registry_free(registry);
}

static void check_fields(lh_registry* registry, const char* fields, const char* expected) {
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  struct script script = {0};
  uint64_t id = 0;
  char* error = NULL;
  options.fields = fields;
  CHECK(lh_hook_add(registry, 3, scripted, &script, &options, &id, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, expected);
  lh_free(error);
}

static void fields_are_names_of_the_points_fields(void) {
  lh_registry* registry = new_registry();
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  struct script script = {0};
  uint64_t id = 0;
  char* list = NULL;
  check_fields(registry, "[\"args\",\"arguments\"]", "PRE_TOOL_CALL has no field \\\"arguments\\\"; known: tool_name");
  check_fields(registry, "[3]", "not a JSON array of names");
  check_fields(registry, "\"args\"", "not a JSON array of names");
  check_fields(registry, "[\"args\"", "fields");
  CHECK(lh_hook_list(registry, &list) == LH_OK);
  CHECK_HAS(list, "[]");
  lh_free(list);
  options.fields = "[\"args\",\"meta\",\"args\"]";
  CHECK(lh_hook_add(registry, 3, scripted, &script, &options, &id, NULL) == LH_OK);
  CHECK(lh_hook_list(registry, &list) == LH_OK);
  CHECK_HAS(list, "\"fields\":[\"args\"]}]");
  lh_free(list);
  lh_registry_free(registry);
}

static void hooks_are_listed_and_removed(void) {
  lh_registry* registry = new_registry();
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  struct script script = {0};
  uint64_t id = 0;
  char* list = NULL;
  CHECK(lh_hook_has(registry, LH_HOOK_PRE_TOOL_CALL) == 0);
  options.flags = LH_HOOK_GUARD | LH_HOOK_FAIL_CLOSED;
  options.priority = -5;
  options.deadline_ms = 1000;
  options.release = count_release;
  CHECK(lh_hook_add(registry, LH_HOOK_PRE_TOOL_CALL, scripted, &script, &options, &id, NULL) == LH_OK);
  CHECK(lh_hook_has(registry, LH_HOOK_PRE_TOOL_CALL) == 1);
  CHECK(lh_hook_has(registry, LH_HOOK_POST_TOOL_CALL) == 0);
  CHECK(lh_hook_has(registry, 999) == 0);
  dispatch(registry, LH_HOOK_PRE_TOOL_CALL, "{}");
  CHECK(lh_hook_list(registry, &list) == LH_OK);
  CHECK_HAS(list,
            "[{\"id\":1,\"name\":\"hook 1\",\"point\":3,\"location\":null,\"when\":null,\"session_id\":null,"
            "\"fired\":1,\"matched\":1,\"calls\":1,\"modifications\":0,\"cancels\":0,\"failures\":0,\"total_us\":");
  CHECK_HAS(list,
            "\"point_name\":\"PRE_TOOL_CALL\",\"level\":\"engine\",\"priority\":-5,\"deadline_ms\":1000,"
            "\"flags\":[\"guard\",\"fail_closed\"],\"fields\":null}]");
  lh_free(list);
  CHECK(lh_hook_remove(registry, id) == LH_OK);
  CHECK(script.released == 1);
  CHECK(lh_hook_has(registry, LH_HOOK_PRE_TOOL_CALL) == 0);
  CHECK(lh_hook_remove(registry, id) == LH_ERR_NOT_FOUND);
  CHECK(lh_hook_retire(registry, id) == LH_ERR_NOT_FOUND);
  CHECK_HAS(dispatch(registry, LH_HOOK_PRE_TOOL_CALL, "{}"), "\"action\":\"proceed\"");
  CHECK(script.calls == 1);
  lh_registry_free(registry);
}

static void clearing_takes_one_point_or_all(void) {
  lh_registry* registry = new_registry();
  struct script script = {0};
  int32_t points[] = {0, 3, 3, 1013};
  size_t i;
  for (i = 0; i < 4; ++i) {
    lh_hook_options options = LH_HOOK_OPTIONS_INIT;
    uint64_t id = 0;
    options.release = count_release;
    CHECK(lh_hook_add(registry, points[i], scripted, &script, &options, &id, NULL) == LH_OK);
  }
  CHECK(lh_hook_clear(registry, 998) == LH_ERR_UNKNOWN_HOOK_POINT);
  CHECK(lh_hook_clear(registry, 3) == LH_OK);
  CHECK(script.released == 2 && !lh_hook_has(registry, 3) && lh_hook_has(registry, 0));
  CHECK(lh_hook_clear(registry, -1) == LH_OK);
  CHECK(script.released == 4 && !lh_hook_has(registry, 0) && !lh_hook_has(registry, 1013));
  lh_registry_free(registry);
}

static int noting(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point, (void)context, (void)answer;
  strcat(ran, (const char*)user_data);
  return 0;
}

static void order_is_guards_last_then_priority_then_registration(void) {
  lh_registry* registry = new_registry();
  ran[0] = '\0';
  add_with(registry, 3, noting, (void*)"G", "G", -100, LH_HOOK_GUARD);
  add_with(registry, 3, noting, (void*)"b", "b", 0, 0);
  add_with(registry, 3, noting, (void*)"d", "d", 7, 0);
  add_with(registry, 3, noting, (void*)"c", "c", 0, 0);
  add_with(registry, 3, noting, (void*)"a", "a", -1, LH_HOOK_OBSERVE);
  add_with(registry, 3, noting, (void*)"F", "F", -101, LH_HOOK_GUARD);
  dispatch(registry, 3, "{}");
  CHECK(strcmp(ran, "abcdFG") == 0);
  lh_registry_free(registry);
}

static void a_context_has_meta_and_is_always_json(void) {
  lh_registry* registry = new_registry();
  struct script script = {0};
  add_script(registry, 3, &script, "reader", 0);
  CHECK_HAS(dispatch(registry, 3, "{\"tool_name\":\"a\\u0000\\nb\"}"), "\"context\":{\"tool_name\":\"a\\u0000\\nb\"}");
  CHECK_HAS(script.seen, "{\"meta\":{\"point\":3,\"name\":\"PRE_TOOL_CALL\",\"seq\":1,\"time_us\":");
  CHECK_HAS(script.seen,
            "\"run_id\":null,\"parent_run_id\":null,\"session_id\":null,\"model_id\":null,\"tier\":null,"
            "\"depth\":null,\"iteration\":null},\"tool_name\":\"a\\u0000\\nb\"}");
  dispatch(registry, 3, "{}");
  CHECK_HAS(script.seen, "\"iteration\":null}}");
  CHECK_HAS(dispatch(registry, 3, "[]"), "INVALID_ARGUMENT");
  CHECK_HAS(dispatch(registry, 3, "{\"a\":"), "INVALID_ARGUMENT");
  CHECK_HAS(dispatch(registry, 3, "{\"meta\":{}}"), "INVALID_ARGUMENT");
  CHECK_HAS(dispatch(registry, 3, NULL), "INVALID_ARGUMENT");
  CHECK_HAS(dispatch(registry, 500, "{}"), "UNKNOWN_HOOK_POINT");
  CHECK(script.calls == 2);
  lh_registry_free(registry);
}

/* -------------------------------------------------- hooks that use hooks.h */

struct nest {
  lh_registry* registry;
  uint64_t self;
  uint64_t other;
  int depth;
  int released;
};

static void nest_released(void* user_data) { ++((struct nest*)user_data)->released; }

static int removes_itself_and_the_next(int32_t point, const char* context, char** answer, void* user_data) {
  struct nest* nest = (struct nest*)user_data;
  (void)point, (void)context;
  CHECK(lh_hook_remove(nest->registry, nest->self) == LH_OK); /* returns, though this call is running */
  CHECK(nest->released == 0);                                 /* user data lives until it ends */
  CHECK(lh_hook_remove(nest->registry, nest->other) == LH_OK);
  *answer = lh_strdup("{\"tool_name\":\"changed\"}");
  return 0;
}

static void a_hook_may_remove_itself_and_others(void) {
  lh_registry* registry = new_registry();
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  struct nest nest = {0};
  struct script other = {0};
  nest.registry = registry;
  options.release = nest_released;
  CHECK(lh_hook_add(registry, 3, removes_itself_and_the_next, &nest, &options, &nest.self, NULL) == LH_OK);
  nest.other = add_script(registry, 3, &other, "next", 0);
  CHECK_HAS(dispatch(registry, 3, "{}"), "\"tool_name\":\"changed\"");
  CHECK(nest.released == 1);
  CHECK(other.calls == 0); /* removed meanwhile: not started any more */
  CHECK(lh_hook_has(registry, 3) == 0);
  lh_registry_free(registry);
}

static int adds_and_dispatches(int32_t point, const char* context, char** answer, void* user_data) {
  struct nest* nest = (struct nest*)user_data;
  char* inner = NULL;
  (void)answer;
  if (nest->depth == 3) return 0;
  ++nest->depth;
  add_with(nest->registry, point, noting, (void*)"n", "new", 0, 0);
  CHECK(lh_hook_dispatch(nest->registry, point, "{\"args\":{}}", &inner, NULL) == LH_OK);
  CHECK_HAS(inner, "\"action\":\"proceed\"");
  CHECK_LACKS(context, "\"args\""); /* an inner context does not reach into the outer one */
  lh_free(inner);
  return 0;
}

static void a_hook_may_dispatch_and_additions_wait_for_the_next_dispatch(void) {
  lh_registry* registry = new_registry();
  struct nest nest = {0};
  nest.registry = registry;
  nest.depth = 2;
  ran[0] = '\0';
  add_with(registry, 3, adds_and_dispatches, &nest, "outer", 0, 0);
  dispatch(registry, 3, "{}");
  CHECK(strcmp(ran, "n") == 0); /* in the inner dispatch, not in the outer one */
  lh_registry_free(registry);
}

static void outside_a_hook_call_there_is_nothing_to_fail(void) {
  CHECK(lh_call_fail(LH_ERR_HOOK_FAILED, "x", 0) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_call_cancelled() == 1);
  CHECK(lh_call_on_cancel(count_release, NULL) == LH_ERR_INVALID_ARGUMENT);
}

int main(void) {
  const int64_t before = lh_alloc_balance();
  blocks_are_counted_and_foreign_pointers_left_alone();
  many_blocks_in_any_order();
  the_version_is_the_headers();
  statuses_have_names();
  bad_registrations_are_refused();
  options_of_an_older_header_are_read_as_far_as_they_go();
  options_of_a_newer_header_must_not_ask_for_what_is_not_there();
  fields_are_names_of_the_points_fields();
  hooks_are_listed_and_removed();
  clearing_takes_one_point_or_all();
  order_is_guards_last_then_priority_then_registration();
  a_context_has_meta_and_is_always_json();
  a_hook_may_remove_itself_and_others();
  a_hook_may_dispatch_and_additions_wait_for_the_next_dispatch();
  outside_a_hook_call_there_is_nothing_to_fail();
  CHECK(lh_alloc_balance() == before + 1); /* the last dispatch's result */
  return check_result("hooks_abi_test");
}
