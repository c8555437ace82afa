/* Questions that a tool asks the user while it runs, from C with the bundled model: the tool waits on the run thread.
 * Arguments: the folder of the libraries, the model. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "engine_outcome.h"
#include "engine_with_model.h"
#include "llama_hooks/engine.h"
#include "weather_tool.h"

static lh_engine* engine;
static struct outcome answered; /* as the tool received it */

static const char kQuestion[] =
    "{\"message\": \"Which unit?\", \"schema\": {\"type\": \"object\", \"properties\": {\"unit\": {\"enum\": "
    "[\"C\", \"F\"]}, \"note\": {\"type\": \"string\", \"pattern\": \"^[a-z ]+$\"}}, \"required\": [\"unit\"]}}";

static void refused(uint64_t call, const char* request, lh_status status, const char* why) {
  struct outcome outcome;
  lh_task* task = NULL;
  char* error = NULL;
  lh_task_callbacks callbacks = callbacks_for(&outcome);
  CHECK(lh_tool_elicit(engine, call, request, &callbacks, &task, &error) == status && task == NULL);
  CHECK_HAS(error, why);
  lh_free(error);
}

static int asks(const char* call_json, char** result, void* user_data) {
  const uint64_t call = lh_call_id();
  lh_task* task = NULL;
  lh_task_callbacks callbacks = callbacks_for(&answered);
  ++((struct tool*)user_data)->calls;
  CHECK_HAS(call_json, "\"session_id\":\"session-");
  refused(call, NULL, LH_ERR_INVALID_ARGUMENT, "request");
  refused(call, "{\"message\": \"\"}", LH_ERR_INVALID_ARGUMENT, "request.message");
  refused(call, "{\"message\": \"?\", \"schema\": 5}", LH_ERR_INVALID_ARGUMENT, "schema");
  refused(call, "{\"message\": \"?\", \"schema\": false}", LH_ERR_INVALID_ARGUMENT, "request.schema must be an object");
  refused(call, "{\"message\": \"?\", \"schema\": {\"type\": \"string\"}}", LH_ERR_INVALID_ARGUMENT, "of an object");
  CHECK(lh_tool_report(call, "", "no ink", NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(lh_tool_report(call + 1000, "NO_INK", "no ink", NULL) == LH_ERR_NOT_FOUND);
  CHECK(lh_tool_report(call, "NO_INK", "no ink", NULL) == LH_OK);
  refused(call + 1000, kQuestion, LH_ERR_NOT_FOUND, "over");
  CHECK(lh_tool_elicit(engine, call, kQuestion, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(answered.status == LH_OK && answered.ends == 1);
  *result = lh_strdup("{\"city\": \"Oslo\", \"temp_c\": 4, \"condition\": \"rain\"}");
  return 0;
}

/* A tool may not ask while its arguments are checked. */
static int checks(const char* call_json, char** result, void* user_data) {
  (void)call_json;
  (void)result;
  ++((struct tool*)user_data)->checks;
  refused(lh_call_id(), kQuestion, LH_ERR_INVALID_ARGUMENT, "only the run of a tool may ask the user");
  return 0;
}

static char reported[1024];

static int keeps_error(lh_hook_point point, const char* context_json, char** modified_json, void* user_data) {
  (void)modified_json;
  (void)user_data;
  CHECK(point == LH_HOOK_ON_ERROR);
  snprintf(reported, sizeof reported, "%s", context_json);
  return 0;
}

struct person {
  const char* answer;
  char seen[1024];
};

static int answers(lh_hook_point point, const char* context_json, char** modified_json, void* user_data) {
  struct person* person = (struct person*)user_data;
  CHECK(point == LH_HOOK_ON_ELICITATION);
  snprintf(person->seen, sizeof person->seen, "%s", context_json);
  *modified_json = lh_strdup(person->answer);
  return 0;
}

static void told(const char* answer, const char* json) {
  struct tool state;
  struct outcome outcome;
  struct person person = {answer, ""};
  uint64_t hook = 0;
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  lh_tool tool = weather(asks, checks, &state);
  options.name = "person";
  if (answer != NULL) {
    CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_ELICITATION, answers, &person, &options, &hook, NULL) ==
          LH_OK);
  }
  run_once(engine, &tool, &outcome);
  CHECK(state.calls == 1 && state.checks == 1);
  CHECK_HAS(answered.json, json);
  if (answer == NULL) return;
  CHECK_HAS(person.seen, "\"message\":\"Which unit?\"");
  CHECK_HAS(person.seen, "\"action\":\"decline\",\"content\":null");
  CHECK(lh_hook_remove(lh_engine_hooks(engine), hook) == LH_OK);
}

int main(int argc, char** argv) {
  uint64_t errors = 0;
  if (argc < 3) return 2;
  engine = engine_with_model(argv[1], argv[2]);
  if (engine == NULL) return 1;
  CHECK(lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_ERROR, keeps_error, NULL, NULL, &errors, NULL) == LH_OK);
  told(NULL, "{\"action\":\"decline\"}");
  CHECK_HAS(reported, "\"code\":\"NO_INK\",\"message\":\"no ink\"");
  CHECK_HAS(reported, "\"run_id\":\"run-");
  CHECK(lh_hook_remove(lh_engine_hooks(engine), errors) == LH_OK);
  told("{\"action\": \"accept\", \"content\": {\"unit\": \"C\", \"note\": \"if you can\"}}",
       "{\"action\":\"accept\",\"by\":\"person\",\"content\":{\"unit\":\"C\",\"note\":\"if you can\"}}");
  told("{\"action\": \"accept\", \"content\": {\"unit\": \"K\"}}",
       "\"action\":\"decline\",\"by\":\"person\",\"reason\":\"the content does not fit the schema: unit ");
  told("{\"action\": \"cancel\"}", "{\"action\":\"cancel\",\"by\":\"person\"}");
  refused(1, kQuestion, LH_ERR_NOT_FOUND, "over");
  lh_engine_free(engine);
  CHECK(lh_alloc_balance() == 0);
  return check_result("engine_elicit_test");
}
