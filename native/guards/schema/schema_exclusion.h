// Finds out if a value fits at most one of the schemas, so that oneOf asks for nothing more than anyOf.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "guards/schema/schema_conjunction.h"
#include "guards/schema/schema_references.h"
#include "guards/schema/schema_values.h"
#include "guards/schema/schema_work.h"

namespace lh {

class SchemaExclusion {
 public:
  SchemaExclusion(const SchemaReferences& references, SchemaValues& values, SchemaWork& work)
      : references_(references), values_(values), work_(work) {}

  // Compares types, listed values and required properties only. False, too, if the comparison takes more than half of
  // the remaining work.
  bool all_differ(const SchemaParts& schemas);

 private:
  struct Reading {
    Conjunction all;
    bool whole = false;
  };

  [[nodiscard]] Reading read(const SchemaPart& part);
  bool find_shared_values(const std::vector<Reading>& readings, std::vector<std::pair<size_t, size_t>>& pairs);
  bool exclude(const Reading& a, const Reading& b, int depth);
  bool exclude_directly(const SchemaPart& a, const SchemaPart& b, int depth);
  bool exclude_by_property(const SchemaPart& a, const SchemaPart& b, const std::string& name, int depth);
  [[nodiscard]] bool spend(size_t steps) { return work_.spend(steps) && work_.left() > least_left_; }

  const SchemaReferences& references_;
  SchemaValues& values_;
  SchemaWork& work_;
  size_t least_left_ = 0;
};

}  // namespace lh
