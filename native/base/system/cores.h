// How many cores this process may compute on.
// Must not: count cores that its affinity keeps it from.
#pragma once

namespace lh {

// At least 1. Asked anew each time: affinity can change while a process runs.
[[nodiscard]] int usable_cores();

}  // namespace lh
