// Reads the structure in which a C caller describes a hook. The registry checks the values.
#pragma once

#include "base/status.h"
#include "hooks/points/hook.h"
#include "llama_hooks/hooks.h"

namespace lh {

// `options` may be null: the defaults. The callback is not set. Errors: UNKNOWN_HOOK_POINT, those of read_struct,
// FieldSet::read and Matcher::read.
Result<HookSpec> read_hook_options(Point point, const lh_hook_options* options);

}  // namespace lh
