// The keywords of objects.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "guards/schema/schema_edit.h"
#include "guards/schema/schema_keywords.h"
#include "guards/schema/schema_typed.h"

namespace lh {
namespace {

const Json kNothingFits(false);

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& text : list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

// Names in the order in which they were added, each once.
struct NameList {
  std::vector<std::string> names;
  std::set<std::string> known;

  void add(const std::string& name) {
    if (known.insert(name).second) names.push_back(name);
  }
};

}  // namespace

// A required name that is not declared is declared. The object has no names besides the listed ones.
void TypedSchema::add_object() {
  NameList names;
  NameList required;
  for (const SchemaPart& part : parts_) {
    for (const char* key : {"patternProperties", "dependencies", "dependentRequired", "dependentSchemas"})
      copy(part, key);
    if (const Json* declared = keyword_of(part, "properties")) {
      if (!declared->is_object()) return findings_.fail(part.at, "properties must be an object");
      node_.declares = true;
      for (const auto& [name, _] : declared->items()) names.add(name);
      work_.spend(declared->size());
    }
    if (const Json* asked = keyword_of(part, "required")) {
      for (const std::string& name : texts_of(*asked)) required.add(name);
      work_.spend(asked->size());
    }
    if (const Json* others = keyword_of(part, "additionalProperties")) {
      if (!others->is_boolean() && !others->is_object()) {
        return findings_.fail(part.at, "additionalProperties must be a boolean or a schema");
      }
      others_.push_back(part_of(part, "additionalProperties"));
      closed_ = closed_ || *others == false;
    }
  }
  limited_ = read_property_names();
  const size_t declared = names.names.size();
  for (const std::string& name : required.names) names.add(name);
  const bool undeclared = names.names.size() > declared;
  if (limited_ && !closed_ && !(node_.declares && others_.empty())) {
    for (const std::string& name : allowed_) names.add(name);
  }
  add_unevaluated(undeclared);
  open_ = !node_.declares && others_.empty() && !limited_ && !closed_;
  add_properties(names.names, required.known);
  if (!required.names.empty()) node_.own["required"] = required.names;
  add_others(!names.names.empty());
  add_property_counts(names.names.size(), required.names.size());
}

void TypedSchema::add_properties(const std::vector<std::string>& names, const std::set<std::string>& required) {
  // Names become parts of rule names, which the converter cleans with a recursive regular expression.
  if (std::ranges::any_of(names, [](const std::string& name) { return name.size() > kMaxSchemaName; })) {
    return findings_.fail(node_.at, "a name has more than " + std::to_string(kMaxSchemaName) + " bytes");
  }
  std::map<std::string_view, SchemaParts> declared;  // looking a name up in a schema takes long
  for (const SchemaPart& part : parts_) {
    const Json* properties = keyword_of(part, "properties");
    const bool others = part.schema->contains("additionalProperties") && !part.schema->contains("patternProperties");
    std::map<std::string_view, const Json*> own;
    if (properties != nullptr) {
      for (const auto& [name, schema] : properties->items()) own.emplace(name, &schema);
    }
    for (const std::string& name : names) {
      if (!work_.spend_on(part.at) || !work_.spend_on(name)) return;
      const auto found = own.find(name);
      if (found != own.end()) {
        declared[name].push_back({found->second, part.at + "/properties/" + escape_pointer(name)});
      } else if (others) {
        declared[name].push_back(part_of(part, "additionalProperties"));
      }
    }
  }
  const std::set<std::string> allowed(allowed_.begin(), allowed_.end());
  for (const std::string& name : names) {
    SchemaParts parts = std::move(declared[name]);
    if (limited_ && !allowed.contains(name)) parts.push_back({&kNothingFits, parts_.front().at});
    const SchemaRole role = required.contains(name) ? SchemaRole::kRequired : SchemaRole::kProperty;
    node_.children.push_back({role, name, std::move(parts)});
  }
  node_.declares = node_.declares || !names.empty();
}

void TypedSchema::add_others(bool names_known) {
  if (closed_ || limited_) {
    node_.own["additionalProperties"] = false;
  } else if (!others_.empty()) {
    node_.children.push_back({SchemaRole::kOthers, {}, std::move(others_)});
  } else if (open_ && names_known) {
    node_.own["additionalProperties"] = true;
  }
}

void TypedSchema::add_property_counts(size_t names, size_t required) {
  add_count("minProperties", false);
  add_count("maxProperties", true);
  const auto count = [this](const char* key) {
    const auto found = node_.own.find(key);
    return found != node_.own.end() && found->is_number() ? found->get<double>() : -1;
  };
  if (count("minProperties") <= static_cast<double>(required)) node_.own.erase("minProperties");
  const bool only_these =
      std::ranges::none_of(node_.children, [](const auto& child) { return child.role == SchemaRole::kOthers; });
  const bool fits = count("maxProperties") >= static_cast<double>(names);
  if (only_these && !open_ && fits) node_.own.erase("maxProperties");
}

// True if names are listed: `allowed_`.
bool TypedSchema::read_property_names() {
  bool listed = false;
  for (const SchemaPart& part : parts_) {
    const Json* asked = keyword_of(part, "propertyNames");
    if (asked == nullptr || *asked == true) continue;
    const bool plain = asked->is_object() && std::ranges::all_of(asked->items(), [](const auto& item) {
                         const bool asserts = kAsserting.contains(item.key());
                         return item.key() == "type" ? item.value() == "string"
                                                     : !asserts || item.key() == "enum" || item.key() == "const";
                       });
    if (!plain) {
      copy(part, "propertyNames");
      continue;
    }
    if (!asked->contains("enum") && !asked->contains("const")) continue;
    std::vector<std::string> names =
        texts_of(asked->contains("enum") ? (*asked)["enum"] : Json::array({(*asked)["const"]}));
    if (asked->contains("enum") && asked->contains("const")) {
      std::erase_if(names, [asked](const std::string& name) { return (*asked)["const"] != name; });
    }
    work_.spend(names.size());
    if (listed) {
      const std::set<std::string> others(names.begin(), names.end());
      std::erase_if(allowed_, [&others](const std::string& name) { return !others.contains(name); });
    } else {
      allowed_ = std::move(names);
    }
    listed = true;
  }
  return listed;
}

// Other properties than the declared ones are not evaluated, as far as one schema declares them all.
void TypedSchema::add_unevaluated(bool undeclared) {
  for (const SchemaPart& part : parts_) {
    const Json* rest = keyword_of(part, "unevaluatedProperties");
    if (rest == nullptr || *rest == true || (rest->is_object() && rest->empty())) continue;
    if (parts_.size() == 1 && part.schema->contains("additionalProperties")) continue;
    if (*rest == false && others_.empty()) closed_ = true;
    const bool holds = *rest == false && parts_.size() == 1 && !undeclared && !limited_;
    if (!holds) copy(part, "unevaluatedProperties");
  }
}

}  // namespace lh
