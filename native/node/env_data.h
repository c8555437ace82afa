// What the addon keeps for one Node environment (the main thread, or one worker), and how that ends.
// Must not: share anything with another environment.
#pragma once

#include <napi.h>

#include <future>
#include <memory>
#include <type_traits>
#include <vector>

#include "engine_state.h"
#include "js_thread.h"

namespace lh::node {

class EnvData {
 public:
  explicit EnvData(Napi::Env env);
  ~EnvData();
  EnvData(const EnvData&) = delete;
  EnvData& operator=(const EnvData&) = delete;

  static EnvData& of(Napi::Env env) { return *env.GetInstanceData<EnvData>(); }

  [[nodiscard]] const std::shared_ptr<JsThread>& js() const { return js_; }

  // The engine is stopped and freed with the environment, if not before.
  void add(Napi::Env env, std::shared_ptr<EngineState> engine);
  // Frees an engine that JavaScript has let go of, on a thread of its own: that can wait for its threads.
  void retire(const std::shared_ptr<EngineState>& engine);

  // Stops and frees all engines; none can be added after. When the process exits (process.exit makes no cleanup), and
  // at the environment's cleanup (terminating a worker emits no "exit").
  void shut_down();
  [[nodiscard]] bool is_shut_down() const { return shut_down_; }

  Napi::FunctionReference engine_class;
  Napi::FunctionReference task_class;

 private:
  const std::shared_ptr<JsThread> js_;
  std::vector<std::shared_ptr<EngineState>> engines_;
  std::vector<std::future<void>> retiring_;
  bool listens_ = false;  // to the process's exit
  bool shut_down_ = false;
};
static_assert(!std::is_copy_constructible_v<EnvData>);

}  // namespace lh::node
