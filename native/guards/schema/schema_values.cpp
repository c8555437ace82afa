#include "guards/schema/schema_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "guards/schema/schema_edit.h"
#include "guards/schema/schema_keywords.h"

namespace lh {
namespace {

constexpr std::array<std::pair<std::string_view, TypeSet>, 7> kTypes = {{{"null", kNullType},
                                                                         {"boolean", kBooleanType},
                                                                         {"integer", kIntegerType},
                                                                         {"number", kIntegerType | kFractionType},
                                                                         {"string", kStringType},
                                                                         {"array", kArrayType},
                                                                         {"object", kObjectType}}};

size_t characters(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool has_twice(const Json& array) {
  for (size_t i = 0; i < array.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (same_json(array[i], array[j])) return true;
    }
  }
  return false;
}

bool is_among(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace

TypeSet type_named(const std::string& name) {
  const auto* const found = std::ranges::find(kTypes, name, [](const auto& type) { return type.first; });
  return found == kTypes.end() ? TypeSet{0} : found->second;
}

TypeSet type_of(const Json& value) {
  if (value.is_null()) return kNullType;
  if (value.is_boolean()) return kBooleanType;
  if (value.is_string()) return kStringType;
  if (value.is_array()) return kArrayType;
  if (value.is_object()) return kObjectType;
  if (!value.is_number_float()) return kIntegerType;
  const auto number = value.get<double>();
  return number == std::trunc(number) ? kIntegerType : kFractionType;
}

TypeSet types_of(const Json& schema) {
  const auto type = schema.find("type");
  if (type == schema.end() || type->is_null()) return kAnyType;
  if (type->is_string()) return type_named(type->get_ref<const std::string&>());
  TypeSet types = 0;
  if (!type->is_array()) return types;
  for (const Json& name : *type) {
    const TypeSet one = name.is_string() ? type_named(name.get_ref<const std::string&>()) : TypeSet{0};
    if (one == 0) return 0;
    types |= one;
  }
  return types;
}

bool SchemaValues::holds(const Json& value, const SchemaPart& part, std::vector<SchemaPlace>& unknown) {
  if (part.schema->is_boolean()) return part.schema->get<bool>();
  if (!part.schema->is_object()) return true;  // a fault, which is found elsewhere
  if (depth_ >= kMostDepth || ++steps_ > kMostSteps) {
    unknown.push_back({part.at, "enum"});
    return true;
  }
  ++depth_;
  bool all = true;
  for (const auto& [key, asked] : part.schema->items()) {
    if (!kAsserting.contains(key)) continue;
    all = holds_keyword(value, part, key, asked, unknown);
    if (!all) break;
  }
  --depth_;
  return all;
}

bool SchemaValues::holds_keyword(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                                 std::vector<SchemaPlace>& unknown) {
  if (key == "type") {
    const TypeSet types = types_of(*part.schema);
    return types == 0 || (types & type_of(value)) != 0;
  }
  if (&asked == list_) return true;
  if (key == "const") return same_json(value, asked);
  if (key == "enum") {
    return !asked.is_array() || std::ranges::any_of(asked, [&](const Json& one) { return same_json(value, one); });
  }
  if (is_among(key, {"$ref", "$dynamicRef", "$recursiveRef"})) {
    const auto target = references_.find(asked, part.at);
    return !target.fault.empty() || holds(value, target.part, unknown);
  }
  if (is_among(key, {"allOf", "anyOf", "oneOf"}) && asked.is_array()) {
    const size_t count = count_holding(value, part, key, asked, unknown);
    return key == "allOf" ? count == asked.size() : key == "anyOf" ? count > 0 : count == 1;
  }
  if (key == "not" || key == "if") {
    std::vector<SchemaPlace> deeper;
    const bool fits = holds(value, {&asked, part.at + "/" + key}, deeper);
    if (!deeper.empty()) {
      unknown.push_back({part.at, key});
      return true;
    }
    if (key == "not") return !fits;
    const char* branch = fits ? "then" : "else";
    const auto found = part.schema->find(branch);
    return found == part.schema->end() || holds(value, {&*found, part.at + "/" + branch}, unknown);
  }
  if (key == "then" || key == "else") return true;
  if (value.is_number() && asked.is_number()) return holds_of_number(value.get<double>(), key, asked.get<double>());
  if (value.is_string() && is_among(key, {"minLength", "maxLength"}) && asked.is_number()) {
    const auto length = static_cast<double>(characters(value.get_ref<const std::string&>()));
    return key == "minLength" ? length >= asked.get<double>() : length <= asked.get<double>();
  }
  if (value.is_string() && is_among(key, {"pattern", "format"})) unknown.push_back({part.at, key});
  if (value.is_object()) return holds_of_object(value, part, key, asked, unknown);
  return !value.is_array() || holds_of_array(value, part, key, asked, unknown);
}

size_t SchemaValues::count_holding(const Json& value, const SchemaPart& part, const std::string& key,
                                   const Json& schemas, std::vector<SchemaPlace>& unknown) {
  size_t count = 0;
  for (size_t i = 0; i < schemas.size(); ++i) {
    if (holds(value, {&schemas[i], part.at + "/" + key + "/" + std::to_string(i)}, unknown)) ++count;
  }
  return count;
}

bool SchemaValues::holds_of_number(double value, const std::string& key, double asked) {
  if (key == "minimum") return value >= asked;
  if (key == "maximum") return value <= asked;
  if (key == "exclusiveMinimum") return value > asked;
  if (key == "exclusiveMaximum") return value < asked;
  return key != "multipleOf" || value / asked == std::trunc(value / asked);
}

bool SchemaValues::holds_of_object(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                                   std::vector<SchemaPlace>& unknown) {
  const Json& schema = *part.schema;
  if (key == "required" && asked.is_array()) {
    return std::ranges::all_of(asked, [&value](const Json& name) {
      return !name.is_string() || value.contains(name.get_ref<const std::string&>());
    });
  }
  if (is_among(key, {"minProperties", "maxProperties"}) && asked.is_number()) {
    const auto size = static_cast<double>(value.size());
    return key == "minProperties" ? size >= asked.get<double>() : size <= asked.get<double>();
  }
  const bool of_others = key == "additionalProperties" && !schema.contains("patternProperties");
  for (const auto& [name, member] : value.items()) {
    const bool declared =
        schema.contains("properties") && schema["properties"].is_object() && schema["properties"].contains(name);
    if (key == "properties" && declared) {
      if (!holds(member, {&asked[name], part.at + "/properties/" + escape_pointer(name)}, unknown)) return false;
    } else if (of_others && !declared) {
      if (!holds(member, {&asked, part.at + "/additionalProperties"}, unknown)) return false;
    } else if (key == "propertyNames") {
      if (!holds(Json(name), {&asked, part.at + "/propertyNames"}, unknown)) return false;
    }
  }
  const bool other_keyword = is_among(
      key, {"patternProperties", "unevaluatedProperties", "dependencies", "dependentRequired", "dependentSchemas"});
  if (other_keyword || (key == "additionalProperties" && !of_others)) unknown.push_back({part.at, key});
  return true;
}

bool SchemaValues::holds_of_array(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                                  std::vector<SchemaPlace>& unknown) {
  const auto size = static_cast<double>(value.size());
  if (key == "minItems" && asked.is_number()) return size >= asked.get<double>();
  if (key == "maxItems" && asked.is_number()) return size <= asked.get<double>();
  if (key == "uniqueItems") {
    if (value.size() <= 100) return asked != true || !has_twice(value);
    unknown.push_back({part.at, key});
  }
  const bool list = is_among(key, {"items", "prefixItems"}) && asked.is_array();
  if (list) {
    for (size_t i = 0; i < std::min(value.size(), asked.size()); ++i) {
      if (!holds(value[i], {&asked[i], part.at + "/" + key + "/" + std::to_string(i)}, unknown)) return false;
    }
  } else if (key == "items" && !part.schema->contains("prefixItems")) {
    for (const Json& item : value) {
      if (!holds(item, {&asked, part.at + "/items"}, unknown)) return false;
    }
  } else if (is_among(key,
                      {"items", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains"})) {
    if (!value.empty() || key == "contains") unknown.push_back({part.at, key});
  }
  return true;
}

}  // namespace lh
