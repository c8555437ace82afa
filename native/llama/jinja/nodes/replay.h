// Replays iterations of a loop whose facts still hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "llama/jinja/nodes/loop_run.h"
#include "llama/jinja/nodes/memory.h"
#include "llama/jinja/nodes/scans.h"

namespace lh {

// A fact follows from the beginning if its expression reads only variables that the loop began with in both runs, the
// item and the items before: then what the iterations before have changed is the same, too. It need not be looked at.
// A list may have grown: only the items that the expression depends on must be the same.
class Replay {
 public:
  Replay(const Tape& tape, const LoopRun& loop);

  // The number of items that the tape knows.
  [[nodiscard]] size_t common() const { return common_; }
  // True if all facts of the iteration hold.
  [[nodiscard]] bool holds(size_t i);
  // The iteration has the writes that it had. The scope gets them before the next expression is run.
  void apply(size_t i);
  // Sets what replayed iterations have written.
  void flush();
  // An iteration is about to run, which may change anything.
  void stop_following();
  // Snapshots of the variables before the first item.
  [[nodiscard]] const jinja::value_object& begun() const { return begun_; }
  // Adds the lists that replayed scans went through.
  void carry_lists(Tape& tape) const { scans_.carry_lists(tape); }

 private:
  [[nodiscard]] bool holds(size_t i, const Fact& fact);
  [[nodiscard]] bool has_value(size_t i, const Fact& fact);
  [[nodiscard]] bool has_place(const Write& write);
  [[nodiscard]] bool follows(const Fact& fact);
  // The number of items of its lists that an expression may depend on to follow.
  [[nodiscard]] size_t alike(const Reads& reads) const;
  [[nodiscard]] size_t alike(const Reads& reads, const jinja::value& name) const;
  // Sets the variables for the item, if they are not set. `reads`: the variables that are about to be read; null for
  // any.
  void begin(size_t i, const std::vector<jinja::value>* reads);
  // The variable's value. Members that it has yet to get may be missing.
  [[nodiscard]] jinja::value held_now(const jinja::value& name);

  const Tape& tape_;
  const LoopRun& loop_;
  const size_t common_;
  const jinja::value_object begun_;
  bool following_ = true;             // all iterations so far were replayed
  std::optional<size_t> begun_item_;  // for which the variables are set
  std::unordered_map<const Repeatable*, std::optional<size_t>> alike_;
  std::vector<const Write*> pending_;  // the last of each place
  std::vector<jinja::value> placed_;   // variables whose objects no other variable has, as far as replayed
  Scans scans_;
};

}  // namespace lh
