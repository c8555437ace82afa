// The native side of one NativeEngine: see engine_state.h.
#include "engine_state.h"

#include <algorithm>
#include <utility>

#include "task_state.h"

namespace lh::node {

bool EngineState::enter(HookCall& call) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  waiting_.push_back(&call);
  return true;
}

void EngineState::leave(HookCall& call) {
  const std::lock_guard lock(mutex_);
  std::erase(waiting_, &call);
}

void EngineState::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (HookCall* call : waiting_) call->abandon(HookCall::State::kClosed);
  }
  for (const auto& task : running) task->cancel("closed");
}

void EngineState::free_tasks() {
  for (const auto& task : running) task->free();
  running.clear();
  open_calls.clear();
}

void EngineState::free_engine() {
  if (!engine_) return;
  lh_engine_trace(engine_, nullptr, nullptr);
  lh_engine_free(std::exchange(engine_, nullptr));
}

}  // namespace lh::node
