// Hooks that are functions of JavaScript: how they are added.
// Must not: call them (js_callback.h), or keep anything of a hook.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <string>

#include "engine_state.h"

namespace lh::node {

// How the facade's addHook options come.
struct HookOptions {
  std::string name;
  int32_t priority;
  int64_t deadline_ms;
  uint32_t flags;
  std::optional<std::string> when;
  bool told;  // JsCallback::Kind::kTold

  static HookOptions of(const Napi::Value& value);
  // Borrows from *this.
  [[nodiscard]] lh_hook_options to_c() const;
};

// Adds a JavaScript hook to the engine's registry and gives its id. Throws the Error of a refused call.
uint64_t add_hook(Napi::Env env, const std::shared_ptr<EngineState>& engine, lh_registry* registry, lh_hook_point point,
                  const HookOptions& options);

}  // namespace lh::node
