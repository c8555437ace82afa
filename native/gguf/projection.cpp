#include "gguf/projection.h"

#include <algorithm>
#include <vector>

#include "gguf/one_of.h"

namespace lh {
namespace {

// Their graphs project what they return, after pooling or otherwise, or set the width themselves.
constexpr std::string_view kMakeTheirOwnWidth[] = {"deepseek4",        "dflash",   "eagle3",
                                                   "gemma4-assistant", "qwen4exp", "wavtokenizer-dec"};
constexpr std::string_view kProject[] = {"gemma-embedding", "gemma3", "lfm2", "lfm2moe"};

std::string key(std::string_view architecture, const char* name) {
  return "key '" + std::string(architecture) + "." + name + "'";
}

// The columns and rows of a matrix; none if the tensor does not exist or is not a matrix.
std::vector<uint64_t> matrix(const TensorShapes& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found != tensors.end() && found->second.size() >= 2 ? found->second : std::vector<uint64_t>();
}

std::string projected(std::string_view architecture, const EmbeddingWidths& widths, const TensorShapes& tensors,
                      uint64_t& width) {
  for (const char* name : {"dense_2.weight", "dense_3.weight"}) {
    const std::vector<uint64_t> shape = matrix(tensors, name);
    if (shape.empty()) continue;
    if (shape[0] != width) {
      return "tensor '" + std::string(name) + "' takes " + std::to_string(shape[0]) + " numbers, and gets " +
             std::to_string(width);
    }
    width = shape[1];
  }
  // These two are asserted when the model is loaded.
  const std::pair<const char*, uint64_t> asserted[] = {{"dense_2_feat_in", widths.dense_2_in},
                                                       {"dense_3_feat_out", widths.dense_3_out}};
  for (const auto& [name, value] : asserted) {
    if (value == 0 || value == widths.model) continue;
    return key(architecture, name) + " is " + std::to_string(value) + ", expected the " + std::to_string(widths.model) +
           " of embedding_length";
  }
  return {};
}

// One matrix may hold gate and values; the loader asserts one or two times feed_forward_length.
std::string gate_fault(const EmbeddingWidths& widths, const TensorShapes& tensors) {
  for (uint64_t layer = 0;; ++layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".ffn_";
    const auto up = tensors.find(prefix + "up.weight");
    if (up == tensors.end()) return {};
    const uint64_t rows = up->second.size() < 2 ? 1 : up->second[1];
    const bool has_gate = tensors.contains(prefix + "gate.weight");
    if (rows == widths.feed_forward || (!has_gate && rows == 2 * widths.feed_forward)) continue;
    return "tensor '" + prefix + "up.weight' has " + std::to_string(rows) + " rows, and feed_forward_length is " +
           std::to_string(widths.feed_forward);
  }
}

}  // namespace

std::string find_projection_fault(std::string_view architecture, const EmbeddingWidths& widths,
                                  const TensorShapes& tensors) {
  if (architecture == "jina-bert-v2") {
    if (std::string fault = gate_fault(widths, tensors); !fault.empty()) return fault;
  }
  if (is_one_of(kMakeTheirOwnWidth, architecture)) return {};
  uint64_t width = widths.model;
  if (is_one_of(kProject, architecture)) {
    if (std::string fault = projected(architecture, widths, tensors, width); !fault.empty()) return fault;
  }
  const uint64_t told = widths.out == 0 ? widths.model : widths.out;
  if (told == width) return {};
  return key(architecture, "embedding_length_out") + " is " + (widths.out == 0 ? "missing" : std::to_string(told)) +
         ", and the model makes vectors of " + std::to_string(width) + " numbers";
}

}  // namespace lh
