// Implements Generator with llama.cpp: a model with its chat template, and the scheduler that decodes with it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gguf/check.h"
#include "llama/base/weights_table.h"
#include "model/generator.h"
#include "model/memory_footprint.h"

namespace lh {

// The checked files of a load.
struct ModelFiles {
  GgufSummary model;
  std::optional<GgufSummary> draft;  // of params.draft_model
};

// About what a load will take, from the headers alone; of several GPUs, as if there were the first only.
MemoryFootprint estimate_memory(const ModelFiles& files, const LoadParams& params);

// The memory that an embedding context will take besides the model, measured as by MeasuredLoad. Errors: those of
// Embedder::make().
Result<MemoryUse> forecast_embedding_memory(const std::string& path, const LoadParams& params, PoolingType pooling);

// The context size of a load, unless it is "auto": the requested one, else the model's own, at most 4096.
int32_t effective_context_size(const GgufSummary& file, const LoadParams& params);

// Loads the model, with the weights of `table` if present. `progress` (0 to 1) returns false to abort. Blocks while the
// file is read.
Result<std::unique_ptr<Generator>> load_generator(WeightsTable& table, const std::string& path, const ModelFiles& files,
                                                  const LoadParams& params, const std::function<bool(float)>& progress);

}  // namespace lh
