// The list variable that a loop within an iteration iterates over.
#pragma once

#include <cstddef>
#include <vector>

#include "llama/jinja/nodes/recorder.h"

namespace lh {

// The end of a loop.
struct LoopEnd {
  size_t reached = 0;        // items that the loop has run through; the rest could make no difference
  bool broken = false;       // by {% break %}
  bool looks_ahead = false;  // the loop has read how many items follow
};

// A loop iterates over a variable (`messages`), the end of one (`messages[loop.index:]`), or a range() that ends with
// the length of one.
struct LoopSource {
  LoopSource() = default;
  LoopSource(const jinja::statement_ptr& iterable, ProgramNames& names);

  // The value of the variable if the iteration began with it; `undefined` if no variable has the name. Null if the
  // iteration has set the variable.
  [[nodiscard]] jinja::value outer_value(const Recorder& recorder, jinja::context& scope) const;
  // Notes the facts that the loop has read. `held` and `begun`: outer_value() and the recorder's mark before the first
  // item.
  void note(Recorder& recorder, jinja::context& scope, const jinja::value& held, const std::vector<jinja::value>& items,
            const LoopEnd& end, const Scan& scan, Recorder::Mark begun) const;

  jinja::value variable;             // null: the loop iterates over something else
  const Repeatable* node = nullptr;  // of the variable, or of its length
  bool is_bound = false;             // the length ends a range()

 private:
  void note_list(Recorder& recorder, jinja::context& scope, const jinja::value& list,
                 const std::vector<jinja::value>& items, const LoopEnd& end, Scan scan, Recorder::Mark begun) const;
  void note_bound(Recorder& recorder, const jinja::value& list, const std::vector<jinja::value>& items,
                  const LoopEnd& end) const;
  void note_whole(Recorder& recorder, const jinja::value& read) const;
};

}  // namespace lh
