// How a generation samples: the "params" of lh_generate. Must not: know llama.cpp.
#pragma once

#include "inference/parameters.h"

namespace lh {

// Reads "params"; the error names the key, the range and what was got.
Result<SamplingParams> parse_sampling_params(const Json& params);

}  // namespace lh
