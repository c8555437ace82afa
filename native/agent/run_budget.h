// How much a run, and those that it delegates to, may still generate, and how long they may still take.
// Must not: end the run; it cancels what is under way and says which limit it came to.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "agent/session_parameters.h"
#include "base/alarm.h"
#include "base/cancel.h"
#include "base/status.h"

namespace lh {

class RunBudget {
 public:
  // Both outlive it.
  RunBudget(const SessionParams& params, CancelFlag& cancel) : params_(params), cancel_(cancel) {}
  RunBudget(const RunBudget&) = delete;
  RunBudget& operator=(const RunBudget&) = delete;

  // The time counts from now on. Errors: kInternal where no thread can be had.
  [[nodiscard]] Status start_clock();
  void use(int32_t tokens) { used_ += tokens; }  // any thread
  // That a model call may generate; none: any number.
  [[nodiscard]] std::optional<int32_t> tokens_left() const;
  [[nodiscard]] bool spent() const { return tokens_left() == 0; }
  // The run was cancelled because its time was over.
  [[nodiscard]] bool timed_out() const;

 private:
  [[nodiscard]] std::string time_is_over() const;

  const SessionParams& params_;
  CancelFlag& cancel_;
  std::atomic<int64_t> used_{0};
  std::optional<Alarm> clock_;
};
static_assert(!std::is_copy_constructible_v<RunBudget>);

}  // namespace lh
