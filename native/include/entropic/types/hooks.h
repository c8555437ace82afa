/* Entropic's hook names, so that a C hook written for Entropic 2.x compiles unchanged and works here.
 * Must not: declare anything new; new programs use llama_hooks/hooks.h.
 *
 * The numbers, the callback and the allocator are those of llama_hooks/hooks.h under their older names, and answers
 * mean the same. Points that Entropic does not have start at 1000 and have no name here. */
#ifndef ENTROPIC_TYPES_HOOKS_H
#define ENTROPIC_TYPES_HOOKS_H

#include "llama_hooks/hooks.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Points in the life of the engine; each is the LH_HOOK_ constant of that name, whose card says what it does. */
typedef enum {
  ENTROPIC_HOOK_PRE_GENERATE = 0,
  ENTROPIC_HOOK_POST_GENERATE = 1,
  ENTROPIC_HOOK_ON_STREAM_TOKEN = 2,
  ENTROPIC_HOOK_PRE_TOOL_CALL = 3,
  ENTROPIC_HOOK_POST_TOOL_CALL = 4,
  ENTROPIC_HOOK_ON_LOOP_ITERATION = 5,
  ENTROPIC_HOOK_ON_STATE_CHANGE = 6,
  ENTROPIC_HOOK_ON_ERROR = 7,
  ENTROPIC_HOOK_ON_DELEGATE = 8,
  ENTROPIC_HOOK_ON_DELEGATE_COMPLETE = 9,
  ENTROPIC_HOOK_ON_CONTEXT_ASSEMBLE = 10,
  ENTROPIC_HOOK_ON_PRE_COMPACT = 11,
  ENTROPIC_HOOK_ON_POST_COMPACT = 12,
  ENTROPIC_HOOK_ON_MODEL_LOAD = 13,
  ENTROPIC_HOOK_ON_MODEL_UNLOAD = 14,
  ENTROPIC_HOOK_ON_PERMISSION_CHECK = 15,
  ENTROPIC_HOOK_ON_ADAPTER_SWAP = 16,
  ENTROPIC_HOOK_ON_VRAM_PRESSURE = 17,
  ENTROPIC_HOOK_ON_DIRECTIVE = 18,
  ENTROPIC_HOOK_ON_CUSTOM_DIRECTIVE = 19,
  ENTROPIC_HOOK_ON_LOOP_START = 20,
  ENTROPIC_HOOK_ON_LOOP_END = 21,
  ENTROPIC_HOOK_ON_COMPLETE = 22,
  ENTROPIC_HOOK_COUNT_ /* a sentinel, no point */
} entropic_hook_point_t;

/* A hook. Returns 0 to continue; non-zero at a pre point cancels. `context_json` belongs to the engine and lives for
 * this call only; `*modified_json`, if set, comes from entropic_alloc and is freed by the engine on every path. */
typedef int (*entropic_hook_callback_t)(entropic_hook_point_t hook_point, const char *context_json,
                                        char **modified_json, void *user_data);

/* lh_alloc and lh_free. A library built for Entropic leaves both undefined and finds them in the process. */
LH_API void *entropic_alloc(size_t size) LH_NOEXCEPT;
LH_API void entropic_free(void *block) LH_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif /* ENTROPIC_TYPES_HOOKS_H */
