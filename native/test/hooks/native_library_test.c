/* Hooks in shared libraries, from C. Run with the folder of the fixtures as its argument. */
#define _POSIX_C_SOURCE 200809L
#include "c_hooks.h"

static char path[4096];

static const char* in(const char* folder, const char* file) {
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return path;
}

static void refused(lh_registry* registry, const char* file, const char* symbol, int32_t point, lh_status wanted,
                    const char* part) {
  char* error = NULL;
  uint64_t id = 99;
  CHECK(lh_hook_add_native(registry, file, symbol, point, NULL, &id, &error) == wanted);
  CHECK_HAS(error, part);
  CHECK(id == 99);
  lh_free(error);
}

static void refused_with(lh_registry* registry, const char* file, const lh_hook_options* options) {
  char* error = NULL;
  uint64_t id = 99;
  CHECK(lh_hook_add_native(registry, file, NULL, -1, options, &id, &error) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "options of its own");
  CHECK(id == 99 && lh_hook_has(registry, LH_HOOK_PRE_TOOL_CALL) == 0);
  lh_free(error);
}

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : ".";
  const int64_t before = lh_alloc_balance();
  lh_registry* registry = new_registry();
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  char* error = NULL;
  uint64_t id = 0;

  options.name = "redact";
  CHECK(lh_hook_add_native(registry, in(folder, "entropic_hook.so"), "redact", LH_HOOK_POST_TOOL_CALL, &options, &id,
                           &error) == LH_OK);
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, "{\"result\":\"a secret\"}"), "\"result\":\"[redacted]\"");
  CHECK_HAS(dispatch(registry, LH_HOOK_POST_TOOL_CALL, "{\"result\":\"open\"}"), "\"result\":\"open\"");
  CHECK(lh_hook_remove(registry, id) == LH_OK);
  CHECK(lh_hook_add_native(registry, path, "refuse", LH_HOOK_PRE_GENERATE, NULL, &id, &error) == LH_OK);
  CHECK_HAS(dispatch(registry, LH_HOOK_PRE_GENERATE, "{}"), "\"reason\":\"not today\"");

  refused(registry, path, "redact", 999, LH_ERR_UNKNOWN_HOOK_POINT, "UNKNOWN_HOOK_POINT");
  refused(registry, path, "no_such_function", 3, LH_ERR_SYMBOL_NOT_FOUND, "no_such_function");
  refused(registry, path, NULL, -1, LH_ERR_SYMBOL_NOT_FOUND, "lh_plugin_register");
  refused(registry, path, NULL, 3, LH_ERR_INVALID_ARGUMENT, "symbol");
  refused(registry, in(folder, "missing.so"), "redact", 3, LH_ERR_LIBRARY_NOT_LOADED, "missing.so");
  refused(registry, "missing.so", "redact", 3, LH_ERR_LIBRARY_NOT_LOADED, "missing.so");
  refused(registry, NULL, "redact", 3, LH_ERR_INVALID_ARGUMENT, "path");

  CHECK(lh_hook_add_native(registry, in(folder, "plugin.so"), NULL, -1, NULL, &id, &error) == LH_OK);
  CHECK(id == 0);
  CHECK_HAS(dispatch(registry, LH_HOOK_PRE_TOOL_CALL, "{\"tool_name\":\"x\"}"), "\"tool_name\":\"from_plugin\"");
  CHECK(lh_hook_clear(registry, -1) == LH_OK);
  refused_with(registry, path, &options); /* a name, which the plug-in's hooks would not have */
  options.name = NULL;
  options.fields = "[\"args\"]";
  refused_with(registry, path, &options);

  /* Without symbols of the process: only the functions that the host passes. */
  CHECK(lh_hook_add_native(registry, in(folder, "host_plugin.so"), NULL, -1, NULL, &id, &error) == LH_OK);
  CHECK_HAS(dispatch(registry, LH_HOOK_PRE_TOOL_CALL, "{\"tool_name\":\"x\"}"), "\"tool_name\":\"from_host_plugin\"");
  CHECK_HAS(dispatch(registry, LH_HOOK_PRE_TOOL_CALL, "{\"tool_name\":\"pass\"}"), "\"hooks\":[]");
  CHECK_HAS(dispatch(registry, LH_HOOK_PRE_TOOL_CALL, "{\"tool_name\":\"fail\"}"), "by the plug-in's own choice");
  CHECK(lh_hook_clear(registry, -1) == LH_OK);

  refused(registry, in(folder, "throwing_plugin.so"), NULL, -1, LH_ERR_HOOK_FAILED, "not today");
  CHECK(lh_hook_has(registry, LH_HOOK_PRE_TOOL_CALL) == 1); /* what it had added stays */
  CHECK(lh_hook_clear(registry, -1) == LH_OK);

  in(folder, "plugin.so");
  setenv("LH_TEST_PLUGIN_FAILS", "1", 1);
  refused(registry, path, NULL, -1, LH_ERR_CLOSED, "CLOSED");
  CHECK(lh_hook_has(registry, LH_HOOK_PRE_TOOL_CALL) == 1); /* what it had added stays */

  CHECK(error == NULL);
  lh_registry_free(registry);
  CHECK(lh_alloc_balance() == before + 1); /* the last dispatch's result */
  return check_result("native_library_test");
}
