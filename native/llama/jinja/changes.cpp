#include "llama/jinja/changes.h"

namespace lh {

Changes& changes() {
  thread_local Changes made;
  return made;
}

void note_change(const jinja::value& container) {
  ++changes().all;
  ++changes().containers;
  if (container->stats.used) ++changes().given;
}

void mark_given(const jinja::value& value) {
  value->stats.used = true;
  for (const jinja::value& member : value->val_arr) mark_given(member);
  for (const auto& [key, member] : value->val_obj) mark_given(member);
}

}  // namespace lh
