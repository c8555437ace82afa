#include "agent/permissions/permission_memory.h"

#include <algorithm>
#include <utility>

#include "agent/permissions/call_key.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

const Json& remembered_schema() {
  static const Json schema = {{"type", "object"},
                              {"properties",
                               {{"tier", {{"type", "string"}}},
                                {"tool", {{"type", "string"}}},
                                {"args", {{"type", "object"}}},
                                {"permission", {{"type", "string"}, {"enum", Json::array({"allow", "deny"})}}},
                                {"count", {{"type", "integer"}, {"minimum", 0}, {"maximum", INT32_MAX}}}}},
                              {"required", Json::array({"tier", "tool", "permission"})},
                              {"additionalProperties", false}};
  return schema;
}

}  // namespace

bool PermissionMemory::holds_of(const Answer& one, const std::string& tier, const ToolCall& call) {
  return one.tier == tier && one.tool == call.name &&
         (!one.args || call_key({.id = "", .name = one.tool, .args = *one.args}) == call_key(call));
}

void PermissionMemory::keep(const std::string& tier, const ToolCall& call, bool any_args, Permission answer,
                            size_t count) {
  const MutexLock lock(mutex_);
  // An answer for all calls is known only if no newer one is about some of them.
  const auto newest = std::find_if(answers_.rbegin(), answers_.rend(), [&](const Answer& one) {
    return any_args ? one.tier == tier && one.tool == call.name : holds_of(one, tier, call);
  });
  const bool known =
      newest != answers_.rend() && newest->permission == answer && !newest->restored && (!any_args || !newest->args);
  if (known) return;
  answers_.push_back({tier, call.name, any_args ? std::nullopt : std::optional(call.args), answer, count, false});
}

void PermissionMemory::rewind(size_t count) {
  const MutexLock lock(mutex_);
  std::erase_if(answers_, [count](const Answer& one) { return one.count > count; });
}

std::optional<Permissions::Judgement> PermissionMemory::find(const std::string& tier, const ToolCall& call) const {
  const MutexLock lock(mutex_);
  for (auto at = answers_.rbegin(); at != answers_.rend(); ++at) {
    if (!holds_of(*at, tier, call)) continue;
    const bool asks_again = at->restored && at->permission == Permission::kAllow;
    return Permissions::Judgement{asks_again ? Permission::kAsk : at->permission,
                                  "remembered" + std::string(asks_again ? " before the session was saved: " : ": ") +
                                      std::string(permission_name(at->permission)) + " " + at->tool +
                                      (at->args ? " with these arguments" : ""),
                                  true};
  }
  return std::nullopt;
}

void PermissionMemory::take_over(const PermissionMemory& other) {
  std::vector<Answer> answers;
  {
    const MutexLock lock(other.mutex_);
    answers = other.answers_;
  }
  const MutexLock lock(mutex_);
  answers_ = std::move(answers);
}

void PermissionMemory::forget_tiers(FunctionRef<bool(const std::string& tier)> is_there) {
  const MutexLock lock(mutex_);
  std::erase_if(answers_, [&](const Answer& one) { return !is_there(one.tier); });
}

Json PermissionMemory::to_json() const {
  Json json = Json::array();
  const MutexLock lock(mutex_);
  for (const Answer& one : answers_) {
    Json record = {{"tier", one.tier}, {"tool", one.tool}};
    if (one.args) record["args"] = *one.args;
    record["permission"] = permission_name(one.permission);
    if (one.count > 0) record["count"] = one.count;
    json.push_back(std::move(record));
  }
  return json;
}

Status PermissionMemory::restore(const Json& json, FunctionRef<std::string(const std::string& tier)> tier_fault) {
  std::vector<Answer> answers;
  for (size_t i = 0; i < json.size(); ++i) {
    const Json& record = json[i];
    const std::string at = "remembered[" + std::to_string(i) + "]";
    if (const auto offence = check_value(record, remembered_schema())) {
      return {Code::kSessionFileInvalid, at + (offence->path.empty() ? " " : "." + offence->path + " ") + offence->why};
    }
    const auto tier = record["tier"].get<std::string>();
    if (std::string why = tier_fault(tier); !why.empty()) {
      return {Code::kSessionFileInvalid, at + ".tier: " + why};
    }
    answers.push_back({tier, record["tool"].get<std::string>(),
                       record.contains("args") ? std::optional(record["args"]) : std::nullopt,
                       record["permission"] == "allow" ? Permission::kAllow : Permission::kDeny,
                       record.value("count", Json(0)).get<size_t>(), true});
  }
  const MutexLock lock(mutex_);
  answers_ = std::move(answers);
  return {};
}

}  // namespace lh
