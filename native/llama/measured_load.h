// Measures what the load of a model takes: llama.cpp performs the whole load, but allocates nothing.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "llama/generator.h"
#include "model/model_runtime.h"

namespace lh {

// See ModelFiles::measure().
Result<std::unique_ptr<MeasuredLoad>> measure_load(const std::string& path, const CheckedFiles& files,
                                                   const LoadParams& params);

// See ModelRuntime::embedding_memory().
Result<MemoryUse> forecast_embedding_memory(const std::string& path, const LoadParams& params, PoolingType pooling);

}  // namespace lh
