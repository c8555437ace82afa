// One question to JavaScript that a run thread waits for: a hook call; a tool call will be another. The wait itself
// is the engine's (lh_call_defer): this is how the question gets there and the answer gets back. Must not: call
// JavaScript, or wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "convert.h"

namespace lh::node {

class EngineState;

// What JavaScript answered; `kind` as src/native/addon.ts numbers it.
struct JsAnswer {
  enum Kind { kGoOn = 0, kCancel = 1, kFailed = 2, kPass = 3 };
  int kind = kGoOn;
  LhText text;  // changed fields, reason, or what went wrong
  lh_status status = LH_ERR_HOOK_FAILED;
  uint64_t cause_id = 0;
};

class JsQuestion {
 public:
  // Inside a callback, on the run thread: defers the call that runs there. Null when that is refused. `engine` is
  // told when the wait ends without an answer (EngineState::give_up).
  static std::shared_ptr<JsQuestion> ask(const std::shared_ptr<EngineState>& engine, std::string payload);
  // A question that nobody can answer any more has failed.
  ~JsQuestion();
  JsQuestion(const JsQuestion&) = delete;
  JsQuestion& operator=(const JsQuestion&) = delete;

  // The number of the hook call.
  [[nodiscard]] uint64_t id() const { return id_; }
  // JavaScript thread: taken once, when the question is shown to JavaScript.
  [[nodiscard]] std::string take_payload() { return std::move(payload_); }

  // End the question, from any thread; only the first end counts.
  void answer(JsAnswer answer);
  void fail(lh_status status, const char* message, uint64_t cause_id = 0);

  // False once it was answered, or the engine waits no longer.
  [[nodiscard]] bool open() const { return open_.load(std::memory_order_acquire); }

 private:
  JsQuestion(uint64_t id, std::string payload) : id_(id), payload_(std::move(payload)) {}
  static void on_over(lh_status status, void* user_data);
  [[nodiscard]] lh_pending* take() { return pending_.exchange(nullptr, std::memory_order_acq_rel); }

  const uint64_t id_;
  std::string payload_;
  std::atomic<lh_pending*> pending_{nullptr};
  std::atomic<bool> open_{true};
};
static_assert(!std::is_copy_constructible_v<JsQuestion>);

}  // namespace lh::node
