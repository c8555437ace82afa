// The answers of permission hooks that a session remembers for later tool calls.
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

  // Keeps the answer, kAllow or kDeny, for calls of `tier` with the same tool and, unless `any_args`, the same
  // arguments; an answer is not kept twice. `count`: the number of messages of the session, including the one whose
  // calls are judged.
  void keep(const std::string& tier, const ToolCall& call, bool any_args, Permission answer, size_t count);
  // Forgets the answers that came after the first `count` messages, because the session was rewound to them.
  void rewind(size_t count);
  // The last answer that was kept for such a call; nothing: none was.
  [[nodiscard]] std::optional<Permissions::Judgement> find(const std::string& tier, const ToolCall& call) const;

  // Forgets the answers for calls of tiers that no longer exist.
  void forget_tiers(FunctionRef<bool(const std::string& tier)> is_there);

  // Replaces all answers by those of the session that is forked.
  void take_over(const PermissionMemory& other);

  // The saved form: [{"tier", "tool", "args"?, "permission", "count"?}].
  [[nodiscard]] Json to_json() const;
  // Replaces all answers. A person or program that can write the file must not be able to allow calls: for an `allow`
  // from a file, find() returns kAsk. `tier_fault` returns why a tier cannot have answers, or an empty text. Errors:
  // kSessionFileInvalid; the message begins with `remembered[i]`.
  [[nodiscard]] Status restore(const Json& json, FunctionRef<std::string(const std::string& tier)> tier_fault);

 private:
  struct Answer {
    std::string tier;
    std::string tool;
    std::optional<Json> args;  // none: any
    Permission permission = Permission::kDeny;
    size_t count = 0;       // of the session's messages then; 0: not known
    bool restored = false;  // from a file
  };
  [[nodiscard]] static bool holds_of(const Answer& one, const std::string& tier, const ToolCall& call);

  mutable Mutex mutex_;
  std::vector<Answer> answers_ LH_GUARDED_BY(mutex_);  // the last one that matches applies
};
static_assert(!std::is_copy_constructible_v<PermissionMemory>);

}  // namespace lh
