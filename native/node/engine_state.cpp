// The native side of one NativeEngine: see engine_state.h.
#include "engine_state.h"

#include <algorithm>
#include <utility>

#include "js_callback.h"
#include "task_state.h"

namespace lh::node {

void EngineState::opened(const std::shared_ptr<JsQuestion>& question) {
  {
    const MutexLock lock(mutex_);
    std::erase_if(questions_, [](const auto& asked) { return asked.expired(); });
    questions_.push_back(question);
    if (!stopped()) return;
  }
  question->fail(LH_ERR_CLOSED, kClosedMessage);
}

void EngineState::give_up(uint64_t call_id, lh_status why) {
  js_->post(
      [engine = shared_from_this(), call_id, why](napi_env env) { deliver_given_up(env, *engine, call_id, why); });
}

void EngineState::stop() {
  std::vector<std::weak_ptr<JsQuestion>> questions;
  {
    const MutexLock lock(mutex_);
    stopped_.store(true, std::memory_order_release);
    questions.swap(questions_);
  }
  for (const auto& asked : questions) {
    if (const auto question = asked.lock()) question->fail(LH_ERR_CLOSED, kClosedMessage);
  }
  for (const auto& task : running) task->cancel("closed");
}

void EngineState::free_tasks() {
  for (const auto& task : running) task->free();
  running.clear();
  shown.clear();
}

void EngineState::free_engine() {
  if (!engine_) return;
  lh_engine_trace(engine_, nullptr, nullptr);
  lh_engine_free(std::exchange(engine_, nullptr));
}

}  // namespace lh::node
