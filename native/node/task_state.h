// The native side of one NativeTask: the C ABI's callbacks for it, and the handle.
// Must not: depend on the JavaScript object, which may be collected while the task runs.
#pragma once

#include <napi.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "engine_state.h"
#include "event_buffer.h"

namespace lh::node {

class TaskState : public std::enable_shared_from_this<TaskState> {
 public:
  // How events come: the task goes on at once, or waits until JavaScript has dealt with each, as it does in C. Then a
  // cancel that an event leads to comes before whatever the task does next.
  enum class Events { kQueued, kWaitedFor };
  // `on_wake` may be empty: then there are no events. `subscribed`: they are kept from the first on, as after
  // subscribe(true). JavaScript thread, like all but the two callbacks.
  TaskState(std::shared_ptr<EngineState> engine, Napi::Function on_wake, Napi::Function on_end, bool subscribed,
            Events how);
  TaskState(const TaskState&) = delete;
  TaskState& operator=(const TaskState&) = delete;

  [[nodiscard]] lh_task_callbacks callbacks();
  // The handle the start function gave; the task may have ended already.
  void started(lh_task* task);

  // Without a reader no event is built.
  void subscribe(bool on);
  // The events that came since the last time.
  [[nodiscard]] std::vector<std::string> drain() { return events_.drain(); }
  // Whether the process stays alive for this task. A task whose reader is behind goes on only when JavaScript does.
  void keep_alive(bool on);
  void cancel(const char* reason);
  // Whose run it is; empty: of no session.
  void set_session(std::string id) { session_ = std::move(id); }
  [[nodiscard]] const std::string& session() const { return session_; }
  // The engine or the session closes: its tasks are cancelled, so none may wait for its reader.
  void let_go() { events_.let_go(); }
  // Waits for the task's end, which is short once it was cancelled or has reported its end.
  void free();

 private:
  static void on_event(const char* json, void* user_data);
  static void on_end(lh_status status, const char* json, void* user_data);
  void settle(napi_env env, lh_status status, const std::string& json);

  const std::shared_ptr<EngineState> engine_;
  Napi::FunctionReference on_wake_;
  Napi::FunctionReference on_end_;
  bool subscribed_;
  const Events how_;
  bool keeps_alive_ = false;
  std::string session_;
  lh_task* task_ = nullptr;
  EventBuffer events_;
};
static_assert(!std::is_copy_constructible_v<TaskState>);

}  // namespace lh::node
