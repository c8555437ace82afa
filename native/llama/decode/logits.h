// Computations on logits besides sampling.
#pragma once

#include <cstdint>
#include <vector>

namespace lh {

// `count` is 1 or more. NaN is ignored.
[[nodiscard]] float largest_logit(const float* logits, int32_t count);

// The indices of the `most` largest logits, the largest first; equal ones in order of index.
[[nodiscard]] std::vector<int32_t> largest_logits(const float* logits, int32_t count, int32_t most);

// The logarithm of the sum of the exponentials: a logit minus this is the logarithm of its probability.
[[nodiscard]] double log_sum_exp(const float* logits, int32_t count);

// True if the probability of the largest logit `top` is at least `least` (above 0), with an error of a few percent.
[[nodiscard]] bool is_sure(const float* logits, int32_t count, float top, double least);

}  // namespace lh
