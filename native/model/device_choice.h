// The devices for a model's weights, by the parameters of a load.
#pragma once

#include <vector>

#include "base/status.h"
#include "model/device.h"
#include "model/parameters.h"

namespace lh {

// The GPUs among `devices` over which a model with these parameters is spread; none if it stays on the CPU. Names that
// are not GPUs are ignored.
[[nodiscard]] std::vector<Device> gpus_of(const LoadParams& params, const std::vector<Device>& devices);

// Errors: kInvalidArgument, with the parameter and the valid values.
[[nodiscard]] Status check_placement(const LoadParams& params, const std::vector<Device>& devices);

}  // namespace lh
