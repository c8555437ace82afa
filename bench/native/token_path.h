// A token's way through the engine without a model: the stage of the token hooks, and hooks that do next to nothing.
// Must not: imitate engine code; the engine's own code is measured.
#pragma once

#include <string>

#include "generation/output/token_stage.h"
#include "hooks/calls/allocator.h"
#include "hooks/dispatch/dispatcher.h"
#include "hooks/registry/registry.h"

namespace lh::bench {

// As long as a typical token.
inline constexpr const char* kTokenText = " the";

inline int go_on(int32_t, const char*, char**, void*) { return 0; }

// Answers with the text in its user data.
inline int answer_text(int32_t, const char*, char** answer, void* text) {
  *answer = copy_to_block(*static_cast<const std::string*>(text));
  return 0;
}

// The hooks of an engine and one generation's stage.
class TokenPath {
 public:
  TokenPath() { scope_.run_id = "run-1", scope_.model_id = "default"; }

  void add(lh_hook_fn callback, void* user_data = nullptr) {
    HookSpec spec;
    spec.point = LH_HOOK_ON_STREAM_TOKEN;
    spec.callback = callback;
    spec.user_data = user_data;
    if (!registry_.add(std::move(spec)).ok()) std::abort();
  }

  [[nodiscard]] const Dispatcher& dispatcher() const { return dispatcher_; }
  [[nodiscard]] const Scope& scope() const { return scope_; }

  // A stage that discards the text.
  [[nodiscard]] TokenStage stage() const {
    return {dispatcher_, scope_, [](const StreamedPiece&) {}, [](const Decision&) {}};
  }

 private:
  Registry registry_;
  Dispatcher dispatcher_{registry_};
  Scope scope_;
};

}  // namespace lh::bench
