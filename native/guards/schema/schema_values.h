// Whether a value that a schema lists, in an enum or a const, fits schemas: what the enum's siblings ask for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

// By its name in a schema; 0: no type has it.
TypeSet type_named(const std::string& name);
TypeSet type_of(const Json& value);
// The types that a schema allows: all if it has no `type`, 0 if `type` is not valid.
TypeSet types_of(const Json& schema);

class SchemaValues {
 public:
  explicit SchemaValues(const SchemaReferences& references) : references_(references) {}

  // A keyword that is not understood holds, and is noted in `unknown`.
  bool holds(const Json& value, const SchemaPart& part, std::vector<SchemaPlace>& unknown);

  // The list that the values are from: comparing each with all would take long.
  void list(const Json* values) { list_ = values; }

 private:
  bool holds_keyword(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                     std::vector<SchemaPlace>& unknown);
  bool holds_of_number(double value, const std::string& key, double asked);
  bool holds_of_object(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                       std::vector<SchemaPlace>& unknown);
  bool holds_of_array(const Json& value, const SchemaPart& part, const std::string& key, const Json& asked,
                      std::vector<SchemaPlace>& unknown);
  size_t count_holding(const Json& value, const SchemaPart& part, const std::string& key, const Json& schemas,
                       std::vector<SchemaPlace>& unknown);

  static constexpr size_t kMostSteps = 1 << 20;
  static constexpr int kMostDepth = 64;

  const SchemaReferences& references_;
  const Json* list_ = nullptr;
  size_t steps_ = 0;
  int depth_ = 0;
};

}  // namespace lh
