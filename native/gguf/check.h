// Looks at a model file before llama.cpp does: what would make llama.cpp abort the process becomes a Status here.
// Must not: read tensor data, or include a llama.cpp header.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "gguf/attention.h"

namespace lh {

// What a loader needs to estimate memory, over all parts of a split model. A number the file does not give is 0.
struct GgufSummary {
  std::string architecture;
  std::string name;      // general.name
  uint64_t n_parts = 0;  // files: 1, or the parts of a split model
  uint64_t n_tensors = 0;
  uint64_t file_bytes = 0;
  uint64_t tensor_bytes = 0;  // all weights
  uint64_t layer_bytes = 0;   // of these, the weights of the repeating layers ("blk.")
  int64_t n_layers = 0;
  int64_t n_embd = 0;
  int64_t n_head = 0;     // the largest of the layers
  int64_t n_head_kv = 0;  // the largest of the layers
  int64_t head_dim_k = 0;
  int64_t head_dim_v = 0;
  int64_t n_ctx_train = 0;
  int64_t n_vocab = 0;
  int64_t n_expert = 0;
  int64_t sliding_window = 0;
  uint64_t kv_per_token =
      0;  // numbers in the KV cache for one token, without sliding windows: times the size of its type
  bool has_chat_template = false;
  std::string identity;  // which files these are, and whether they are still the same (see file_identity())
  TensorShapes tensors;  // of all parts
};

// `architecture_known` says whether the linked llama.cpp can run models of a general.architecture.
// Fails with MODEL_FILE_NOT_FOUND, MODEL_FILE_INVALID or UNSUPPORTED_ARCHITECTURE; the message names the file and what
// is wrong in it. For a split model, `path` is its first part.
[[nodiscard]] Result<GgufSummary> check_gguf(
    const std::string& path, const std::function<bool(std::string_view architecture)>& architecture_known);

}  // namespace lh
