#include "llama/decode/adapters.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <utility>

#include "gguf/control_vector.h"
#include "gguf/lora.h"
#include "llama/base/memory.h"
#include "llama/base/runtime.h"
// The tensors of an adapter are not in llama.h.
#include "llama-adapter.h"
#include "llama-model.h"

namespace lh {
namespace {

Status unknown(const std::string& id) {
  return {Code::kNotFound, "no adapter named \"" + id + "\" is loaded for this model"};
}

MemoryUse adapter_memory(const llama_adapter_lora* lora, const std::vector<float>& steering) {
  if (lora == nullptr) return {{kMainMemory, steering.size() * sizeof(float)}};
  MemoryUse use;
  for (const auto& buffer : lora->bufs) {
    add_use(use, {device_of(ggml_backend_buffer_get_type(buffer.get())), ggml_backend_buffer_get_size(buffer.get())});
  }
  return use;
}

struct Chosen {
  std::shared_ptr<LlamaAdapter> adapter;
  AdapterUse use;
};

// None: `prompt` does not contain the tokens.
std::optional<int32_t> invoked_at(const std::vector<int32_t>& prompt, const std::vector<int32_t>& tokens) {
  if (tokens.empty()) return 0;
  const auto last = std::find_end(prompt.begin(), prompt.end(), tokens.begin(), tokens.end());
  if (last == prompt.end()) return std::nullopt;
  return static_cast<int32_t>(last - prompt.begin());
}

void add_steering(std::vector<float>& sum, const std::vector<float>& one, float scale) {
  sum.resize(one.size());  // of one model, so all have the same size
  std::ranges::transform(one, sum, sum.begin(), [scale](float value, float so_far) { return so_far + scale * value; });
}

// The set that acts on the token with index `token`; at least one adapter does.
Result<AdapterSetPtr> set_at(const std::vector<Chosen>& chosen, int32_t token) {
  AdapterSet set;
  for (const auto& [adapter, use] : chosen) {
    if (use.from > token) continue;
    set.key.push_back({use.number, use.scale, 0});
    set.scales.push_back(use.scale);
    if (!adapter->steering().empty()) add_steering(set.steering, adapter->steering(), use.scale);
    set.adapters.push_back(adapter);
  }
  if (!std::ranges::all_of(set.steering, [](float number) { return std::isfinite(number); })) {
    return Status(Code::kInvalidArgument, "at these strengths the control vectors give numbers that are too large");
  }
  return AdapterSetPtr(std::make_shared<const AdapterSet>(std::move(set)));
}

}  // namespace

LlamaAdapter::LlamaAdapter(LlamaAdapters& of, AdapterInfo what, uint64_t which, AdapterPtr lora,
                           std::vector<float> steering)
    : info(std::move(what)), number(which), of_(of), lora_(std::move(lora)), steering_(std::move(steering)) {}

const AdapterSetPtr& AdapterStages::at(int32_t token) const {
  static const AdapterSetPtr none;
  const auto after = std::ranges::upper_bound(stages, token, {}, &Stage::from);
  return after == stages.begin() ? none : std::prev(after)->set;
}

LlamaAdapter::~LlamaAdapter() {
  {
    const MutexLock lock(of_.list_mutex());
    lora_.reset();
  }
  of_.gone(number);
}

void LlamaAdapters::gone(uint64_t number) {
  const MutexLock lock(mutex_);
  held_.erase(number);
  gone_.notify_all();
}

// A checked file that fits the model.
struct LlamaAdapters::Looked {
  AdapterInfo info;
  MemoryUse need;               // without ggml's padding between tensors
  std::vector<float> steering;  // of a control vector
};

Result<LlamaAdapters::Looked> LlamaAdapters::look_at(const std::string& path) const {
  const auto file = GgufFile::read(path);
  if (!file.ok()) return file.status();
  Looked looked;
  looked.info.path = path;
  looked.info.file_bytes = file->file_bytes();
  const llama_model* const model = weights_.model.get();
  if (is_control_vector(*file)) {
    auto vector = read_control_vector(*file, {architecture_, llama_model_n_layer(model), llama_model_n_embd(model)});
    if (!vector.ok()) return vector.status();
    looked.info.kind = AdapterKind::kControlVector;
    looked.info.tensors = vector->directions;
    looked.steering = std::move(vector->values);
    looked.need = adapter_memory(nullptr, looked.steering);
    return looked;
  }
  auto summary = check_lora(*file, architecture_, tensors_, llama_vocab_n_tokens(llama_model_get_vocab(model)));
  if (!summary.ok()) return summary.status();
  looked.info.rank = summary->rank;
  looked.info.tensors = summary->tensors;
  looked.info.invocation_tokens = std::move(summary->invocation_tokens);
  for (const GgufTensor& half : file->tensors()) {
    const ggml_tensor* const changed = model->get_tensor(half.name.substr(0, half.name.rfind(".lora_")).c_str());
    if (changed == nullptr) continue;  // for a norm, which llama.cpp ignores
    add_use(looked.need, {device_of(ggml_backend_buffer_get_type(changed->buffer)), half.bytes});
  }
  return looked;
}

Result<MemoryUse> LlamaAdapters::need(const std::string& path) const {
  auto looked = look_at(path);
  if (!looked.ok()) return looked.status();
  return std::move(looked->need);
}

Result<Publish> LlamaAdapters::load(const std::string& id, const std::string& path, double scale) {
  auto looked = look_at(path);
  if (!looked.ok()) return looked.status();
  AdapterInfo info = std::move(looked->info);
  info.id = id;
  info.scale = scale;
  AdapterPtr lora;
  if (info.kind == AdapterKind::kLora) {
    auto loaded = load_lora(path);
    if (!loaded.ok()) return loaded.status();
    lora = *std::move(loaded);
  }
  info.memory = adapter_memory(lora.get(), looked->steering);
  uint64_t number = 0;
  {
    const MutexLock lock(mutex_);
    number = ++last_number_;
    held_.insert(number);
  }
  auto adapter =
      std::make_shared<LlamaAdapter>(*this, std::move(info), number, std::move(lora), std::move(looked->steering));
  return Publish([this, id, adapter = std::move(adapter)] {
    const MutexLock lock(mutex_);
    const bool added = by_id_.try_emplace(id, adapter).second;
    return added ? Status() : Status(Code::kAdapterInUse, "an adapter named \"" + id + "\" is loaded already");
  });
}

Result<AdapterPtr> LlamaAdapters::load_lora(const std::string& path) {
  LogCapture capture;
  AdapterPtr lora;
  try {
    const MutexLock lock(list_mutex());
    lora.reset(llama_adapter_lora_init(weights_.model.get(), path.c_str()));
  } catch (const std::exception& error) {
    return Status(Code::kInsufficientMemory, path + ": " + error.what());
  }
  if (lora) return lora;
  const bool no_room = capture.own_words().find("allocate") != std::string::npos;
  return Status(no_room ? Code::kInsufficientMemory : Code::kAdapterIncompatible, path + ": " + capture.text());
}

Status LlamaAdapters::unload(const std::string& id, const std::function<void()>& wake) {
  std::shared_ptr<LlamaAdapter> adapter;
  {
    const MutexLock lock(mutex_);
    auto node = by_id_.extract(id);
    if (node.empty()) return unknown(id);
    adapter = std::move(node.mapped());
  }
  const uint64_t number = adapter->number;
  adapter->unloads = true;
  adapter.reset();
  wake();
  MutexLock lock(mutex_);
  while (held_.contains(number)) lock.wait(gone_);
  return {};
}

Result<AdapterInfo> LlamaAdapters::find(const std::string& id) const {
  const MutexLock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return unknown(id);
  return found->second->info;
}

std::vector<AdapterInfo> LlamaAdapters::list() const {
  const MutexLock lock(mutex_);
  std::vector<AdapterInfo> all;
  for (const auto& [id, adapter] : by_id_) all.push_back(adapter->info);
  return all;
}

MemoryUse LlamaAdapters::memory() const {
  const MutexLock lock(mutex_);
  MemoryUse sum;
  for (const auto& [id, adapter] : by_id_) add_use(sum, adapter->info.memory);
  return sum;
}

Result<AdapterStages> LlamaAdapters::stages_of(const std::vector<AdapterChoice>& choices,
                                               const std::vector<int32_t>& prompt) const {
  std::vector<Chosen> chosen;
  {
    const MutexLock lock(mutex_);
    for (const AdapterChoice& choice : choices) {
      const auto found = by_id_.find(choice.id);
      if (found == by_id_.end()) return unknown(choice.id);
      const std::shared_ptr<LlamaAdapter>& adapter = found->second;
      const auto scale = static_cast<float>(choice.scale.value_or(adapter->info.scale));
      if (scale != 0) chosen.push_back({adapter, {adapter->number, scale}});
    }
  }
  std::erase_if(chosen, [&prompt](Chosen& one) {
    const auto from = invoked_at(prompt, one.adapter->info.invocation_tokens);
    one.use.from = from.value_or(0);
    return !from;
  });
  std::ranges::sort(chosen, {}, [](const Chosen& one) { return one.use.number; });
  std::set<int32_t> starts;
  AdapterStages all;
  for (const Chosen& one : chosen) {
    starts.insert(one.use.from);
    all.key.push_back(one.use);
  }
  for (const int32_t from : starts) {
    auto set = set_at(chosen, from);
    if (!set.ok()) return set.status();
    all.stages.push_back({from, *std::move(set)});
  }
  return all;
}

}  // namespace lh
