#include "hooks/points/value_check.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/text/names.h"

namespace lh {
namespace {

using Offence = std::optional<ValueOffence>;

const Json* keyword(const Json& schema, const char* name) {
  const auto it = schema.find(name);
  return it == schema.end() ? nullptr : &*it;
}

bool is_whole(const Json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>();
}

bool is_type(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type == "integer") return is_whole(value);
  return true;
}

Offence check_type(const Json& value, const Json& type) {
  std::string expected;
  const auto matches = [&](const Json& one) {
    if (!one.is_string()) return true;
    const auto& name = one.get_ref<const std::string&>();
    if (!expected.empty()) expected += " or ";
    expected += name;
    return is_type(value, name);
  };
  if (type.is_array()) {
    for (const Json& one : type) {
      if (matches(one)) return {};
    }
  } else if (matches(type)) {
    return {};
  }
  return ValueOffence{"", "expected " + expected + ", got " + value.type_name()};
}

// Shows a wrong value in a message: the value if it is short, otherwise its type.
std::string shown(const Json& value) {
  constexpr size_t kShort = 40;
  std::string text = value.is_structured() ? std::string() : dump_json(value);
  return text.empty() || text.size() > kShort ? value.type_name() : text;
}

Offence check_enum(const Json& value, const Json& allowed) {
  std::string expected;
  for (const Json& one : allowed) {
    if (same_json(value, one)) return {};
    if (!expected.empty()) expected += ", ";
    expected += dump_json(one);
  }
  return ValueOffence{"", "expected one of " + expected + ", got " + shown(value)};
}

Offence check_range(const Json& value, const Json& schema) {
  const auto number = value.get<double>();
  const auto bound = [&schema](const char* name) {
    const Json* found = keyword(schema, name);
    return found != nullptr && found->is_number() ? found : nullptr;
  };
  const auto offence = [&value](const char* expected, const Json& limit) {
    return ValueOffence{"", std::string("expected ") + expected + " " + dump_json(limit) + ", got " + dump_json(value)};
  };
  const Json* low = bound("minimum");
  if (low != nullptr && number < low->get<double>()) return offence("at least", *low);
  const Json* above = bound("exclusiveMinimum");
  if (above != nullptr && number <= above->get<double>()) return offence("more than", *above);
  const Json* high = bound("maximum");
  if (high != nullptr && number > high->get<double>()) return offence("at most", *high);
  return {};
}

// The words of a pattern of the form "^word$" or "^(word|word)$", as the tables have it; nullopt: it is another one.
std::optional<std::string_view> words_of(std::string_view pattern) {
  if (!pattern.starts_with('^') || !pattern.ends_with('$')) return std::nullopt;
  pattern = pattern.substr(1, pattern.size() - 2);
  const bool many = pattern.starts_with('(') && pattern.ends_with(')');
  if (many) pattern = pattern.substr(1, pattern.size() - 2);
  const auto is_plain = [many](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || (many && letter == '|');
  };
  if (pattern.empty() || !std::ranges::all_of(pattern, is_plain)) return std::nullopt;
  return pattern;
}

Offence check_pattern(const Json& value, const Json& schema) {
  const Json* pattern = keyword(schema, "pattern");
  if (pattern == nullptr || !pattern->is_string()) return {};
  const auto found = words_of(pattern->get_ref<const std::string&>());
  if (!found) return {};
  std::string_view words = *found;
  std::string expected;
  while (true) {
    const size_t end = std::min(words.find('|'), words.size());
    const std::string_view word = words.substr(0, end);
    if (value.get_ref<const std::string&>() == word) return {};
    expected += (expected.empty() ? "" : " or ") + dump_json(word);
    if (end == words.size()) return ValueOffence{"", "expected " + expected + ", got " + shown(value)};
    words.remove_prefix(end + 1);
  }
}

// Moves an offence found in a part of the value to the value.
Offence inside(std::string part, Offence offence) {
  if (!offence) return offence;
  const bool joined = offence->path.empty() || offence->path.front() == '[';
  offence->path.insert(0, joined ? part : part + ".");
  return offence;
}

Offence check_object(const Json& value, const Json& schema, Keys keys) {
  const auto name = [keys](const std::string& key) { return shown_key(key, keys); };
  if (const Json* required = keyword(schema, "required")) {
    for (const Json& key : *required) {
      if (key.is_string() && !value.contains(key.get_ref<const std::string&>()))
        return ValueOffence{"", "lacks " + dump_json(name(key.get_ref<const std::string&>()))};
    }
  }
  const Json* properties = keyword(schema, "properties");
  if (properties != nullptr && !properties->is_object()) properties = nullptr;
  const Json* additional = keyword(schema, "additionalProperties");
  const bool closed = additional != nullptr && additional->is_boolean() && !additional->get<bool>();
  for (const auto& [key, member] : value.items()) {
    const Json* known = properties == nullptr ? nullptr : keyword(*properties, key.c_str());
    if (known == nullptr) {
      if (closed) return ValueOffence{key, "not a known field"};
      continue;
    }
    if (Offence offence = inside(name(key), check_value(member, *known, keys))) return offence;
  }
  return {};
}

Offence check_array(const Json& value, const Json& schema, Keys keys) {
  const Json* items = keyword(schema, "items");
  if (items == nullptr) return {};
  for (size_t i = 0; i < value.size(); ++i) {
    if (Offence offence = inside("[" + std::to_string(i) + "]", check_value(value[i], *items, keys))) return offence;
  }
  return {};
}

}  // namespace

std::optional<ValueOffence> check_value(const Json& value, const Json& schema, Keys keys) {
  if (!schema.is_object()) return {};
  if (const Json* type = keyword(schema, "type")) {
    if (Offence offence = check_type(value, *type)) return offence;
  }
  if (const Json* allowed = keyword(schema, "enum")) {
    if (Offence offence = check_enum(value, *allowed)) return offence;
  }
  if (value.is_number()) return check_range(value, schema);
  if (value.is_string()) return check_pattern(value, schema);
  if (value.is_object()) return check_object(value, schema, keys);
  if (value.is_array()) return check_array(value, schema, keys);
  return {};
}

}  // namespace lh
