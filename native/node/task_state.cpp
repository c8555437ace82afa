// The native part of a NativeTask: see task_state.h.
#include "task_state.h"

#include <utility>

#include "js/js_call.h"

namespace lh::node {

TaskState::TaskState(std::shared_ptr<JsThread> js, Napi::Function on_wake, Napi::Function on_end, bool subscribed,
                     Events how, OnOver on_over, OnCancel on_cancel)
    : js_(std::move(js)),
      subscribed_(subscribed && !on_wake.IsEmpty()),
      how_(how),
      on_over_(std::move(on_over)),
      on_cancel_(std::move(on_cancel)) {
  if (!on_wake.IsEmpty()) on_wake_ = Napi::Persistent(on_wake);
  on_end_ = Napi::Persistent(on_end);
  if (subscribed_) events_.open();  // before the first event can come
}

lh_task_callbacks TaskState::callbacks() {
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  callbacks.on_event = subscribed_ ? &TaskState::on_event : nullptr;
  callbacks.on_end = &TaskState::on_end;
  callbacks.user_data = this;
  return callbacks;
}

void TaskState::started(lh_task* task) {
  task_ = task;
  number_ = lh_task_number(task);
  keep_alive(true);
}

void TaskState::subscribe(bool on) {
  if (on == subscribed_ || on_wake_.IsEmpty() || !task_) return;
  subscribed_ = on;
  if (on) events_.open();
  lh_task_subscribe(task_, on ? &TaskState::on_event : nullptr);
  if (!on) events_.close();
}

void TaskState::keep_alive(bool on) {
  if (on == keeps_alive_ || !task_) return;
  keeps_alive_ = on;
  if (on) {
    js_->hold();
  } else {
    js_->release();
  }
}

void TaskState::cancel(const char* reason) {
  if (task_) lh_task_cancel(task_, reason);
  events_.let_go();
}

void TaskState::cancel(napi_env env, const char* reason) {
  const auto self = shared_from_this();
  cancel(reason);
  on_cancel_(env);
}

void TaskState::free() {
  lh_task_free(std::exchange(task_, nullptr));
  on_wake_.Reset();
  on_end_.Reset();
}

void TaskState::on_event(const char* json, void* user_data) {
  auto& self = *static_cast<TaskState*>(user_data);
  if (!self.events_.push(json)) return;
  const JsThread::Posted posted = self.js_->post([task = self.shared_from_this()](napi_env env) {
    if (!task->on_wake_.IsEmpty()) notify_js(env, task->on_wake_.Value(), {});
    task->events_.seen();
  });
  if (posted == JsThread::Posted::kDropped) self.events_.let_go();
  if (self.how_ == Events::kWaitedFor) self.events_.wait_until_seen();
}

void TaskState::on_end(lh_status status, const char* json, void* user_data) {
  auto& self = *static_cast<TaskState*>(user_data);
  self.js_->post([task = self.shared_from_this(), status, text = std::string(json ? json : "{}")](napi_env env) {
    task->settle(env, status, text);
  });
}

void TaskState::settle(napi_env env, lh_status status, const std::string& json) {
  const Napi::Function on_end = on_end_.Value();
  keep_alive(false);
  free();
  std::exchange(on_over_, nullptr)(*this);
  // Last: it may throw, or end the process.
  notify_js(env, on_end, {Napi::Number::New(env, status), Napi::String::New(env, json)});
}

}  // namespace lh::node
