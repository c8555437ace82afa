// What a model says of itself, as lh_model_describe has it. Must not: need its weights.
#pragma once

#include <cstdint>

#include "base/json/json.h"
#include "llama/base/handles.h"
#include "llama/prompt/chat_prompt.h"

namespace lh {

// How a model is used.
struct ModelUsage {
  int32_t context_size;
  int32_t parallel;
  int threads;
  bool generates;  // else it makes vectors of texts alone
};

// `embedding`: as describe_embedding() gives it.
[[nodiscard]] Json describe_model(const llama_model* model, const LlamaChat& chat, const ModelUsage& usage,
                                  Json embedding);

}  // namespace lh
