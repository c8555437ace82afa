// The choice of devices, among those of this process.
#pragma once

#include <vector>

#include "llama/base/runtime.h"
#include "model/device_choice.h"

namespace lh {

[[nodiscard]] inline std::vector<Device> gpus_of(const LoadParams& params) { return gpus_of(params, devices()); }
[[nodiscard]] inline Status check_placement(const LoadParams& params) { return check_placement(params, devices()); }

}  // namespace lh
