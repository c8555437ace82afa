#include "agent/permissions.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "agent/nfc.h"
#include "base/utf8.h"

namespace lh {
namespace {

constexpr std::pair<Permission, const char*> kKinds[] = {
    {Permission::kAllow, "allow"}, {Permission::kDeny, "deny"}, {Permission::kAsk, "ask"}};

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  for (size_t from = 0; from <= path.size();) {
    const size_t dot = std::min(path.find('.', from), path.size());
    parts.emplace_back(path.substr(from, dot - from));
    from = dot + 1;
  }
  return parts;
}

// The member of that name, spelled so if there is one, else however its letters are spelled. Null when there is none.
const Json* member(const Json& object, const std::string& name) {
  if (const auto found = object.find(name); found != object.end()) return &*found;
  for (const auto& [key, value] : object.items()) {
    if (nfc(key) == name) return &value;
  }
  return nullptr;
}

// Null when there is none.
const Json* at(const Json& args, const std::vector<std::string>& path) {
  const Json* value = &args;
  for (const std::string& part : path) {
    if (value->is_array() && !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; }) &&
        part.size() < 10 && std::stoul(part) < value->size()) {
      value = &(*value)[std::stoul(part)];
    } else {
      value = value->is_object() ? member(*value, part) : nullptr;
      if (value == nullptr) return nullptr;
    }
  }
  return value;
}

// Without . and .. in it: the whole path where the pattern is an absolute one, else from the current folder on.
std::string as_path(const std::string& text, const std::string& pattern) {
  if (text.empty()) return text;
  std::error_code failed;
  const auto here = std::filesystem::current_path(failed);
  std::filesystem::path path = (here / text).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (!std::filesystem::path(pattern).is_absolute()) {
    const auto relative = path.lexically_relative(here);
    if (!relative.empty()) path = relative;  // it is on another drive otherwise
  }
  if (text.ends_with('/')) path /= "";
  return path.generic_string();
}

std::string without_last_slash(std::string path) {
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// What is no text, as it is written, is compared as JSON that is written in one way.
std::string canonical_text(const std::string& text) {
  const auto value = parse_json(text, "the pattern");
  return value.ok() && !value->is_string() ? nfc(dump_json(canonical_json(*value))) : text;
}

// A path may be spelled in many ways: what forbids holds for each of them, what allows for the plain one alone.
bool value_matches(const Json& value, const std::string& given, bool allows) {
  const std::string spelled = nfc(value.is_string() ? value.get_ref<const std::string&>() : dump_json(value));
  const std::string text = value.is_string() ? spelled : canonical_text(spelled);
  const std::string pattern = value.is_string() ? given : canonical_text(given);
  const std::string plain = as_path(pattern, pattern);
  const std::string path = as_path(text, pattern);
  if (matches_pattern(plain, path)) return true;
  return !allows &&
         (matches_pattern(given, spelled) || matches_pattern(without_last_slash(plain), without_last_slash(path)));
}

// The bytes of the character that begins at the front of `text`; 0 within one.
size_t character_length(std::string_view text) {
  const Utf8Step step = utf8_step(text);
  return step.kind == Utf8Step::Kind::kCharacter ? step.length : 0;
}

}  // namespace

std::string_view permission_name(Permission permission) { return kKinds[static_cast<size_t>(permission)].second; }

// With the last * or ** to come back to; one of each is enough, as what stands before a later one has matched already.
bool matches_pattern(std::string_view pattern, std::string_view text) {
  struct Back {
    size_t pattern;
    size_t text;
  };
  size_t p = 0;
  size_t t = 0;
  std::optional<Back> star;
  std::optional<Back> double_star;
  while (t < text.size()) {
    if (pattern.substr(p).starts_with("**")) {
      double_star = Back{p += 2, t};
      star.reset();
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = Back{++p, t};
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '?' && text[t] != '/' && character_length(text.substr(t)) > 0) {
      ++p;
      t += character_length(text.substr(t));
    } else if (star && text[star->text] != '/') {
      p = star->pattern;
      t = ++star->text;
    } else if (double_star) {
      star.reset();
      p = double_star->pattern;
      t = ++double_star->text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

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
  if (!when.is_object()) return wrong(".when must be an object of patterns");
  for (const auto& [path, pattern] : when.items()) {
    if (!path.starts_with("args.") || !pattern.is_string()) {
      return wrong(".when must have patterns of values, by paths that begin with \"args.\"; got \"" + path + "\"");
    }
    rule.when.push_back({split(nfc(path).substr(5)), nfc(pattern.get_ref<const std::string&>())});
    rule.words += (rule.when.size() == 1 ? " when " : " and ") + path + " is " + pattern.get<std::string>();
  }
  return rule;
}

bool Permissions::matches(const Rule& rule, const ToolCall& call) {
  return matches_pattern(rule.tool, nfc(call.name)) && std::ranges::all_of(rule.when, [&](const Condition& condition) {
           const Json* value = at(call.args, condition.path);
           return value != nullptr && value_matches(*value, condition.pattern, rule.permission == Permission::kAllow);
         });
}

Permissions::Judgement Permissions::judge(const ToolCall& call) const {
  if (rules_.empty()) return {};
  for (const Permission permission : {Permission::kDeny, Permission::kAsk, Permission::kAllow}) {
    for (const Rule& rule : rules_) {
      if (rule.permission == permission && matches(rule, call)) return {permission, rule.words};
    }
  }
  return {Permission::kAsk, ""};
}

Permissions::Judgement judge_all(const std::vector<const Permissions*>& all, const ToolCall& call) {
  const auto rank = [](Permission permission) {
    return permission == Permission::kDeny ? 2 : permission == Permission::kAsk ? 1 : 0;
  };
  Permissions::Judgement least;
  for (const Permissions* one : all) {
    Permissions::Judgement judged = one->judge(call);
    const bool less = rank(judged.permission) > rank(least.permission);
    const bool same = judged.permission == least.permission && least.rule.empty();
    if (less || same) least = std::move(judged);
  }
  return least;
}

}  // namespace lh
