// A JSON Schema as llama.cpp's converter will read it: bounds that would make it work without end are found, and what
// it passes over is listed. Must not: turn it into a grammar; libllama-common does.
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
  std::string what;     // what is wrong there, or the keyword that has no effect
};

struct SchemaReport {
  std::optional<SchemaPlace> fault;
  std::vector<SchemaPlace> ignored;
  // As the converter is to get it, never empty: patterns are those of JSON text, and what has no effect and would make
  // it write to stderr is gone.
  Json schema;
};

inline constexpr int64_t kMaxRepetitions =
    2000;  // llama.cpp's: of more, a lower bound is refused, an upper one ignored
inline constexpr size_t kMaxSchemaValues =
    10000;  // subschemas and values of enums: the time to compile grows with them

inline constexpr size_t kMaxOptional = 400;  // properties of an object that are not required

// `pattern`: what the converter does with a regular expression over JSON text.
SchemaReport check_schema(const Json& schema, const std::function<PatternUse(const std::string&)>& pattern);

}  // namespace lh
