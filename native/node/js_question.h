// One question to JavaScript that a run thread waits for: a hook call or a tool call. The engine implements the wait
// (lh_call_defer); this passes the question and the answer. Must not: call JavaScript, or wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "convert.h"

namespace lh::node {

class EngineState;

// JavaScript's answer; `kind` is numbered as in src/native/addon.ts.
struct JsAnswer {
  enum Kind { kGoOn = 0, kCancel = 1, kFailed = 2, kPass = 3 };
  int kind = kGoOn;
  LhText text;  // changed fields, reason, or error
  lh_status status = LH_ERR_HOOK_FAILED;
  uint64_t cause_id = 0;
};

class JsQuestion {
 public:
  // Inside a callback, on the run thread: defers the running call. Null if that is refused. `engine` is notified if the
  // wait ends without an answer (EngineState::give_up).
  static std::shared_ptr<JsQuestion> ask(const std::shared_ptr<EngineState>& engine, std::string payload);
  // A question that can no longer be answered fails.
  ~JsQuestion();
  JsQuestion(const JsQuestion&) = delete;
  JsQuestion& operator=(const JsQuestion&) = delete;

  // The number of the hook call.
  [[nodiscard]] uint64_t id() const { return id_; }
  // JavaScript thread: taken once, when the question is passed to JavaScript.
  [[nodiscard]] std::string take_payload() { return std::move(payload_); }

  // End the question, from any thread. Only the first end counts.
  void answer(JsAnswer answer);
  void fail(lh_status status, const char* message, uint64_t cause_id = 0);

  // False once it was answered, or the engine has stopped waiting.
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
