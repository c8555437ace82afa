#include "engine/models/model_manager.h"

namespace lh {

ModelManager::ModelManager(std::shared_ptr<ModelRuntime> runtime, const Dispatcher& dispatcher, CancelFlag& closing,
                           const Limits& limits)
    : runtime_(std::move(runtime)),
      ledger_(*runtime_, table_, limits.budgets),
      unloader_(dispatcher, closing, table_, ledger_),
      memory_(dispatcher, table_, ledger_, unloader_),
      load_planner_(*runtime_, dispatcher, table_, ledger_, limits.offload, limits.low_memory),
      embeddings_(load_planner_, memory_),
      watch_({dispatcher, closing, table_, ledger_, unloader_, memory_}, limits.low_memory),
      loader_({dispatcher, closing, *runtime_, table_, ledger_, unloader_, memory_, watch_, load_planner_}),
      crashes_(*runtime_, dispatcher, closing, table_, ledger_) {}

void ModelManager::enter_use(Operation& work, const LoadedModel& model) {
  work.uses.add(&model);
  if (model.shared_load) work.uses.add(model.shared_load.get());  // the caller of the load may still cancel it
}

void ModelManager::leave_use(Operation& work, const LoadedModel& model) {
  work.uses.remove(&model);
  if (model.shared_load) work.uses.remove(model.shared_load.get());
}

Result<ModelUse> ModelManager::acquire(const std::string& id, const Work& work, Refusal& refused) {
  auto wanted = want(id);
  if (!wanted.ok()) return wanted.status();
  Use use = std::move(wanted->model);
  if (use == nullptr) {
    auto loaded = bring_back(wanted->id, work, refused);
    if (!loaded.ok()) return loaded.status();
    use = *std::move(loaded);
  }
  // Notes the model for as long as it is in use: unloading it from a hook of this work would wait for the work.
  const auto operation = Operation::current();
  if (operation) enter_use(*operation, *use);
  std::shared_ptr<Generator> generator(use->generator.get(), [operation, use](Generator*) {
    if (operation) leave_use(*operation, *use);
  });
  return ModelUse{use->id, std::move(generator)};
}

Json ModelManager::list() const {
  const TableLock lock(table_);
  Json models = Json::array();
  for (const auto& [id, entry] : table_.entries()) {
    if (entry.request) models.push_back(ledger_.describe(entry));
  }
  return models;
}

Result<Json> ModelManager::describe(const std::string& id) {
  const TableLock lock(table_);
  const auto found = table_.find_known(id);
  if (!found.ok()) return found.status();
  return ledger_.describe((*found)->second);
}

Status ModelManager::may_wait_for_embeddings(const Use& model) {
  return may_wait_for(&model->generator->embedder(), "embedding with \"" + model->id + "\"");
}

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
  Status status = memory_.make_in_room(model.id, what, {*std::move(need), {}}, make, work, refused);
  return !status.ok() && work.cancel.cancelled() ? cancelled() : status;
}

}  // namespace lh
