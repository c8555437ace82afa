#include "engine/foreseen_memory.h"

#include "base/json.h"
#include "inference/placement.h"

namespace lh {
namespace {

constexpr size_t kMostKnown = 256;

}  // namespace

std::optional<Foreseen> ForeseenMemory::known(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void ForeseenMemory::keep(const std::string& key, const Foreseen& foreseen) {
  const MutexLock lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_[key] = foreseen;
}

Status ForeseenMemory::Questions::open(const LoadParams& params) {
  LoadParams same = params;
  same.context_size = 0;
  std::string wanted = dump_json(to_json(same));
  if (load_ && opened_ == wanted) return {};
  load_.reset();
  auto load = MeasuredLoad::open(path_, files_, params);
  if (!load.ok()) return load.status();
  load_ = *std::move(load);
  opened_ = std::move(wanted);
  return {};
}

Result<Foreseen> ForeseenMemory::Questions::of(const LoadParams& params) {
  std::string key = files_.model.identity + dump_json(to_json(params));
  if (files_.draft) key += files_.draft->identity;
  // llama.cpp shares a model between several by what each has free.
  if (const auto gpus = gpus_of(params); gpus.size() > 1 && !params.tensor_split) {
    for (const Device& one : gpus) key += '\n' + std::to_string(one.free_bytes);
  }
  if (auto found = known_.known(key)) return *std::move(found);
  if (Status status = open(params); !status.ok()) return status;
  auto use = load_->with_context(params.context_size);
  if (!use.ok()) return use.status();
  Foreseen foreseen{*std::move(use), load_->describe()};
  known_.keep(key, foreseen);
  return foreseen;
}

Result<Json> ForeseenMemory::Questions::weights_of(const LoadParams& params) {
  if (Status status = open(params); !status.ok()) return status;
  return load_->describe();
}

Result<Holding> ForeseenMemory::of_embeddings(const std::string& path, const LoadParams& params, PoolingType pooling) {
  const std::string key = path + dump_json(to_json(params)) + pooling_name(pooling);
  if (auto found = known(key)) return std::move(found->use);
  auto own = foresee_embedding_memory(path, params, pooling);
  if (!own.ok()) return own.status();
  Foreseen foreseen{{*std::move(own), {}}, {}};
  keep(key, foreseen);
  return std::move(foreseen.use);
}

}  // namespace lh
