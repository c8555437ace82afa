#include "platform/cores.h"

#include <algorithm>
#include <thread>

namespace lh {

// macOS has no affinity: its scheduler alone decides.
int usable_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

int current_core() { return -1; }

void leave_core() {}

}  // namespace lh
