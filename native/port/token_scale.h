// Estimates the tokens of a text from its bytes, and learns from the counts of a model that computes elsewhere.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lh {

// Until the model has said how many tokens a prompt had, a token is taken for four bytes. Any thread.
class TokenScale {
 public:
  [[nodiscard]] int64_t estimate(size_t bytes) const {
    return static_cast<int64_t>(
        std::ceil(static_cast<double>(bytes) * tokens_per_byte_.load(std::memory_order_relaxed)));
  }
  // The model has refused a prompt: it has more tokens than these.
  void learn_least(size_t bytes, int32_t tokens) {
    // A model that takes less than a byte for a token has not been seen; a limit of the answer has been refused.
    if (estimate(bytes) <= tokens && bytes >= static_cast<size_t>(tokens)) learn(bytes, tokens);
  }
  void learn(size_t bytes, int32_t tokens) {
    if (bytes == 0 || tokens <= 0) return;
    const double seen = static_cast<double>(tokens) / static_cast<double>(bytes);
    tokens_per_byte_.store(std::clamp(seen, 0.01, 2.0), std::memory_order_relaxed);
  }

 private:
  std::atomic<double> tokens_per_byte_{0.25};
};

}  // namespace lh
