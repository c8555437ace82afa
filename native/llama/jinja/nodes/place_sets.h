// Statements at the beginning of a loop's body that give a variable a number for the place of the item:
// `{% set index = messages|length - loop.index0 %}`.
#pragma once

#include <vector>

#include "jinja/runtime.h"
#include "llama/jinja/nodes/names.h"

namespace lh {

// True for `loop.index` and `loop.index0`.
[[nodiscard]] bool is_loop_index(const jinja::statement_ptr& node);

// Tells, for each of the first statements of a loop's body, the variable that it sets. These statements print nothing,
// fail in all iterations or in none, and read nothing of the item.
[[nodiscard]] std::vector<jinja::value> place_sets(const jinja::for_statement& loop, ProgramNames& names);

}  // namespace lh
