#include "guards/schema/schema_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "guards/pattern_match.h"
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

std::string canonical_text(const Json& value) { return dump_json(canonical_json(value)); }

bool has_twice(const Json& array) {
  std::set<std::string> known;
  return std::ranges::any_of(array,
                             [&known](const Json& value) { return !known.insert(canonical_text(value)).second; });
}

bool fits_number(double value, const std::string& key, double asked) {
  if (key == "minimum") return value >= asked;
  if (key == "maximum") return value <= asked;
  if (key == "exclusiveMinimum") return value > asked;
  if (key == "exclusiveMaximum") return value < asked;
  return key != "multipleOf" || value / asked == std::trunc(value / asked);
}

ValueFit fit_if(bool fits) { return fits ? ValueFit::kYes : ValueFit::kNo; }

ValueFit note(std::vector<SchemaPlace>& unknown, const std::string& at, const char* keyword) {
  unknown.push_back({at, keyword});
  return ValueFit::kUnknown;
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

std::optional<std::span<const Json>> listed_values(const Json& schema) {
  if (const auto one = schema.find("const"); one != schema.end()) return std::span(&*one, 1);
  const auto list = schema.find("enum");
  if (list == schema.end() || !list->is_array()) return std::nullopt;
  return std::span<const Json>(list->get_ref<const Json::array_t&>());
}

ValueFit SchemaValues::fits(const Json& value, const SchemaPart& part, Unknown& unknown) {
  if (part.schema->is_boolean()) return fit_if(part.schema->get<bool>());
  if (!part.schema->is_object()) return ValueFit::kYes;  // a fault, which is found elsewhere
  if (depth_ >= kMostDepth || !work_.spend(part.schema->size())) return note(unknown, part.at, "enum");
  const size_t known = unknown.size();
  ++depth_;
  ValueFit all = ValueFit::kYes;
  for (const auto& [key, asked] : part.schema->items()) {
    if (!kAsserting.contains(key)) continue;
    all = std::min(all, fits_keyword(value, part, key, asked, unknown));
    if (all == ValueFit::kNo) break;
  }
  --depth_;
  if (all == ValueFit::kNo) unknown.resize(known);
  return all;
}

ValueFit SchemaValues::fits_keyword(const Json& value, const SchemaPart& part, const std::string& key,
                                    const Json& asked, Unknown& unknown) {
  if (key == "type") {
    const TypeSet types = types_of(*part.schema);
    return fit_if(types == 0 || (types & type_of(value)) != 0);
  }
  if (key == "const") return fit_if(work_.spend_on(asked) && canonical_text(value) == canonical_text(asked));
  if (key == "enum") return fit_if(!asked.is_array() || is_listed(value, asked));
  if (is_among(key, {"$ref", "$dynamicRef", "$recursiveRef"})) {
    const auto target = references_.find(asked, part.at);
    return target.fault.empty() ? fits(value, target.part, unknown) : ValueFit::kYes;
  }
  if (&asked == source_) return ValueFit::kYes;
  if (is_among(key, {"allOf", "anyOf", "oneOf"}) && asked.is_array()) {
    return fits_list(value, part, key, asked, unknown);
  }
  if (key == "not") {
    const ValueFit fit = fits(value, {&asked, part.at + "/not"}, unknown);
    return fit == ValueFit::kUnknown ? fit : fit_if(fit == ValueFit::kNo);
  }
  if (key == "if") return fits_condition(value, part, asked, unknown);
  if (key == "then" || key == "else") return ValueFit::kYes;
  if (value.is_number()) {
    return fit_if(!asked.is_number() || fits_number(value.get<double>(), key, asked.get<double>()));
  }
  if (value.is_string()) return fits_string(value.get_ref<const std::string&>(), part, key, asked, unknown);
  if (value.is_object()) return fits_object(value, part, key, asked, unknown);
  return value.is_array() ? fits_array(value, part, key, asked, unknown) : ValueFit::kYes;
}

ValueFit SchemaValues::fits_list(const Json& value, const SchemaPart& part, const std::string& key, const Json& schemas,
                                 Unknown& unknown) {
  const size_t known = unknown.size();
  size_t fitting = 0;
  size_t open = 0;
  for (size_t i = 0; i < schemas.size(); ++i) {
    const ValueFit fit = fits(value, {&schemas[i], part.at + "/" + key + "/" + std::to_string(i)}, unknown);
    fitting += fit == ValueFit::kYes ? 1 : 0;
    open += fit == ValueFit::kUnknown ? 1 : 0;
  }
  ValueFit all = ValueFit::kUnknown;
  if (key == "allOf") {
    if (open == 0 || fitting + open < schemas.size()) all = fit_if(fitting == schemas.size());
  } else if (key == "anyOf") {
    if (open == 0 || fitting > 0) all = fit_if(fitting > 0);
  } else if (open == 0 || fitting > 1) {
    all = fit_if(fitting == 1);
  }
  if (all != ValueFit::kUnknown) unknown.resize(known);
  return all;
}

ValueFit SchemaValues::fits_condition(const Json& value, const SchemaPart& part, const Json& asked, Unknown& unknown) {
  const auto fit_of = [&](const char* branch) {
    const auto found = part.schema->find(branch);
    return found == part.schema->end() ? ValueFit::kYes : fits(value, {&*found, part.at + "/" + branch}, unknown);
  };
  const size_t known = unknown.size();
  const ValueFit condition = fits(value, {&asked, part.at + "/if"}, unknown);
  if (condition != ValueFit::kUnknown) return fit_of(condition == ValueFit::kYes ? "then" : "else");
  const ValueFit fit = fit_of("then");
  if (fit == ValueFit::kUnknown || fit != fit_of("else")) return ValueFit::kUnknown;
  unknown.resize(known);
  return fit;
}

// Comparing a value with each of the list would take long.
bool SchemaValues::is_listed(const Json& value, const Json& list) {
  const auto [place, fresh] = lists_.try_emplace(&list);
  std::set<std::string>& known = place->second;
  if (fresh && work_.spend_on(list)) {
    for (const Json& one : list) known.insert(canonical_text(one));
  }
  return work_.spend_on(value) && known.contains(canonical_text(value));
}

ValueFit SchemaValues::fits_string(const std::string& value, const SchemaPart& part, const std::string& key,
                                   const Json& asked, Unknown& unknown) {
  if (is_among(key, {"minLength", "maxLength"}) && asked.is_number()) {
    work_.spend(1 + (value.size() / 256));
    const auto length = static_cast<double>(characters(value));
    return fit_if(key == "minLength" ? length >= asked.get<double>() : length <= asked.get<double>());
  }
  if (key == "pattern" && asked.is_string()) return fits_pattern(value, part, asked, unknown);
  return is_among(key, {"pattern", "format"}) ? note(unknown, part.at, key.c_str()) : ValueFit::kYes;
}

ValueFit SchemaValues::fits_pattern(const std::string& value, const SchemaPart& part, const Json& pattern,
                                    Unknown& unknown) {
  const auto [place, fresh] = patterns_.try_emplace(&pattern);
  const auto& text = pattern.get_ref<const std::string&>();
  if (fresh && work_.spend(text.size())) place->second = read_pattern(text);
  if (place->second.use != PatternUse::kKept) return note(unknown, part.at, "pattern");
  const bool fits = matches(place->second.pattern, value, [this](size_t steps) { return work_.spend(steps); });
  return fit_if(fits);
}

ValueFit SchemaValues::fits_object(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                                   Unknown& unknown) {
  const Json& schema = *part.schema;
  if (key == "required" && asked.is_array()) {
    if (!work_.spend(asked.size() * (1 + (value.size() / 16)))) return note(unknown, part.at, "enum");
    return fit_if(std::ranges::all_of(asked, [&value](const Json& name) {
      return !name.is_string() || value.contains(name.get_ref<const std::string&>());
    }));
  }
  if (is_among(key, {"minProperties", "maxProperties"}) && asked.is_number()) {
    const auto size = static_cast<double>(value.size());
    return fit_if(key == "minProperties" ? size >= asked.get<double>() : size <= asked.get<double>());
  }
  const bool of_others = key == "additionalProperties" && !schema.contains("patternProperties");
  const auto properties = schema.find("properties");
  const size_t declarations = properties != schema.end() && properties->is_object() ? properties->size() : 0;
  ValueFit all = ValueFit::kYes;
  for (const auto& [name, member] : value.items()) {
    if (all == ValueFit::kNo || !work_.spend(1 + (declarations / 16))) break;
    const bool declared = declarations > 0 && properties->contains(name);
    if (key == "properties" && declared) {
      all = std::min(all, fits(member, {&asked[name], part.at + "/properties/" + escape_pointer(name)}, unknown));
    } else if (of_others && !declared) {
      all = std::min(all, fits(member, {&asked, part.at + "/additionalProperties"}, unknown));
    } else if (key == "propertyNames") {
      all = std::min(all, fits(Json(name), {&asked, part.at + "/propertyNames"}, unknown));
    }
  }
  const bool other_keyword = is_among(
      key, {"patternProperties", "unevaluatedProperties", "dependencies", "dependentRequired", "dependentSchemas"});
  if (!other_keyword && (key != "additionalProperties" || of_others)) return all;
  return std::min(all, note(unknown, part.at, key.c_str()));
}

ValueFit SchemaValues::fits_array(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                                  Unknown& unknown) {
  const auto size = static_cast<double>(value.size());
  if (key == "minItems" && asked.is_number()) return fit_if(size >= asked.get<double>());
  if (key == "maxItems" && asked.is_number()) return fit_if(size <= asked.get<double>());
  if (key == "uniqueItems") {
    return fit_if(asked != true || !work_.spend_on(value) || !has_twice(value));
  }
  ValueFit all = ValueFit::kYes;
  const bool list = is_among(key, {"items", "prefixItems"}) && asked.is_array();
  if (list) {
    for (size_t i = 0; i < std::min(value.size(), asked.size()) && all != ValueFit::kNo; ++i) {
      all = std::min(all, fits(value[i], {&asked[i], part.at + "/" + key + "/" + std::to_string(i)}, unknown));
    }
  } else if (key == "items" && !part.schema->contains("prefixItems")) {
    for (const Json& item : value) {
      all = std::min(all, fits(item, {&asked, part.at + "/items"}, unknown));
      if (all == ValueFit::kNo) break;
    }
  } else if (is_among(key,
                      {"items", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains"})) {
    if (!value.empty() || key == "contains") return note(unknown, part.at, key.c_str());
  }
  return all;
}

}  // namespace lh
