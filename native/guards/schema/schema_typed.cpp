#include "guards/schema/schema_typed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "guards/schema/schema_edit.h"
#include "guards/schema/schema_keywords.h"

namespace lh {
namespace {

// The tighter of two bounds. A bound that is not a number wins, so that it is refused later.
const Json* tighter(const Json* a, const Json* b, bool upper) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  if (!a->is_number() || !b->is_number()) return a->is_number() ? b : a;
  return (a->get<double>() < b->get<double>()) == upper ? a : b;
}

}  // namespace

Json annotations_of(const Json& schema) {
  Json out = Json::object();
  if (!schema.is_object()) return out;
  for (const auto& [key, value] : schema.items()) {
    if (!kAsserting.contains(key) && key != "$defs" && key != "definitions") out[key] = value;
  }
  return out;
}

void TypedSchema::fill() {
  find_types();
  if (findings_.fault) return;
  if ((node_.types & (kIntegerType | kFractionType)) != 0) add_numbers();
  if (node_.typed && (node_.types & kStringType) != 0) add_string();
  if (node_.typed && (node_.types & kArrayType) != 0) add_array();
  if (node_.typed && (node_.types & kObjectType) != 0) add_object();
  add_conditions();
  if (node_.typed) write_type();
}

void TypedSchema::find_types() {
  for (const SchemaPart& part : parts_) {
    const Json* type = keyword_of(part, "type");
    if (type == nullptr || type->is_null()) continue;
    node_.typed = true;
    const TypeSet types = types_of(*part.schema);
    if (types == 0) {
      const bool none = type->is_array() && type->empty();
      const bool words = type->is_string() || (type->is_array() && !none);
      return findings_.fail(part.at, none    ? "type must not be empty"
                                     : words ? "unrecognized type " + dump_json(*type)
                                             : "type must be a string or an array of strings");
    }
    node_.types &= types;
  }
  if (node_.typed) return;
  // A model does better with the type that a schema is about than with all others, which fit, too.
  const bool others = std::ranges::any_of(parts_, [](const SchemaPart& part) {
    const Json* of_part = keyword_of(part, "additionalProperties");
    return of_part != nullptr && *of_part != true;
  });
  if (others ||
      has_any({"properties", "required", "propertyNames", "patternProperties", "minProperties", "maxProperties",
               "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"})) {
    node_.types = kObjectType;
  } else if (has_any({"items", "prefixItems", "minItems", "maxItems", "contains"})) {
    node_.types = kArrayType;
  } else if (has_any({"pattern", "minLength", "maxLength"}) || std::ranges::any_of(parts_, [](const SchemaPart& part) {
               const Json* format = keyword_of(part, "format");
               return format != nullptr && is_known_format(*format);
             })) {
    node_.types = kStringType;
  } else {
    for (const SchemaPart& part : parts_) {
      for (const char* key : {"uniqueItems", "additionalItems", "unevaluatedItems", "format"}) copy(part, key);
    }
    return;
  }
  node_.typed = inferred_ = true;
}

bool TypedSchema::has_any(std::initializer_list<std::string_view> keys) const {
  return std::ranges::any_of(parts_, [&keys](const SchemaPart& part) {
    return std::ranges::any_of(keys, [&part](std::string_view key) { return part.schema->contains(key); });
  });
}

void TypedSchema::write_type() {
  if (parts_.size() == 1 && !inferred_ && types_of(*parts_.front().schema) == node_.types) {
    node_.own["type"] = *keyword_of(parts_.front(), "type");
    if (node_.own["type"].is_string() || (node_.types & kFractionType) == 0) return;
  }
  Json names = Json::array();
  for (const char* name : {"object", "array", "string", "number", "integer", "boolean", "null"}) {
    const TypeSet types = type_named(name);
    const bool covered = name == std::string_view("integer") && (node_.types & kFractionType) != 0;
    if ((node_.types & types) == types && !covered) names.push_back(name);
  }
  node_.own["type"] = names.size() == 1 ? names.front() : names;
}

void TypedSchema::copy(const SchemaPart& part, const char* key) {
  const Json* value = keyword_of(part, key);
  if (value != nullptr && !node_.own.contains(key) && work_.spend_on(*value)) node_.own[key] = *value;
}

void TypedSchema::add_numbers() {
  for (const SchemaPart& part : parts_) {
    const Json* multiple = keyword_of(part, "multipleOf");
    if (multiple == nullptr) continue;
    const double step = multiple->is_number() ? multiple->get<double>() : 0;
    if (node_.typed && step >= 1 && step == std::trunc(step)) node_.types &= static_cast<TypeSet>(~kFractionType);
    const bool of_all = step > 0 && 1 / step == std::trunc(1 / step) && (node_.types & kFractionType) == 0;
    if (!of_all) copy(part, "multipleOf");
  }
  if ((node_.types & (kIntegerType | kFractionType)) == 0) return;
  add_bound("minimum", "exclusiveMinimum", false);
  add_bound("maximum", "exclusiveMaximum", true);
}

void TypedSchema::add_bound(const char* key, const char* exclusive, bool upper) {
  const Json* bound = nullptr;
  const Json* beyond = nullptr;
  for (const SchemaPart& part : parts_) {
    bound = tighter(bound, keyword_of(part, key), upper);
    beyond = tighter(beyond, keyword_of(part, exclusive), upper);
  }
  if (bound != nullptr && beyond != nullptr && bound->is_number() && beyond->is_number()) {
    const bool excludes = (beyond->get<double>() <= bound->get<double>()) == upper || *bound == *beyond;
    (excludes ? bound : beyond) = nullptr;
  }
  if (bound != nullptr) node_.own[key] = *bound;
  if (beyond != nullptr) node_.own[exclusive] = *beyond;
}

// Lengths and numbers of items.
void TypedSchema::add_count(const char* key, bool most) {
  const Json* count = nullptr;
  for (const SchemaPart& part : parts_) count = tighter(count, keyword_of(part, key), most);
  if (count != nullptr) node_.own[key] = *count;
}

void TypedSchema::add_string() {
  add_count("minLength", false);
  add_count("maxLength", true);
  for (const char* key : {"pattern", "format"}) {
    for (const SchemaPart& part : parts_) {
      const Json* value = keyword_of(part, key);
      if (value == nullptr) continue;
      if (node_.own.contains(key) && node_.own[key] != *value) {
        findings_.ignore(part.at, key);
      } else if (work_.spend_on(*value)) {
        node_.own[key] = *value;
      }
    }
  }
  const bool decided = node_.own.contains("pattern") || node_.own.contains("format");
  if (decided && node_.own.contains("minLength") && node_.own["minLength"] == 0) node_.own.erase("minLength");
}

// A list of schemas for the first items makes their number fixed: the least that is asked for.
void TypedSchema::add_array() {
  add_count("minItems", false);
  add_count("maxItems", true);
  std::vector<SchemaParts> elements;
  SchemaParts rests;
  struct List {
    const SchemaPart* part;
    const char* key;   // null: none
    const char* rest;  // what further items fit
  };
  std::vector<List> lists;
  for (const SchemaPart& part : parts_) {
    for (const char* key : {"uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"})
      copy(part, key);
    const Json* items = keyword_of(part, "items");
    const Json* prefix = keyword_of(part, "prefixItems");
    const bool old = items != nullptr && items->is_array();
    const bool listed = old || (prefix != nullptr && prefix->is_array());
    const char* key = old ? "items" : listed ? "prefixItems" : nullptr;
    lists.push_back({&part, key, old ? "additionalItems" : "items"});
    if (key == nullptr) continue;
    node_.list = key;
    elements.resize(std::max(elements.size(), (*part.schema)[key].size()));
  }
  const auto bound = [this](const char* key) -> std::optional<size_t> {
    const auto found = node_.own.find(key);
    if (found == node_.own.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<size_t>();
  };
  const size_t least = bound("minItems").value_or(0);
  node_.least_items = least;
  const bool fixed = !elements.empty();
  if (fixed) {
    const size_t most = std::min(bound("maxItems").value_or(SIZE_MAX), static_cast<size_t>(kMaxRepetitions));
    if (least > most) {
      return findings_.fail(node_.at, "minItems " + std::to_string(least) + " is above " + std::to_string(most));
    }
    elements.resize(std::min(std::max(elements.size(), least), bound("maxItems").value_or(SIZE_MAX)));
    node_.own.erase("minItems");
    node_.own.erase("maxItems");
  }
  if (!work_.spend(elements.size() * lists.size())) return;
  for (const List& list : lists) {
    const size_t count = list.key == nullptr ? 0 : (*list.part->schema)[list.key].size();
    for (size_t i = 0; i < elements.size() && work_.spend_on(list.part->at); ++i) {
      if (i < count) {
        elements[i].push_back(part_of(*list.part, list.key, i));
      } else if (keyword_of(*list.part, list.rest) != nullptr) {
        elements[i].push_back(part_of(*list.part, list.rest));
      }
    }
    if (!fixed && keyword_of(*list.part, list.rest) != nullptr) rests.push_back(part_of(*list.part, list.rest));
  }
  for (SchemaParts& element : elements) node_.children.push_back({SchemaRole::kElement, {}, std::move(element)});
  if (fixed && elements.empty()) node_.own[node_.list] = Json::array();
  if (!rests.empty()) node_.children.push_back({SchemaRole::kItem, {}, std::move(rests)});
}

// `then` and `else` have no effect alone.
void TypedSchema::add_conditions() {
  for (const SchemaPart& part : parts_) {
    const Json* refused = keyword_of(part, "not");
    if (refused != nullptr && *refused != false) copy(part, "not");
    const bool branches = keyword_of(part, "then") != nullptr || keyword_of(part, "else") != nullptr;
    if (branches) copy(part, "if");
  }
}

}  // namespace lh
