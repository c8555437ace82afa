#include "llama/llama_runtime.h"

#include <utility>

#include "gguf/check.h"
#include "llama/base/architectures.h"
#include "llama/base/weights_table.h"
#include "llama/generator.h"
#include "llama/measured_load.h"

namespace lh {
namespace {

class LlamaFiles final : public ModelFiles {
 public:
  LlamaFiles(std::shared_ptr<WeightsTable> weights, std::string path, CheckedFiles files)
      : weights_(std::move(weights)), path_(std::move(path)), files_(std::move(files)) {
    facts_ = {files_.model.file_bytes, files_.model.n_layers, files_.model.n_ctx_train, files_.model.identity};
    if (files_.draft) facts_.identity += files_.draft->identity;
  }

  const FileFacts& facts() const override { return facts_; }
  MemoryFootprint estimate(const LoadParams& params) const override { return estimate_memory(files_, params); }
  Result<std::unique_ptr<MeasuredLoad>> measure(const LoadParams& params) const override {
    return measure_load(path_, files_, params);
  }
  Result<std::unique_ptr<Generator>> load(const LoadParams& params,
                                          const std::function<bool(float)>& progress) const override {
    return load_generator(*weights_, path_, files_, params, progress);
  }

 private:
  const std::shared_ptr<WeightsTable> weights_;
  const std::string path_;
  const CheckedFiles files_;
  FileFacts facts_;
};

class LlamaRuntime final : public ModelRuntime {
 public:
  std::vector<Device> devices() const override { return lh::devices(); }
  Json info() const override { return runtime_info(); }

  Result<std::shared_ptr<const ModelFiles>> open(const std::string& path, const LoadParams& params) const override {
    auto model = check_gguf(path, architecture_known);
    if (!model.ok()) return model.status();
    CheckedFiles files{*std::move(model), {}};
    if (!params.draft_model.empty()) {
      auto draft = check_gguf(params.draft_model, architecture_known);
      if (!draft.ok()) return draft.status();
      files.draft = *std::move(draft);
    }
    std::shared_ptr<const ModelFiles> opened = std::make_shared<LlamaFiles>(weights_, path, std::move(files));
    return opened;
  }

  Result<MemoryUse> embedding_memory(const std::string& path, const LoadParams& params,
                                     PoolingType pooling) const override {
    return forecast_embedding_memory(path, params, pooling);
  }

 private:
  const std::shared_ptr<WeightsTable> weights_ = std::make_shared<WeightsTable>();
};

}  // namespace

Result<std::shared_ptr<ModelRuntime>> make_llama_runtime(const RuntimeOptions& options) {
  if (Status status = init_runtime(options); !status.ok()) return status;
  std::shared_ptr<ModelRuntime> runtime = std::make_shared<LlamaRuntime>();
  return runtime;
}

}  // namespace lh
