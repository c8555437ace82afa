// A model's file opened by llama.cpp: weights, with the reason where that fails.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "gguf/check.h"
#include "llama/base/handles.h"
#include "model/parameters.h"

namespace lh {

enum class Weights {
  kRead,
  kMeasured,  // nothing is allocated: such a model is there to be measured, and computes nothing
};

// Of loads with one key the weights are the same: all that open_model() reads of `params` is in it.
std::string weights_key(const GgufSummary& file, const LoadParams& params);

// Blocks for as long as the disk takes. `progress` (0 to 1) returns false to abort. Errors: kCancelled, by that;
// kUnsupportedArchitecture, kInsufficientMemory, kModelLoadFailed, with llama.cpp's reason.
Result<ModelPtr> open_model(const std::string& path, const LoadParams& params, Weights weights,
                            const std::function<bool(float)>& progress);

}  // namespace lh
