/* Compiles the public headers alone as C99, without warnings, and checks that Entropic's numbers are ours. Compiling is
 * the test. */
#include "entropic/types/hooks.h"
#include "llama_hooks/engine.h"
#include "llama_hooks/hooks.h"

/* C99 has no _Static_assert: a false condition makes the array's size negative. */
#define CHECK(name, condition) typedef char check_##name[(condition) ? 1 : -1]
#define SAME(name) CHECK(name, (int)ENTROPIC_HOOK_##name == (int)LH_HOOK_##name)

SAME(PRE_GENERATE);
SAME(POST_GENERATE);
SAME(ON_STREAM_TOKEN);
SAME(PRE_TOOL_CALL);
SAME(POST_TOOL_CALL);
SAME(ON_LOOP_ITERATION);
SAME(ON_STATE_CHANGE);
SAME(ON_ERROR);
SAME(ON_DELEGATE);
SAME(ON_DELEGATE_COMPLETE);
SAME(ON_CONTEXT_ASSEMBLE);
SAME(ON_PRE_COMPACT);
SAME(ON_POST_COMPACT);
SAME(ON_MODEL_LOAD);
SAME(ON_MODEL_UNLOAD);
SAME(ON_PERMISSION_CHECK);
SAME(ON_ADAPTER_SWAP);
SAME(ON_VRAM_PRESSURE);
SAME(ON_DIRECTIVE);
SAME(ON_CUSTOM_DIRECTIVE);
SAME(ON_LOOP_START);
SAME(ON_LOOP_END);
SAME(ON_COMPLETE);
CHECK(entropic_count, (int)ENTROPIC_HOOK_COUNT_ == 23);
CHECK(ours_from_1000, LH_HOOK_ON_SESSION_START == 1000);
CHECK(int_sized_enum, sizeof(entropic_hook_point_t) == sizeof(int32_t)); /* else the callbacks' ABIs differ */
CHECK(int_sized_point, sizeof(lh_hook_point) == sizeof(int32_t));

/* A hook from Entropic's documentation, unchanged. */
static int redact(entropic_hook_point_t hook_point, const char* context_json, char** modified_json, void* user_data) {
  (void)context_json;
  (void)user_data;
  if (hook_point != ENTROPIC_HOOK_POST_TOOL_CALL) return 0;
  *modified_json = (char*)entropic_alloc(2);
  if (*modified_json != NULL) {
    (*modified_json)[0] = '-';
    (*modified_json)[1] = '\0';
  }
  return 0;
}

extern const entropic_hook_callback_t header_c99_hook;
const entropic_hook_callback_t header_c99_hook = redact;

extern const lh_hook_options header_c99_options;
const lh_hook_options header_c99_options = LH_HOOK_OPTIONS_INIT;

extern const lh_task_callbacks header_c99_callbacks;
const lh_task_callbacks header_c99_callbacks = LH_TASK_CALLBACKS_INIT;
