#include "inference/llama_adapters.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "inference/gguf_lora.h"
#include "inference/llama_runtime.h"

namespace lh {
namespace {

Status unknown(const std::string& id) {
  return {Code::kNotFound, "no adapter named \"" + id + "\" is loaded for this model"};
}

}  // namespace

const AdapterKey& key_of(const AdapterSetPtr& set) {
  static const AdapterKey none;
  return set ? set->key : none;
}

LlamaAdapter::~LlamaAdapter() {
  {
    const MutexLock lock(of_.list_mutex());
    raw_.reset();
  }
  of_.gone(number);
}

void LlamaAdapters::gone(uint64_t number) {
  const MutexLock lock(mutex_);
  held_.erase(number);
  gone_.notify_all();
}

Status LlamaAdapters::load(const std::string& id, const std::string& path, double scale) {
  const auto file = check_lora(path, architecture_, tensors_);
  if (!file.ok()) return file.status();
  uint64_t number = 0;
  {
    const MutexLock lock(mutex_);
    number = ++last_number_;
  }
  LogCapture capture;
  AdapterPtr raw;
  try {
    const MutexLock lock(list_mutex());
    raw.reset(llama_adapter_lora_init(weights_.model.get(), path.c_str()));
  } catch (const std::exception& error) {
    return {Code::kInsufficientMemory, path + ": " + error.what()};
  }
  if (raw == nullptr) {
    const std::string words = capture.text();
    const bool no_room = words.find("allocate") != std::string::npos;
    return {no_room ? Code::kInsufficientMemory : Code::kAdapterIncompatible, path + ": " + words};
  }
  auto adapter = std::make_shared<LlamaAdapter>(
      *this, AdapterInfo{id, path, file->file_bytes, scale, file->rank, file->tensors}, number, std::move(raw));
  const MutexLock lock(mutex_);
  held_.insert(number);
  const bool added = by_id_.try_emplace(id, std::move(adapter)).second;
  return added ? Status() : Status(Code::kAdapterInUse, "an adapter named \"" + id + "\" is loaded already");
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

Result<AdapterSetPtr> LlamaAdapters::set_of(const std::vector<AdapterChoice>& choices) const {
  if (choices.empty()) return AdapterSetPtr();
  std::vector<std::pair<std::shared_ptr<LlamaAdapter>, float>> chosen;
  {
    const MutexLock lock(mutex_);
    for (const AdapterChoice& choice : choices) {
      const auto found = by_id_.find(choice.id);
      if (found == by_id_.end()) return unknown(choice.id);
      const auto scale = static_cast<float>(choice.scale.value_or(found->second->info.scale));
      if (scale != 0) chosen.emplace_back(found->second, scale);
    }
  }
  if (chosen.empty()) return AdapterSetPtr();
  std::ranges::sort(chosen, {}, [](const auto& one) { return one.first->number; });
  AdapterSet set;
  for (auto& [adapter, scale] : chosen) {
    set.key.emplace_back(adapter->number, scale);
    set.scales.push_back(scale);
    set.adapters.push_back(std::move(adapter));
  }
  return AdapterSetPtr(std::make_shared<const AdapterSet>(std::move(set)));
}

}  // namespace lh
