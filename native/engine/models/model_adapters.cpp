// Adapters of models: memory for them, and what becomes of them when their model is given up. Parts of ModelManager.
#include "engine/models/model_manager.h"

namespace lh {
Status ModelManager::load_adapter(const ModelUse& model, const std::string& id, const std::string& path, double scale,
                                  const Work& work, Refusal& refused) {
  auto need = model.generator->adapter_memory(path);
  if (!need.ok()) return need.status();
  const std::string what = "the adapter \"" + id + "\" of \"" + model.id + "\"";
  const auto cancelled = [&] { return Status(work.cancel.why(), what + " was not loaded: " + work.cancel.reason()); };
  const auto make = [&]() -> Result<Publish> {
    if (work.cancel.cancelled()) return cancelled();
    return model.generator->load_adapter(id, path, scale);
  };
  Status status = make_in_room(model.id, what, {*std::move(need), {}}, make, work, refused);
  return !status.ok() && work.cancel.cancelled() ? cancelled() : status;
}

// Those that it had before it was given up, unless it is another model now.
std::vector<AdapterInfo> ModelManager::adapters_to_bring_back(const std::string& id, const std::string& path) const {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.state != State::kLoading) return {};
  const std::optional<LoadRequest>& before = found->second.request;
  return before && before->path == path ? found->second.adapters : std::vector<AdapterInfo>();
}

std::vector<std::pair<std::string, AdapterInfo>> ModelManager::adapters() const {
  const MutexLock lock(mutex_);
  std::vector<std::pair<std::string, AdapterInfo>> all;
  for (const auto& [id, entry] : entries_) {
    for (const AdapterInfo& one : entry.usable() ? entry.model->generator->adapters() : entry.adapters) {
      all.emplace_back(id, one);
    }
  }
  return all;
}

bool ModelManager::forget_adapter(const std::string& id) {
  const MutexLock lock(mutex_);
  for (auto& [model_id, entry] : entries_) {
    if (std::erase_if(entry.adapters, [&id](const AdapterInfo& one) { return one.id == id; }) > 0) return true;
  }
  return false;
}

}  // namespace lh
