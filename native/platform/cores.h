// The cores of the machine that this process may use.
#pragma once

namespace lh {

// Within the process's affinity; at least 1. Not cached: the affinity may change while the process runs.
[[nodiscard]] int usable_cores();

// The core that this thread runs on, or -1 if unknown.
[[nodiscard]] int current_core();

// Moves this thread to another core, if it may use one and the system lets threads choose. Afterwards the thread has
// its previous mask explicitly, and would not follow a wider mask given to the process later: only for threads that
// live for one generation.
void leave_core();

}  // namespace lh
