#include "llama/description.h"

#include <utility>

#include "llama/base/placement.h"
#include "llama/prompt/infill.h"

namespace lh {

Json describe_model(const llama_model* model, const LlamaChat& chat, const ModelUsage& usage, Json embedding) {
  char description[256] = "";
  llama_model_desc(model, description, sizeof description);
  char architecture[128] = "";
  llama_model_meta_val_str(model, "general.architecture", architecture, sizeof architecture);
  const llama_vocab* const vocab = llama_model_get_vocab(model);
  return {{"architecture", architecture},
          {"description", description},
          {"parameters", llama_model_n_params(model)},
          {"layers", llama_model_n_layer(model)},
          {"gpu_layers", layer_places(model).on_gpu},
          {"training_context_size", llama_model_n_ctx_train(model)},
          {"vocabulary_size", llama_vocab_n_tokens(vocab)},
          {"context_size", usage.context_size},
          {"parallel", usage.parallel},
          {"threads", usage.threads},
          {"chat_template", chat.source()},
          {"generates", usage.generates},
          {"infills", usage.generates && can_infill(vocab)},
          {"embedding", std::move(embedding)},
          {"features",
           {{"tools", usage.generates},
            {"json_schema", usage.generates},
            {"logprobs", usage.generates},
            {"grammar", usage.generates},
            {"raw", usage.generates},
            {"continue_final_message", usage.generates},
            {"infill", usage.generates && can_infill(vocab)},
            {"adapters", usage.generates},
            {"tokens", true},
            {"embeddings", true}}}};
}

}  // namespace lh
