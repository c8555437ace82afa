// A run has a tier do a task: a run of its own, in a conversation of its own, on the same thread.
// Must not: decide what the model is told beside what came of it.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "agent/controls.h"
#include "agent/run_frame.h"

namespace lh {

class Delegation {
 public:
  explicit Delegation(RunFrame& run) : run_(run) {}
  Delegation(const Delegation&) = delete;
  Delegation& operator=(const Delegation&) = delete;

  // {"tier", "task", "resume"?}, as the control tool takes it. Fires ON_DELEGATE and ON_DELEGATE_COMPLETE.
  [[nodiscard]] Controls::Answer delegate(const Json& args);
  // {"task", "stages": [{"tier", "task"?}]}: each stage gets what the one before has given. Stops at the first failure.
  [[nodiscard]] Controls::Answer pipeline(const Json& args);

 private:
  struct Task {
    std::string tier;
    std::string task;
    std::string resume;  // name of a conversation; empty: a new one
    std::string_view flow;
  };
  struct End {
    Controls::Answer answer;
    std::string child;  // name of its conversation; empty: there was none
    Usage usage;
  };
  [[nodiscard]] Controls::Answer carry_out(Task task, bool named);
  [[nodiscard]] End decide(Task& task);
  [[nodiscard]] std::string refusal(const Task& task, ResultKind& kind) const;
  [[nodiscard]] End run_child(const Task& task);

  RunFrame& run_;
};
static_assert(!std::is_copy_constructible_v<Delegation>);

}  // namespace lh
