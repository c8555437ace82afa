// Whether threads can be had, for libraries that abort when theirs cannot be. Must not: keep any.
#pragma once

#include "base/status.h"

namespace lh {

// Starts so many at once, and ends them. Errors: kNoThread.
[[nodiscard]] Status check_threads(int count);

}  // namespace lh
