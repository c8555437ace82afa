// The native part of a NativeEngine: see engine_state.h.
#include "engine_state.h"

#include <algorithm>
#include <utility>

#include "js/js_call.h"

namespace lh::node {
namespace {

const char* why_text(lh_status why) {
  if (why == LH_ERR_HOOK_TIMEOUT) return "deadline";
  return why == LH_ERR_CLOSED ? "closed" : "cancelled";
}

}  // namespace

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
  js_->post([engine = shared_from_this(), call_id, why](napi_env env) {
    if (engine->shown.erase(call_id) != 0) engine->tell_given_up(env, call_id, why);
  });
}

void EngineState::tell_given_up(napi_env env, uint64_t call_id, lh_status why) {
  if (!object) return;
  notify_js(env, object->on_abandoned(),
            {Napi::Number::New(env, static_cast<double>(call_id)), Napi::String::New(env, why_text(why))});
}

void EngineState::tell_cancelled(napi_env env) {
  std::vector<std::pair<std::shared_ptr<JsQuestion>, lh_status>> over;
  for (const auto& [id, question] : shown) {
    if (const lh_status why = question->unwanted(); why != LH_OK) over.emplace_back(question, why);
  }
  for (const auto& [question, why] : over) {
    // Fails the question with this reason, also if its thread does not wait yet: the question itself would end with
    // another one.
    question->fail(why, why == LH_ERR_CLOSED ? kClosedMessage : "the operation was cancelled");
    if (shown.erase(question->id()) != 0) tell_given_up(env, question->id(), why);
  }
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

uint32_t EngineState::keep(lh_registry* hooks) {
  scopes_.emplace(++last_scope_, hooks);
  return last_scope_;
}

lh_registry* EngineState::hooks(uint32_t scope) const {
  const auto found = scopes_.find(scope);
  return found == scopes_.end() ? nullptr : found->second;
}

void EngineState::free_hooks(uint32_t scope) {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return;
  lh_registry_free(found->second);
  scopes_.erase(found);
}

void EngineState::free_engine() {
  if (!engine_) return;
  for (const auto& [scope, hooks] : std::exchange(scopes_, {})) lh_registry_free(hooks);
  lh_engine_trace(engine_, nullptr, nullptr);
  lh_engine_free(std::exchange(engine_, nullptr));
}

}  // namespace lh::node
