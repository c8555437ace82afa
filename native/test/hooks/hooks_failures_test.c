/* Failures of hooks, from C: invalid answers, failing closed, answers of other memory, the line on stderr. */
#include "c_hooks.h"

#ifndef _WIN32
#include <unistd.h>
#endif

static lh_registry* registry;

static void begin(void) { registry = new_registry(); }
static void end(void) { lh_registry_free(registry); }

static const char* kTool =
    "{\"tool_name\":\"shell\",\"args\":{\"cmd\":\"ls\"},\"tool_call_id\":\"c1\",\"iteration\":2}";

/* Every invalid answer leaves the context unchanged, and the error explains it. */
static void bad(int32_t point, uint32_t flags, const char* answer, const char* part) {
  struct script script = {0, NULL, 0, 0, 0, ""};
  const char* out;
  script.answer = answer;
  begin();
  add_script(registry, point, &script, "clumsy", flags);
  out = dispatch(registry, point, "{\"tool_name\":\"shell\",\"result\":\"raw\",\"iteration\":2}");
  CHECK_HAS(out, "\"action\":\"proceed\"");
  CHECK_HAS(out, "\"outcome\":\"failed\"");
  CHECK_HAS(out, "\"error\":{\"code\":\"HOOK_BAD_ANSWER\",\"message\":\"hook \\\"clumsy\\\" at ");
  CHECK_HAS(out, "\"context\":{\"tool_name\":\"shell\",\"result\":\"raw\",\"iteration\":2}");
  CHECK_HAS(out, part);
  end();
}

static void bad_answers_are_failures(void) {
  static char deep[20001];
  memset(deep, '[', sizeof deep - 1);
  bad(3, 0, "plain text", "not JSON at byte");
  bad(3, 0, "", "not JSON");
  bad(3, 0, "[]", "not a JSON object but array");
  bad(3, 0, "null", "not a JSON object but null");
  bad(3, 0, "{\"tool_name\":7}", "field \\\"tool_name\\\": expected string, got number");
  bad(3, 0, "{\"args\":null}", "field \\\"args\\\": expected object, got null");
  bad(3, 0, "{\"iteration\":3}",
      "cannot be changed at this point; it takes tool_name, args, additional_context, "
      "permission, response");
  bad(3, 0, "{\"meta\":{\"point\":4}}", "field \\\"meta\\\": cannot be changed");
  bad(3, 0, "{\"tool_nam\":\"x\"}", "field \\\"tool_nam\\\": this point takes no such field");
  bad(3, 0, "{\"tool_name\":\"\xff\"}", "not JSON");
  bad(3, 0, "{\"args\":{\"n\":1e999}}", "the answer");
  bad(3, 0, deep, "nested deeper than");
  bad(0, 0, "{\"messages\":[{\"role\":\"king\",\"content\":\"x\"}]}", "messages[0].role\\\": expected one of");
  bad(0, 0, "{\"params\":{\"tool_choice\":\"all\"}}",
      "\\\"auto\\\" or \\\"none\\\" or \\\"required\\\", got \\\"all\\\"");
  bad(0, 0, "{\"messages\":[{\"role\":\"user\"}]}", "messages[0]\\\": lacks \\\"content\\\"");
  bad(0, 0, "{\"params\":{\"temperature\":-1}}", "params.temperature\\\": expected at least 0, got -1");
  bad(0, 0, "{\"params\":{\"max_tokens\":1.5}}", "expected integer or null, got number");
  bad(LH_HOOK_POST_TOOL_CALL, 0, "\xff\xfe", "not UTF-8");
  bad(LH_HOOK_POST_TOOL_CALL, LH_HOOK_JSON_RESULT, "text", "not JSON");
  bad(LH_HOOK_POST_TOOL_CALL, LH_HOOK_JSON_RESULT, "{\"is_error\":\"yes\"}", "expected boolean, got string");
}

static void failing_closed_is_a_cancel_at_pre_points(void) {
  struct script fails = {0, "{\"tool_name\":\"x\"}", LH_ERR_HOOK_TIMEOUT, 0, 0, ""};
  struct script bad_guard = {0, "{\"tool_name\":\"x\"}", 0, 0, 0, ""};
  uint64_t id;
  const char* out;
  begin();
  id = add_script(registry, 3, &fails, "slow", 0);
  out = dispatch(registry, 3, kTool);
  CHECK_HAS(out, "\"action\":\"proceed\"");
  CHECK_HAS(out, "\"outcome\":\"failed\",\"fields\":[]");
  CHECK_HAS(
      out,
      "\"error\":{\"code\":\"HOOK_TIMEOUT\",\"message\":\"hook \\\"slow\\\" at PRE_TOOL_CALL: boom\",\"cause_id\":7}");
  CHECK(lh_hook_remove(registry, id) == LH_OK);
  add_script(registry, 3, &fails, "closed", LH_HOOK_FAIL_CLOSED);
  out = dispatch(registry, 3, kTool);
  CHECK_HAS(out,
            "\"action\":\"cancelled\",\"decided_by\":{\"id\":2,\"name\":\"closed\"},\"reason\":\"hook \\\"closed\\\" "
            "at PRE_TOOL_CALL failed (HOOK_TIMEOUT): boom\",\"status\":\"HOOK_TIMEOUT\"");
  CHECK_HAS(out, "\"outcome\":\"cancelled\"");
  CHECK(lh_hook_clear(registry, -1) == LH_OK);
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &fails, "post", LH_HOOK_FAIL_CLOSED);
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, "{}"), "\"action\":\"proceed\"");
  add_script(registry, 3, &bad_guard, "guard", LH_HOOK_GUARD);
  out = dispatch(registry, 3, kTool);
  CHECK_HAS(out, "\"action\":\"cancelled\"");
  CHECK_HAS(out, "field \\\"tool_name\\\": a guard may cancel but not change");
  CHECK_HAS(out, "\"status\":\"HOOK_BAD_ANSWER\"");
  end();
}

static int wrong_failure(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point, (void)context, (void)answer, (void)user_data;
  CHECK(lh_call_fail(LH_ERR_INTERNAL, "x", 0) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_call_fail(LH_OK, "x", 0) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_call_cancelled() == 0);
  return 0;
}

static void only_some_statuses_are_failures_of_a_call(void) {
  begin();
  add_with(registry, 3, wrong_failure, NULL, "wrong", 0, 0);
  CHECK_HAS(dispatch(registry, 3, kTool), "\"outcome\":\"proceed\"");
  end();
}

/* ------------------------------------------------ answers of other memory */

static int answers_foreign(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point, (void)context;
  *answer = *(char**)user_data;
  return **answer == 'v' ? 1 : 0;
}

static int answers_context(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point, (void)user_data;
  memcpy(answer, &context, sizeof context);
  return 0;
}

static int answers_without_end(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point, (void)context, (void)user_data;
  *answer = (char*)lh_alloc(64);
  memset(*answer, 'x', 64);
  return 0;
}

static void foreign_memory_is_reported_and_never_freed(void) {
  char* foreign = (char*)malloc(64);
  const char* out;
  strcpy(foreign, "{\"tool_name\":\"x\"}");
  begin();
  add_with(registry, 3, answers_foreign, &foreign, "malloc", 0, 0);
  add_with(registry, 3, answers_context, NULL, "context", 0, 0);
  add_with(registry, 3, answers_without_end, NULL, "endless", 0, 0);
  out = dispatch(registry, 3, kTool);
  CHECK_HAS(out, "\"action\":\"proceed\"");
  CHECK_HAS(out, "hook \\\"malloc\\\" at PRE_TOOL_CALL: answer not allocated with lh_alloc");
  CHECK_HAS(out, "hook \\\"context\\\" at PRE_TOOL_CALL: answer not allocated with lh_alloc");
  CHECK_HAS(out, "hook \\\"endless\\\" at PRE_TOOL_CALL: answer without a NUL at its end");
  CHECK(lh_hook_clear(registry, -1) == LH_OK);
  strcpy(foreign, "veto"); /* a veto is valid even if its reason cannot be read */
  add_with(registry, 3, answers_foreign, &foreign, "malloc", 0, 0);
  out = dispatch(registry, 3, kTool);
  CHECK_HAS(out, "\"reason\":\"no reason given\",\"status\":null");
  CHECK_HAS(out, "\"outcome\":\"cancelled\"");
  CHECK_HAS(out, "HOOK_BAD_ANSWER");
  end();
  free(foreign);
}

/* Without a receiver of warnings and without a log callback, a C program reads the first failure on stderr. */
static void the_first_failure_is_a_line_on_stderr(void) {
#ifndef _WIN32
  struct script fails = {0, NULL, LH_ERR_HOOK_FAILED, 0, 0, ""};
  char line[1024] = "";
  FILE* const file = tmpfile();
  const int kept = dup(STDERR_FILENO);
  if (!CHECK(file != NULL && kept >= 0)) return;
  begin();
  add_script(registry, 3, &fails, "grumpy", 0);
  fflush(stderr);
  CHECK(dup2(fileno(file), STDERR_FILENO) >= 0);
  dispatch(registry, 3, kTool);
  dispatch(registry, 3, kTool);
  fflush(stderr);
  CHECK(dup2(kept, STDERR_FILENO) >= 0);
  end();
  rewind(file);
  CHECK(fgets(line, sizeof line, file) != NULL);
  CHECK_HAS(line, "llama-hooks: ");
  CHECK_HAS(line, "grumpy");
  CHECK_HAS(line, "PRE_TOOL_CALL");
  CHECK_HAS(line, "boom");
  CHECK(fgets(line, sizeof line, file) == NULL); /* the second failure is only counted */
  fclose(file);
  close(kept);
#endif
}

int main(void) {
  const int64_t before = lh_alloc_balance();
  bad_answers_are_failures();
  failing_closed_is_a_cancel_at_pre_points();
  only_some_statuses_are_failures_of_a_call();
  foreign_memory_is_reported_and_never_freed();
  the_first_failure_is_a_line_on_stderr();
  CHECK(lh_alloc_balance() == before + 1); /* the last dispatch's result */
  return check_result("hooks_failures_test");
}
