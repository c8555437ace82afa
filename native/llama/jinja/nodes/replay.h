// Replays iterations of a loop whose facts still hold.
#pragma once

#include <cstddef>
#include <cstdint>
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

class Replay {
 public:
  Replay(const Tape& tape, const LoopRun& loop);

  // The number of items that the tape knows.
  [[nodiscard]] size_t common() const { return common_; }
  // True if all facts of the iteration hold.
  [[nodiscard]] bool holds(size_t i);
  // Repeats the writes of the iteration.
  void apply(size_t i);
  // Forgets the lists that were compared, because an iteration that is about to run may change them.
  void forget_lists();
  // Adds the lists that replayed scans went through.
  void carry_lists(Tape& tape) const;

 private:
  struct List {
    jinja::value name;
    jinja::value now;
    size_t common = 0;  // items that are as they were
  };

  [[nodiscard]] bool holds(const Fact& fact);
  [[nodiscard]] bool finds_nothing(const Fact& fact);
  [[nodiscard]] const List& list_of(const jinja::value& name, const jinja::value& now);
  [[nodiscard]] bool has_place(const Write& write) const;

  const Tape& tape_;
  const LoopRun& loop_;
  const size_t common_;
  std::vector<List> lists_;  // since an iteration ran last
  ValueMembers looked_at_;   // lists by name, as they were at first
};

}  // namespace lh
