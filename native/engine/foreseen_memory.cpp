#include "engine/foreseen_memory.h"

#include "base/json.h"

namespace lh {
namespace {

constexpr size_t kMostKnown = 256;

}  // namespace

Result<Holding> ForeseenMemory::of(const std::string& path, const ModelFiles& files, const LoadParams& params) {
  std::string key = files.model.identity + dump_json(to_json(params));
  if (files.draft) key += files.draft->identity;
  {
    const MutexLock lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  auto use = foresee_memory(path, files, params);
  if (!use.ok()) return use;
  const MutexLock lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_[key] = *use;
  return use;
}

}  // namespace lh
