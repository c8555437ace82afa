// Resolves the references of a JSON Schema within its document: pointers (RFC 6901, also percent-encoded), `$anchor`,
// `$id`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "guards/schema/schema_work.h"

namespace lh {

// A schema of a document, which outlives it.
struct SchemaPart {
  const Json* schema;
  std::string at;  // "#", or "#/" and a JSON pointer
};
using SchemaParts = std::vector<SchemaPart>;

// The value of a keyword; null: the schema, an object, does not have it.
const Json* keyword_of(const SchemaPart& part, const char* key);

class SchemaReferences {
 public:
  SchemaReferences(const Json& root, SchemaWork& work);

  struct Target {
    SchemaPart part{};
    std::string fault;  // why there is none; empty: there is one
  };
  // The reference occurs in the schema at `from`.
  [[nodiscard]] Target find(const Json& reference, const std::string& from) const;

 private:
  void collect_names();
  void note_names(const SchemaPart& part, std::string& resource);
  [[nodiscard]] const std::string& resource_of(std::string place) const;

  const Json& root_;
  SchemaWork& work_;
  std::map<std::string, std::string> resources_;  // by place: the address of the schema there, which has an `$id`
  std::map<std::string, SchemaPart> named_;       // by address, or address, "#" and anchor
};

}  // namespace lh
