// The llama.cpp implementation of Generator: a model with its chat template, and the scheduler that decodes with it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "inference/generator.h"
#include "inference/gguf_check.h"

namespace lh {

// What a load is expected to take, computed from the file before llama.cpp sees it.
struct MemoryEstimate {
  uint64_t device_bytes = 0;
  uint64_t host_bytes = 0;
  uint64_t least_device_bytes = 0;  // what it needs in any case
  uint64_t least_host_bytes = 0;
};

// The files of a load, checked.
struct ModelFiles {
  GgufSummary model;
  std::optional<GgufSummary> draft;  // of params.draft_model
};

MemoryEstimate estimate_memory(const ModelFiles& files, const LoadParams& params);

// The context size a load will have: what is asked for, else the model's own, at most 4096.
int32_t effective_context_size(const GgufSummary& file, const LoadParams& params);

// Loads the model. `progress` (0 to 1) returns false to abort. Blocks for as long as the disk takes.
Result<std::unique_ptr<Generator>> load_generator(const std::string& path, const ModelFiles& files,
                                                  const LoadParams& params, const std::function<bool(float)>& progress);

}  // namespace lh
