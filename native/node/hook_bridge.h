// Adds hooks that are JavaScript functions. js_callback.h calls them.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <string>

#include "engine_state.h"

namespace lh::node {

// The options of the facade's addHook.
struct HookOptions {
  std::string name;
  int32_t priority;
  int64_t deadline_ms;
  uint32_t flags;
  std::optional<std::string> when;
  std::optional<std::string> location;
  std::optional<std::string> fields;
  bool told;  // JsCallback::Kind::kTold

  static HookOptions of(const Napi::Value& value);
  // The result borrows from *this.
  [[nodiscard]] lh_hook_options to_c() const;
};

// Adds a JavaScript hook to the engine's registry and returns its id. Throws the Error of a refused call.
uint64_t add_hook(Napi::Env env, const std::shared_ptr<EngineState>& engine, lh_registry* registry, lh_hook_point point,
                  const HookOptions& options);

}  // namespace lh::node
