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
struct CheckedFiles {
  GgufSummary model;
  std::optional<GgufSummary> draft;  // of params.draft_model
};

// See ModelFiles::estimate().
MemoryFootprint estimate_memory(const CheckedFiles& files, const LoadParams& params);

// Loads the model, with the weights of `table` if present. `progress` (0 to 1) returns false to abort. Blocks while the
// file is read.
Result<std::unique_ptr<Generator>> load_generator(WeightsTable& table, const std::string& path,
                                                  const CheckedFiles& files, const LoadParams& params,
                                                  const std::function<bool(float)>& progress);

}  // namespace lh
