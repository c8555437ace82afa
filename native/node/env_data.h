// The addon's data for one Node environment (the main thread, or one worker), and its end.
// Must not: share anything with another environment.
#pragma once

#include <napi.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "engine_state.h"
#include "js/js_thread.h"
#include "platform/thread.h"

namespace lh::node {

class EnvData {
 public:
  explicit EnvData(Napi::Env env);
  ~EnvData();
  EnvData(const EnvData&) = delete;
  EnvData& operator=(const EnvData&) = delete;

  static EnvData& of(Napi::Env env) { return *env.GetInstanceData<EnvData>(); }

  [[nodiscard]] const std::shared_ptr<JsThread>& js() const { return js_; }

  // Adds an engine, which is stopped and freed with the environment at the latest.
  void add(Napi::Env env, std::shared_ptr<EngineState> engine);
  // Frees an engine that JavaScript has dropped, on a separate thread, because freeing waits for the engine's threads.
  void retire(const std::shared_ptr<EngineState>& engine);

  // Stops and frees all engines, and accepts no more. Called when the process exits (process.exit runs no cleanup), and
  // at the environment's cleanup (terminating a worker emits no "exit").
  void shut_down();
  [[nodiscard]] bool is_shut_down() const { return shut_down_; }

  Napi::FunctionReference engine_class;
  Napi::FunctionReference task_class;
  Napi::FunctionReference stream_class;

 private:
  const std::shared_ptr<JsThread> js_;
  std::vector<std::shared_ptr<EngineState>> engines_;
  std::vector<Background> retiring_;
  bool listens_ = false;  // to "exit" of the process
  bool shut_down_ = false;
  bool told_ = false;  // that work was left behind
};
static_assert(!std::is_copy_constructible_v<EnvData>);

}  // namespace lh::node
