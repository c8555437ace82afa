#include "llama/base/architectures.h"

#include <exception>
#include <memory>
#include <string>

#include "base/caught.h"
#include "llama/base/handles.h"
#include "llama/base/runtime.h"

namespace lh {
namespace {

struct GgufDeleter {
  void operator()(gguf_context* context) const { gguf_free(context); }
};
using GgufPtr = std::unique_ptr<gguf_context, GgufDeleter>;

constexpr const char* kArchitecture = "general.architecture";

// An empty model without vocabulary and weights, for which llama.cpp reports what it knows about the architecture.
// Null: it knows nothing.
ModelPtr empty_model(const std::string& architecture) {
  const GgufPtr metadata(gguf_init_empty());
  gguf_set_val_str(metadata.get(), kArchitecture, architecture.c_str());
  gguf_set_val_str(metadata.get(), "tokenizer.ggml.model", "none");
  llama_model_params params = llama_model_default_params();
  params.vocab_only = true;
  LogCapture quiet;
  try {
    return ModelPtr(llama_model_init_from_user(
        metadata.get(), [](ggml_tensor*, void*) {}, nullptr, params));
  } catch (const std::exception&) {
    pass_on_no_memory();
    return nullptr;
  }
}

}  // namespace

bool architecture_known(std::string_view architecture) { return empty_model(std::string(architecture)) != nullptr; }

bool file_is_recurrent(const std::string& path) {
  const GgufPtr metadata(gguf_init_from_file(path.c_str(), {/*no_alloc*/ true, /*ctx*/ nullptr}));
  const int64_t key = metadata ? gguf_find_key(metadata.get(), kArchitecture) : -1;
  if (key < 0 || gguf_get_kv_type(metadata.get(), key) != GGUF_TYPE_STRING) return false;
  const ModelPtr model = empty_model(gguf_get_val_str(metadata.get(), key));
  return model && (llama_model_is_recurrent(model.get()) || llama_model_is_hybrid(model.get()));
}

}  // namespace lh
