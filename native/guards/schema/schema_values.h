// Checks that a value which a schema lists, in an enum or a const, fits schemas: those of the enum's siblings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "guards/pattern.h"
#include "guards/schema/schema_inspection.h"
#include "guards/schema/schema_references.h"

namespace lh {

// Types of JSON values as bits. Numbers are integers or fractions.
using TypeSet = uint8_t;
inline constexpr TypeSet kNullType = 1;
inline constexpr TypeSet kBooleanType = 2;
inline constexpr TypeSet kIntegerType = 4;
inline constexpr TypeSet kFractionType = 8;
inline constexpr TypeSet kStringType = 16;
inline constexpr TypeSet kArrayType = 32;
inline constexpr TypeSet kObjectType = 64;
inline constexpr TypeSet kAnyType = 127;

// The type with this name in a schema; 0: the name is unknown.
TypeSet type_named(const std::string& name);
TypeSet type_of(const Json& value);
// The values that a schema lists in a const or an enum; nothing: it does not.
std::optional<std::span<const Json>> listed_values(const Json& schema);
// The types that a schema allows: all if it has no `type`, 0 if `type` is not valid.
TypeSet types_of(const Json& schema);

enum class ValueFit { kNo, kUnknown, kYes };

class SchemaValues {
 public:
  SchemaValues(const SchemaReferences& references, SchemaWork& work) : references_(references), work_(work) {}

  // kUnknown: `unknown` gets the keywords that are not understood and that decide.
  ValueFit fits(const Json& value, const SchemaPart& part, std::vector<SchemaPlace>& unknown);

  // A choice that the values are from, and fit.
  void take_from(const Json* choice) { source_ = choice; }

 private:
  using Unknown = std::vector<SchemaPlace>;

  ValueFit fits_keyword(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                        Unknown& unknown);
  ValueFit fits_list(const Json& value, const SchemaPart& part, const std::string& key, const Json& schemas,
                     Unknown& unknown);
  ValueFit fits_condition(const Json& value, const SchemaPart& part, const Json& asked, Unknown& unknown);
  ValueFit fits_string(const std::string& value, const SchemaPart& part, const std::string& key, const Json& asked,
                       Unknown& unknown);
  ValueFit fits_object(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                       Unknown& unknown);
  ValueFit fits_array(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                      Unknown& unknown);
  ValueFit fits_pattern(const std::string& value, const SchemaPart& part, const Json& pattern, Unknown& unknown);
  bool is_listed(const Json& value, const Json& list);

  static constexpr int kMostDepth = 64;

  const SchemaReferences& references_;
  SchemaWork& work_;
  const Json* source_ = nullptr;
  std::map<const Json*, std::set<std::string>> lists_;  // the values of enums, in canonical form
  std::map<const Json*, ReadPattern> patterns_;
  int depth_ = 0;
};

}  // namespace lh
