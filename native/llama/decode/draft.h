// Drafts the next tokens of a generation, so that one decode can check several: it repeats what followed the last words
// when they occurred before (n-grams of the text of this generation, without a second model), and pauses while that
// does not pay. Drafts never change the output.
#pragma once

#include <cstdint>
#include <vector>

#include "model/parameters.h"

namespace lh {

constexpr int32_t kMaxDraft = 24;         // tokens guessed at once
constexpr int32_t kMostDraftsAtOnce = 2;  // generations that draft in one step
constexpr double kCheckCost = 0.3;        // of one drafted token, in tokens computed in the same time on two cores

[[nodiscard]] inline bool guesses(const LoadParams& params) {
  return params.speculation != Speculation::kOff || !params.draft_model.empty();
}

// At most `most` tokens after `held` and `next`; none if these words have not occurred before.
[[nodiscard]] std::vector<int32_t> draft_from_words(const std::vector<int32_t>& held, int32_t next, int32_t most);

// The pace of one kind of draft in one generation: while drafts do not pay, it makes ever longer pauses.
class DraftPace {
 public:
  // Called once per token: whether to draft now.
  [[nodiscard]] bool ready();
  // The gain of the last attempt, in tokens: accepted ones minus the cost.
  void judged(double gained);

 private:
  double balance_ = 0;  // of the last attempts
  int32_t pause_ = 0;   // tokens without drafts until the current pause ends
  int32_t next_pause_ = 0;
};

}  // namespace lh
