// Finds one member in the text of a JSON object without parsing the rest of it.
// Must not: judge the text: what is not JSON may give any answer, but nothing beyond its end is read.
#pragma once

#include <string_view>

namespace lh {

// The text of the value of `key` among `members`: `"a":1,"b":[2]`, as between the braces of an object, braces and white
// space around it allowed. Empty when there is none. The first of a name counts.
std::string_view json_member(std::string_view members, std::string_view key);

// True if `value`, the text of a JSON value, is the string `text`.
bool is_json_string(std::string_view value, std::string_view text);

}  // namespace lh
