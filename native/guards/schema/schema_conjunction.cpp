#include "guards/schema/schema_conjunction.h"

#include <algorithm>
#include <array>
#include <utility>

#include "guards/schema/schema_edit.h"
#include "guards/schema/schema_keywords.h"

namespace lh {
namespace {

constexpr std::array<const char*, 3> kReferences = {"$ref", "$dynamicRef", "$recursiveRef"};

bool has_own_keyword(const Json& schema, const std::string& key) {
  return kAsserting.contains(key) && !kComposing.contains(key) && schema.contains(key);
}

// The values that a schema allows at most; null: any.
const Json* listed(const Json& schema, Json& holder) {
  if (schema.contains("const")) {
    holder = Json::array({schema["const"]});
    return &holder;
  }
  return schema.contains("enum") && schema["enum"].is_array() ? &schema["enum"] : nullptr;
}

TypeSet possible_types(const Json& schema) {
  Json holder;
  const TypeSet types = types_of(schema);
  const Json* values = listed(schema, holder);
  if (values == nullptr) return types;
  TypeSet of_values = 0;
  for (const Json& value : *values) of_values |= type_of(value);
  return types & of_values;
}

bool requires_name(const Json& schema, const std::string& name) {
  const auto required = schema.find("required");
  return required != schema.end() && required->is_array() &&
         std::ranges::find(*required, Json(name)) != required->end();
}

bool forbids_others(const Json& schema, const std::string& name) {
  const bool declared =
      schema.contains("properties") && schema["properties"].is_object() && schema["properties"].contains(name);
  const auto others = schema.find("additionalProperties");
  return others != schema.end() && *others == false && !declared && !schema.contains("patternProperties");
}

}  // namespace

SchemaPart part_of(const SchemaPart& part, const std::string& key) {
  return {&(*part.schema)[key], part.at + "/" + escape_pointer(key)};
}

SchemaPart part_of(const SchemaPart& part, const std::string& key, size_t index) {
  return {&(*part.schema)[key][index], part.at + "/" + key + "/" + std::to_string(index)};
}

bool SchemaConjunctions::fail(const std::string& at, std::string what) {
  if (!fault_) fault_ = SchemaPlace{at, std::move(what)};
  return false;
}

// Properties keep the order of the schema: the model writes them in that order.
bool SchemaConjunctions::add(Conjunction& all, const SchemaPart& part, SchemaPath& path) {
  if (part.schema->is_boolean()) {
    all.impossible = all.impossible || !part.schema->get<bool>();
    return true;
  }
  if (!part.schema->is_object()) return fail(part.at, "schema must be an object");
  if (std::ranges::find(path, part.at) != path.end()) return fail(part.at, "references in an allOf lead back to it");
  if (path.size() >= kMostSteps) {
    return fail(part.at, "schemas nest, or references lead, deeper than " + std::to_string(kMostSteps));
  }
  if (!all.places.insert(part.at).second) return true;
  path.push_back(part.at);
  bool pushed = false;
  bool whole = true;
  for (const auto& [key, value] : part.schema->items()) {
    const auto* const reference = std::ranges::find(kReferences, key);
    if (reference != kReferences.end()) {
      const auto target = references_.find(value, part.at);
      if (!target.fault.empty()) whole = fail(part.at, target.fault);
      all.referred = true;
      whole = whole && add(all, target.part, path);
    } else if (key == "allOf") {
      whole = add_list(all, part, "allOf", path);
    } else if (key == "anyOf" || key == "oneOf") {
      whole = choose(all, part, key == "anyOf" ? "anyOf" : "oneOf", path);
    } else if (key == "not" && (value == true || (value.is_object() && value.empty()))) {
      all.impossible = true;
    } else if (!pushed && has_own_keyword(*part.schema, key)) {
      all.parts.push_back(part);
      pushed = true;
    }
    if (!whole) return false;
  }
  if (!pushed) all.parts.push_back(part);
  path.pop_back();
  return true;
}

bool SchemaConjunctions::add_list(Conjunction& all, const SchemaPart& part, const char* key, SchemaPath& path) {
  const Json& list = (*part.schema)[key];
  if (!list.is_array()) return fail(part.at + "/" + key, "must be an array of schemas");
  if (list.empty()) return fail(part.at + "/" + key, "must not be empty");
  for (size_t i = 0; i < list.size(); ++i) {
    if (!add(all, part_of(part, key, i), path)) return false;
  }
  return true;
}

bool SchemaConjunctions::choose(Conjunction& all, const SchemaPart& part, const char* key, const SchemaPath& path) {
  const Json& list = (*part.schema)[key];
  if (!list.is_array()) return fail(part.at + "/" + key, "must be an array of schemas");
  if (list.empty()) return fail(part.at + "/" + key, "must not be empty");
  SchemaChoice choice{{}, part.at, key, path};
  for (size_t i = 0; i < list.size(); ++i) choice.alternatives.push_back(part_of(part, key, i));
  all.choices.push_back(std::move(choice));
  return true;
}

bool SchemaConjunctions::exclude(const SchemaPart& a, const SchemaPart& b) { return exclude(a, b, 0); }

bool SchemaConjunctions::exclude(const SchemaPart& a, const SchemaPart& b, int depth) {
  constexpr int kDeepest = 4;
  if (depth > kDeepest) return false;
  std::array<Conjunction, 2> both;
  for (const auto& [part, all] : {std::pair{&a, both.data()}, std::pair{&b, &both[1]}}) {
    SchemaConjunctions reader(references_);  // its faults are found when the alternative is read
    SchemaPath path;
    if (!reader.add(*all, *part, path)) return false;
    if (all->impossible) return true;
  }
  return std::ranges::any_of(both[0].parts, [&](const SchemaPart& of_a) {
    return std::ranges::any_of(both[1].parts,
                               [&](const SchemaPart& of_b) { return exclude_directly(of_a, of_b, depth); });
  });
}

bool SchemaConjunctions::exclude_directly(const SchemaPart& a, const SchemaPart& b, int depth) {
  if ((possible_types(*a.schema) & possible_types(*b.schema)) == 0) return true;
  Json of_a;
  Json of_b;
  const Json* values_a = listed(*a.schema, of_a);
  const Json* values_b = listed(*b.schema, of_b);
  if (values_a != nullptr && values_b != nullptr) {
    return std::ranges::none_of(*values_a, [values_b](const Json& value) {
      return std::ranges::any_of(*values_b, [&value](const Json& other) { return same_json(value, other); });
    });
  }
  // A property that one requires and the other forbids, or whose values differ.
  if ((types_of(*a.schema) & types_of(*b.schema)) != kObjectType) return false;
  for (const auto& [one, other] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const auto required = one->schema->find("required");
    if (required == one->schema->end() || !required->is_array()) continue;
    for (const Json& entry : *required) {
      if (!entry.is_string()) continue;
      const auto& name = entry.get_ref<const std::string&>();
      if (forbids_others(*other->schema, name)) return true;
      const auto property = [&name](const SchemaPart& part) -> std::optional<SchemaPart> {
        const auto found = part.schema->find("properties");
        if (found == part.schema->end() || !found->is_object() || !found->contains(name)) return std::nullopt;
        return SchemaPart{&(*found)[name], part.at + "/properties/" + escape_pointer(name)};
      };
      const auto mine = property(*one);
      const auto theirs = property(*other);
      if (theirs && theirs->schema->is_boolean() && *theirs->schema == false) return true;
      if (!mine || !theirs || !requires_name(*other->schema, name)) continue;
      if (exclude(*mine, *theirs, depth + 1)) return true;
    }
  }
  return false;
}

}  // namespace lh
