// NativeTask: the JavaScript object of a task, as src/native/addon.ts declares it.
// Must not: end the task: it keeps running when this object is collected.
#pragma once

#include <napi.h>

#include <memory>

#include "task_state.h"

namespace lh::node {

class TaskWrap : public Napi::ObjectWrap<TaskWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  static Napi::Object create(Napi::Env env, std::shared_ptr<TaskState> state);

  explicit TaskWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value number(const Napi::CallbackInfo& info);
  void subscribe(const Napi::CallbackInfo& info);
  void keep_alive(const Napi::CallbackInfo& info);
  Napi::Value drain(const Napi::CallbackInfo& info);
  void cancel(const Napi::CallbackInfo& info);

  std::shared_ptr<TaskState> state_;
};

}  // namespace lh::node
