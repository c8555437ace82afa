// The definition of lh_registry. Must not: be included by anything but the C ABI and the owner of an engine's hooks.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "hooks/dispatch/dispatcher.h"
#include "hooks/registry/hook_scope.h"
#include "hooks/registry/registry.h"

// All hooks of an engine, of a standalone registry, or of one scope inside another registry.
struct lh_registry {
 private:
  struct Own {
    lh::Registry registry;
    lh::Dispatcher dispatcher{registry};
  };
  const std::unique_ptr<Own> own_;  // null: a scope of another registry

 public:
  lh_registry() : own_(std::make_unique<Own>()), registry(own_->registry), dispatcher(own_->dispatcher) {}
  // `whole` outlives it.
  lh_registry(lh_registry& whole, std::shared_ptr<lh::HookScope> of)
      : registry(whole.registry), dispatcher(whole.dispatcher), scope(std::move(of)) {}
  // Runs before the dispatcher is destroyed: running dispatches still use both.
  ~lh_registry() {
    if (own_ != nullptr) registry.close();
  }
  lh_registry(const lh_registry&) = delete;
  lh_registry& operator=(const lh_registry&) = delete;

  [[nodiscard]] lh::HookOwner owner() const noexcept { return scope == nullptr ? 0 : scope->owner(); }
  // The owners of a dispatch that a caller makes by hand.
  [[nodiscard]] lh::HookOwners owners() const noexcept {
    const bool of_session = scope != nullptr && scope->level() == lh::HookLevel::kSession;
    return of_session ? lh::HookOwners{owner(), 0} : lh::HookOwners{0, owner()};
  }

  lh::Registry& registry;
  lh::Dispatcher& dispatcher;
  const std::shared_ptr<lh::HookScope> scope;  // null: the whole registry
};
static_assert(!std::is_copy_constructible_v<lh_registry>);
