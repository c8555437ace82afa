#include "engine/foreseen_memory.h"

#include <filesystem>

#include "base/json.h"
#include "inference/llama_generator.h"

namespace lh {
namespace {

constexpr size_t kMostKnown = 256;

// Which file it is, and whether it is still the same.
std::string identity(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  const auto time = std::filesystem::last_write_time(path, failed).time_since_epoch().count();
  return path + '\n' + std::to_string(size) + '\n' + std::to_string(time) + '\n';
}

}  // namespace

Result<MemoryUse> ForeseenMemory::of(const std::string& path, const LoadParams& params) {
  std::string key = identity(path) + dump_json(to_json(params));
  if (!params.draft_model.empty()) key += identity(params.draft_model);
  {
    const MutexLock lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  auto use = foresee_memory(path, params, params.context_size);
  if (!use.ok()) return use;
  const MutexLock lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_[key] = *use;
  return use;
}

}  // namespace lh
