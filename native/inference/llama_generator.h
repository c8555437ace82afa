// The llama.cpp implementation of Generator: a model with its chat template, and the scheduler that decodes with it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "inference/generator.h"
#include "inference/gguf_check.h"
#include "inference/memory_use.h"

namespace lh {

// The files of a load, checked.
struct ModelFiles {
  GgufSummary model;
  std::optional<GgufSummary> draft;  // of params.draft_model
};

// About what a load will take, from the headers alone; of several GPUs, as if there were the first only.
MemoryUse estimate_memory(const ModelFiles& files, const LoadParams& params);

// What a load of the files will take, asked of llama.cpp itself: it goes through the whole load and allocates nothing.
// Takes 30 to 750 ms. Errors: those of the load.
Result<MemoryUse> foresee_memory(const std::string& path, const LoadParams& params, int32_t context_size);

// The context size a load will have: what is asked for, else the model's own, at most 4096.
int32_t effective_context_size(const GgufSummary& file, const LoadParams& params);

// Loads the model. `progress` (0 to 1) returns false to abort. Blocks for as long as the disk takes.
Result<std::unique_ptr<Generator>> load_generator(const std::string& path, const ModelFiles& files,
                                                  const LoadParams& params, const std::function<bool(float)>& progress);

}  // namespace lh
