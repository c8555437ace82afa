// The owner of a hook: the engine, a session, a run or a generation.
#pragma once

#include <cstdint>

namespace lh {

// Sorted by their bits in PointInfo::scopes. At equal priority, hooks of the engine run first.
enum class HookLevel : uint8_t { kEngine, kSession, kRun, kGeneration };

// The number of a session, run or generation; never reused. 0: the engine, whose hooks run for all.
using HookOwner = uint64_t;

// The owners whose hooks a dispatch calls, besides the engine. Hooks of a run also apply to runs that it delegates to.
struct HookOwners {
  HookOwner session = 0;
  HookOwner run = 0;

  [[nodiscard]] bool has(HookOwner owner) const noexcept { return owner == 0 || owner == session || owner == run; }
};

}  // namespace lh
