// Opens a model's file with llama.cpp, and explains failures.
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
  kMeasured,  // nothing is allocated: the model can be measured, but not computed with
};

// Loads with equal keys have equal weights: the key covers everything that open_model() reads of `params`.
std::string weights_key(const GgufSummary& file, const LoadParams& params);

// Blocks while the file is read. `progress` (0 to 1) returns false to abort. Errors: kCancelled after an abort;
// kUnsupportedArchitecture, kInsufficientMemory, kModelLoadFailed, with llama.cpp's reason.
Result<ModelPtr> open_model(const std::string& path, const LoadParams& params, Weights weights,
                            const std::function<bool(float)>& progress);

}  // namespace lh
