// The interface through which a delegation starts the run that performs its task.
#pragma once

#include <memory>
#include <string>

#include "agent/run/run_context.h"

namespace lh {

class ChildRun {
 public:
  virtual ~ChildRun() = default;
  // Performs the task to its end, on this thread. Called at most once.
  [[nodiscard]] virtual RunResult run(const std::string& task) = 0;
};

// A run, as the one that its delegations start child runs of.
class ChildRuns {
 public:
  virtual ~ChildRuns() = default;
  // A child run in `dialogue`, which outlives it. `scope` has the ids of session, run and model, the tier and the
  // depth.
  [[nodiscard]] virtual std::unique_ptr<ChildRun> make_child(Dialogue& dialogue, ModelUse model, Scope scope) = 0;
};

}  // namespace lh
