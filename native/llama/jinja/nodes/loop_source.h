// What a loop goes through, where it is a list that its template may have been given.
#pragma once

#include <cstddef>
#include <vector>

#include "llama/jinja/nodes/recorder.h"

namespace lh {

// How a loop ended.
struct LoopEnd {
  size_t reached = 0;        // items that it has gone through; the rest could make no difference
  bool broken = false;       // by {% break %}
  bool looks_ahead = false;  // it has read how many items follow
};

// A variable, or the end of one: `messages`, `messages[loop.index:]`; or a range() that ends with the length of one.
struct LoopSource {
  LoopSource() = default;
  LoopSource(const jinja::statement_ptr& iterable, ProgramNames& names);

  // The variable's value if the iteration began with it, `undefined` if there is none; else null.
  [[nodiscard]] jinja::value outer_value(const Recorder& recorder, jinja::context& scope) const;
  // Tells what the loop has read of it. `held`: its outer_value() before the first iteration, as `begun`.
  void note(Recorder& recorder, jinja::context& scope, const jinja::value& held, const std::vector<jinja::value>& items,
            const LoopEnd& end, const Scan& scan, Recorder::Mark begun) const;

  jinja::value variable;             // null: it goes through something else
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
