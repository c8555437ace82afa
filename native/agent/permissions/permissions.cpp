#include "agent/permissions/permissions.h"

#include <algorithm>
#include <span>

#include "agent/permissions/nfc.h"
#include "agent/permissions/pattern.h"

namespace lh {
namespace {

constexpr std::pair<Permission, const char*> kKinds[] = {
    {Permission::kAllow, "allow"}, {Permission::kDeny, "deny"}, {Permission::kAsk, "ask"}};

// Rules may test these beside the arguments: hints and texts of the tool's owner.
struct Fact {
  std::string_view ours;
  std::string_view theirs;  // as MCP spells it
  bool is_hint;
};
constexpr Fact kFacts[] = {{"annotations.title", "annotations.title", false},
                           {"annotations.read_only_hint", "annotations.readOnlyHint", true},
                           {"annotations.destructive_hint", "annotations.destructiveHint", true},
                           {"annotations.idempotent_hint", "annotations.idempotentHint", true},
                           {"annotations.open_world_hint", "annotations.openWorldHint", true},
                           {"origin", "origin", false}};

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  for (size_t from = 0; from <= path.size();) {
    const size_t dot = std::min(path.find('.', from), path.size());
    parts.emplace_back(path.substr(from, dot - from));
    from = dot + 1;
  }
  return parts;
}

// Adds the values at the path: a name may be spelled in several ways, and each of them be there; a name is looked for
// in every value of a list. Returns false if a value of a list has nothing there.
bool find(const Json& value, std::span<const std::string> path, std::vector<const Json*>& found) {
  if (path.empty()) {
    found.push_back(&value);
    return true;
  }
  const std::string& part = path.front();
  bool everywhere = true;
  const size_t before = found.size();
  if (value.is_array()) {
    const bool is_index =
        !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == std::string::npos;
    if (is_index && std::stoul(part) < value.size()) everywhere = find(value[std::stoul(part)], path.subspan(1), found);
    for (const Json& one : value) {
      if (!is_index || one.is_object()) everywhere = (find(one, path, found) || is_index) && everywhere;
    }
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      if (nfc(key) == part) everywhere = find(member, path.subspan(1), found) && everywhere;
    }
  }
  return everywhere && found.size() > before;
}

}  // namespace

std::string_view permission_name(Permission permission) { return kKinds[static_cast<size_t>(permission)].second; }

Result<Permissions> Permissions::read(const Json& rules) {
  if (!rules.is_array()) return Status(Code::kInvalidArgument, "permissions must be an array of rules");
  Permissions permissions;
  for (size_t i = 0; i < rules.size(); ++i) {
    auto rule = read_rule(rules[i], "permissions[" + std::to_string(i) + "]");
    if (!rule.ok()) return rule.status();
    permissions.rules_.push_back(*std::move(rule));
  }
  return permissions;
}

Result<Permissions::Rule> Permissions::read_rule(const Json& json, const std::string& where) {
  const auto wrong = [&where](const std::string& what) { return Status(Code::kInvalidArgument, where + what); };
  if (!json.is_object()) return wrong(" must be an object");
  Rule rule;
  for (const auto& [key, value] : json.items()) {
    const auto kind = std::ranges::find(kKinds, key, [](const auto& one) { return std::string(one.second); });
    if (kind != std::ranges::end(kKinds)) {
      if (!rule.words.empty()) return wrong(" must have one of allow, deny and ask");
      if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
        return wrong("." + key + " must be a pattern of names of tools");
      }
      rule.permission = kind->first;
      rule.tool = nfc(value.get_ref<const std::string&>());
      rule.words = key + " " + value.get<std::string>();
    } else if (key != "when") {
      return wrong(" has the unknown key \"" + key + "\"");
    }
  }
  if (rule.words.empty()) return wrong(" must have one of allow, deny and ask");
  if (!json.contains("when")) return rule;
  const Json& when = json["when"];
  if (!when.is_object()) return wrong(".when must be an object of conditions");
  for (const auto& [path, pattern] : when.items()) {
    auto one = read_where(path, pattern, where + ".when");
    if (!one.ok()) return one.status();
    rule.words += (rule.when.empty() ? " when " : " and ") + path + " is " + one->condition.words();
    rule.when.push_back(*std::move(one));
  }
  return rule;
}

Result<Permissions::Where> Permissions::read_where(const std::string& path, const Json& pattern,
                                                   const std::string& where) {
  const std::string place = where + "[\"" + path + "\"]";
  const bool in_args = path.starts_with("args.");
  std::string in_about;
  if (!in_args) {
    const auto* const fact =
        std::ranges::find_if(kFacts, [&](const Fact& one) { return path == one.ours || path == one.theirs; });
    if (fact == std::ranges::end(kFacts)) {
      return Status(Code::kInvalidArgument,
                    where +
                        " must have conditions by paths that begin with \"args.\", by \"annotations.<hint>\" or by "
                        "\"origin\"; got \"" +
                        path + "\"");
    }
    // A condition of another kind would match any value of the hint.
    if (fact->is_hint != pattern.is_boolean()) {
      return Status(Code::kInvalidArgument, place + " must be " + (fact->is_hint ? "true or false" : "a pattern"));
    }
    in_about = fact->ours;
  }
  // The texts of a tool's owner are neither paths nor URLs.
  const bool as_text = !in_args && pattern.is_string();
  auto condition = Condition::read(as_text ? Json{{"text", pattern}} : pattern, place);
  if (!condition.ok()) return condition.status();
  return Where{in_args, split(in_args ? nfc(path).substr(5) : in_about), *std::move(condition)};
}

bool Permissions::matches(const Rule& rule, const ToolCall& call, const Json& about) {
  if (!matches_pattern(rule.tool, nfc(call.name))) return false;
  return std::ranges::all_of(rule.when, [&](const auto& one) {
    std::vector<const Json*> values;
    const bool everywhere = find(one.in_args ? call.args : about, one.path, values);
    if (values.empty()) return false;
    return rule.permission == Permission::kAllow
               ? everywhere &&
                     std::ranges::all_of(values, [&](const Json* value) { return one.condition.allows(*value); })
               : std::ranges::any_of(values, [&](const Json* value) { return one.condition.forbids(*value); });
  });
}

bool Permissions::names(const std::string& tool) const {
  return std::ranges::any_of(rules_, [name = nfc(tool)](const Rule& rule) {
    return rule.tool.find_first_not_of("*?") != std::string::npos && matches_pattern(rule.tool, name);
  });
}

Permissions::Judgement Permissions::judge(const ToolCall& call, const Json& about, bool own) const {
  if (rules_.empty() || (own && !names(call.name))) return {};
  for (const Permission permission : {Permission::kDeny, Permission::kAsk, Permission::kAllow}) {
    for (const Rule& rule : rules_) {
      if (rule.permission == permission && matches(rule, call, about)) return {permission, rule.words};
    }
  }
  return {Permission::kAsk, ""};
}

Permissions::Judgement judge_all(const std::vector<const Permissions*>& all, const ToolCall& call, const Json& about,
                                 bool own) {
  const auto rank = [](Permission permission) {
    return permission == Permission::kDeny ? 2 : permission == Permission::kAsk ? 1 : 0;
  };
  Permissions::Judgement least;
  for (const Permissions* one : all) {
    Permissions::Judgement judged = one->judge(call, about, own);
    const bool less = rank(judged.permission) > rank(least.permission);
    const bool same = judged.permission == least.permission && least.rule.empty();
    if (less || same) least = std::move(judged);
  }
  return least;
}

}  // namespace lh
