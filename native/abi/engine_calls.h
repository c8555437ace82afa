// The steps that all functions of engine.h share: they check their arguments and start a task.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "abi/guard.h"
#include "base/caller_struct.h"
#include "engine/engine.h"
#include "llama_hooks/engine.h"

namespace lh::abi {

// NULL: the id or name is left out, where that is allowed. An empty text is not an id or name.
[[nodiscard]] inline Status check_optional_id(const char* id, const char* what) {
  if (id == nullptr || *id != '\0') return {};
  return {Code::kInvalidArgument, std::string(what) + " must be NULL or a string that is not empty"};
}

inline std::string_view text_or_empty(const char* text) { return text == nullptr ? std::string_view() : text; }

inline Result<lh_task_callbacks> read_callbacks(const lh_task_callbacks* given) {
  if (given == nullptr) return missing("callbacks");
  auto callbacks = read_struct(*given, LH_TASK_CALLBACKS_INIT, "callbacks");
  if (callbacks.ok() && callbacks->on_end == nullptr) return missing("callbacks.on_end");
  return callbacks;
}

// The hooks of a single call; null if it has none.
inline Result<std::shared_ptr<HookScope>> hooks_of(const lh_task_callbacks& callbacks, Engine& engine,
                                                   HookLevel level) {
  if (callbacks.hooks == nullptr) return std::shared_ptr<HookScope>();
  const auto& scope = callbacks.hooks->scope;
  const bool fits = &callbacks.hooks->registry == &engine.hooks().registry && scope != nullptr;
  if (fits && scope->level() == level) return scope;
  return Status(Code::kInvalidArgument, std::string("callbacks.hooks: not made of this engine's hooks with ") +
                                            (level == HookLevel::kRun ? "LH_SCOPE_RUN" : "LH_SCOPE_GENERATION"));
}

// Checks the arguments of every function that starts a task, then starts it.
enum class Takes { kNoHooks, kHooks };
template <typename Start>
lh_status start_task(lh_engine* engine, const lh_task_callbacks* given, lh_task** out, char** error_json, Start&& start,
                     Takes takes = Takes::kNoHooks) noexcept {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (out == nullptr) return missing("out");
    const auto callbacks = read_callbacks(given);
    if (!callbacks.ok()) return callbacks.status();
    if (takes == Takes::kNoHooks && callbacks->hooks != nullptr) {
      return {Code::kInvalidArgument, "callbacks.hooks: lh_session_run and lh_generate alone take hooks"};
    }
    // Created before the task begins: if its allocation fails, no work has begun that uses the caller's data.
    auto handle = std::make_unique<lh_task>();
    handle->patience = engine->engine->patience();
    auto started = start(*engine->engine, *callbacks);
    if (!started.ok()) return started.status();
    handle->task = *std::move(started);
    *out = handle.release();
    return {};
  });
}

}  // namespace lh::abi
