// Counts what the templates of this thread change while they run: variables, lists, objects.
#pragma once

#include <cstdint>

#include "jinja/value.h"

namespace lh {

struct Changes {
  uint64_t all = 0;
  uint64_t containers = 0;  // lists and objects
  uint64_t given = 0;       // of what a template was given
};
Changes& changes();

// The list or object is about to change.
void note_change(const jinja::value& container);

// The value, and all in it, counts as given. The interpreter uses this sign only when it finds out the abilities of a
// template.
void mark_given(const jinja::value& value);

}  // namespace lh
