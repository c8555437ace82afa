#include "platform/thread_time.h"

#include "platform/windows/system.h"

namespace lh {
namespace {

double seconds(const FILETIME& time) {
  constexpr double kTick = 1e-7;
  const unsigned long long ticks = static_cast<unsigned long long>(time.dwHighDateTime) << 32 | time.dwLowDateTime;
  return static_cast<double>(ticks) * kTick;
}

}  // namespace

double thread_seconds() {
  FILETIME began{};
  FILETIME ended{};
  FILETIME kernel{};
  FILETIME user{};
  if (GetThreadTimes(GetCurrentThread(), &began, &ended, &kernel, &user) == 0) return 0;
  return seconds(kernel) + seconds(user);
}

}  // namespace lh
