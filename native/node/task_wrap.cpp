// NativeTask: see task_wrap.h.
#include "task_wrap.h"

#include "env_data.h"
#include "js/convert.h"

namespace lh::node {
namespace {

constexpr napi_type_tag kTaskTag = {0x51d7e3a86c0b4f92, 0xa3890e5dc7b1642f};

}  // namespace

Napi::Function TaskWrap::define(Napi::Env env) {
  return DefineClass(env, "NativeTask",
                     {
                         InstanceMethod<&TaskWrap::number>("number"),
                         InstanceMethod<&TaskWrap::subscribe>("subscribe"),
                         InstanceMethod<&TaskWrap::drain>("drain"),
                         InstanceMethod<&TaskWrap::keep_alive>("keepAlive"),
                         InstanceMethod<&TaskWrap::cancel>("cancel"),
                     });
}

TaskWrap::TaskWrap(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (!info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), "NativeTask is made by an engine");
  info.This().As<Napi::Object>().TypeTag(&kTaskTag);
  state_ = *info[0].As<Napi::External<std::shared_ptr<TaskState>>>().Data();
}

Napi::Object TaskWrap::create(Napi::Env env, std::shared_ptr<TaskState> state) {
  return EnvData::of(env).task_class.New({Napi::External<std::shared_ptr<TaskState>>::New(env, &state)});
}

Napi::Value TaskWrap::number(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(state_->number()));
}

void TaskWrap::subscribe(const Napi::CallbackInfo& info) { state_->subscribe(info[0].ToBoolean()); }

void TaskWrap::keep_alive(const Napi::CallbackInfo& info) { state_->keep_alive(info[0].ToBoolean()); }

Napi::Value TaskWrap::drain(const Napi::CallbackInfo& info) { return strings_of(info.Env(), state_->drain()); }

void TaskWrap::cancel(const Napi::CallbackInfo& info) {
  state_->cancel(info.Env(), c_str(optional_words_of(info[0], "reason")));
}

}  // namespace lh::node
