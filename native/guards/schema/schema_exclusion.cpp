#include "guards/schema/schema_exclusion.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "guards/schema/schema_edit.h"

namespace lh {
namespace {

TypeSet possible_types(const Json& schema) {
  const TypeSet types = types_of(schema);
  const auto values = listed_values(schema);
  if (!values) return types;
  TypeSet of_values = 0;
  for (const Json& value : *values) of_values |= type_of(value);
  return types & of_values;
}

// The schema of a property; nothing: it is not declared.
std::optional<SchemaPart> property_of(const SchemaPart& part, const std::string& name) {
  const auto found = part.schema->find("properties");
  if (found == part.schema->end() || !found->is_object() || !found->contains(name)) return std::nullopt;
  return SchemaPart{&(*found)[name], part.at + "/properties/" + escape_pointer(name)};
}

size_t size_of(const Json& schema, const char* key) {
  const auto found = schema.find(key);
  return found == schema.end() ? 0 : found->size();
}

// The steps of looking up a name in the schema.
size_t look_up(const Json& schema) { return 1 + ((size_of(schema, "properties") + size_of(schema, "required")) / 16); }

bool requires_name(const Json& schema, const std::string& name) {
  const auto required = schema.find("required");
  return required != schema.end() && required->is_array() &&
         std::ranges::any_of(*required, [&name](const Json& entry) { return entry == name; });
}

bool forbids_others(const Json& schema, const std::string& name) {
  const bool declared =
      schema.contains("properties") && schema["properties"].is_object() && schema["properties"].contains(name);
  const auto others = schema.find("additionalProperties");
  return others != schema.end() && *others == false && !declared && !schema.contains("patternProperties");
}

}  // namespace

bool SchemaExclusion::all_differ(const SchemaParts& schemas) {
  least_left_ = work_.left() / 2;
  std::vector<Reading> readings;
  for (const SchemaPart& schema : schemas) {
    readings.push_back(read(schema));
    if (!readings.back().whole || !spend(1)) return false;
  }
  std::vector<std::pair<size_t, size_t>> suspects;
  if (!find_shared_values(readings, suspects)) {
    for (size_t i = 0; i < readings.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (!exclude(readings[i], readings[j], 0)) return false;
      }
    }
  }
  return std::ranges::all_of(suspects,
                             [&](const auto& pair) { return exclude(readings[pair.first], readings[pair.second], 0); });
}

SchemaExclusion::Reading SchemaExclusion::read(const SchemaPart& part) {
  SchemaConjunctions reader(references_, work_);  // its faults are found when the alternative is read
  Reading reading;
  SchemaPath path;
  reading.whole = reader.add(reading.all, part, path);
  return reading;
}

// Listed values are looked up, because comparing each with all would take long. False: not all schemas list values.
bool SchemaExclusion::find_shared_values(const std::vector<Reading>& readings,
                                         std::vector<std::pair<size_t, size_t>>& pairs) {
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < readings.size(); ++i) {
    const SchemaParts& parts = readings[i].all.parts;
    const auto lister =
        std::ranges::find_if(parts, [](const SchemaPart& part) { return listed_values(*part.schema).has_value(); });
    if (lister == parts.end()) return pairs.clear(), false;
    const auto values = listed_values(*lister->schema);
    for (const Json& value : *values) {
      if (!work_.spend_on(value) || !spend(1)) return pairs.clear(), false;
      const auto [place, fresh] = known.try_emplace(dump_json(canonical_json(value)), i);
      if (!fresh && place->second != i) pairs.emplace_back(i, place->second);
    }
  }
  return true;
}

bool SchemaExclusion::exclude(const Reading& a, const Reading& b, int depth) {
  if (a.all.impossible || b.all.impossible) return true;
  if (!a.whole || !b.whole) return false;
  return std::ranges::any_of(a.all.parts, [&](const SchemaPart& of_a) {
    return std::ranges::any_of(b.all.parts,
                               [&](const SchemaPart& of_b) { return exclude_directly(of_a, of_b, depth); });
  });
}

bool SchemaExclusion::exclude_directly(const SchemaPart& a, const SchemaPart& b, int depth) {
  const auto values_a = listed_values(*a.schema);
  const auto values_b = listed_values(*b.schema);
  const size_t count_a = values_a ? values_a->size() : 0;
  const size_t count_b = values_b ? values_b->size() : 0;
  if (!spend(4 + count_a + count_b)) return false;
  if ((possible_types(*a.schema) & possible_types(*b.schema)) == 0) return true;
  const auto none_fits = [this](const auto& values, const SchemaPart& other) {
    return values && std::ranges::all_of(*values, [&](const Json& value) {
             std::vector<SchemaPlace> unknown;
             return spend(1) && values_.fits(value, other, unknown) == ValueFit::kNo;
           });
  };
  if (none_fits(values_a, b) || none_fits(values_b, a)) return true;
  if (values_a && values_b) return false;
  // A property that one requires and the other forbids, or whose values differ.
  if ((types_of(*a.schema) & types_of(*b.schema)) != kObjectType) return false;
  for (const auto& [one, other] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const auto required = one->schema->find("required");
    if (required == one->schema->end() || !required->is_array()) continue;
    for (const Json& name : *required) {
      if (name.is_string() && exclude_by_property(*one, *other, name.get_ref<const std::string&>(), depth)) return true;
    }
  }
  return false;
}

// `a` requires the property.
bool SchemaExclusion::exclude_by_property(const SchemaPart& a, const SchemaPart& b, const std::string& name,
                                          int depth) {
  constexpr int kDeepest = 4;
  if (!spend(look_up(*a.schema) + look_up(*b.schema))) return false;
  if (forbids_others(*b.schema, name)) return true;
  const auto theirs = property_of(b, name);
  if (!theirs) return false;
  if (*theirs->schema == false) return true;
  const auto mine = property_of(a, name);
  if (!mine || !requires_name(*b.schema, name) || depth == kDeepest) return false;
  return exclude(read(*mine), read(*theirs), depth + 1);
}

}  // namespace lh
