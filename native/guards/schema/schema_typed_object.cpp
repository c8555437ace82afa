// The keywords of objects.
#include <algorithm>
#include <string_view>
#include <utility>

#include "guards/schema/schema_edit.h"
#include "guards/schema/schema_typed.h"

namespace lh {
namespace {

const Json kNothingFits(false);

bool names_it(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

void name_once(std::vector<std::string>& list, const std::string& name) {
  if (!names_it(list, name)) list.push_back(name);
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& text : list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace

// A required name that is not declared is declared. Names that are listed are all that there are.
void TypedSchema::add_object() {
  std::vector<std::string> names;
  std::vector<std::string> required;
  for (const SchemaPart& part : parts_) {
    for (const char* key : {"patternProperties", "dependencies", "dependentRequired", "dependentSchemas"})
      copy(part, key);
    if (const Json* declared = keyword_of(part, "properties")) {
      if (!declared->is_object()) return findings_.fail(part.at, "properties must be an object");
      node_.declares = true;
      for (const auto& [name, _] : declared->items()) name_once(names, name);
    }
    if (const Json* asked = keyword_of(part, "required")) {
      for (const std::string& name : texts_of(*asked)) name_once(required, name);
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
  const size_t declared = names.size();
  for (const std::string& name : required) name_once(names, name);
  const bool undeclared = names.size() > declared;
  if (limited_ && !closed_ && !(node_.declares && others_.empty())) {
    for (const std::string& name : allowed_) name_once(names, name);
  }
  add_unevaluated(undeclared);
  open_ = !node_.declares && others_.empty() && !limited_ && !closed_;
  add_properties(names, required);
  add_others(!names.empty());
  add_property_counts(names.size(), required.size());
}

void TypedSchema::add_properties(const std::vector<std::string>& names, const std::vector<std::string>& required) {
  for (const std::string& name : names) {
    SchemaParts parts;
    for (const SchemaPart& part : parts_) {
      const Json* declared = keyword_of(part, "properties");
      if (declared != nullptr && declared->contains(name)) {
        parts.push_back({&(*declared)[name], part.at + "/properties/" + escape_pointer(name)});
      } else if (part.schema->contains("additionalProperties") && !part.schema->contains("patternProperties")) {
        parts.push_back(part_of(part, "additionalProperties"));
      }
    }
    if (limited_ && !names_it(allowed_, name)) parts.push_back({&kNothingFits, parts_.front().at});
    const SchemaRole role = names_it(required, name) ? SchemaRole::kRequired : SchemaRole::kProperty;
    node_.children.push_back({role, name, std::move(parts)});
  }
  node_.declares = node_.declares || !names.empty();
  if (!required.empty()) node_.own["required"] = required;
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
    const bool plain =
        asked->is_object() && std::ranges::all_of(asked->items(), [](const auto& item) {
          return item.key() == "type" ? item.value() == "string" : item.key() == "enum" || item.key() == "const";
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
    if (listed) std::erase_if(allowed_, [&names](const std::string& name) { return !names_it(names, name); });
    if (!listed) allowed_ = std::move(names);
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
