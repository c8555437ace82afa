// Long work on a separate thread: events, one end, cancel, wait.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/cancel.h"
#include "base/threads/left_behind.h"
#include "base/threads/mutex.h"
#include "generation/event.h"
#include "hooks/calls/call.h"
#include "hooks/calls/operation.h"
#include "llama_hooks/engine.h"
#include "platform/thread.h"

namespace lh {

// The end of a task: OK and a result, or an error and details ("decision") besides code and message.
struct TaskEnd {
  Status status;
  Json json = Json::object();
};

class Task final : public EventSink, public std::enable_shared_from_this<Task> {
 public:
  using Body = std::function<TaskEnd(Task&)>;
  // Runs on the task's thread, as the last step, after on_end.
  using OnDone = std::function<void(Task*)>;

  // kWaitsForWork: the task waits for other tasks, as an unload and a close do.
  enum class Kind { kWork, kWaitsForWork };

  using Clock = std::chrono::steady_clock;

  // Creates a task that has not begun. Call either launch() or refuse(), once.
  static std::shared_ptr<Task> make(const lh_task_callbacks& callbacks, Kind kind, Body body, OnDone on_done);
  ~Task();

  // Runs the body on a new thread. Errors: kNoThread; then nothing has been called.
  [[nodiscard]] Status launch();
  // Ends with `status` on this thread, without running the body.
  void refuse(const Status& status);

  // Call before launch(); see Operation.
  void will_await_users_of(const void* thing) { operation_->awaits_users_of.store(thing, std::memory_order_release); }

  // The task whose body runs on this thread, or null.
  [[nodiscard]] static const Task* current();

  // Unique in the process; events of the trace name it.
  [[nodiscard]] uint64_t number() const { return operation_->number; }

  // The interface for the body of the task.
  [[nodiscard]] Clock::time_point made_at() const { return made_at_; }
  [[nodiscard]] CancelFlag& cancel_flag() { return cancel_; }
  [[nodiscard]] bool wanted() const override { return on_event_.load(std::memory_order_acquire) != nullptr; }
  void deliver(const Event& event, const EventOrigin* origin) override;

  // Sets the receiver of events from now on; null: none.
  void subscribe(lh_event_fn on_event) {
    on_event_.store(on_event);
    if (given_up_) on_event_.store(nullptr);
  }
  void cancel(std::string reason, Code why = Code::kCancelled);
  // Ends the task with `status` on this thread, if it has not ended. Its thread may be stuck: when that returns, it
  // reports nothing. Returns when no callback of the task is running. Returns false if the task had ended.
  bool give_up(const Status& status);
  // True while a thread of its work waits for an answer that comes later, which has a separate limit.
  [[nodiscard]] bool awaits_answer() const { return operation_->answers_awaited.load() > 0; }
  // False on a thread that this task waits for: its thread; any task's, if this task is an unload or a close; and that
  // of a task which already uses the model, if this task is a load that may still be cancelled.
  [[nodiscard]] bool may_wait() const;
  // Returns when the task has ended. Call only if may_wait().
  void wait();
  // Like wait(), for a cancelled task of kWork: gives it up if it has not ended `patience` after its cancel; 0: never.
  void wait_or_give_up(std::chrono::milliseconds patience);
  // Joins the thread of a task that has ended, unless it was given up. For the owner, once.
  void join();

 private:
  Task(const lh_task_callbacks& callbacks, Kind kind, Body body, OnDone on_done);
  [[nodiscard]] TaskEnd outcome();
  void run() noexcept;
  void end(lh_status status, const char* json);
  void tell_ended() LH_EXCLUDES(mutex_);

  const lh_task_callbacks callbacks_;
  const Kind kind_;
  const OnDone on_done_;
  std::atomic<lh_event_fn> on_event_;
  const std::shared_ptr<Operation> operation_ = Call::begin_operation();
  const Clock::time_point made_at_ = Clock::now();
  CancelFlag cancel_;
  Body body_;  // destroyed after it ran; its captures may listen to the flag
  Mutex mutex_;
  std::condition_variable ended_condition_;
  bool ended_ LH_GUARDED_BY(mutex_) = false;
  bool reported_ LH_GUARDED_BY(mutex_) = false;  // on_end is called once
  std::optional<Clock::time_point> cancelled_at_ LH_GUARDED_BY(mutex_);
  std::atomic<bool> given_up_{false};
  std::atomic<int> delivering_{0};                               // calls of on_event under way
  std::optional<LeftBehind> left_behind_ LH_GUARDED_BY(mutex_);  // until its thread comes back
  Thread thread_;
};
static_assert(!std::is_copy_constructible_v<Task> && !std::is_copy_assignable_v<Task>);

}  // namespace lh
