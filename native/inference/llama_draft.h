// Guesses what a generation will say next, so that one decode can check several tokens: by what followed the last words
// when they came before (n-grams of its own text, no second model). What it guesses never changes what is said.
// Must not: decode, or know of batches.
#pragma once

#include <cstdint>
#include <vector>

namespace lh {

class Drafter {
 public:
  static constexpr int32_t kMaxDraft = 24;
  static constexpr int32_t kMostAtOnce = 2;  // generations that guess in one step

  // At most `most` tokens behind `held` and `next`; none where nothing is found, or where guessing has not paid lately.
  std::vector<int32_t> draft(const std::vector<int32_t>& held, int32_t next, int32_t most);
  // How many of the last draft's tokens came true.
  void judged(int32_t drafted, int32_t accepted);

 private:
  int32_t pause_ = 0;  // tokens that are not guessed at, of the pause under way
  int32_t next_pause_ = 0;
};

}  // namespace lh
