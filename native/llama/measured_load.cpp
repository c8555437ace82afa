#include "llama/measured_load.h"

#include <algorithm>
#include <utility>

#include "llama/base/memory.h"
#include "llama/base/model_file.h"
#include "llama/decode/context.h"
#include "llama/decode/draft_model.h"
#include "llama/description.h"
#include "llama/embed/embedder.h"
#include "llama/prompt/chat_prompt.h"

namespace lh {
namespace {

constexpr int32_t kLeastContext = 256;

// The models, without their weights.
class LlamaMeasuredLoad final : public MeasuredLoad {
 public:
  LlamaMeasuredLoad(LoadParams params, const CheckedFiles& files, ModelPtr model, ModelPtr draft)
      : params_(std::move(params)),
        file_(files.model),
        key_(weights_key(files.model, params_)),
        draft_key_(files.draft ? weights_key(*files.draft, params_) : ""),
        model_(std::move(model)),
        draft_(std::move(draft)) {}

  Result<MemoryFootprint> with_context(int32_t context_size) override {
    auto use = measure(model_.get(), params_, context_size, key_);
    if (!use.ok() || !draft_) return use;
    auto draft = measure(draft_.get(), draft_params(params_), context_size, draft_key_);
    if (!draft.ok()) return draft.status();
    add_draft(*use, *std::move(draft));
    return use;
  }

  Result<Json> describe(int32_t context_size) override {
    llama_model* const model = model_.get();
    const auto chat = LlamaChat::create(model, params_.chat_template, context_size);
    if (!chat.ok()) return chat.status();
    // A context of the least size is enough: its size does not decide whether it can be created.
    const auto context = LlamaContext::create(model, params_, std::min(context_size, kLeastContext));
    if (!context.ok() && !only_embeds(model, params_, context.status())) return context.status();
    Json embedding = describe_embedding(model, file_, params_);
    if (!context.ok()) context_size = embedding["max_tokens"].get<int32_t>();
    return describe_model(model, **chat, {context_size, params_.parallel, threads_for(model, params_), context.ok()},
                          std::move(embedding));
  }

 private:
  static Result<MemoryFootprint> measure(llama_model* model, const LoadParams& params, int32_t context_size,
                                         const std::string& key) {
    auto context = LlamaContext::create(model, params, context_size);
    if (!context.ok() && only_embeds(model, params, context.status())) {
      const auto embeds = EmbeddingContext::create(model, params, own_pooling(model));
      if (!embeds.ok()) return embeds.status();
      return (*embeds)->memory_with_model(key);
    }
    if (!context.ok()) return context.status();
    return memory_of((*context)->get(), key, params.mmap);
  }

  const LoadParams params_;
  const GgufSummary file_;
  const std::string key_;
  const std::string draft_key_;
  const ModelPtr model_;
  const ModelPtr draft_;
};

}  // namespace

Result<std::unique_ptr<MeasuredLoad>> measure_load(const std::string& path, const CheckedFiles& files,
                                                   const LoadParams& params) {
  const auto go_on = [](float) { return true; };
  auto model = open_model(path, params, Weights::kMeasured, go_on);
  if (!model.ok()) return model.status();
  ModelPtr draft;
  if (files.draft) {
    auto small = open_model(params.draft_model, draft_params(params), Weights::kMeasured, go_on);
    if (!small.ok()) return small.status();
    draft = *std::move(small);
  }
  return std::unique_ptr<MeasuredLoad>(new LlamaMeasuredLoad(params, files, *std::move(model), std::move(draft)));
}

Result<MemoryUse> forecast_embedding_memory(const std::string& path, const LoadParams& params, PoolingType pooling) {
  auto model = open_model(path, params, Weights::kMeasured, [](float) { return true; });
  if (!model.ok()) return model.status();
  const auto context = EmbeddingContext::create(model->get(), params, pooling);
  if (!context.ok()) return context.status();
  return (*context)->memory();
}

}  // namespace lh
