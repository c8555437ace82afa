// Adapters of models, with memory made free for them. Parts of ModelManager.
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
  Status status = planner_.make_in_room(model.id, what, {*std::move(need), {}}, make, work, refused);
  return !status.ok() && work.cancel.cancelled() ? cancelled() : status;
}

}  // namespace lh
