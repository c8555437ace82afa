// Numbers as Jinja2 prints them. llama.cpp's interpreter prints six digits of a number that is no integer.
#pragma once

#include "jinja/value.h"
#include "llama/jinja/budget.h"

namespace lh {

// The value; a number that is no integer becomes one whose text is Python's.
[[nodiscard]] jinja::value with_python_text(jinja::value value);

// The input of a filter that writes all that is in it, with each number that is no integer as a text between marks.
[[nodiscard]] jinja::value with_marked_numbers(jinja::value value, TemplateBudget& budget);

// What the filter has made, without these marks. `has_quotes`: it puts texts into quotes.
[[nodiscard]] jinja::value without_marks(jinja::value made, bool has_quotes);

}  // namespace lh
