// The number of a hook point, as hooks.h defines it.
#pragma once

#include "llama_hooks/hooks.h"

namespace lh {

using Point = lh_hook_point;

}  // namespace lh
