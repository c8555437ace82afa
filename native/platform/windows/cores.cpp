#include "platform/cores.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "platform/windows/system.h"

namespace lh {
namespace {

DWORD_PTR process_mask() {
  DWORD_PTR mine = 0;
  DWORD_PTR machine = 0;
  return GetProcessAffinityMask(GetCurrentProcess(), &mine, &machine) != 0 ? mine : 0;
}

}  // namespace

int usable_cores() {
  // 0 if the process has threads in several groups of 64 cores; the total count serves there.
  const int cores = std::popcount(static_cast<unsigned long long>(process_mask()));
  return cores > 0 ? cores : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int current_core() { return static_cast<int>(GetCurrentProcessorNumber()); }

void leave_core() {
  const DWORD_PTR mask = process_mask();
  const DWORD_PTR others = mask & ~(DWORD_PTR{1} << GetCurrentProcessorNumber());
  if (others == 0) return;
  const DWORD_PTR before = SetThreadAffinityMask(GetCurrentThread(), others);
  if (before != 0) SetThreadAffinityMask(GetCurrentThread(), before);
}

}  // namespace lh
