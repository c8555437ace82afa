// The C callback behind every hook that was added from JavaScript: puts the question on the run thread, takes the
// answer on JavaScript's. Must not: wait on the JavaScript thread, or keep anything of a call that is over.
#pragma once

#include <napi.h>

#include <memory>

#include "engine_state.h"

namespace lh::node {

// How the facade's addHook options come.
struct HookOptions {
  std::string name;
  int32_t priority;
  int64_t deadline_ms;
  uint32_t flags;

  static HookOptions of(const Napi::Value& value);
  // Borrows from *this.
  [[nodiscard]] lh_hook_options to_c() const;
};

// Adds a JavaScript hook to the engine's registry and gives its id. Throws the Error of a refused call.
uint64_t add_hook(Napi::Env env, const std::shared_ptr<EngineState>& engine, lh_registry* registry, lh_hook_point point,
                  const HookOptions& options);

// JavaScript's answer to a call it left open; ignored when the call is over.
void answer_hook(Napi::Env env, EngineState& engine, uint64_t call_id, int kind, napi_value text);

// JavaScript thread: a call is over without an answer, and JavaScript hears of it if it was shown the call.
void deliver_given_up(napi_env env, EngineState& engine, uint64_t call_id, lh_status why);

}  // namespace lh::node
