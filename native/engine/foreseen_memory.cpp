#include "engine/foreseen_memory.h"

#include "base/json.h"

namespace lh {
namespace {

constexpr size_t kMostKnown = 256;

}  // namespace

Result<Holding> ForeseenMemory::known_or(const std::string& key, FunctionRef<Result<Holding>()> ask) {
  {
    const MutexLock lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  auto use = ask();
  if (!use.ok()) return use;
  const MutexLock lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_[key] = *use;
  return use;
}

Result<Holding> ForeseenMemory::of(const std::string& path, const ModelFiles& files, const LoadParams& params) {
  std::string key = files.model.identity + dump_json(to_json(params));
  if (files.draft) key += files.draft->identity;
  return known_or(key, [&] { return foresee_memory(path, files, params); });
}

Result<Holding> ForeseenMemory::of_embeddings(const std::string& path, const LoadParams& params, PoolingType pooling) {
  const std::string key = path + dump_json(to_json(params)) + pooling_name(pooling);
  return known_or(key, [&]() -> Result<Holding> {
    auto own = foresee_embedding_memory(path, params, pooling);
    if (!own.ok()) return own.status();
    return Holding{*std::move(own), {}};
  });
}

}  // namespace lh
