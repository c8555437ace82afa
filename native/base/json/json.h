// The JSON type of the engine, with parsing that reports errors and dumping that cannot fail.
// Must not: let an exception of the JSON library escape.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lh {

using Json = nlohmann::ordered_json;

// Deeper values are refused: dumping and comparing recurse, and foreign text must not overflow the stack.
inline constexpr int kMaxJsonDepth = 512;

// Parses one JSON value. The error has `what` and the byte of the mistake.
Result<Json> parse_json(std::string_view text, std::string_view what);

// Compact JSON. Invalid UTF-8 inside strings becomes U+FFFD, so that any bytes of a model or a path can be dumped.
std::string dump_json(const Json& value);

// Appends `text` as a quoted JSON string, escaped, invalid UTF-8 replaced. For hot paths that build JSON by hand.
void append_json_string(std::string& out, std::string_view text);

// Appends the comma that separates a further member of an object, or a further item, from those that `out` ends with.
void separate_member(std::string& out);

// Null for an empty text, as in contexts and results.
[[nodiscard]] inline Json null_if_empty(const std::string& text) { return text.empty() ? Json() : Json(text); }

// True if both are the same value. Unlike Json's operator==, it ignores the order of an object's members, and 1 equals
// 1.0.
bool same_json(const Json& a, const Json& b);

// The canonical form of a value: members sorted by name, whole numbers without a fraction.
[[nodiscard]] Json canonical_json(const Json& value);

}  // namespace lh
