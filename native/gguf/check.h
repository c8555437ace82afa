// Checks a model file before llama.cpp loads it: mistakes that would make llama.cpp abort the process become a Status.
// Must not: read tensor data; a file may have hundreds of gigabytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "gguf/attention.h"

namespace lh {

// The data that a loader needs to estimate memory, over all parts of a split model. A number that the file does not
// have is 0.
struct GgufSummary {
  std::string architecture;
  std::string name;      // general.name
  uint64_t n_parts = 0;  // files: 1, or the parts of a split model
  uint64_t n_tensors = 0;
  uint64_t file_bytes = 0;
  uint64_t tensor_bytes = 0;  // all weights
  uint64_t layer_bytes = 0;   // weights of the repeating layers ("blk.") among them
  int64_t n_layers = 0;
  int64_t n_embd = 0;
  int64_t n_head = 0;     // maximum over the layers
  int64_t n_head_kv = 0;  // maximum over the layers
  int64_t head_dim_k = 0;
  int64_t head_dim_v = 0;
  int64_t n_ctx_train = 0;
  int64_t n_vocab = 0;
  int64_t n_expert = 0;
  int64_t sliding_window = 0;
  uint64_t kv_per_token =
      0;  // numbers per token in the KV cache, without sliding windows; to be multiplied by the size of the type
  bool has_chat_template = false;
  std::vector<std::string> paths;  // of all parts
  std::string identity;            // identifies the files and their versions, see file_identity()
  TensorShapes tensors;            // of all parts
};

// `architecture_known` says whether the linked llama.cpp supports a general.architecture. For a split model, `path` is
// its first part. Errors: MODEL_FILE_NOT_FOUND, MODEL_FILE_INVALID, UNSUPPORTED_ARCHITECTURE; the message has the file
// and the mistake.
[[nodiscard]] Result<GgufSummary> check_gguf(
    const std::string& path, const std::function<bool(std::string_view architecture)>& architecture_known);

}  // namespace lh
