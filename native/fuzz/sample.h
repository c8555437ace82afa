// Samples tokens with a grammar that has passed the checks.
#pragma once

#include <cstddef>
#include <string>

namespace lh::fuzz {

void sample_some(const std::string& grammar, size_t seed);

}  // namespace lh::fuzz
