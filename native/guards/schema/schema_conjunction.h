// Schemas that hold together: a schema with what its references and its allOf ask for, in one list.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "guards/schema/schema_inspection.h"
#include "guards/schema/schema_references.h"
#include "guards/schema/schema_values.h"

namespace lh {

using SchemaPath = std::vector<std::string>;  // the schemas that one comes from, without a step into a value

// One of these schemas holds, too.
struct SchemaChoice {
  SchemaParts alternatives;
  std::string at;  // of the schema with the keyword
  const char* key;
  SchemaPath path;
};

struct Conjunction {
  SchemaParts parts;                  // read without $ref, allOf, anyOf, oneOf
  std::vector<SchemaChoice> choices;  // of all parts
  std::set<std::string> places;       // of the parts
  bool referred = false;              // a reference was followed
  bool impossible = false;
};

class SchemaConjunctions {
 public:
  explicit SchemaConjunctions(const SchemaReferences& references) : references_(references) {}

  // False: `fault` says why.
  bool add(Conjunction& all, const SchemaPart& part, SchemaPath& path);
  [[nodiscard]] const std::optional<SchemaPlace>& fault() const { return fault_; }

  // True if no value fits both schemas, as far as types, constants and required properties tell.
  bool exclude(const SchemaPart& a, const SchemaPart& b);

 private:
  bool add_list(Conjunction& all, const SchemaPart& part, const char* key, SchemaPath& path);
  bool choose(Conjunction& all, const SchemaPart& part, const char* key, const SchemaPath& path);
  bool exclude_directly(const SchemaPart& a, const SchemaPart& b, int depth);
  bool exclude(const SchemaPart& a, const SchemaPart& b, int depth);
  bool fail(const std::string& at, std::string what);

  static constexpr size_t kMostSteps = 400;  // of one path: it is followed recursively

  const SchemaReferences& references_;
  std::optional<SchemaPlace> fault_;
};

// The schema that a keyword of the part has, or an element of the list there.
SchemaPart part_of(const SchemaPart& part, const std::string& key);
SchemaPart part_of(const SchemaPart& part, const std::string& key, size_t index);

}  // namespace lh
