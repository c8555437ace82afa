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

bool SchemaConjunctions::led_back_into(size_t count) {
  if (!back_to_ || *back_to_ >= count) return false;
  back_to_.reset();
  fault_.reset();
  return true;
}

// Properties keep the order of the schema: the model writes them in that order.
bool SchemaConjunctions::add(Conjunction& all, const SchemaPart& part, SchemaPath& path) {
  if (part.schema->is_boolean()) {
    all.impossible = all.impossible || !part.schema->get<bool>();
    return true;
  }
  if (!part.schema->is_object()) return fail(part.at, "schema must be an object");
  const size_t keywords = part.schema->size();
  work_.spend_on(part.at);
  if (!work_.spend(keywords + (keywords * keywords / 64) + path.size())) return fail(part.at, kTooMuchWork);
  if (const auto known = std::ranges::find(path, part.schema); known != path.end()) {
    if (!fault_) back_to_ = static_cast<size_t>(known - path.begin());
    return fail(part.at, "references in an allOf lead back to it");
  }
  if (path.size() >= kMostSteps) {
    return fail(part.at, "schemas nest, or references lead, deeper than " + std::to_string(kMostSteps));
  }
  if (!all.known.insert(part.schema).second) return true;
  path.push_back(part.schema);
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
  SchemaChoice choice{&list, {}, part.at, key, path};
  for (size_t i = 0; i < list.size() && work_.spend_on(part.at); ++i) {
    choice.alternatives.push_back(part_of(part, key, i));
  }
  all.choices.push_back(std::move(choice));
  return true;
}

Conjunction SchemaConjunctions::copy(const Conjunction& all) {
  for (const SchemaPart& part : all.parts) work_.spend_on(part.at);
  for (const SchemaChoice& choice : all.choices) {
    for (const SchemaPart& alternative : choice.alternatives) work_.spend_on(alternative.at);
    work_.spend(choice.path.size());
  }
  return work_.spend(all.known.size()) ? all : Conjunction{};
}

}  // namespace lh
