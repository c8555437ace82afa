// The description of a model in lh_model_describe. Must not: need its weights.
#pragma once

#include <cstdint>

#include "base/json/json.h"
#include "llama/base/handles.h"
#include "llama/prompt/chat_prompt.h"

namespace lh {

// The settings with which a model is used.
struct ModelUsage {
  int32_t context_size;
  int32_t parallel;
  int threads;
  bool generates;  // false: it only embeds
};

// `embedding`: from describe_embedding().
[[nodiscard]] Json describe_model(const llama_model* model, const LlamaChat& chat, const ModelUsage& usage,
                                  Json embedding);

}  // namespace lh
