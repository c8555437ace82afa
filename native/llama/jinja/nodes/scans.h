// Tries the scans of replayed iterations on the items that a list has got since.
// Must not: change what the template sees.
#pragma once

#include <cstddef>
#include <vector>

#include "base/function_ref.h"
#include "llama/jinja/nodes/loop_run.h"
#include "llama/jinja/nodes/memory.h"
#include "llama/jinja/nodes/recorder.h"

namespace lh {

// Scans of many iterations have the same body and often the same variables: these are tried once.
class Scans {
 public:
  Scans(const Tape& tape, const LoopRun& loop) : tape_(tape), loop_(loop) {}

  // True if the scan finds nothing new. `now`: its list. `begin` sets the variables of its iteration, for a trial.
  [[nodiscard]] bool find_nothing(const Fact& fact, const jinja::value& item, const jinja::value& now,
                                  FunctionRef<void()> begin);
  // An iteration is about to run, which may change lists.
  void forget_lists() { lists_.clear(); }
  // Adds the lists that the scans went through.
  void carry_lists(Tape& tape) const;

 private:
  struct List {
    jinja::value name;
    jinja::value now;
    size_t common = 0;  // items that are as they were
  };
  // A scan that has found nothing in `list`.
  struct Tried {
    const jinja::statements* body;
    jinja::value list;
    size_t seen;
    ValueMembers read;  // variables of the iteration
  };

  // A variable that the scan's iteration has set, or its item; null for any other.
  [[nodiscard]] const jinja::value* made_by(const Scan& scan, const jinja::value& item, const jinja::value& name) const;
  [[nodiscard]] const List& list_of(const jinja::value& name, const jinja::value& now);
  [[nodiscard]] bool was_tried(const Scan& scan, const jinja::value& item, const jinja::value& now) const;
  [[nodiscard]] bool try_now(const Scan& scan, const jinja::value& item, const jinja::value& now);
  void keep(const Scan& scan, const jinja::value& item, const jinja::value& now, const Recorder::NamesRead& read);

  const Tape& tape_;
  const LoopRun& loop_;
  std::vector<List> lists_;  // since an iteration ran last
  ValueMembers looked_at_;   // lists by name, as they were at first
  std::vector<Tried> tried_;
};

}  // namespace lh
