// Numbers and JSON as Python writes them: chat templates were written for Jinja2, which prints Python's values.
#pragma once

#include <string>

#include "base/json/json.h"

namespace lh {

// The shortest digits that read back as the same number. From 2^63 to 1e21 a whole number is an integer: JavaScript
// writes all of these without an exponent, and few of them fit into an integer of Json.
[[nodiscard]] std::string python_number(double number);
[[nodiscard]] std::string python_number(const Json& number);

// Compact JSON with these numbers.
[[nodiscard]] std::string python_json(const Json& value);

// The same, for a template that llama.cpp renders: it would read an integer from 2^63 to 2^64 as a negative one, so
// these have a fraction. It reads no larger integers.
[[nodiscard]] std::string template_json(const Json& value);

}  // namespace lh
