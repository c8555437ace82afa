// What is asked of a model's logits beside sampling. Must not: know whose they are.
#pragma once

#include <cstdint>
#include <vector>

namespace lh {

// `count` is 1 or more. Not-a-number is passed over.
[[nodiscard]] float largest_logit(const float* logits, int32_t count);

// Where the `most` largest are, the largest first, of equal ones the first.
[[nodiscard]] std::vector<int32_t> largest_logits(const float* logits, int32_t count, int32_t most);

// The logarithm of the sum of their exponentials: a logit less this is the logarithm of its probability.
[[nodiscard]] double log_sum_exp(const float* logits, int32_t count);

// Whether the probability of the largest, which is `top`, is `least` (above 0) or more, to within a few parts in a
// hundred.
[[nodiscard]] bool is_sure(const float* logits, int32_t count, float top, double least);

}  // namespace lh
