/* Answers of hooks and their effects, from C: changes, cancels, drops, holds. */
#include "c_hooks.h"

static lh_registry* registry;

static void begin(void) { registry = new_registry(); }
static void end(void) { lh_registry_free(registry); }

static const char* kTool =
    "{\"tool_name\":\"shell\",\"args\":{\"cmd\":\"ls\"},\"tool_call_id\":\"c1\",\"iteration\":2}";

static void hooks_chain_and_left_out_fields_stay(void) {
  struct script first = {0, "{\"args\":{\"cmd\":\"pwd\"}}", 0, 0, 0, ""};
  struct script second = {0, "{\"tool_name\":\"sh\"}", 0, 0, 0, ""};
  struct script original = {0, NULL, 0, 0, 0, ""};
  struct script last = {0, NULL, 0, 0, 0, ""};
  const char* out;
  begin();
  add_script(registry, 3, &first, "first", 0);
  add_script(registry, 3, &second, "second", 0);
  add_script(registry, 3, &original, "original", LH_HOOK_ORIGINAL_CONTEXT);
  add_script(registry, 3, &last, "last", LH_HOOK_GUARD);
  out = dispatch(registry, 3, kTool);
  CHECK_HAS(out,
            "\"context\":{\"tool_name\":\"sh\",\"args\":{\"cmd\":\"pwd\"},\"tool_call_id\":\"c1\",\"iteration\":2}");
  CHECK_HAS(out, "\"action\":\"modified\",\"decided_by\":null,\"reason\":null,\"status\":null");
  CHECK_HAS(out, "\"name\":\"first\",\"outcome\":\"modified\",\"fields\":[\"args\"]");
  CHECK_HAS(out, "\"name\":\"last\",\"outcome\":\"proceed\",\"fields\":[]");
  CHECK_HAS(second.seen, "\"tool_name\":\"shell\",\"args\":{\"cmd\":\"pwd\"}");
  CHECK_HAS(second.seen, "{\"meta\":{\"point\":3");
  CHECK_HAS(original.seen, "\"args\":{\"cmd\":\"ls\"}");
  CHECK_HAS(last.seen, "\"tool_name\":\"sh\",\"args\":{\"cmd\":\"pwd\"}");
  end();
}

static void with_the_original_context_the_last_writer_wins(void) {
  struct script first = {0, "one", 0, 0, 0, ""};
  struct script second = {0, "two", 0, 0, 0, ""};
  begin();
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &first, "first", LH_HOOK_ORIGINAL_CONTEXT);
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &second, "second", LH_HOOK_ORIGINAL_CONTEXT);
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, "{\"result\":\"raw\"}"), "\"context\":{\"result\":\"two\"}");
  CHECK_HAS(second.seen, "\"result\":\"raw\"");
  end();
}

static void a_cancel_stops_at_once(void) {
  struct script allows = {0, NULL, 0, 0, 0, ""};
  struct script vetoes = {1, "not \"here\"", 0, 0, 0, ""};
  struct script later = {0, NULL, 0, 0, 0, ""};
  const char* out;
  begin();
  add_script(registry, 3, &allows, "allows", 0);
  add_script(registry, 3, &vetoes, "vetoes", 0);
  add_script(registry, 3, &later, "later", 0);
  out = dispatch(registry, 3, kTool);
  CHECK_HAS(out,
            "\"action\":\"cancelled\",\"decided_by\":{\"id\":2,\"name\":\"vetoes\"},"
            "\"reason\":\"not \\\"here\\\"\",\"status\":null");
  CHECK(allows.calls == 1 && later.calls == 0);
  vetoes.answer = NULL;
  CHECK_HAS(dispatch(registry, 3, kTool), "\"reason\":\"no reason given\"");
  vetoes.answer = " \t\xff\n";
  CHECK_HAS(dispatch(registry, 3, kTool), "\"reason\":\"no reason given\"");
  vetoes.answer = "bad \xff byte";
  CHECK_HAS(dispatch(registry, 3, kTool), "\"reason\":\"bad \xEF\xBF\xBD byte\"");
  end();
}

static void posts_and_infos_cannot_cancel(void) {
  struct script vetoes = {1, "replaced", 0, 0, 0, ""};
  begin();
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &vetoes, "vetoes", 0);
  add_script(registry, LH_HOOK_ON_LOOP_END, &vetoes, "vetoes", 0);
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, "{\"result\":\"raw\"}"), "\"result\":\"replaced\"");
  CHECK_HAS(dispatch(registry, LH_HOOK_ON_LOOP_END, "{}"), "\"action\":\"proceed\"");
  CHECK_HAS(dispatch(registry, LH_HOOK_ON_LOOP_END, "{}"), "\"outcome\":\"observed\"");
  end();
}

static void observers_are_not_heard(void) {
  struct script watcher = {1, "{\"tool_name\":\"x\"}", 0, 0, 0, ""};
  begin();
  add_script(registry, 3, &watcher, "watcher", LH_HOOK_OBSERVE);
  CHECK_HAS(dispatch(registry, 3, kTool), "\"action\":\"proceed\"");
  CHECK_HAS(dispatch(registry, 3, kTool), "\"outcome\":\"observed\"");
  CHECK_HAS(dispatch(registry, 3, kTool), "\"tool_name\":\"shell\"");
  end();
}

static int returns_what_it_got(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point, (void)user_data;
  *answer = lh_strdup(context);
  return 0;
}

static void a_whole_context_is_a_fine_answer(void) {
  struct script reordered = {
      0, "{\"iteration\":2.0,\"tool_call_id\":\"c1\",\"tool_name\":\"x\",\"args\":{\"cmd\":\"ls\"}}", 0, 0, 0, ""};
  begin();
  add_with(registry, 3, returns_what_it_got, NULL, "echo", 0, 0);
  CHECK_HAS(dispatch(registry, 3, kTool), "\"outcome\":\"proceed\",\"fields\":[]");
  CHECK_HAS(dispatch(registry, 3, kTool), "\"action\":\"proceed\"");
  CHECK(lh_hook_clear(registry, -1) == LH_OK);
  add_script(registry, 3, &reordered, "reordered", 0);
  CHECK_HAS(dispatch(registry, 3, kTool), "\"tool_name\":\"x\"");
  CHECK_HAS(dispatch(registry, 3, kTool), "\"outcome\":\"modified\",\"fields\":[\"tool_name\"]");
  CHECK_HAS(dispatch(registry, LH_HOOK_ON_COMPLETE, "{}"), "\"action\":\"proceed\"");
  end();
}

static void a_field_that_equals_the_one_shown_is_no_answer(void) {
  struct script first = {0, "{\"tool_name\":\"sh\",\"response\":\"given\"}", 0, 0, 0, ""};
  const char* out;
  char* list = NULL;
  begin();
  add_script(registry, 3, &first, "first", 0);
  add_with(registry, 3, returns_what_it_got, NULL, "original", 0, LH_HOOK_ORIGINAL_CONTEXT);
  add_with(registry, 3, returns_what_it_got, NULL, "chained", 0, 0);
  add_with(registry, 3, returns_what_it_got, NULL, "guard", 0, LH_HOOK_GUARD);
  out = dispatch(registry, 3, kTool);
  CHECK_HAS(out, "\"action\":\"modified\"");
  CHECK_HAS(out, "\"name\":\"original\",\"outcome\":\"proceed\",\"fields\":[]");
  CHECK_HAS(out, "\"name\":\"chained\",\"outcome\":\"proceed\",\"fields\":[]");
  CHECK_HAS(out, "\"name\":\"guard\",\"outcome\":\"proceed\",\"fields\":[]");
  CHECK_HAS(out, "\"context\":{\"tool_name\":\"sh\"");
  CHECK(lh_hook_list(registry, &list) == LH_OK);
  CHECK_HAS(list,
            "\"name\":\"original\",\"point\":3,\"location\":null,\"when\":null,\"session_id\":null,\"fired\":1,"
            "\"matched\":1,\"calls\":1,\"modifications\":0,");
  CHECK_HAS(list, "\"priority\":0,\"deadline_ms\":0,\"flags\":[\"original_context\"],\"fields\":null}");
  lh_free(list);
  end();
}

static void text_that_equals_the_text_shown_is_no_answer(void) {
  struct script same = {0, "say \"\xC3\xA9\"\n", 0, 0, 0, ""};
  struct script other = {0, "other", 0, 0, 0, ""};
  const char* context = "{\"result\":\"say \\\"\\u00e9\\\"\\n\",\"is_error\":false}";
  begin();
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &same, "same", 0);
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, context), "\"action\":\"proceed\"");
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, context), "\"outcome\":\"proceed\",\"fields\":[]");
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, "{\"result\":\"raw\"}"), "\"outcome\":\"modified\"");
  CHECK(lh_hook_clear(registry, -1) == LH_OK);
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &other, "other", 0);
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &other, "again", 0); /* the text that the first returned */
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &same, "original", LH_HOOK_ORIGINAL_CONTEXT);
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, context), "\"name\":\"again\",\"outcome\":\"proceed\"");
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, context), "\"context\":{\"result\":\"other\"");
  end();
}

static void a_guard_sees_what_stands_in_the_stead(void) {
  struct script gives = {0, "{\"response\":\"forged\"}", 0, 0, 0, ""};
  struct script original = {0, NULL, 0, 0, 0, ""};
  struct script guard = {1, "not that", 0, 0, 0, ""};
  begin();
  add_script(registry, LH_HOOK_PRE_GENERATE, &guard, "guard", LH_HOOK_GUARD);
  add_script(registry, LH_HOOK_PRE_GENERATE, &gives, "gives", 0);
  add_script(registry, LH_HOOK_PRE_GENERATE, &original, "original", LH_HOOK_ORIGINAL_CONTEXT);
  CHECK_HAS(dispatch(registry, LH_HOOK_PRE_GENERATE, "{\"tier\":null}"), "\"reason\":\"not that\"");
  CHECK_HAS(guard.seen, "\"tier\":null,\"response\":\"forged\"}");
  CHECK_LACKS(original.seen, "response");
  end();
}

static void a_drop_ends_the_dispatch(void) {
  struct script drops = {0, "{\"drop\":true}", 0, 0, 0, ""};
  struct script later = {0, NULL, 0, 0, 0, ""};
  const char* out;
  begin();
  add_script(registry, LH_HOOK_ON_STREAM_TOKEN, &drops, "drops", LH_HOOK_JSON_RESULT);
  add_script(registry, LH_HOOK_ON_STREAM_TOKEN, &later, "later", 0);
  out = dispatch(registry, LH_HOOK_ON_STREAM_TOKEN, "{\"text\":\"secret\"}");
  CHECK_HAS(out, "\"answers\":{\"drop\":true}");
  CHECK(drops.calls == 1 && later.calls == 0);
  drops.answer = "{\"drop\":false}";
  dispatch(registry, LH_HOOK_ON_STREAM_TOKEN, "{\"text\":\"open\"}");
  CHECK(later.calls == 1);
  end();
}

static void a_hold_ends_the_dispatch_unless_it_is_the_last(void) {
  struct script holds = {0, "{\"hold\":true}", 0, 0, 0, ""};
  struct script later = {0, NULL, 0, 0, 0, ""};
  begin();
  add_script(registry, LH_HOOK_ON_STREAM_TOKEN, &holds, "holds", LH_HOOK_JSON_RESULT);
  add_script(registry, LH_HOOK_ON_STREAM_TOKEN, &later, "later", 0);
  CHECK_HAS(dispatch(registry, LH_HOOK_ON_STREAM_TOKEN, "{\"text\":\"sec\"}"), "\"answers\":{\"hold\":true}");
  CHECK(holds.calls == 1 && later.calls == 0);
  dispatch(registry, LH_HOOK_ON_STREAM_TOKEN, "{\"text\":\"sec\",\"final\":true}");
  CHECK(holds.calls == 2 && later.calls == 1);
  end();
}

static int passes(int32_t point, const char* context, char** answer, void* user_data) {
  (void)point, (void)context;
  ++*(int*)user_data;
  CHECK(lh_call_pass() == LH_OK);
  *answer = lh_strdup("{\"tool_name\":\"x\"}");
  return 1;
}

static void a_call_that_was_not_for_the_hook_leaves_no_trace(void) {
  int calls = 0;
  char* list = NULL;
  begin();
  CHECK(lh_call_pass() == LH_ERR_INVALID_ARGUMENT);
  add_with(registry, 3, passes, &calls, "passes", 0, LH_HOOK_GUARD);
  CHECK_HAS(dispatch(registry, 3, kTool), "\"hooks\":[]");
  CHECK_HAS(dispatch(registry, 3, kTool), "\"tool_name\":\"shell\"");
  CHECK(calls == 2);
  CHECK(lh_hook_list(registry, &list) == LH_OK);
  CHECK_HAS(list, "\"calls\":0,\"modifications\":0,\"cancels\":0,\"failures\":0,\"total_us\":0.0");
  lh_free(list);
  end();
}

static void fields_that_only_an_answer_has(void) {
  struct script early = {0, "{\"response\":\"early\"}", 0, 0, 0, ""};
  struct script late = {0, "{\"response\":\"late\"}", 0, 0, 0, ""};
  const char* out;
  begin();
  add_script(registry, 3, &early, "early", 0);
  add_script(registry, 3, &late, "late", 0);
  out = dispatch(registry, 3, kTool);
  CHECK_HAS(out, "\"answers\":{\"response\":\"late\"}");
  CHECK_HAS(out, "\"action\":\"modified\"");
  CHECK_HAS(out, "\"context\":{\"tool_name\":\"shell\"");
  CHECK_HAS(late.seen, "\"response\":\"early\"");
  end();
}

static void collected_fields_are_joined(void) {
  struct script one = {0, "{\"parts\":[\"one\"]}", 0, 0, 0, ""};
  struct script two = {0, "{\"parts\":[\"two\",\"three\"]}", 0, 0, 0, ""};
  const char* out;
  begin();
  add_script(registry, LH_HOOK_ON_BOOTSTRAP, &one, "one", 0);
  add_with(registry, LH_HOOK_ON_BOOTSTRAP, returns_what_it_got, NULL, "echo", 0, 0);
  add_script(registry, LH_HOOK_ON_BOOTSTRAP, &two, "two", 0);
  out = dispatch(registry, LH_HOOK_ON_BOOTSTRAP, "{\"tier\":\"lead\",\"parts\":[]}");
  CHECK_HAS(out, "\"answers\":{\"parts\":[\"one\",\"two\",\"three\"]}");
  CHECK_HAS(two.seen, "\"parts\":[\"one\"]");
  end();
}

static void text_points_take_text_or_json(void) {
  struct script text = {0, "{\"not\": json", 0, 0, 0, ""};
  struct script json = {0, "{\"result\":\"from json\",\"is_error\":true}", 0, 0, 0, ""};
  begin();
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &text, "text", 0);
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, "{\"result\":\"raw\",\"is_error\":false}"),
            "\"context\":{\"result\":\"{\\\"not\\\": json\",\"is_error\":false}");
  text.answer = "";
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, "{\"result\":\"raw\"}"), "\"result\":\"\"");
  add_script(registry, LH_HOOK_POST_TOOL_CALL, &json, "json", LH_HOOK_JSON_RESULT);
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, "{\"result\":\"raw\",\"is_error\":false}"),
            "\"context\":{\"result\":\"from json\",\"is_error\":true}");
  end();
}

int main(void) {
  const int64_t before = lh_alloc_balance();
  hooks_chain_and_left_out_fields_stay();
  with_the_original_context_the_last_writer_wins();
  a_cancel_stops_at_once();
  posts_and_infos_cannot_cancel();
  observers_are_not_heard();
  a_whole_context_is_a_fine_answer();
  a_field_that_equals_the_one_shown_is_no_answer();
  text_that_equals_the_text_shown_is_no_answer();
  a_guard_sees_what_stands_in_the_stead();
  a_drop_ends_the_dispatch();
  a_hold_ends_the_dispatch_unless_it_is_the_last();
  a_call_that_was_not_for_the_hook_leaves_no_trace();
  fields_that_only_an_answer_has();
  collected_fields_are_joined();
  text_points_take_text_or_json();
  CHECK(lh_alloc_balance() == before + 1); /* the last dispatch's result */
  return check_result("hooks_answers_test");
}
