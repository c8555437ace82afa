#include "agent/run_budget.h"

#include <algorithm>
#include <system_error>

namespace lh {

Status RunBudget::start_clock() {
  if (params_.max_run_ms == 0) return {};
  try {
    clock_.emplace(std::chrono::milliseconds(params_.max_run_ms), [this] { cancel_.cancel(time_is_over()); });
  } catch (const std::system_error& error) {
    return {Code::kInternal, std::string("no thread can be had: ") + error.what()};
  }
  return {};
}

std::optional<int32_t> RunBudget::tokens_left() const {
  if (params_.max_run_tokens == 0) return std::nullopt;
  return static_cast<int32_t>(std::max<int64_t>(0, params_.max_run_tokens - used_.load()));
}

bool RunBudget::timed_out() const { return clock_ && cancel_.reason() == time_is_over(); }

std::string RunBudget::time_is_over() const {
  return "the limit of " + std::to_string(params_.max_run_ms) + " ms a run is reached";
}

}  // namespace lh
