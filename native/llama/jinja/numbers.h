// Numbers as Jinja2 prints them. llama.cpp's interpreter prints six digits of a number with a fraction.
#pragma once

#include <string>

#include "jinja/value.h"
#include "llama/jinja/nodes/budget.h"

namespace lh {

// The value; a number with a fraction becomes one whose text is Python's.
[[nodiscard]] jinja::value with_python_text(jinja::value value);

// The input of a filter that writes all that is in it, with each number that has a fraction as a text between marks.
[[nodiscard]] jinja::value with_marked_numbers(jinja::value value, TemplateBudget& budget);

// The value that the filter of this name has made, without these marks.
[[nodiscard]] jinja::value without_marks(jinja::value made, const std::string& filter);

}  // namespace lh
