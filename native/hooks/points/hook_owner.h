// Whose a hook is: the engine's, a session's, or one run's. Must not: know hooks.
#pragma once

#include <cstdint>

namespace lh {

// In the order of their bits in PointInfo::scopes; of hooks of one priority, those of the engine come first.
enum class HookLevel : uint8_t { kEngine, kSession, kRun, kGeneration };

// A session, a run or a generation, as a number that is never used again. 0: the engine, whose hooks run for all.
using HookOwner = uint64_t;

// Whose hooks a dispatch asks, beside the engine's. A run's hold for the runs that it delegates to.
struct HookOwners {
  HookOwner session = 0;
  HookOwner run = 0;

  [[nodiscard]] bool has(HookOwner owner) const noexcept { return owner == 0 || owner == session || owner == run; }
};

}  // namespace lh
