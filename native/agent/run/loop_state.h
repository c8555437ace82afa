// The states of the agent loop and the moves between them, as data. Must not: say what happens in a state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace lh {

enum class LoopState : uint8_t {
  kIdle,
  kPlanning,
  kExecuting,
  kWaitingTool,
  kVerifying,
  kDelegating,
  kComplete,
  kError,
  kInterrupted,
  kPaused,
};

[[nodiscard]] std::string_view loop_state_name(LoopState state);

// Every move there is; all others are impossible.
[[nodiscard]] std::span<const std::pair<LoopState, LoopState>> loop_moves();
[[nodiscard]] bool may_move(LoopState from, LoopState to);

}  // namespace lh
