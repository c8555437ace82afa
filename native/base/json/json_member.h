// Finds members in the text of a JSON object without parsing the rest. For text that is not JSON the result is
// arbitrary. Must not: read beyond the end of the text.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/function_ref.h"

namespace lh {

// Calls `take` with the text of each name, in its quotes, and of its value, in order, until it returns false.
// `members`: `"a":1,"b":[2]`, the content of an object with or without braces and white space.
void each_json_member(std::string_view members, FunctionRef<bool(std::string_view name, std::string_view value)> take);

// The text of the value of `key` in `members`, as each_json_member takes them. Empty if there is none. If a name occurs
// twice, the first one counts.
std::string_view json_member(std::string_view members, std::string_view key);

// The position of the first character of the value of `key`; npos if there is none. The text after it is not read.
size_t begin_of_json_member(std::string_view members, std::string_view key);

// The position of the comma or bracket after the value that begins at `at`; the end of the text if there is none.
size_t end_of_json_value(std::string_view text, size_t at);

// The position of the first character from `at` on that is not white space.
size_t skip_json_space(std::string_view text, size_t at);

// True if `value`, the text of a JSON value, is the string `text`.
bool is_json_string(std::string_view value, std::string_view text);

}  // namespace lh
