#include "inference/llama_architectures.h"

#include <exception>
#include <memory>
#include <string>

#include "inference/llama_handles.h"
#include "inference/llama_runtime.h"

namespace lh {
namespace {

struct GgufDeleter {
  void operator()(gguf_context* context) const { gguf_free(context); }
};

}  // namespace

// A model with no vocabulary and no weights is all that llama.cpp needs to say whether it knows the architecture.
bool architecture_known(std::string_view architecture) {
  const std::unique_ptr<gguf_context, GgufDeleter> metadata(gguf_init_empty());
  gguf_set_val_str(metadata.get(), "general.architecture", std::string(architecture).c_str());
  gguf_set_val_str(metadata.get(), "tokenizer.ggml.model", "none");
  llama_model_params params = llama_model_default_params();
  params.vocab_only = true;
  LogCapture quiet;
  try {
    const ModelPtr model(llama_model_init_from_user(
        metadata.get(), [](ggml_tensor*, void*) {}, nullptr, params));
    return model != nullptr;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace lh
