// Compiles the public headers alone as C++17, without warnings, and checks that Entropic's numbers are ours. Compiling
// is the test.
#include "entropic/types/hooks.h"
#include "llama_hooks/engine.h"
#include "llama_hooks/hooks.h"

#include <type_traits>

namespace {

#define SAME(name) static_assert(static_cast<int>(ENTROPIC_HOOK_##name) == static_cast<int>(LH_HOOK_##name))

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
static_assert(static_cast<int>(ENTROPIC_HOOK_COUNT_) == 23);
static_assert(LH_HOOK_ON_SESSION_START == 1000);

// The two callbacks differ in the type of the first parameter, which must be passed in the same way.
static_assert(sizeof(entropic_hook_point_t) == sizeof(int32_t));
static_assert(std::is_same_v<lh_hook_fn, int (*)(int32_t, const char*, char**, void*)>);
static_assert(std::is_same_v<entropic_hook_callback_t, int (*)(entropic_hook_point_t, const char*, char**, void*)>);

static_assert(noexcept(lh_alloc(1)) && noexcept(entropic_alloc(1)) && noexcept(entropic_free(nullptr)));

[[maybe_unused]] const lh_hook_options kOptions = LH_HOOK_OPTIONS_INIT;
[[maybe_unused]] const lh_task_callbacks kCallbacks = LH_TASK_CALLBACKS_INIT;

}  // namespace
