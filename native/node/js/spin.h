// A short busy wait, for events that usually come sooner than a thread wakes up.
// Must not: be used for longer than a wake-up takes, some tens of microseconds.
#pragma once

#include <chrono>
#include <thread>

namespace lh::node {

// Waits up to `limit` for `done()`, with a single core not at all. Returns the last done().
template <typename Done>
bool spin_until(Done done, std::chrono::microseconds limit) {
  using Clock = std::chrono::steady_clock;
  static const bool several_cores = std::thread::hardware_concurrency() > 1;
  if (!several_cores) return done();
  const Clock::time_point end = Clock::now() + limit;
  for (unsigned turn = 1; !done(); ++turn) {
    if (turn % 32 == 0 && Clock::now() > end) return done();
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  return true;
}

}  // namespace lh::node
