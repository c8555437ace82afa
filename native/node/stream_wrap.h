// NativeStream: the JavaScript object of one answer of a model that JavaScript computes.
// Must not: leave a stream without an end; one that JavaScript drops has failed.
#pragma once

#include <napi.h>

#include <memory>
#include <type_traits>

#include "js/js_thread.h"
#include "llama_hooks/engine.h"

namespace lh::node {

class StreamWrap;

// The native side, which queued jobs share.
class StreamState : public std::enable_shared_from_this<StreamState> {
 public:
  // On the thread of the generation.
  StreamState(std::shared_ptr<JsThread> js, lh_stream* stream) : js_(std::move(js)), stream_(stream) {}
  ~StreamState();
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  // JavaScript thread, like the member. Null once it has ended.
  [[nodiscard]] lh_stream* stream() const { return stream_; }
  // From now on the wrapper is notified of room and of a cancel.
  void listen();
  lh_status end(lh_status status, const char* json, char** error_json);

  StreamWrap* wrap = nullptr;

 private:
  static void on_wake(void* user_data);

  const std::shared_ptr<JsThread> js_;
  lh_stream* stream_;
};
static_assert(!std::is_copy_constructible_v<StreamState>);

class StreamWrap : public Napi::ObjectWrap<StreamWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  static Napi::Object create(Napi::Env env, std::shared_ptr<StreamState> state);

  explicit StreamWrap(const Napi::CallbackInfo& info);
  ~StreamWrap() override;

  void wake(napi_env env);

 private:
  Napi::Value piece(const Napi::CallbackInfo& info);
  Napi::Value progress(const Napi::CallbackInfo& info);
  void on_wake(const Napi::CallbackInfo& info);
  void end(const Napi::CallbackInfo& info);

  std::shared_ptr<StreamState> state_;
  Napi::FunctionReference on_wake_;
};

}  // namespace lh::node
