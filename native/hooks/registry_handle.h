// What an lh_registry is. Must not: be included by anything but the C ABI and the owner of an engine's hooks.
#pragma once

#include <type_traits>

#include "hooks/dispatcher.h"
#include "hooks/registry.h"

struct lh_registry {
  explicit lh_registry(lh::Registry::Points points = lh::Registry::Points::kAll) : registry(points) {}
  // Before the dispatcher goes: dispatches that are under way still use both.
  ~lh_registry() { registry.close(); }
  lh_registry(const lh_registry&) = delete;
  lh_registry& operator=(const lh_registry&) = delete;

  lh::Registry registry;
  lh::Dispatcher dispatcher{registry};
};
static_assert(!std::is_copy_constructible_v<lh_registry>);
