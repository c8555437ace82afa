#include "llama/decode/logits.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace lh {

// Computes in lanes, so that the compiler uses vector instructions: with 150,000 tokens a plain loop is noticeable in
// the decode time.
float largest_logit(const float* values, int32_t count) {
  constexpr int32_t kLanes = 16;
  float lanes[kLanes];
  std::fill(lanes, lanes + kLanes, -std::numeric_limits<float>::infinity());
  int32_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int32_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = values[i + lane] > lanes[lane] ? values[i + lane] : lanes[lane];
    }
  }
  float top = *std::max_element(lanes, lanes + kLanes);
  for (; i < count; ++i) top = std::max(top, values[i]);
  return top;
}

std::vector<int32_t> largest_logits(const float* logits, int32_t count, int32_t most) {
  std::vector<int32_t> largest;
  if (most <= 0) return largest;
  const auto size = static_cast<size_t>(most);
  largest.reserve(size + 1);
  for (int32_t i = 0; i < count; ++i) {
    if (std::isnan(logits[i]) || (largest.size() == size && logits[i] <= logits[largest.back()])) continue;
    const auto at =
        std::ranges::upper_bound(largest, logits[i], std::greater(), [&](int32_t one) { return logits[one]; });
    largest.insert(at, i);
    if (largest.size() > size) largest.pop_back();
  }
  return largest;
}

double log_sum_exp(const float* logits, int32_t count) {
  const float top = largest_logit(logits, count);
  double sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += std::exp(static_cast<double>(logits[i] - top));
  return top + std::log(sum);
}

bool is_sure(const float* logits, int32_t count, float top, double least) {
  constexpr float kNothing = 16;  // this far below the largest, 150,000 of them add up to 0.02 of it
  const double most = 1 / least;
  double sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (logits[i] < top - kNothing) continue;
    sum += std::exp(static_cast<double>(logits[i] - top));
    if (sum > most) return false;
  }
  return true;
}

}  // namespace lh
