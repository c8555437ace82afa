#include "llama/prompt/fit/schemas.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/json/python_json.h"

namespace lh {
namespace {

constexpr int kItems = 1;      // items of an array, an object for `true`
constexpr int kTypes = 2;      // a type, which is null: none, as before
constexpr int kTypeLists = 3;  // one type in each of several schemas

bool mend_schema(int mend, Json& schema);

bool mend_members(int mend, Json& schema, const char* name) {
  bool changed = false;
  const auto members = schema.find(name);
  if (members == schema.end() || !members->is_structured()) return false;
  for (auto& member : *members) changed = mend_schema(mend, member) || changed;
  return changed;
}

// True: the keyword says nothing about values of this type, so it goes into the schemas of its types only. So no nested
// schema is written twice, however deep they nest.
bool is_of_other_type(const std::string& keyword, const std::string& type) {
  static const std::map<std::string, std::set<std::string>> kTypesOf = [] {
    std::map<std::string, std::set<std::string>> types;
    for (const char* name : {"properties", "required", "additionalProperties", "patternProperties", "propertyNames",
                             "minProperties", "maxProperties", "dependentRequired", "dependentSchemas"}) {
      types[name] = {"object"};
    }
    for (const char* name :
         {"items", "prefixItems", "additionalItems", "contains", "minItems", "maxItems", "uniqueItems"}) {
      types[name] = {"array"};
    }
    for (const char* name : {"minLength", "maxLength", "pattern"}) types[name] = {"string"};
    for (const char* name : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}) {
      types[name] = {"integer", "number"};
    }
    return types;
  }();
  const auto known = kTypesOf.find(keyword);
  return known != kTypesOf.end() && !known->second.contains(type);
}

// Keywords of the whole schema, which may hold schemas for any type.
bool stays(const std::string& keyword) {
  static const std::set<std::string> kWhole = {"allOf", "not", "if", "then", "else", "$defs", "definitions"};
  return kWhole.contains(keyword);
}

bool may_split(const Json& types) {
  static const std::set<std::string> kNames = {"null", "boolean", "integer", "number", "string", "array", "object"};
  std::set<std::string> seen;
  return std::ranges::all_of(types, [&seen](const Json& type) {
    return type.is_string() && kNames.contains(type.get<std::string>()) && seen.insert(type.get<std::string>()).second;
  });
}

void split_types(Json& schema) {
  Json whole = Json::object();
  Json each = Json::array();
  for (const Json& type : schema["type"]) {
    Json& one = each.emplace_back(Json::object());
    for (const auto& [keyword, value] : schema.items()) {
      if (!stays(keyword) && !is_of_other_type(keyword, type.get<std::string>())) one[keyword] = value;
    }
    one["type"] = type;
  }
  for (auto& [keyword, value] : schema.items()) {
    if (!is_of_other_type(keyword, "")) whole[keyword] = std::move(value);
  }
  whole["type"] = nullptr;
  whole["anyOf"] = std::move(each);
  schema = std::move(whole);
}

bool mend_schema(int mend, Json& schema) {
  bool changed = false;
  if (schema.is_boolean() && schema.get<bool>()) {
    schema = Json::object();
    changed = true;
  }
  if (!schema.is_object()) return changed;
  for (const char* name : {"properties", "anyOf", "oneOf", "allOf", "$defs", "definitions"}) {
    changed = mend_members(mend, schema, name) || changed;
  }
  if (const auto items = schema.find("items"); items != schema.end()) changed = mend_schema(mend, *items) || changed;
  const auto type = schema.find("type");
  if (type == schema.end()) {
    if (mend < kTypes) return changed;
    schema["type"] = nullptr;
    return true;
  }
  if (*type == "array" && !schema.contains("items") && !schema.contains("prefixItems")) {
    schema["items"] = Json::object();
    return true;
  }
  if (mend >= kTypeLists && type->is_array() && may_split(*type) && !schema.contains("anyOf") &&
      !schema.contains("oneOf")) {
    split_types(schema);
    return true;
  }
  return changed;
}

}  // namespace

bool mend_schemas(int mend, std::vector<common_chat_tool>& tools) {
  bool any = false;
  for (common_chat_tool& tool : tools) {
    Json parameters = Json::parse(tool.parameters, nullptr, false);
    if (!parameters.is_object() || !mend_schema(mend, parameters)) continue;
    tool.parameters = template_json(parameters);
    any = true;
  }
  return any;
}

}  // namespace lh
