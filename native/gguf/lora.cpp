#include "gguf/lora.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "gguf/file.h"

namespace lh {
namespace {

constexpr std::string_view kA = ".lora_a";
constexpr std::string_view kB = ".lora_b";
// Limited because every model call searches the prompt for it.
constexpr uint64_t kLongestInvocation = 1024;

struct Pair {
  const GgufTensor* a = nullptr;
  const GgufTensor* b = nullptr;
};

uint64_t side(const std::vector<uint64_t>& shape, size_t dimension) {
  return dimension < shape.size() ? shape[dimension] : 1;
}

std::string text_of(const std::vector<uint64_t>& shape) {
  std::string text;
  for (const uint64_t length : shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text;
}

class LoraCheck {
 public:
  LoraCheck(const GgufFile& file, const std::string& architecture, const TensorShapes& model, int32_t vocabulary)
      : file_(file), architecture_(architecture), model_(model), vocabulary_(vocabulary) {}

  Result<LoraSummary> run() {
    for (const auto step : {&LoraCheck::kind, &LoraCheck::strength, &LoraCheck::invocation, &LoraCheck::tensors}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    for (const auto& [name, pair] : pairs_) {
      if (Status status = fits(name, pair); !status.ok()) return status;
    }
    summary_.tensors = static_cast<int32_t>(pairs_.size());
    return summary_;
  }

 private:
  // llama.cpp assumes that these are strings.
  [[nodiscard]] Result<std::string> text(const char* key) const {
    const GgufValue* value = file_.find(key);
    if (value == nullptr) return std::string();
    if (value->type != GgufType::kString || value->is_array) {
      return file_.invalid("key '" + std::string(key) + "' is not a string");
    }
    return std::string(file_.strings(*value)[0]);
  }

  Status kind() {
    const auto type = text("general.type");
    if (!type.ok()) return type.status();
    if (*type != "adapter") return file_.invalid("this is no LoRA adapter: key 'general.type' is '" + *type + "'");
    const auto adapter = text("adapter.type");
    if (!adapter.ok()) return adapter.status();
    if (*adapter != "lora") return file_.invalid("this is no LoRA adapter: key 'adapter.type' is '" + *adapter + "'");
    const auto architecture = text("general.architecture");
    if (!architecture.ok()) return architecture.status();
    if (*architecture != architecture_) {
      return unfit("it is for a model of the architecture '" + *architecture + "', but this one has '" + architecture_ +
                   "'");
    }
    return {};
  }

  Status strength() {
    const GgufValue* alpha = file_.find("adapter.lora.alpha");
    if (alpha == nullptr) return {};
    if (alpha->type == GgufType::kFloat32 && !alpha->is_array && std::isfinite(file_.element<float>(*alpha))) return {};
    return file_.invalid("key 'adapter.lora.alpha' is not a number of type f32");
  }

  // Without the key the adapter acts everywhere. With an empty list llama.cpp would let it act everywhere, too,
  // although it should act nowhere.
  Status invocation() {
    const std::string key = "adapter.alora.invocation_tokens";
    const GgufValue* value = file_.find(key);
    if (value == nullptr) return {};
    if (!value->is_array || value->type != GgufType::kUint32 || value->count == 0 ||
        value->count > kLongestInvocation) {
      return file_.invalid("key '" + key + "' is not a list of 1 to " + std::to_string(kLongestInvocation) +
                           " tokens of type u32");
    }
    for (uint64_t i = 0; i < value->count; ++i) {
      const auto token = file_.element<uint32_t>(*value, i);
      if (token >= static_cast<uint32_t>(vocabulary_)) {
        return unfit("it acts from the token " + std::to_string(token) + " on, but the model has only " +
                     std::to_string(vocabulary_));
      }
      summary_.invocation_tokens.push_back(static_cast<int32_t>(token));
    }
    return {};
  }

  Status tensors() {
    for (const GgufTensor& tensor : file_.tensors()) {
      const std::string& name = tensor.name;
      if (!tensor.type->is_weight) {
        return file_.invalid("tensor '" + name + "' is of type " + tensor.type->name +
                             ", which is not one for weights");
      }
      const bool is_a = name.ends_with(kA);
      if (is_a || name.ends_with(kB)) {
        const std::string changed = name.substr(0, name.size() - kA.size());
        if (changed.find(".lora_") != std::string::npos)
          return file_.invalid("tensor '" + name + "' has no known name");
        (is_a ? pairs_[changed].a : pairs_[changed].b) = &tensor;
      } else if (!name.ends_with("_norm.weight")) {  // llama.cpp ignores those
        return file_.invalid("tensor '" + name + "' is neither half of a change");
      }
    }
    return pairs_.empty() ? file_.invalid("the file changes no tensor") : Status();
  }

  Status fits(const std::string& name, const Pair& pair) {
    if (pair.a == nullptr || pair.b == nullptr) {
      return file_.invalid("tensor '" + name + (pair.a == nullptr ? ".lora_a" : ".lora_b") + "' is missing");
    }
    const auto found = model_.find(name);
    if (found == model_.end()) return unfit("it changes the tensor '" + name + "', which the model does not have");
    if (name.ends_with(".weight") && model_.contains(name.substr(0, name.size() - 6) + "scale")) {
      return unfit("the model scales what its tensor '" + name + "' gives, and llama.cpp would scale the change too");
    }
    const std::vector<uint64_t>& changed = found->second;
    const std::vector<uint64_t>& a = pair.a->shape;
    const std::vector<uint64_t>& b = pair.b->shape;
    // The two halves are swapped for the embeddings, because llama.cpp looks up rows there.
    const bool looked_up = name.ends_with("token_embd.weight");
    const uint64_t rank = side(b, 0);
    const bool inner = looked_up ? side(a, 0) == rank : side(a, 1) == rank;
    const bool outer = looked_up ? side(a, 1) == side(changed, 1) && side(b, 1) == side(changed, 0)
                                 : side(a, 0) == side(changed, 0) && side(b, 1) == side(changed, 1);
    const auto alike = [&](size_t dimension) {
      return side(a, dimension) == side(changed, dimension) && side(b, dimension) == side(changed, dimension);
    };
    if (!inner || !outer || !alike(2) || !alike(3)) {
      return unfit("its change of '" + name + "' has the shapes " + text_of(a) + " and " + text_of(b) +
                   ", which do not make one of " + text_of(changed));
    }
    summary_.rank = std::max(summary_.rank, static_cast<int32_t>(std::min<uint64_t>(rank, INT32_MAX)));
    return {};
  }

  [[nodiscard]] Status unfit(const std::string& what) const {
    return {Code::kAdapterIncompatible, file_.path() + " does not fit the model: " + what};
  }

  const GgufFile& file_;
  const std::string& architecture_;
  const TensorShapes& model_;
  const int32_t vocabulary_;
  std::map<std::string, Pair> pairs_;  // by the changed tensor
  LoraSummary summary_;
};

}  // namespace

Result<LoraSummary> check_lora(const GgufFile& file, const std::string& architecture, const TensorShapes& model,
                               int32_t vocabulary) {
  return LoraCheck(file, architecture, model, vocabulary).run();
}

}  // namespace lh
