// The tokens and the time that a run and the runs that it delegates to have left.
// Must not: end the run; it cancels the work under way and names the limit that was reached.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include "agent/setup/session_parameters.h"
#include "base/status.h"
#include "base/threads/alarm.h"
#include "base/threads/cancel.h"
#include "generation/token_budget.h"

namespace lh {

class RunBudget {
 public:
  // Both outlive it.
  RunBudget(const SessionParams& params, CancelFlag& cancel);
  RunBudget(const RunBudget&) = delete;
  RunBudget& operator=(const RunBudget&) = delete;

  // The time counts from now on. Errors: kNoThread.
  [[nodiscard]] Status start_clock();
  // The tokens for model calls; null: no limit.
  [[nodiscard]] TokenBudget* tokens() { return tokens_ ? &*tokens_ : nullptr; }
  // The tokens that were taken; 0 without a limit.
  [[nodiscard]] int32_t used() const { return tokens_ ? params_.max_run_tokens - tokens_->left() : 0; }
  // True if all tokens are spent.
  [[nodiscard]] bool spent() const { return tokens_ && tokens_->left() == 0; }
  // The run was cancelled because its time was over.
  [[nodiscard]] bool timed_out() const;

 private:
  [[nodiscard]] std::string time_is_over() const;

  const SessionParams& params_;
  CancelFlag& cancel_;
  std::optional<TokenBudget> tokens_;
  std::optional<Alarm> clock_;
};
static_assert(!std::is_copy_constructible_v<RunBudget>);

}  // namespace lh
