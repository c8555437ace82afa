// A row of the table of hook points.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace lh {

enum class Kind : uint8_t { kPre, kPost, kInfo };

struct PointInfo {
  int32_t number;
  std::string_view name;     // "PRE_GENERATE"
  std::string_view ts_name;  // "preGenerate"
  Kind kind;
  uint8_t scopes;               // the owners whose hooks it may call: a bit per HookLevel
  std::string_view text_field;  // the context field that a plain-text answer replaces; empty: answers are JSON
  // JSON Schema of the answer object: the mutable fields of the context and the fields only an answer has.
  std::string_view answer_schema;
  std::span<const std::string_view> fields;          // of the context, beside meta
  std::span<const std::string_view> mutable_fields;  // of the context
  std::span<const std::string_view> collected;       // answer fields whose lists are joined, not replaced
  std::span<const std::string_view> shown;           // answer fields that later hooks see in the context
  std::span<const std::string_view> ends;            // answer fields that, if true, end the dispatch
  // Answer fields that refuse something: a text, any choice but "allow", or true. They count in a wrong answer, too.
  std::span<const std::string_view> vetoes;
  std::span<const std::string_view> withdrawn;  // context fields that later hooks do not see once the text has changed
};

// True if `list`, of a row, has the field.
constexpr bool lists(std::span<const std::string_view> list, std::string_view field) {
  return std::ranges::find(list, field) != list.end();
}

}  // namespace lh
