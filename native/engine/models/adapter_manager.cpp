#include "engine/models/adapter_manager.h"

#include <algorithm>

#include "engine/tasks/results.h"

namespace lh {
namespace {

Json describe(const AdapterInfo& adapter, const std::string& model_id) {
  Json info = {{"adapter_id", adapter.id},
               {"model_id", model_id},
               {"path", adapter.path},
               {"kind", adapter.kind == AdapterKind::kLora ? "lora" : "control_vector"},
               {"file_bytes", adapter.file_bytes},
               {"scale", adapter.scale},
               {"rank", adapter.rank},
               {"tensors", adapter.tensors}};
  if (!adapter.invocation_tokens.empty()) info["invocation_tokens"] = adapter.invocation_tokens;
  return info;
}

}  // namespace

Status AdapterManager::reserve(const std::string& id) {
  if (id.empty()) return {Code::kInvalidArgument, "an adapter needs an id that is not empty"};
  const MutexLock lock(mutex_);
  const auto all = models_.adapters();
  const bool taken = std::ranges::any_of(all, [&id](const auto& one) { return one.second.id == id; });
  if (!taken && loading_.insert(id).second) return {};
  return {Code::kAdapterInUse, "an adapter named \"" + id + "\" is loaded, or being loaded, already"};
}

void AdapterManager::drop_reservation(const std::string& id) {
  const MutexLock lock(mutex_);
  loading_.erase(id);
}

TaskEnd AdapterManager::load(const std::string& id, const AdapterRequest& request, const ModelUse& model,
                             const Work& work) {
  Refusal refused;
  const Status status = models_.load_adapter(model, id, request.path, request.scale, work, refused);
  if (!status.ok()) return failed_end(status, refused);
  const auto loaded = model.generator->adapter(id);
  return loaded.ok() ? TaskEnd{Status(), describe(*loaded, model.id)} : TaskEnd{loaded.status()};
}

Result<ModelManager::Use> AdapterManager::model_of(const std::string& id) const {
  for (const auto& [model_id, one] : models_.adapters()) {
    if (one.id == id) return models_.use(model_id);
  }
  return Status(Code::kNotFound, "no adapter named \"" + id + "\" is loaded");
}

Json AdapterManager::list() const {
  Json adapters = Json::array();
  for (const auto& [model_id, one] : models_.adapters()) adapters.push_back(describe(one, model_id));
  return adapters;
}

}  // namespace lh
