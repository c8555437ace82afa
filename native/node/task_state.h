// The native side of one NativeTask: the C ABI's callbacks for it, and the handle.
// Must not: depend on the JavaScript object, which may be collected while the task runs.
#pragma once

#include <napi.h>

#include <memory>
#include <string>

#include "engine_state.h"
#include "event_buffer.h"

namespace lh::node {

class TaskState : public std::enable_shared_from_this<TaskState> {
 public:
  // How events come: the task goes on at once, or waits until JavaScript has dealt with each, as it does in C. Then a cancel
  // that an event leads to comes before whatever the task does next.
  enum class Events { kQueued, kWaitedFor };
  // `on_wake` may be empty: then no events are asked for. JavaScript thread, like all but the two callbacks.
  TaskState(std::shared_ptr<EngineState> engine, Napi::Function on_wake, Napi::Function on_end, Events how);
  TaskState(const TaskState&) = delete;
  TaskState& operator=(const TaskState&) = delete;

  [[nodiscard]] lh_task_callbacks callbacks();
  // The handle the start function gave; the task may have ended already.
  void started(lh_task* task) { task_ = task; }

  void cancel(const char* reason);
  // Waits for the task's end, which is short once it was cancelled or has reported its end.
  void free();

  [[nodiscard]] EventBuffer& events() { return events_; }

 private:
  static void on_event(const char* json, void* user_data);
  static void on_end(lh_status status, const char* json, void* user_data);
  void settle(napi_env env, lh_status status, const std::string& json);

  const std::shared_ptr<EngineState> engine_;
  Napi::FunctionReference on_wake_;
  Napi::FunctionReference on_end_;
  const bool wants_events_;
  const Events how_;
  lh_task* task_ = nullptr;
  EventBuffer events_;
};

}  // namespace lh::node
