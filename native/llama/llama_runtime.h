// Implements ModelRuntime with llama.cpp in this process.
#pragma once

#include <memory>

#include "base/status.h"
#include "llama/base/runtime.h"
#include "model/model_runtime.h"

namespace lh {

// Errors: those of init_runtime(). Models of one runtime share weights.
[[nodiscard]] Result<std::shared_ptr<ModelRuntime>> make_llama_runtime(const RuntimeOptions& options);

}  // namespace lh
