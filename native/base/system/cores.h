// The number of cores that this process may use, within its affinity.
#pragma once

namespace lh {

// At least 1. Not cached: the affinity may change while the process runs.
[[nodiscard]] int usable_cores();

}  // namespace lh
