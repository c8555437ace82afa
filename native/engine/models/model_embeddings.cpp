// The contexts that texts are embedded with: made when they are used first, with room asked for. Parts of ModelManager.
#include "engine/models/model_manager.h"

namespace lh {

// One at a time of one model: who else wants one waits, and then may find it made.
class ModelManager::Making {
 public:
  Making(ModelManager& models, const Embedder& embedder)
      : models_(models), embedder_(embedder), operation_(Operation::current()) {
    operation_->uses.add(&embedder_);
  }
  ~Making() {
    operation_->uses.remove(&embedder_);
    if (!claimed_) return;
    const TableLock lock(models_.table_);
    models_.being_made_.erase(&embedder_);
    models_.table_.tell_changed();
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  // Waits for whoever makes one now. False: it is there already. Errors: kCancelled.
  [[nodiscard]] Result<bool> claim(PoolingType pooling, const CancelFlag& cancel) {
    TableLock lock(models_.table_);
    while (!cancel.cancelled() && models_.being_made_.contains(&embedder_)) models_.table_.wait(lock);
    if (cancel.cancelled()) return Status(cancel.why(), "cancelled before the texts were computed: " + cancel.reason());
    if (embedder_.has(pooling)) return false;
    models_.being_made_.insert(&embedder_);
    return claimed_ = true;
  }

 private:
  ModelManager& models_;
  const Embedder& embedder_;
  const std::shared_ptr<Operation> operation_;
  bool claimed_ = false;
};

Status ModelManager::may_wait_for_embeddings(const Use& model) {
  return may_wait_for(&model->generator->embedder(), "embedding with \"" + model->id + "\"");
}

Status ModelManager::make_embeddings(const Use& model, PoolingType pooling, const Work& work, Refusal& refused) {
  const Embedder& embedder = model->generator->embedder();
  if (embedder.has(pooling)) return {};
  const CancelListener listening = table_.wake_at(work.cancel);
  Making making(*this, embedder);
  const auto mine = making.claim(pooling, work.cancel);
  if (!mine.ok() || !*mine) return mine.status();
  return planner_.make_in_room(
      model->id, "\"" + model->id + "\"", need_of_embeddings(*model, pooling),
      [&] { return model->generator->embedder().make(pooling); }, work, refused);
}

MemoryFootprint ModelManager::need_of_embeddings(const LoadedModel& model, PoolingType pooling) {
  MemoryFootprint rough{total(model.generator->memory()), {}};
  for (DeviceUse& one : rough.own) one = {one.device, 0, model.generator->embedder().rough_bytes(), 0, 0};
  if (has_plenty_for(model.params, rough)) return rough;
  auto exact = forecast_.of_embeddings(model.path, model.params, pooling);
  return exact.ok() ? *std::move(exact) : rough;
}

}  // namespace lh
