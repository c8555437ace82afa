/* The situation inside Node: the library is a module opened with local symbols, and a hook library needs its allocator.
 * Arguments: the module, the folder of the fixtures. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdio.h>

#include "check.h"
#include "llama_hooks/hooks.h"

/* ISO C has no conversion from void * to a function pointer; POSIX promises that the bytes are the same. */
static void find(void* module, const char* name, void* function) {
  void* address = dlsym(module, name);
  CHECK(address != NULL);
  memcpy(function, &address, sizeof address);
}

int main(int argc, char** argv) {
  lh_status (*create)(lh_registry**) = NULL;
  void (*destroy)(lh_registry*) = NULL;
  void (*give_back)(void*) = NULL;
  int64_t (*balance)(void) = NULL;
  lh_status (*add)(lh_registry*, const char*, const char*, lh_hook_point, const lh_hook_options*, uint64_t*, char**) =
      NULL;
  lh_status (*run)(lh_registry*, lh_hook_point, const char*, char**, char**) = NULL;
  lh_registry* registry = NULL;
  char path[4096];
  char* out = NULL;
  char* error = NULL;
  uint64_t id = 0;
  void* module = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!CHECK(module != NULL)) return 1;
  CHECK(dlsym(RTLD_DEFAULT, "entropic_alloc") == NULL); /* the condition that is tested */
  find(module, "lh_registry_create", &create);
  find(module, "lh_registry_free", &destroy);
  find(module, "lh_free", &give_back);
  find(module, "lh_alloc_balance", &balance);
  find(module, "lh_hook_add_native", &add);
  find(module, "lh_hook_dispatch", &run);
  snprintf(path, sizeof path, "%s/entropic_hook.so", argv[2]);
  CHECK(create(&registry) == LH_OK);
  CHECK(add(registry, path, "redact", LH_HOOK_POST_TOOL_CALL, NULL, &id, &error) == LH_OK);
  CHECK(error == NULL);
  CHECK(run(registry, LH_HOOK_POST_TOOL_CALL, "{\"result\":\"a secret\"}", &out, &error) == LH_OK);
  CHECK_HAS(out, "\"result\":\"[redacted]\"");
  give_back(out);
  give_back(error);
  destroy(registry);
  CHECK(balance() == 0);
  return check_result("local_symbols_test");
}
