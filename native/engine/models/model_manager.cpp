#include "engine/models/model_manager.h"

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

ModelManager::ModelManager(const Dispatcher& dispatcher, CancelFlag& closing, const Limits& limits)
    : dispatcher_(dispatcher),
      closing_(closing),
      limits_(limits),
      ledger_(table_, limits.budgets),
      unloader_(dispatcher, closing, table_, ledger_),
      planner_(dispatcher, table_, ledger_, unloader_),
      watch_({dispatcher, closing, table_, ledger_, unloader_, planner_}, limits.low_memory) {}

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

}  // namespace lh
