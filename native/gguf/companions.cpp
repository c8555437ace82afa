#include "gguf/companions.h"

#include <algorithm>
#include <vector>

#include "gguf/one_of.h"

namespace lh {
namespace {

using FileNames = std::vector<std::string_view>;

// A layer with all tensors of `with` needs one of `needed`.
struct Companions {
  FileNames architectures;
  FileNames with;
  FileNames needed;
};

const std::vector<Companions>& companions() {
  static const std::vector<Companions> table = {
      {{"phi3", "pockettts"}, {"attn_output.weight"}, {"attn_qkv.weight", "attn_q.weight"}},
      {{"phi3", "pockettts"}, {"attn_q.weight"}, {"attn_k.weight"}},
      {{"phi3", "pockettts"}, {"attn_q.weight"}, {"attn_v.weight"}},
      {{"falcon-h1", "granitehybrid", "nemotron_h", "nemotron_h_moe"}, {"ssm_conv1d.weight"}, {"ssm_conv1d.bias"}},
      {{"kimi-k3", "kimi-linear"}, {"ffn_gate_shexp.weight"}, {"ffn_up_shexp.weight"}},
      {{"kimi-k3", "kimi-linear"}, {"ffn_gate_shexp.weight"}, {"ffn_down_shexp.weight"}},
      {{"glm-dsa"}, {"indexer.attn_k.weight"}, {"indexer.attn_q_b.weight"}},
      {{"glm-dsa"}, {"indexer.attn_k.weight"}, {"indexer.proj.weight"}},
      {{"glm-dsa"}, {"indexer.attn_q_b.weight"}, {"indexer.attn_k.weight"}},
      {{"qwen35", "qwen35moe"}, {"ssm_conv1d.weight"}, {"attn_qkv.weight"}},
      {{"qwen35", "qwen35moe"}, {"ssm_conv1d.weight"}, {"attn_gate.weight"}},
      {{"qwen3next"}, {"ssm_conv1d.weight"}, {"attn_qkv.weight", "ssm_in.weight"}},
      {{"qwen3next"}, {"ssm_conv1d.weight", "attn_qkv.weight"}, {"attn_gate.weight"}},
  };
  return table;
}

// The layers with that tensor, as the beginnings of its names: "blk.0." and so on.
std::vector<std::string> layers_with(std::string_view tensor, const TensorShapes& tensors) {
  std::vector<std::string> layers;
  for (const auto& [name, shape] : tensors) {
    if (!name.starts_with("blk.") || !name.ends_with(tensor)) continue;
    std::string layer = name.substr(0, name.size() - tensor.size());
    if (std::ranges::count(layer, '.') == 2 && layer.ends_with('.')) layers.push_back(std::move(layer));
  }
  std::ranges::sort(layers);
  return layers;
}

}  // namespace

std::string find_missing_companion(std::string_view architecture, const TensorShapes& tensors) {
  for (const auto& [architectures, with, needed] : companions()) {
    if (!is_one_of(architectures, architecture)) continue;
    for (const std::string& layer : layers_with(with.front(), tensors)) {
      const auto is_there = [&](std::string_view name) { return tensors.contains(layer + std::string(name)); };
      if (!std::ranges::all_of(with, is_there) || std::ranges::any_of(needed, is_there)) continue;
      return "tensor '" + layer + std::string(needed.front()) + "' is missing, which '" + layer +
             std::string(with.back()) + "' needs";
    }
  }
  return {};
}

}  // namespace lh
