// The table of architectures whose graphs in llama.cpp assert plain attention: `GGML_ASSERT(n_embd_head == ...)` in
// src/models/*.cpp. Must not: list an architecture with other attention in some layers, unless these have no key-value
// heads.
#include "gguf/attention.h"

#include <algorithm>

#include "gguf/one_of.h"

namespace lh {
namespace {

// These rotate whole heads: n_embd_head == n_rot.
constexpr std::string_view kRotateWholeHeads[] = {
    "apertus",    "arcee",     "arctic",       "baichuan", "chameleon",  "codeshell", "cogvlm",       "cohere2moe",
    "dbrx",       "deci",      "deepseek",     "dots1",    "dream",      "ernie4_5",  "ernie4_5-moe", "exaone",
    "exaone-moe", "exaone4",   "falcon",       "granite",  "grok",       "grovemoe",  "hunyuan-moe",  "hunyuan_vl",
    "hy_v3",      "internlm2", "jais2",        "llada",    "llada-moe",  "llama",     "llama4",       "maincoder",
    "mellum",     "mistral3",  "olmo",         "olmo2",    "olmoe",      "orion",     "paddleocr",    "pangu-embedded",
    "plamo",      "qwen2",     "qwen2moe",     "qwen2vl",  "qwen3",      "qwen3moe",  "qwen3vl",      "qwen3vlmoe",
    "rnd1",       "seed_oss",  "smallthinker", "smollm3",  "starcoder2", "xverse",
};
// These have keys and values of one size, and may rotate a part of each head, or none. Embedders among them do not
// assert it, but reshape what they compute, which is an assertion of ggml.
constexpr std::string_view kRotatePartsOfHeads[] = {
    "bert",           "chatglm",      "command-r",    "eurobert",    "gemma-embedding", "glm4",
    "gptneox",        "jina-bert-v2", "jina-bert-v3", "modern-bert", "neo-bert",        "nomic-bert",
    "nomic-bert-moe", "phi2",         "phi3",         "qwen",        "stablelm",
};

std::string layer_fault(size_t index, const LayerHeads& layer, const AttentionHeads& heads,
                        const TensorShapes& tensors) {
  const std::string prefix = "blk." + std::to_string(index) + ".";
  const uint64_t q = layer.query * heads.dim_k;
  const uint64_t k = layer.key_value * heads.dim_k;
  const uint64_t v = layer.key_value * heads.dim_v;
  uint64_t found = 0;
  const std::pair<const char*, uint64_t> expectations[] = {
      {"attn_q", q}, {"attn_k", k}, {"attn_v", v}, {"attn_qkv", q + k + v}};
  for (const auto& [part, rows] : expectations) {
    const std::string name = prefix + part + ".weight";
    const auto tensor = tensors.find(name);
    if (tensor == tensors.end()) continue;
    found += std::string_view(part) == "attn_qkv" ? 3u : 1u;
    const std::vector<uint64_t>& shape = tensor->second;
    const bool is_matrix =
        shape.size() >= 2 && std::all_of(shape.begin() + 2, shape.end(), [](uint64_t n) { return n == 1; });
    if (is_matrix && shape[1] == rows) continue;
    return "tensor '" + name + "' does not fit " + std::to_string(layer.query) + " heads and " +
           std::to_string(layer.key_value) + " key-value heads: it should have " + std::to_string(rows) + " rows";
  }
  if (found >= 3 || layer.key_value == 0 || !tensors.contains(prefix + "attn_output.weight")) return {};
  return "layer " + std::to_string(index) + " lacks attention tensors: neither '" + prefix +
         "attn_qkv.weight' nor its three parts are there";
}

}  // namespace

std::string find_attention_fault(std::string_view architecture, const AttentionHeads& heads,
                                 const TensorShapes& tensors) {
  const bool rotates_whole = is_one_of(kRotateWholeHeads, architecture);
  if (!rotates_whole && !is_one_of(kRotatePartsOfHeads, architecture)) return {};
  if (heads.dim_k != heads.dim_v) {
    return "keys of " + std::to_string(heads.dim_k) + " and values of " + std::to_string(heads.dim_v) +
           " dimensions, which this architecture does not allow";
  }
  if (rotates_whole && heads.rotated != heads.dim_k) {
    return "a rotation of " + std::to_string(heads.rotated) + " of the " + std::to_string(heads.dim_k) +
           " dimensions of a head, and this architecture rotates all";
  }
  for (size_t i = 0; i < heads.layers.size(); ++i) {
    if (std::string fault = layer_fault(i, heads.layers[i], heads, tensors); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace lh
