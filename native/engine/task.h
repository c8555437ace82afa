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
#include "generation/event.h"
#include "llama_hooks/engine.h"

namespace lh {

// How a task ends: with OK and a result, or with an error and details ("decision") beside its code and message.
struct TaskEnd {
  Status status;
  Json json = Json::object();
};

class Task final : public EventSink {
 public:
  using Body = std::function<TaskEnd(Task&)>;

  // What a task may wait for: an unload and a close wait for other tasks to end.
  enum class Kind { kWork, kWaitsForWork };

  // Starts `body` on a thread. `on_done` runs on it last, after on_end. Throws when no thread can be had.
  static std::shared_ptr<Task> start(const lh_task_callbacks& callbacks, Kind kind, Body body,
                                     std::function<void(Task*)> on_done);
  ~Task() override;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // For the body.
  [[nodiscard]] CancelFlag& cancel_flag() { return cancel_; }
  [[nodiscard]] bool wanted() const override { return callbacks_.on_event != nullptr; }
  void emit(const Event& event) override;

  void cancel(std::string reason) { cancel_.cancel(std::move(reason)); }
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
  CancelFlag cancel_;
  Mutex mutex_;
  std::condition_variable ended_condition_;
  bool ended_ LH_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace lh
