// What was answered about tool calls, and is to hold from then on.
// Must not: judge by rules, or ask anybody.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/permissions/permissions.h"
#include "base/function_ref.h"
#include "base/threads/mutex.h"

namespace lh {

// Any thread.
class PermissionMemory {
 public:
  PermissionMemory() = default;
  PermissionMemory(const PermissionMemory&) = delete;
  PermissionMemory& operator=(const PermissionMemory&) = delete;

  // Of calls of `tier` like this one: of the same tool, and with the same arguments unless `any_args`. kAllow or kDeny.
  void keep(const std::string& tier, const ToolCall& call, bool any_args, Permission answer);
  // What holds of the call: the last answer kept that is of it; empty words: none.
  [[nodiscard]] std::optional<Permissions::Judgement> find(const std::string& tier, const ToolCall& call) const;

  // As it is saved: [{"tier", "tool", "args"?, "permission"}].
  [[nodiscard]] Json to_json() const;
  // Replaces all answers. `tier_fault` returns why a tier cannot have answers, or an empty text. Errors:
  // kSessionFileInvalid; the message begins with `remembered[i]`.
  [[nodiscard]] Status restore(const Json& json, FunctionRef<std::string(const std::string& tier)> tier_fault);

 private:
  struct Answer {
    std::string tier;
    std::string tool;
    std::optional<Json> args;  // none: any
    Permission permission = Permission::kDeny;
  };
  [[nodiscard]] static bool holds_of(const Answer& one, const std::string& tier, const ToolCall& call);

  mutable Mutex mutex_;
  std::vector<Answer> answers_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<PermissionMemory>);

}  // namespace lh
