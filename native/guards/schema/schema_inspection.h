// Checks a JSON Schema in normal form before llama.cpp's converter reads it: finds bounds that would make it work
// endlessly, and lists the keywords that it ignores. libllama-common converts it to a grammar.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "guards/pattern.h"

namespace lh {

struct SchemaPlace {
  std::string pointer;  // JSON pointer of the schema, "#" for the whole
  std::string what;     // the mistake, or the keyword that has no effect
};

struct SchemaReport {
  std::optional<SchemaPlace> fault;
  std::vector<SchemaPlace> ignored;
  // The schema for the converter, never empty: patterns are converted to JSON text, and keywords without effect that
  // would make it write to stderr are removed.
  Json schema;
};

inline constexpr int64_t kMaxRepetitions =
    2000;  // llama.cpp's limit: a larger lower bound is refused, a larger upper bound ignored
inline constexpr size_t kMaxSchemaValues = 10000;  // subschemas and enum values, which determine the time to compile

inline constexpr size_t kMaxSchemaName = 1024;  // bytes of a property's name
inline constexpr size_t kMaxOptional = 400;     // optional properties of an object

// A format that the converter knows.
bool is_known_format(const Json& format);

// `schema`: in normal form. `pattern`: what the converter does with a regular expression for JSON text.
SchemaReport inspect_schema(const Json& schema, const std::function<PatternUse(const std::string&)>& pattern);

}  // namespace lh
