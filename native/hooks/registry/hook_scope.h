// The hooks of one session, run or generation, for its lifetime. Must not: outlive its registry.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "hooks/points/hook_owner.h"
#include "hooks/registry/registry.h"

namespace lh {

class HookScope {
 public:
  // `session_id`: of a session.
  HookScope(Registry& registry, HookLevel level, std::string session_id = {})
      : registry_(registry), level_(level), owner_(registry.open_owner(level, std::move(session_id))) {}
  ~HookScope() { close(); }
  HookScope(const HookScope&) = delete;
  HookScope& operator=(const HookScope&) = delete;

  [[nodiscard]] HookOwner owner() const noexcept { return owner_; }
  [[nodiscard]] HookLevel level() const noexcept { return level_; }
  // Retires its hooks and accepts no more.
  void close() { registry_.close_owner(owner_); }
  // Adds the current hooks of `other` to this scope.
  void take_over(const HookScope& other) { registry_.share(other.owner_, owner_); }

 private:
  Registry& registry_;
  const HookLevel level_;
  const HookOwner owner_;
};
static_assert(!std::is_copy_constructible_v<HookScope>);

}  // namespace lh
