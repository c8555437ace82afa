// Guesses what a generation will say next, so that one decode can check several tokens: by what followed the last words
// when they came before (n-grams of its own text, no second model), and when to leave off guessing. What is guessed
// never changes what is said.
// Must not: decode, or know of batches.
#pragma once

#include <cstdint>
#include <vector>

#include "model/parameters.h"

namespace lh {

constexpr int32_t kMaxDraft = 24;         // tokens guessed at once
constexpr int32_t kMostDraftsAtOnce = 2;  // generations that guess in one step
constexpr double kCheckCost = 0.3;        // of a guess, in tokens that would have been computed meanwhile, on two cores

[[nodiscard]] inline bool guesses(const LoadParams& params) {
  return params.speculation != Speculation::kOff || !params.draft_model.empty();
}

// At most `most` tokens behind `held` and `next`; none where these words have not come before.
[[nodiscard]] std::vector<int32_t> draft_from_words(const std::vector<int32_t>& held, int32_t next, int32_t most);

// One way of guessing of one generation: while it does not pay it pauses, ever longer.
class DraftPace {
 public:
  // Asked once a token: whether to guess now.
  [[nodiscard]] bool ready();
  // What the last attempt brought, in tokens: guesses that came true, less what it all cost.
  void judged(double gained);

 private:
  double balance_ = 0;  // of the last attempts
  int32_t pause_ = 0;   // tokens that are not guessed at, of the pause under way
  int32_t next_pause_ = 0;
};

}  // namespace lh
