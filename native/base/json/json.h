// The one JSON type of the engine, and the two ways across its border: parsing that reports, dumping that cannot fail.
// Must not: let an exception of the JSON library out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lh {

using Json = nlohmann::ordered_json;

// Values nested deeper than this are refused: dumping and comparing recurse, and foreign text must not end the stack.
inline constexpr int kMaxJsonDepth = 512;

// Parses one JSON value; the error names `what` and the byte where it went wrong.
Result<Json> parse_json(std::string_view text, std::string_view what);

// Compact JSON. Invalid UTF-8 inside strings becomes U+FFFD, so that any bytes of a model or a path can be dumped.
std::string dump_json(const Json& value);

// Appends `text` as a quoted JSON string, escaped, invalid UTF-8 replaced. For hot paths that build JSON by hand.
void append_json_string(std::string& out, std::string_view text);

// Null for what is not there, as contexts and results have it.
[[nodiscard]] inline Json null_if_empty(const std::string& text) { return text.empty() ? Json() : Json(text); }

// True if both are the same value: the order of an object's members does not count (operator== of Json heeds it), and
// 1 equals 1.0.
bool same_json(const Json& a, const Json& b);

// What is the same value, written in one way: members by name, a number that is whole without a fraction.
[[nodiscard]] Json canonical_json(const Json& value);

}  // namespace lh
