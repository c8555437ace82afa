// Checks a value against the part of JSON Schema that the point table uses: type, enum, properties, required, items,
// additionalProperties: false, minimum, maximum, exclusiveMinimum, and a pattern that lists words. Other keywords and
// patterns are ignored.
// A value that these keywords cannot judge is allowed.
#pragma once

#include <optional>
#include <string>

#include "base/json/json.h"
#include "base/text/names.h"

namespace lh {

struct ValueOffence {
  std::string path;  // "messages[0].role"; empty for the value itself
  std::string why;   // "expected string, got number"
};

// Returns the first offence; nullopt if the value matches.
std::optional<ValueOffence> check_value(const Json& value, const Json& schema, Keys keys = Keys::kOfUser);

}  // namespace lh
