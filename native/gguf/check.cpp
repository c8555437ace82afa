// The rules of a model file: architecture, hyperparameters, kinds of tensors, parts of a split model.
#include "gguf/check.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

#include "gguf/attention.h"
#include "gguf/companions.h"
#include "gguf/file.h"
#include "gguf/one_of.h"
#include "gguf/projection.h"
#include "gguf/rope_sections.h"
#include "gguf/vocab.h"
#include "gguf/windows.h"
#include "platform/files.h"

namespace lh {
namespace {

constexpr uint64_t kMaxLayers = 512;    // LLAMA_MAX_LAYERS
constexpr uint64_t kMaxExperts = 1024;  // LLAMA_MAX_EXPERTS
constexpr uint64_t kMaxHead = 0xffff;   // so that heads times head size fit into 32 bits
constexpr uint64_t kMaxU32 = 0xffffffff;
constexpr uint64_t kMaxI32 = 0x7fffffff;

// A whole number below "<architecture>.". Per layer where llama.cpp accepts one number per layer.
struct NumberRule {
  const char* key;
  bool per_layer;
  bool required;
  uint64_t min;
  uint64_t max;
};
constexpr NumberRule kNumbers[] = {
    {"block_count", false, true, 1, kMaxLayers},
    {"context_length", false, true, 1, kMaxI32},
    {"embedding_length", false, true, 1, 1u << 24},
    {"embedding_length_out", false, false, 0, 1u << 24},
    {"dense_2_feat_in", false, false, 0, 1u << 24},
    {"dense_2_feat_out", false, false, 0, 1u << 24},
    {"dense_3_feat_in", false, false, 0, 1u << 24},
    {"dense_3_feat_out", false, false, 0, 1u << 24},
    {"feed_forward_length", true, false, 0, kMaxI32},
    {"attention.head_count", true, false, 0, kMaxHead},
    {"attention.head_count_kv", true, false, 0, kMaxHead},
    {"attention.key_length", false, false, 1, kMaxHead},
    {"attention.value_length", false, false, 1, kMaxHead},
    {"attention.key_length_swa", false, false, 1, kMaxHead},
    {"attention.value_length_swa", false, false, 1, kMaxHead},
    {"rope.dimension_count", false, false, 0, kMaxHead},
    {"rope.dimension_count_swa", false, false, 0, kMaxHead},
    {"rope.scaling.original_context_length", false, false, 0, kMaxI32},
    {"expert_count", false, false, 0, kMaxExperts},
    {"expert_used_count", true, false, 0, kMaxExperts},
    {"expert_group_count", false, false, 0, kMaxExperts},
    {"expert_group_used_count", false, false, 0, kMaxExperts},
    {"nextn_predict_layers", false, false, 0, kMaxLayers},
    {"full_attention_interval", false, false, 1, kMaxU32},
    {"pooling_type", false, false, 0, 4},
};

// A fraction below "<architecture>.". ggml asserts that an epsilon is not negative; no valid model has a NaN.
struct FractionRule {
  const char* key;
  float min;
};
constexpr FractionRule kFractions[] = {
    {"attention.layer_norm_epsilon", 0.0f},
    {"attention.layer_norm_rms_epsilon", 0.0f},
    {"attention.group_norm_epsilon", 0.0f},
    {"attention.max_alibi_bias", 0.0f},
    {"rope.freq_base", 0.0f},
    {"rope.scaling.factor", 0.0f},
};

constexpr std::string_view kRopeScalings[] = {"none", "linear", "yarn", "longrope"};

// Mixtures of experts whose loading asserts that there are experts.
constexpr std::string_view kNeedExperts[] = {"bailingmoe2", "glm4moe",   "grovemoe",
                                             "lfm2moe",     "llada-moe", "smallthinker"};

// Tensors that llama.cpp supports as F32 only (converters never write other types), and tensors that are lists of ids.
constexpr std::string_view kF32Names[] = {"_norm.", "ssm_conv1d", "shortconv.conv"};
constexpr std::string_view kIdNames[] = {"d2t", "t2d", "tid2eid"};

template <typename List>
bool names_one(const List& parts, std::string_view name) {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

class GgufCheck {
 public:
  explicit GgufCheck(const GgufFile& file) : file_(file) {}

  Result<GgufSummary> run(const std::function<bool(std::string_view)>& architecture_known) {
    if (Status status = architecture(architecture_known); !status.ok()) return status;
    for (const auto step :
         {&GgufCheck::parts, &GgufCheck::hyperparameters, &GgufCheck::heads, &GgufCheck::experts, &GgufCheck::vocab}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    return std::move(summary_);
  }

 private:
  Status architecture(const std::function<bool(std::string_view)>& known) {
    Result<std::string> name = text("general.architecture");
    if (!name.ok()) return name.status();
    if (name->empty()) return file_.invalid("key 'general.architecture' is missing: this is not a model");
    summary_.architecture = *name;
    if (!known(*name)) {
      return Status(Code::kUnsupportedArchitecture, file_.path() + ": the architecture '" + name->substr(0, 80) +
                                                        "' is not supported by this llama.cpp");
    }
    Result<std::string> title = text("general.name");
    if (!title.ok()) return title.status();
    summary_.name = *title;
    const GgufValue* chat = file_.find("tokenizer.chat_template");
    summary_.has_chat_template =
        chat != nullptr && chat->type == GgufType::kString && !chat->is_array && !file_.strings(*chat)[0].empty();
    return {};
  }

  // Checks this file and, for a split model, the other parts beside it.
  Status parts() {
    const GgufValue* value = file_.find("split.count");
    uint64_t count = 1;
    if (value != nullptr) {
      if (Status status = small(file_, "split.count", count); !status.ok()) return status;
    }
    if (Status status = add_part(file_); !status.ok()) return status;
    if (count > 1) {
      uint64_t number = 0;
      if (Status status = small(file_, "split.no", number); !status.ok()) return status;
      if (number != 0) {
        return file_.invalid("this is part " + std::to_string(number + 1) +
                             " of a split model; load its first part, which ends in " + part_suffix(0, count));
      }
    }
    for (uint64_t i = 1; i < count; ++i) {
      const std::string first = part_suffix(0, count);
      if (!file_.path().ends_with(first))
        return file_.invalid("the first part of a split model must be called <name>" + first);
      Result<GgufFile> part =
          GgufFile::read(file_.path().substr(0, file_.path().size() - first.size()) + part_suffix(i, count));
      if (!part.ok()) return part.status();
      uint64_t number = 0;
      if (Status status = small(*part, "split.no", number); !status.ok()) return status;
      if (number != i)
        return part->invalid("key 'split.no' is " + std::to_string(number) + ", expected " + std::to_string(i));
      if (Status status = add_part(*part); !status.ok()) return status;
    }
    if (summary_.n_tensors == 0) return file_.invalid("the file has no tensors: this is a vocabulary, not a model");
    return {};
  }

  Status add_part(const GgufFile& part) {
    ++summary_.n_parts;
    summary_.paths.push_back(part.path());
    summary_.identity += file_identity(part.path()) + '\n';
    summary_.file_bytes += part.file_bytes();
    for (const GgufTensor& tensor : part.tensors()) {
      const std::string what = "tensor '" + tensor.name + "' ";
      if (!summary_.tensors.emplace(tensor.name, tensor.shape).second)
        return part.invalid(what + "is also in an earlier part");
      ++summary_.n_tensors;
      summary_.tensor_bytes += tensor.bytes;
      if (tensor.name.starts_with("blk.")) summary_.layer_bytes += tensor.bytes;
      if (names_one(kIdNames, tensor.name)) continue;
      const std::string type = tensor.type->name;
      if (!tensor.type->is_weight) return part.invalid(what + "is of type " + type + ", which is not one for weights");
      if (type != "F32" && (tensor.shape.size() <= 1 || names_one(kF32Names, tensor.name)))
        return part.invalid(what + "is of type " + type + ", where llama.cpp computes with F32 only");
    }
    return {};
  }

  static std::string part_suffix(uint64_t index, uint64_t count) {
    char text[64];
    std::snprintf(text, sizeof(text), "-%05u-of-%05u.gguf", static_cast<unsigned>(index + 1),
                  static_cast<unsigned>(count));
    return text;
  }

  Status hyperparameters() {
    for (const NumberRule& rule : kNumbers) {
      const GgufValue* value = own(rule.key);
      if (value == nullptr) {
        if (rule.required) return file_.invalid("key '" + own_key(rule.key) + "' is missing");
        continue;
      }
      const bool is_u32 = value->type == GgufType::kUint32 || (value->is_array && value->type == GgufType::kInt32);
      if (!is_u32 || (value->is_array && !rule.per_layer))
        return wrong_type(rule.key, *value, rule.per_layer ? "u32 or an array of them" : "u32");
      if (value->is_array && value->count != layers()) {
        return file_.invalid("key '" + own_key(rule.key) + "' has " + std::to_string(value->count) + " elements for " +
                             std::to_string(layers()) + " layers");
      }
      for (uint64_t i = 0; i < value->count; ++i) {
        const uint64_t number = file_.element<uint32_t>(*value, i);
        if (number >= rule.min && number <= rule.max) continue;
        return file_.invalid("key '" + own_key(rule.key) + "' is " + std::to_string(number) + ", expected " +
                             std::to_string(rule.min) + " to " + std::to_string(rule.max));
      }
    }
    for (const FractionRule& rule : kFractions) {
      const GgufValue* value = own(rule.key);
      if (value == nullptr) continue;
      if (value->type != GgufType::kFloat32 || value->is_array) return wrong_type(rule.key, *value, "f32");
      const auto number = file_.element<float>(*value);
      if (number >= rule.min && number <= std::numeric_limits<float>::max()) continue;
      return file_.invalid("key '" + own_key(rule.key) + "' is " + std::to_string(number));
    }
    const std::string scaling_key = own_key("rope.scaling.type");
    Result<std::string> scaling = text(scaling_key);
    if (!scaling.ok()) return scaling.status();
    if (file_.find(scaling_key) == nullptr || is_one_of(kRopeScalings, *scaling)) return {};
    return file_.invalid("key '" + scaling_key + "' is '" + scaling->substr(0, 80) +
                         "', expected none, linear, yarn or longrope");
  }

  Status heads() {
    GgufSummary& s = summary_;
    s.n_layers = static_cast<int64_t>(layers());
    s.n_embd = static_cast<int64_t>(number("embedding_length"));
    s.n_ctx_train = static_cast<int64_t>(number("context_length"));
    const GgufValue* window = own("attention.sliding_window");
    if (window != nullptr && !window->is_array && window->type == GgufType::kUint32)
      s.sliding_window = file_.element<uint32_t>(*window);
    if (Status status = check_windows(file_, s.architecture, layers(), s.sliding_window); !status.ok()) return status;
    if (number("nextn_predict_layers") > layers())
      return file_.invalid("key '" + own_key("nextn_predict_layers") + "' is more than there are layers");

    const uint64_t first_heads = number("attention.head_count");
    if (first_heads > 0) {
      const uint64_t even = number("embedding_length") / first_heads;
      s.head_dim_k = static_cast<int64_t>(number("attention.key_length", 0, even));
      s.head_dim_v = static_cast<int64_t>(number("attention.value_length", 0, even));
    }
    AttentionHeads attention;
    for (uint64_t layer = 0; layer < layers(); ++layer) {
      const uint64_t heads = number("attention.head_count", layer);
      const uint64_t heads_kv = number("attention.head_count_kv", layer, heads);
      if (heads_kv != 0 && heads % heads_kv != 0) {
        return file_.invalid("layer " + std::to_string(layer) + " has " + std::to_string(heads) +
                             " attention heads, not a multiple of its " + std::to_string(heads_kv) +
                             " key-value heads");
      }
      s.n_head = std::max(s.n_head, static_cast<int64_t>(heads));
      s.n_head_kv = std::max(s.n_head_kv, static_cast<int64_t>(heads_kv));
      s.kv_per_token += heads_kv * static_cast<uint64_t>(s.head_dim_k + s.head_dim_v);
      attention.layers.push_back({heads, heads_kv});
    }
    attention.dim_k = static_cast<uint64_t>(s.head_dim_k);
    attention.dim_v = static_cast<uint64_t>(s.head_dim_v);
    attention.rotated = number("rope.dimension_count", 0, attention.dim_k);
    if (Status status = rotates("rope.dimension_count", attention.rotated, attention.dim_k); !status.ok())
      return status;
    if (Status status = check_rope_sections(file_, s.architecture, attention.dim_k); !status.ok()) return status;
    const uint64_t dim_swa = number("attention.key_length_swa", 0, attention.dim_k);
    if (Status status =
            rotates("rope.dimension_count_swa", number("rope.dimension_count_swa", 0, attention.rotated), dim_swa);
        !status.ok())
      return status;
    std::string fault = find_attention_fault(summary_.architecture, attention, summary_.tensors);
    if (fault.empty()) fault = find_missing_companion(summary_.architecture, summary_.tensors);
    if (fault.empty()) fault = find_projection_fault(summary_.architecture, embedding_widths(), summary_.tensors);
    return fault.empty() ? Status() : file_.invalid(fault);
  }

  [[nodiscard]] EmbeddingWidths embedding_widths() const {
    return {number("embedding_length"), number("embedding_length_out"), number("dense_2_feat_in"),
            number("dense_3_feat_out"), number("feed_forward_length")};
  }

  // RoPE rotates pairs of a head's dimensions.
  Status rotates(const char* key, uint64_t dimensions, uint64_t head_dim) const {
    if (own(key) == nullptr || head_dim == 0 || (dimensions > 0 && dimensions % 2 == 0 && dimensions <= head_dim))
      return {};
    return file_.invalid("key '" + own_key(key) + "' is " + std::to_string(dimensions) +
                         ", expected an even number up to the " + std::to_string(head_dim) + " dimensions of a head");
  }

  Status experts() {
    const uint64_t count = number("expert_count");
    summary_.n_expert = static_cast<int64_t>(count);
    if (count == 0 && is_one_of(kNeedExperts, summary_.architecture)) {
      return file_.invalid("key '" + own_key("expert_count") + "' is 0 or missing");
    }
    uint64_t used = 0;
    for (uint64_t layer = 0; layer < layers(); ++layer) {
      const uint64_t here = number("expert_used_count", layer);
      if (here == 0 && summary_.tensors.contains("blk." + std::to_string(layer) + ".ffn_gate_inp.weight")) {
        return file_.invalid("key '" + own_key("expert_used_count") + "' is 0 or missing, and layer " +
                             std::to_string(layer) + " has experts");
      }
      used = std::max(used, here);
    }
    if (used > count || (count > 0 && used == 0)) {
      return file_.invalid("key '" + own_key("expert_used_count") + "' is " + std::to_string(used) + " of " +
                           std::to_string(count) + " experts");
    }
    const uint64_t groups = number("expert_group_count");
    const uint64_t used_groups = number("expert_group_used_count");
    const bool fits = groups < count && count % std::max<uint64_t>(groups, 1) == 0 &&
                      (groups <= 1 || (used_groups > 0 && used_groups < groups));
    if (groups == 0 || fits) return {};
    return file_.invalid("key '" + own_key("expert_group_count") + "' is " + std::to_string(groups) + " for " +
                         std::to_string(count) + " experts, of which " + std::to_string(used_groups) +
                         " groups are used");
  }

  Status vocab() {
    Result<uint64_t> tokens = check_vocab(file_);
    if (!tokens.ok()) return tokens.status();
    summary_.n_vocab = static_cast<int64_t>(*tokens);
    return {};
  }

  [[nodiscard]] std::string own_key(const std::string& key) const { return summary_.architecture + "." + key; }
  [[nodiscard]] const GgufValue* own(const std::string& key) const { return file_.find(own_key(key)); }

  // A number of a rule that was checked before. Per layer if the file has it per layer.
  [[nodiscard]] uint64_t number(const char* key, uint64_t layer = 0, uint64_t fallback = 0) const {
    const GgufValue* value = own(key);
    return value == nullptr ? fallback : file_.element<uint32_t>(*value, value->is_array ? layer : 0);
  }
  [[nodiscard]] uint64_t layers() const { return number("block_count"); }

  // A string that may be missing: then empty.
  [[nodiscard]] Result<std::string> text(const std::string& key) const {
    const GgufValue* value = file_.find(key);
    if (value == nullptr) return std::string();
    if (value->type != GgufType::kString || value->is_array) return file_.invalid("key '" + key + "' is not a string");
    return std::string(file_.strings(*value)[0]);
  }

  static Status small(const GgufFile& file, const std::string& key, uint64_t& number) {
    const GgufValue* value = file.find(key);
    if (value == nullptr || value->type != GgufType::kUint16 || value->is_array)
      return file.invalid("key '" + key + "' is missing or not a u16");
    number = file.element<uint16_t>(*value);
    return {};
  }

  [[nodiscard]] Status wrong_type(const char* key, const GgufValue& value, const std::string& expected) const {
    return file_.invalid("key '" + own_key(key) + "' is " + (value.is_array ? "an array of " : "a ") +
                         gguf_type_name(value.type) + ", expected " + expected);
  }

  const GgufFile& file_;
  GgufSummary summary_;
};

}  // namespace

Result<GgufSummary> check_gguf(const std::string& path,
                               const std::function<bool(std::string_view)>& architecture_known) {
  Result<GgufFile> file = GgufFile::read(path);
  if (!file.ok()) return file.status();
  return GgufCheck(*file).run(architecture_known);
}

}  // namespace lh
