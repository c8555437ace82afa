// NativeStream: see stream_wrap.h.
#include "stream_wrap.h"

#include <exception>
#include <utility>

#include "env_data.h"
#include "js/convert.h"
#include "js/js_call.h"

namespace lh::node {
namespace {

constexpr napi_type_tag kStreamTag = {0x3f60b7c2d91e4a58, 0xc6d2851f04ab739e};

}  // namespace

StreamState::~StreamState() {
  static constexpr char kDropped[] = R"({"message":"the answer was given up before its end"})";
  if (stream_ != nullptr) end(LH_ERR_REMOTE_FAILED, kDropped, nullptr);
}

void StreamState::listen() { lh_stream_on_wake(stream_, &StreamState::on_wake, this); }

// `user_data` is still alive: the stream calls no function once it has ended.
void StreamState::on_wake(void* user_data) {
  const auto self = static_cast<StreamState*>(user_data)->weak_from_this().lock();
  if (!self) return;  // it is ending
  try {
    self->js_->post([self](napi_env env) {
      if (self->wrap != nullptr) self->wrap->wake(env);
    });
  } catch (const std::exception&) {  // no memory for the job: the next piece tells
  }
}

lh_status StreamState::end(lh_status status, const char* json, char** error_json) {
  return lh_stream_end(std::exchange(stream_, nullptr), status, json, error_json);
}

Napi::Function StreamWrap::define(Napi::Env env) {
  return DefineClass(env, "NativeStream",
                     {
                         InstanceMethod<&StreamWrap::piece>("piece"),
                         InstanceMethod<&StreamWrap::progress>("progress"),
                         InstanceMethod<&StreamWrap::on_wake>("onWake"),
                         InstanceMethod<&StreamWrap::end>("end"),
                     });
}

Napi::Object StreamWrap::create(Napi::Env env, std::shared_ptr<StreamState> state) {
  return EnvData::of(env).stream_class.New({Napi::External<std::shared_ptr<StreamState>>::New(env, &state)});
}

StreamWrap::StreamWrap(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (!info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), "NativeStream is made by an engine");
  info.This().As<Napi::Object>().TypeTag(&kStreamTag);
  state_ = *info[0].As<Napi::External<std::shared_ptr<StreamState>>>().Data();
  state_->wrap = this;
}

StreamWrap::~StreamWrap() {
  if (state_) state_->wrap = nullptr;
}

void StreamWrap::wake(napi_env env) {
  if (!on_wake_.IsEmpty()) notify_js(env, on_wake_.Value(), {});
}

Napi::Value StreamWrap::piece(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (state_->stream() == nullptr) return Napi::Number::New(env, LH_ERR_CANCELLED);
  const LhText json = lh_text_of(env, info[0]);
  LhText error;
  const lh_status status = lh_stream_piece(state_->stream(), json.get(), Out(error));
  if (status != LH_ERR_BUSY && status != LH_ERR_CANCELLED) check(env, status, error);
  return Napi::Number::New(env, status);
}

Napi::Value StreamWrap::progress(const Napi::CallbackInfo& info) {
  const auto number = [&info](size_t at, const char* what) { return static_cast<int32_t>(number_of(info[at], what)); };
  lh_status status = LH_ERR_CANCELLED;
  if (state_->stream() != nullptr) {
    status = lh_stream_progress(state_->stream(), number(0, "processed"), number(1, "total"), number(2, "cached"));
  }
  return Napi::Number::New(info.Env(), status);
}

void StreamWrap::on_wake(const Napi::CallbackInfo& info) {
  on_wake_ = Napi::Persistent(function_of(info[0], "onWake"));
  if (state_->stream() != nullptr) state_->listen();
}

void StreamWrap::end(const Napi::CallbackInfo& info) {
  if (state_->stream() == nullptr) return;
  const auto status = static_cast<lh_status>(number_of(info[0], "status"));
  const LhText json = lh_text_of(info.Env(), info[1]);
  LhText error;
  const lh_status ended = state_->end(status, json.get(), Out(error));
  on_wake_.Reset();
  check(info.Env(), ended, error);
}

}  // namespace lh::node
