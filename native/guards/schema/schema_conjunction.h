// Schemas that apply together: a schema, its references and its allOf, in one list.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "guards/schema/schema_inspection.h"
#include "guards/schema/schema_references.h"
#include "guards/schema/schema_work.h"

namespace lh {

using SchemaPath = std::vector<const Json*>;  // the schemas that one comes from, without a step into a value

// One of these schemas holds, too.
struct SchemaChoice {
  const Json* list;
  SchemaParts alternatives;
  std::string at;  // of the schema with the keyword
  const char* key;
  SchemaPath path;
};

struct Conjunction {
  SchemaParts parts;                  // read without $ref, allOf, anyOf, oneOf
  std::vector<SchemaChoice> choices;  // of all parts
  std::set<const Json*> known;        // the schemas that were added
  bool referred = false;              // a reference was followed
  bool impossible = false;
};

class SchemaConjunctions {
 public:
  SchemaConjunctions(const SchemaReferences& references, SchemaWork& work) : references_(references), work_(work) {}

  // False: `fault` says why.
  bool add(Conjunction& all, const SchemaPart& part, SchemaPath& path);
  [[nodiscard]] const std::optional<SchemaPlace>& fault() const { return fault_; }

  // Forgets the fault if it says that the part leads back to one of the first `count` schemas of its path.
  bool led_back_into(size_t count);

  // A copy, which counts as work. Empty if none may be done.
  Conjunction copy(const Conjunction& all);

 private:
  bool add_list(Conjunction& all, const SchemaPart& part, const char* key, SchemaPath& path);
  bool choose(Conjunction& all, const SchemaPart& part, const char* key, const SchemaPath& path);
  bool fail(const std::string& at, std::string what);

  static constexpr size_t kMostSteps = 400;  // of one path: it is followed recursively

  const SchemaReferences& references_;
  SchemaWork& work_;
  std::optional<SchemaPlace> fault_;
  std::optional<size_t> back_to_;  // the schema of the path that the fault is about
};

// The schema that a keyword of the part has, or an element of the list there.
SchemaPart part_of(const SchemaPart& part, const std::string& key);
SchemaPart part_of(const SchemaPart& part, const std::string& key, size_t index);

}  // namespace lh
