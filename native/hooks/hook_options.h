// Reads the structure by which a C caller describes a hook. Must not: judge the options.
#pragma once

#include "base/status.h"
#include "hooks/hook.h"
#include "llama_hooks/hooks.h"

namespace lh {

// `options` may be null: the defaults. Point and callback are not set. Errors: those of read_struct.
Result<HookSpec> read_hook_options(const lh_hook_options* options);

}  // namespace lh
