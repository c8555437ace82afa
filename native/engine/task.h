// Long work on a thread of its own: events, one end, cancel, wait.
// Must not: know what the work is.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/cancel.h"
#include "base/json.h"
#include "base/mutex.h"
#include "base/status.h"
#include "hooks/work.h"
#include "llama_hooks/engine.h"

namespace lh {

// How a task ends: with OK and a result, or with an error and details ("decision") beside its code and message.
struct TaskEnd {
  Status status;
  Json json = Json::object();
};

class Task {
 public:
  using Body = std::function<TaskEnd(Task&)>;

  // What a task may wait for: an unload and a close wait for other tasks to end.
  enum class Kind { kWork, kWaitsForWork };

  // Starts `body` on a thread. `on_done` runs on it last, after on_end. Throws when no thread can be had.
  static std::shared_ptr<Task> start(const lh_task_callbacks& callbacks, Kind kind, Body body,
                                     std::function<void(Task*)> on_done);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // For the body.
  [[nodiscard]] CancelFlag& cancel_flag() { return cancel_; }
  [[nodiscard]] bool wants_events() const { return callbacks_.on_event != nullptr; }
  void emit(const std::string& event_json) { callbacks_.on_event(event_json.c_str(), callbacks_.user_data); }

  void cancel(std::string reason, Code why = Code::kCancelled) { cancel_.cancel(std::move(reason), why); }
  // False on a thread that this task waits for: its own, and for an unload or a close any task's.
  [[nodiscard]] bool may_wait() const;
  // Returns when the task has ended. Call only where may_wait().
  void wait();
  // Joins the thread of a task that has ended. For the owner, once.
  void join();

 private:
  Task(const lh_task_callbacks& callbacks, Kind kind) : callbacks_(callbacks), kind_(kind) {}
  void run(const Body& body, const std::function<void(Task*)>& on_done);

  const lh_task_callbacks callbacks_;
  const Kind kind_;
  const std::shared_ptr<Work> work_ = std::make_shared<Work>();
  CancelFlag cancel_;
  Mutex mutex_;
  std::condition_variable ended_condition_;
  bool ended_ LH_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace lh
