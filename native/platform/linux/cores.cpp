#include "platform/cores.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace lh {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on a machine with more cores than the set has bits; the total count serves there.
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int current_core() { return sched_getcpu(); }

void leave_core() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  cpu_set_t others = allowed;
  CPU_CLR(sched_getcpu(), &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace lh
