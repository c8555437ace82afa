/* An engine whose models compute in a separate process: the whole life of that process, and its death.
 * Arguments: the folder of the libraries, a model, llama_hooks_host. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "check.h"
#include "engine_outcome.h"
#include "llama_hooks/engine.h"

#define DEATHS 12

static lh_engine* engine;
static struct outcome outcome;

static void load(const char* model) {
  char options[1024];
  lh_task* task = NULL;
  lh_task_callbacks callbacks = callbacks_for(&outcome);
  snprintf(options, sizeof options, "{\"path\": \"%s\", \"threads\": 1, \"context_size\": 256}", model);
  CHECK(lh_model_load(engine, "m", options, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(outcome.status == LH_OK);
}

static int host_pid(void) {
  char* info = NULL;
  int pid = 0;
  CHECK(lh_system_info(engine, &info) == LH_OK);
  const char* at = info == NULL ? NULL : strstr(info, "\"process\":");
  if (CHECK(at != NULL)) pid = atoi(at + strlen("\"process\":"));
  lh_free(info);
  return pid;
}

static void generate(const char* request) {
  lh_task* task = NULL;
  lh_task_callbacks callbacks = callbacks_for(&outcome);
  CHECK(lh_generate(engine, request, &callbacks, &task, NULL) == LH_OK);
  end(task);
}

/* On the thread of the run: the first token is there, and many are to come. */
static int kill_host(int32_t point, const char* context_json, char** modified_json, void* user_data) {
  int* const pid = (int*)user_data;
  (void)point;
  (void)context_json;
  (void)modified_json;
  if (*pid != 0) kill((pid_t)*pid, SIGKILL);
  *pid = 0;
  return 0;
}

static void test_idle_deaths(void) {
  int deaths;
  for (deaths = 0; deaths < DEATHS; ++deaths) {
    const int pid = host_pid();
    CHECK(pid > 0 && kill((pid_t)pid, SIGKILL) == 0);
    while (host_pid() == pid) usleep(1000);
    CHECK(host_pid() == 0);
    generate("{\"prompt\": \"Hi\", \"params\": {\"max_tokens\": 4}}");
    CHECK(outcome.status == LH_OK);
  }
}

static void test_deaths_at_work(void) {
  uint64_t id = 0;
  int pid = 0;
  int deaths;
  lh_registry* hooks = lh_engine_hooks(engine);
  CHECK(lh_hook_add(hooks, LH_HOOK_ON_STREAM_TOKEN, kill_host, &pid, NULL, &id, NULL) == LH_OK);
  for (deaths = 0; deaths < 3; ++deaths) {
    pid = host_pid();
    CHECK(pid > 0);
    generate("{\"messages\": [{\"role\": \"user\", \"content\": \"ENDLESS\"}], \"params\": {\"max_tokens\": 200}}");
    CHECK(outcome.status == LH_ERR_ENGINE_CRASHED);
    CHECK_HAS(outcome.json, "ended by signal 9");
    CHECK_HAS(outcome.json, "it was at work for");
    if (deaths < 2) generate("{\"prompt\": \"Hi\", \"params\": {\"max_tokens\": 4}}");
    if (deaths < 2) CHECK(outcome.status == LH_OK);
  }
  generate("{\"prompt\": \"Hi\"}");
  CHECK(outcome.status == LH_ERR_ENGINE_CRASHED);
  CHECK_HAS(outcome.json, "is refused for");
  CHECK(lh_hook_remove(hooks, id) == LH_OK);
}

static void test_options(const char* libraries, const char* host) {
  char options[1024];
  lh_engine* none = NULL;
  char* error = NULL;
  snprintf(options, sizeof options, "{\"libraries\": \"%s\", \"isolation\": \"process\"}", libraries);
  CHECK(lh_engine_create(options, &none, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "host_program");
  lh_free(error);
  snprintf(options, sizeof options,
           "{\"libraries\": \"%s\", \"isolation\": \"process\", \"host_program\": \"%s.gone\"}", libraries, host);
  CHECK(lh_engine_create(options, &none, &error) == LH_ERR_BACKEND_UNAVAILABLE);
  CHECK_HAS(error, ".gone");
  lh_free(error);
  snprintf(options, sizeof options,
           "{\"libraries\": \"/nowhere\", \"isolation\": \"process\", \"host_program\": \"%s\", \"gpu\": false}", host);
  CHECK(lh_engine_create(options, &none, &error) == LH_ERR_BACKEND_UNAVAILABLE);
  CHECK_HAS(error, "/nowhere");
  lh_free(error);
  {
    char program[] = "/tmp/llama-hooks-host-XXXXXX";
    const int file = mkstemp(program);
    static const char kScript[] = "#!/bin/sh\nprintf 'no \\033[31mdriver\\007\\n' >&2\nexit 3\n";
    CHECK(file >= 0 && write(file, kScript, sizeof kScript - 1) == (ssize_t)(sizeof kScript - 1));
    CHECK(fchmod(file, 0700) == 0 && close(file) == 0);
    snprintf(options, sizeof options, "{\"libraries\": \"%s\", \"isolation\": \"process\", \"host_program\": \"%s\"}",
             libraries, program);
    CHECK(lh_engine_create(options, &none, &error) == LH_ERR_BACKEND_UNAVAILABLE);
    CHECK_HAS(error, "its last lines: no \\\\u001b[31mdriver\\\\u0007"); /* escaped once more by JSON */
    lh_free(error);
    CHECK(unlink(program) == 0);
  }
  snprintf(options, sizeof options, "{\"libraries\": \"%s\", \"rpc\": [\"127.0.0.1:50052\"]}", libraries);
  CHECK(lh_engine_create(options, &none, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "options.rpc needs isolation");
  lh_free(error);
  snprintf(
      options, sizeof options,
      "{\"libraries\": \"%s\", \"isolation\": \"process\", \"host_program\": \"%s\", \"rpc\": [\"127.0.0.1:50052\"]}",
      libraries, host);
  CHECK(lh_engine_create(options, &none, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "options.rpc needs rpc_module");
  lh_free(error);
  CHECK(none == NULL);
}

int main(int argc, char** argv) {
  char options[1024];
  char* error = NULL;
  if (argc != 4) return 2;
  test_options(argv[1], argv[3]);
  snprintf(options, sizeof options,
           "{\"libraries\": \"%s\", \"gpu\": false, \"isolation\": \"process\", \"host_program\": \"%s\"}", argv[1],
           argv[3]);
  if (!CHECK(lh_engine_create(options, &engine, &error) == LH_OK)) return 1;
  load(argv[2]);
  generate("{\"prompt\": \"Hi\", \"params\": {\"max_tokens\": 4}}");
  CHECK(outcome.status == LH_OK);
  test_idle_deaths();
  test_deaths_at_work();
  lh_engine_free(engine);
  CHECK(lh_left_behind() == 0);
  return check_result("engine_isolation_test");
}
