// The environment of every long piece of work: its cancel flags, its listener, its limits. All of it outlives the work.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/threads/cancel.h"
#include "generation/event.h"
#include "generation/token_budget.h"

namespace lh {

struct Work {
  CancelFlag& cancel;   // set by the caller
  CancelFlag& closing;  // set when the engine closes: wakes hooks that run after the caller's cancel
  EventSink& events;
  int32_t priority = 0;           // the lowest runs first
  TokenBudget* tokens = nullptr;  // shared with other work; null: no limit
  // When the caller asked for it, if the work has waited for its turn since then.
  std::optional<std::chrono::steady_clock::time_point> asked = {};
  uint64_t span = 0;  // the activity in the trace that the work is a part of; 0: none
};

}  // namespace lh
