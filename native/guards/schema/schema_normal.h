// Brings a JSON Schema into the form that llama.cpp's converter reads whole: of the keywords that join schemas or list
// values, each schema has one alone, and the others have been merged into one schema, chosen by, or compared with the
// values. References lead to `$defs` of the whole, and are all resolved.
#pragma once

#include <map>
#include <string>

#include "guards/schema/schema_node.h"

namespace lh {

struct NormalSchema {
  Json schema;
  SchemaFindings found;
  std::map<std::string, std::string> written;  // by place in `schema`: where that is written in the original

  // The place in the original.
  [[nodiscard]] std::string written_at(std::string place) const;
};

NormalSchema normal_schema(const Json& schema);

}  // namespace lh
