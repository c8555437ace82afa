// Counts what the templates of this thread change while they run: variables, lists, objects.
#pragma once

#include <cstdint>

#include "jinja/value.h"

namespace lh {

struct Changes {
  uint64_t all = 0;
  uint64_t containers = 0;  // lists and objects
  uint64_t given = 0;       // those that a template was given
};

inline Changes& changes() {
  thread_local Changes made;
  return made;
}

// The list or object is about to change.
void note_change(const jinja::value& container);
// A statement is about to set a member of the object. The node of the statement tells the recorder.
inline void note_new_member(const jinja::value& object) {
  Changes& made = changes();
  ++made.all;
  ++made.containers;
  if (object->stats.used) ++made.given;
}

// The value, and all in it, counts as given. The interpreter uses this sign only when it finds out the abilities of a
// template.
inline void mark_given(const jinja::value& value) {
  value->stats.used = true;
  for (const jinja::value& member : value->val_arr) mark_given(member);
  for (const auto& [key, member] : value->val_obj) mark_given(member);
}

}  // namespace lh
