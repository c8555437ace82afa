// The calendar of this machine.
#pragma once

#include <ctime>

namespace lh {

// Any thread. All zero if the system cannot say.
[[nodiscard]] std::tm local_time(std::time_t time);

}  // namespace lh
