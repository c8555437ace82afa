/* Hooks and dispatch for the C tests: a hook whose behaviour is its user data.
 * Must not: use anything but hooks.h. */
#ifndef LLAMA_HOOKS_TEST_C_HOOKS_H
#define LLAMA_HOOKS_TEST_C_HOOKS_H

#include <stdlib.h>

#include "check.h"
#include "llama_hooks/hooks.h"

/* The behaviour of a scripted hook, and the context that it received. */
struct script {
  int returns;
  const char* answer; /* copied to a block of lh_alloc, or NULL */
  lh_status fails;    /* reported with lh_call_fail when not LH_OK */
  int calls;
  int released;
  char seen[1024];
};

static inline int scripted(int32_t point, const char* context, char** answer, void* user_data) {
  struct script* script = (struct script*)user_data;
  (void)point;
  ++script->calls;
  snprintf(script->seen, sizeof script->seen, "%s", context);
  if (script->fails != LH_OK) CHECK(lh_call_fail(script->fails, "boom", 7) == LH_OK);
  *answer = lh_strdup(script->answer);
  return script->returns;
}

static inline void count_release(void* user_data) { ++((struct script*)user_data)->released; }

static inline uint64_t add_with(lh_registry* registry, int32_t point, lh_hook_fn hook, void* user_data,
                                const char* name, int32_t priority, uint32_t flags) {
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  uint64_t id = 0;
  options.name = name;
  options.priority = priority;
  options.flags = flags;
  CHECK(lh_hook_add(registry, point, hook, user_data, &options, &id, NULL) == LH_OK);
  CHECK(id != 0);
  return id;
}

static inline uint64_t add_script(lh_registry* registry, int32_t point, struct script* script, const char* name,
                                  uint32_t flags) {
  return add_with(registry, point, scripted, script, name, 0, flags);
}

/* The result of a dispatch, until the next one. */
static inline const char* dispatch(lh_registry* registry, int32_t point, const char* context) {
  static char* last = NULL;
  char* error = NULL;
  char* out = NULL;
  const lh_status status = lh_hook_dispatch(registry, point, context, &out, &error);
  lh_free(last);
  last = status == LH_OK ? out : error;
  return last;
}

static inline lh_registry* new_registry(void) {
  lh_registry* registry = NULL;
  CHECK(lh_registry_create(&registry) == LH_OK);
  return registry;
}

#endif
