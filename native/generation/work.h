// What every long piece of work is given: who may stop it, and who is told how it goes.
// Must not: own any of it; all of it outlives the work.
#pragma once

#include <cstdint>

#include "base/threads/cancel.h"
#include "generation/event.h"
#include "generation/token_budget.h"

namespace lh {

struct Work {
  CancelFlag& cancel;   // set by the caller
  CancelFlag& closing;  // set when the engine closes: wakes hooks that run after the caller's cancel
  EventSink& events;
  int32_t priority = 0;           // among work that waits for its turn: the lowest first
  TokenBudget* tokens = nullptr;  // that its model calls may generate, together with other work; null: any number
};

}  // namespace lh
