// Where the weights of a model go: which devices have them, as far as the parameters of a load say it.
// Must not: know llama.cpp.
#pragma once

#include <vector>

#include "base/status.h"
#include "llama/base/runtime.h"
#include "model/parameters.h"

namespace lh {

// The GPUs that a model loaded so is spread over; none when it stays on the CPU. Names that are of no GPU are left out.
[[nodiscard]] std::vector<Device> gpus_of(const LoadParams& params);

// Errors: kInvalidArgument names the parameter and what there is instead.
[[nodiscard]] Status check_placement(const LoadParams& params);

}  // namespace lh
