#include "agent/run/run_budget.h"

#include <system_error>

#include "base/caught.h"

namespace lh {

RunBudget::RunBudget(const SessionParams& params, CancelFlag& cancel) : params_(params), cancel_(cancel) {
  if (params.max_run_tokens > 0) tokens_.emplace(params.max_run_tokens);
}

Status RunBudget::start_clock() {
  if (params_.max_run_ms == 0) return {};
  try {
    clock_.emplace(std::chrono::milliseconds(params_.max_run_ms), [this] { cancel_.cancel(time_is_over()); });
  } catch (const std::system_error&) {
    return caught();
  }
  return {};
}

bool RunBudget::timed_out() const { return clock_ && cancel_.reason() == time_is_over(); }

std::string RunBudget::time_is_over() const {
  return "the limit of " + std::to_string(params_.max_run_ms) + " ms a run is reached";
}

}  // namespace lh
