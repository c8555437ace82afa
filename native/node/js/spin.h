// A short busy wait, for events that usually come sooner than a thread wakes up.
// Must not: be used for longer than a wake-up takes, some tens of microseconds.
#pragma once

#if defined(__linux__)
#include <sched.h>
#endif

#include <chrono>
#include <thread>

namespace lh::node {

// The core that this thread runs on, or -1 if unknown. Spinning for a thread of the same core would keep that thread
// from running.
inline int current_core() {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}

// Moves this thread to another core, if it may use one. Afterwards the thread has its previous mask explicitly, and
// would not follow a wider mask given to the process later: only for threads that live for one generation.
inline void leave_core() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  cpu_set_t others = allowed;
  CPU_CLR(sched_getcpu(), &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
#endif
}

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
