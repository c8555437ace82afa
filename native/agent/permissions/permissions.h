// The permission rules of a session: they allow a tool call, deny it, or ask about it.
// Must not: ask anybody.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/permissions/condition.h"
#include "base/json/json.h"
#include "base/status.h"
#include "model/conversation.h"

namespace lh {

enum class Permission : uint8_t { kAllow, kDeny, kAsk };

[[nodiscard]] std::string_view permission_name(Permission permission);

class Permissions {
 public:
  // No rules: everything is allowed.
  Permissions() = default;
  // [{"allow" | "deny" | "ask": pattern of the tool's name, "when"?: {"args.<dotted path>" | "annotations.<hint>" |
  // "origin": condition}}]. Compared in Unicode's normal form C. Errors: kInvalidArgument.
  [[nodiscard]] static Result<Permissions> read(const Json& rules);

  struct Judgement {
    Permission permission = Permission::kAllow;
    std::string rule;         // in words; empty: the default
    bool remembered = false;  // an answer given before, which a new one replaces
  };
  // A rule that denies wins over one that asks, and that over one that allows, whatever their order. If there are rules
  // and none matches: ask. `about`: the hints and the origin of the tool, {"annotations"?, "origin"?}. `own`: the tool
  // is a control tool, which is allowed unless a rule names it; wildcards alone name no tool.
  [[nodiscard]] Judgement judge(const ToolCall& call, const Json& about, bool own) const;

 private:
  struct Where {
    bool in_args = true;  // else in what is known about the tool
    std::vector<std::string> path;
    Condition condition;
  };
  struct Rule {
    Permission permission = Permission::kAsk;
    std::string tool;
    std::vector<Where> when;  // all must hold
    std::string words;
  };
  [[nodiscard]] static Result<Rule> read_rule(const Json& json, const std::string& where);
  [[nodiscard]] static Result<Where> read_where(const std::string& path, const Json& pattern, const std::string& where);
  [[nodiscard]] static bool matches(const Rule& rule, const ToolCall& call, const Json& about);
  [[nodiscard]] bool names(const std::string& tool) const;

  std::vector<Rule> rules_;
};

// The strictest judgement of several sets of rules; among equals the first.
[[nodiscard]] Permissions::Judgement judge_all(const std::vector<const Permissions*>& all, const ToolCall& call,
                                               const Json& about, bool own);

}  // namespace lh
