// The time that this thread has computed, so that a busy machine does not count.
#pragma once

namespace lh {

// Seconds since the thread began; 0: unknown.
[[nodiscard]] double thread_seconds();

}  // namespace lh
