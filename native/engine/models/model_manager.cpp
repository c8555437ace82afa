#include "engine/models/model_manager.h"

#include "base/system/heap.h"
#include "engine/models/shared_load.h"

namespace lh {
namespace {

// Work that nobody is told of: a load that another piece of work needs.
class Silent final : public EventSink {
 public:
  bool wanted() const override { return false; }
  void deliver(const Event&, const EventOrigin*) override {}
};

}  // namespace

Scope ModelManager::free_scope(const std::string& id) const {
  Scope scope;
  scope.model_id = id;
  scope.closing = &closing_;
  return scope;
}

Json ModelManager::finish_unload(const std::string& id, const std::string& reason) {
  Leaving leaving;
  {
    TableLock lock(table_);
    table_.wait_until_unused(lock, id);
    if (const auto& model = table_.find(id)->model) leaving.freed = held().freed_with(model->generator->memory());
    leaving.model = table_.erase(id);
  }
  Json result = {{"model_id", id}, {"freed", to_json(leaving.freed)}};
  if (leaving.model == nullptr) return result;  // it was evicted, and hooks were told then
  free_memory(leaving);
  tell_unloaded(leaving, reason);
  return result;
}

void ModelManager::free_memory(const Leaving& leaving) {
  leaving.model->generator.reset();
  trim_heap();
}

// Nothing may wait for the end of this: a hook may use the model, which then is loaded again.
void ModelManager::tell_unloaded(const Leaving& leaving, const std::string& reason) {
  const auto& model = leaving.model;
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_MODEL_UNLOAD, free_scope(model->id), [&](std::string& out) {
    Json bytes = to_json(leaving.freed);
    bytes["measured"] = true;
    append_members(out, {{"model_id", model->id}, {"path", model->path}, {"reason", reason}, {"freed", bytes}});
  }));
  dispatcher_.trace().tell("model_unloaded", [&] { return Json{{"model_id", model->id}, {"reason", reason}}; });
}

Result<ModelManager::Use> ModelManager::bring_back(const std::string& id, const Work& work, Refusal& refused) {
  auto claim = table_.use_or_load(id, work.cancel);
  if (!claim.ok()) return claim.status();
  if (claim->model) return std::move(claim->model);
  const auto operation = Operation::current();
  operation->uses.add(claim->load);
  Silent silent;
  const auto loaded =
      bring_in(id, claim->request, Work{work.cancel, work.closing, silent, work.priority}, nullptr, refused);
  operation->uses.remove(claim->load);
  if (!loaded.ok()) return loaded.status();
  return table_.counted_use(loaded->get());
}

void ModelManager::enter_use(Operation& work, const LoadedModel& model) {
  work.uses.add(&model);
  if (model.shared_load) work.uses.add(model.shared_load.get());  // who asked for the load may yet take it back
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
  // For as long as it is in use: unloading it from a hook of this work would wait for the work.
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
    if (entry.request) models.push_back(told(entry));
  }
  return models;
}

Result<Json> ModelManager::describe(const std::string& id) {
  const TableLock lock(table_);
  const auto found = table_.find_known(id);
  if (!found.ok()) return found.status();
  return told((*found)->second);
}

const char* ModelManager::state_name(ModelEntry::State state) {
  using enum ModelEntry::State;
  switch (state) {
    case kLoading: return "loading";
    case kReady: return "ready";
    case kCold: return "cold";
    case kEvicting:
    case kUnloading: return "unloading";
  }
  return "";
}

// Weights that several have are counted with the one that was loaded first.
Json ModelManager::told(const ModelEntry& entry) const {
  Json json = entry.description;
  json["state"] = state_name(entry.state);
  Json& sharing = json["shares_weights_with"] = Json::array();
  json["memory"] = Json::array();
  if (!entry.model) return json;
  const MemoryFootprint mine = entry.model->generator->memory();
  FootprintSum earlier;
  for (const auto& [id, other] : table_.entries()) {
    if (!other.model || other.model == entry.model) continue;
    const MemoryFootprint theirs = other.model->generator->memory();
    if (have_common_weights(mine, theirs)) sharing.push_back(id);
    if (other.model->number < entry.model->number) earlier.add(theirs);
  }
  json["memory"] = by_device(earlier.beyond(mine));
  return json;
}

}  // namespace lh
