// Checks that threads can be started, for libraries that abort otherwise.
#pragma once

#include "base/status.h"

namespace lh {

// Starts `count` threads at once, and ends them. Errors: kNoThread.
[[nodiscard]] Status check_threads(int count);

}  // namespace lh
