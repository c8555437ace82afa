#include "llama/decode/step_pace.h"

#include <algorithm>

namespace lh {
namespace {

constexpr int32_t kUnmeasured = 32;  // prompt tokens, of the first such step
// Fewer tokens are hardly faster than one at a time, and CPU kernels process rows in groups of this size: 9 take as
// long as 12.
constexpr int32_t kLeast = 8;
constexpr double kWeight = 0.25;  // of the newest measurement

void take_in(double& average, double value) { average = average == 0 ? value : average + kWeight * (value - average); }

}  // namespace

// A step with prompt tokens takes 1 / fairness times as long as one without, which bounds the gap between two tokens of
// a running generation.
int32_t StepPace::prompt_tokens(int32_t most) const {
  if (fairness_ == 0) return most;
  if (step_ms_ == 0 || prompt_token_ms_ == 0) return std::min(most, kUnmeasured);
  const double fit = (1 / fairness_ - 1) * step_ms_ / prompt_token_ms_;
  const auto whole =
      static_cast<int32_t>(std::clamp(fit, static_cast<double>(kLeast), static_cast<double>(most) + kLeast));
  return std::min(most, whole / kLeast * kLeast);
}

void StepPace::measured(int32_t prompt_tokens, bool decoding, double ms) {
  if (prompt_tokens == 0) return take_in(step_ms_, ms);
  if (prompt_tokens < kLeast) return;  // the rest of a prompt mostly measures the step's fixed cost
  take_in(prompt_token_ms_, std::max(0.0, ms - (decoding ? step_ms_ : 0)) / prompt_tokens);
}

}  // namespace lh
