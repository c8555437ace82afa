// Replays iterations of a loop whose facts still hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "llama/jinja/nodes/memory.h"

namespace lh {

// A loop that runs: how to begin an iteration of it, and what it goes through.
struct LoopRun {
  jinja::context& scope;
  const std::vector<jinja::value>& items;
  FunctionRef<void(size_t)> begin;  // sets the variables for the item
  jinja::value item_name;
  jinja::value loop_name;
  uint32_t loop_members = 0;  // of `loop`, that the template reads
};

// A fact follows from the beginning if its expression reads only variables that the loop began with in both runs, the
// item and the items before: then what the iterations before have changed is the same, too. It need not be looked at.
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
  void carry_lists(Tape& tape) const;

 private:
  struct List {
    jinja::value name;
    jinja::value now;
    size_t common = 0;  // items that are as they were
  };

  [[nodiscard]] bool holds(size_t i, const Fact& fact);
  [[nodiscard]] bool finds_nothing(const Fact& fact);
  [[nodiscard]] const List& list_of(const jinja::value& name, const jinja::value& now);
  [[nodiscard]] bool has_place(const Write& write);
  [[nodiscard]] bool follows(const Repeatable& expression);
  [[nodiscard]] bool began_alike(const jinja::value& name) const;
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
  std::unordered_map<const Repeatable*, bool> followed_;
  std::vector<const Write*> pending_;  // the last of each place
  ValueMembers placed_;                // by name, objects that no other variable has, since an iteration ran last
  std::vector<List> lists_;            // since an iteration ran last
  ValueMembers looked_at_;             // lists by name, as they were at first
};

}  // namespace lh
