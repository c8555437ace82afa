// "auto" in the parameters of a load: as many layers on the GPU and as large a context as there is room for.
// Must not: know what a load takes, or what there is; it asks.
#pragma once

#include <cstdint>
#include <optional>

#include "base/function_ref.h"
#include "base/status.h"
#include "model/parameters.h"

namespace lh {

// The sizes that a load may choose between.
struct LoadSizes {
  int32_t most_layers = 0;  // on the GPU; 0: there is none
  int32_t usual_context = 0;
  int32_t most_context = 0;
};

enum class Where { kGpus, kEverywhere };

// Returns true if there is room for a load with these parameters. Errors end the search.
using HasRoom = FunctionRef<Result<bool>(const LoadParams& params, Where where)>;

// Replaces "auto" by numbers: first the largest number of layers that fits beside the usual context, then the largest
// context that fits beside those layers. Nothing: not even the smallest load fits.
[[nodiscard]] Result<std::optional<LoadParams>> size_load(LoadParams params, const LoadSizes& sizes, HasRoom has_room);

// The numbers if no load fits: those of a load with default options, on the CPU.
[[nodiscard]] LoadParams least_load(LoadParams params, const LoadSizes& sizes);

}  // namespace lh
