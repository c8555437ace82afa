// Checks a value against the part of JSON Schema that the point table uses: type, enum, properties, required, items,
// additionalProperties: false, minimum, maximum, exclusiveMinimum. Other keywords are ignored: what it cannot judge is
// allowed.
#pragma once

#include <optional>
#include <string>

#include "base/json/json.h"

namespace lh {

struct SchemaOffence {
  std::string path;  // "messages[0].role"; empty for the value itself
  std::string why;   // "expected string, got number"
};

// The first offence, or none.
std::optional<SchemaOffence> check_schema(const Json& value, const Json& schema);

}  // namespace lh
