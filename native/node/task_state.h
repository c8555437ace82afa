// The native side of one NativeTask: its handle and the callbacks that the C ABI calls.
// Must not: depend on the JavaScript object, which may be collected while the task runs.
#pragma once

#include <napi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "js/event_buffer.h"
#include "js/js_thread.h"
#include "llama_hooks/engine.h"

namespace lh::node {

class TaskState : public std::enable_shared_from_this<TaskState> {
 public:
  // kQueued: the task continues after an event. kWaitedFor: it waits until JavaScript has handled the event, as it does
  // in C; a cancel caused by the event then precedes the task's next step.
  enum class Events { kQueued, kWaitedFor };
  // Runs on the JavaScript thread when the task is over, before JavaScript receives the end.
  using OnOver = std::function<void(const TaskState& task)>;
  // Runs on the JavaScript thread when JavaScript has cancelled the task.
  using OnCancel = std::function<void(napi_env env)>;
  // `on_wake` may be empty: then no events are kept. `subscribed`: events are kept from the first on, as after
  // subscribe(true). JavaScript thread, like all functions but the two callbacks.
  TaskState(std::shared_ptr<JsThread> js, Napi::Function on_wake, Napi::Function on_end, bool subscribed, Events how,
            OnOver on_over, OnCancel on_cancel);
  TaskState(const TaskState&) = delete;
  TaskState& operator=(const TaskState&) = delete;

  [[nodiscard]] lh_task_callbacks callbacks();
  // The handle that the start function returned. The task may already have ended.
  void started(lh_task* task);

  // The number of the task in the trace.
  [[nodiscard]] uint64_t number() const { return number_; }

  // Without a reader no events are built.
  void subscribe(bool on);
  // The events since the last call.
  [[nodiscard]] std::vector<std::string> drain() { return events_.drain(); }
  // Sets whether the task keeps the process alive. A task with a slow reader continues only when JavaScript does.
  void keep_alive(bool on);
  void cancel(const char* reason);
  // The same, and reports to JavaScript at once which of its calls have ended because of the cancel.
  void cancel(napi_env env, const char* reason);
  // The session whose run it is; empty: none.
  void set_session(std::string id) { session_ = std::move(id); }
  [[nodiscard]] const std::string& session() const { return session_; }
  // Called when the engine or the session closes: its tasks are cancelled, so none may wait for a reader.
  void let_go() { events_.let_go(); }
  // Waits for the end of the task, which is near once it was cancelled or has reported its end.
  void free();

 private:
  static void on_event(const char* json, void* user_data);
  static void on_end(lh_status status, const char* json, void* user_data);
  void settle(napi_env env, lh_status status, const std::string& json);

  const std::shared_ptr<JsThread> js_;
  Napi::FunctionReference on_wake_;
  Napi::FunctionReference on_end_;
  bool subscribed_;
  const Events how_;
  OnOver on_over_;
  OnCancel on_cancel_;
  bool keeps_alive_ = false;
  std::string session_;
  lh_task* task_ = nullptr;
  uint64_t number_ = 0;
  EventBuffer events_;
};
static_assert(!std::is_copy_constructible_v<TaskState>);

}  // namespace lh::node
