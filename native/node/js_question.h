// One question to JavaScript that a run thread waits for: a call of a hook or tool. The engine waits (lh_call_defer);
// this class carries the question to JavaScript and the answer back. It neither calls JavaScript nor waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "base/threads/mutex.h"
#include "context_parts.h"
#include "js/convert.h"

namespace lh::node {

class JsQuestion;

inline constexpr char kClosedMessage[] = "the engine was closed";

// The owner of questions: it asks them, and ends them when the engine closes. Run threads.
class QuestionOwner {
 public:
  // The question has been asked and may be failed from now on; the owner fails it at once if it asks no more.
  virtual void opened(const std::shared_ptr<JsQuestion>& question) = 0;
  // The question of that call is over without an answer.
  virtual void give_up(uint64_t call_id, lh_status why) = 0;

 protected:
  ~QuestionOwner() = default;
};

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
  // Inside a callback, on the run thread: defers the call that runs there. Null if the engine refuses that. Calls
  // owner->give_up() if the wait ends without an answer.
  static std::shared_ptr<JsQuestion> ask(const std::shared_ptr<QuestionOwner>& owner, ContextParts payload);
  // Fails the question if it has no answer, because none can come any more.
  ~JsQuestion();
  JsQuestion(const JsQuestion&) = delete;
  JsQuestion& operator=(const JsQuestion&) = delete;

  // The number of the hook call.
  [[nodiscard]] uint64_t id() const { return id_; }
  // The number of the task that asks; 0: none.
  [[nodiscard]] uint64_t task() const { return task_; }
  // JavaScript thread: taken once, when the question is passed to JavaScript.
  [[nodiscard]] ContextParts take_payload() { return std::move(payload_); }
  // True: JavaScript may be called. A call that has not begun when its operation is cancelled never begins.
  [[nodiscard]] bool begin();
  // Why its operation no longer needs the answer, even if the run thread has not noticed yet; LH_OK: it needs it.
  [[nodiscard]] lh_status unwanted();

  // End the question, from any thread. Only the first end counts.
  void answer(JsAnswer answer);
  void fail(lh_status status, const char* message, uint64_t cause_id = 0);

  // False once it was answered, or the engine has stopped waiting.
  [[nodiscard]] bool open() const { return open_.load(std::memory_order_acquire); }

 private:
  JsQuestion(uint64_t id, uint64_t task, ContextParts payload) : id_(id), task_(task), payload_(std::move(payload)) {}
  static void on_over(lh_status status, void* user_data);
  [[nodiscard]] lh_pending* take() LH_EXCLUDES(mutex_);

  const uint64_t id_;
  const uint64_t task_;
  ContextParts payload_;
  Mutex mutex_;
  lh_pending* pending_ LH_GUARDED_BY(mutex_) = nullptr;
  lh_status over_ LH_GUARDED_BY(mutex_) = LH_OK;  // what ended the wait without an answer
  std::atomic<bool> open_{true};
};
static_assert(!std::is_copy_constructible_v<JsQuestion>);

}  // namespace lh::node
